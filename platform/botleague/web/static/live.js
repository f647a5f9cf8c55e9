// Keeps a page up to date while it is looked at: opens its event stream when the page becomes visible (the stream itself
// pauses while it is hidden), and asks every 30 seconds instead where streams do not get through.
"use strict";

(() => {
  const POLL_MS = 30000;
  const main = document.querySelector("main[data-live]");
  if (!main) return;
  let heard = 0;
  let connected = false;

  const begin = () => {
    if (document.hidden || connected || !main.hasAttribute("data-htmx-powered")) return;
    connected = true;
    htmx.trigger(main, "visible-page");
  };

  const poll = async () => {
    if (document.hidden || Date.now() - heard < POLL_MS) return;
    try {
      const swap = { source: main, target: main, select: "main > *", swap: "innerMorph" };
      await htmx.ajax("GET", location.pathname + location.search, swap);
    } catch {
      // The server is away; the next time it may be back.
    }
    begin();
  };

  const hear = () => {
    heard = Date.now();
    connected = true;
  };

  main.addEventListener("htmx:sse:after:connection", hear);
  main.addEventListener("htmx:sse:after:message", hear);
  main.addEventListener("htmx:sse:close", () => (connected = false));
  main.addEventListener("htmx:error", () => (connected = false));
  // A film that has been made meanwhile: its player comes with the page.
  document.addEventListener("htmx:after:swap", () => {
    if (document.querySelector(".bl-player") && !document.querySelector("script[src*='player.js']")) location.reload();
  });
  document.addEventListener("visibilitychange", begin);
  setInterval(poll, POLL_MS);
  // htmx prepares a page in a timer of its own, before this one. Where its extension came after that, nobody listens yet.
  setTimeout(() => {
    if (!main.hasAttribute("data-htmx-powered")) htmx.process(main);
    begin();
  });
})();
