// Keeps a page up to date while it is looked at: opens its event stream when the page becomes visible (the stream itself
// pauses while it is hidden), and asks every 30 seconds instead where streams do not get through.
"use strict";

(() => {
  const POLL_MS = 30000;
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  let heard = 0;

  const begin = () => {
    if (!document.hidden) htmx.trigger(main, "visible-page");
  };

  const poll = async () => {
    if (document.hidden || Date.now() - heard < POLL_MS) return;
    try {
      await htmx.ajax("GET", location.pathname + location.search, { source: main, target: main, select: "main > *", swap: "innerMorph" });
    } catch {
      // The server is away; the next time it may be back.
    }
    begin();
  };

  main.addEventListener("htmx:sse:after:message", () => (heard = Date.now()));
  main.addEventListener("htmx:sse:after:connection", () => (heard = Date.now()));
  main.addEventListener("alive", () => (heard = Date.now()));
  document.addEventListener("visibilitychange", begin);
  setInterval(poll, POLL_MS);
  begin();
})();
