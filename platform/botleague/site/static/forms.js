// Sends a form once: a second click while the answer is on its way would create a second invite, token or season.
"use strict";

(() => {
  const PATIENCE_MS = 10000; // after that the answer may be lost, and the form can be sent again
  const sent = new Map();

  addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post" || event.defaultPrevented) return;
    if (event.timeStamp - sent.get(form) < PATIENCE_MS) event.preventDefault();
    else sent.set(form, event.timeStamp);
  });
  // A reload of the answer would send the form again, too: it shows the page with the form.
  if (document.querySelector("p.done")) history.replaceState(null, "", document.referrer);
  // The way back shows the page as it was left.
  addEventListener("pageshow", () => sent.clear());
})();
