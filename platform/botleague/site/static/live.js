// Keeps a page up to date while it is looked at: opens its event stream when the page becomes visible (the stream itself
// pauses while it is hidden), and asks every 30 seconds instead where streams do not get through.
"use strict";

(() => {
  const POLL_MS = 30000;
  const RESULT_MS = 6000;
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
  main.addEventListener("gone", () => location.reload());
  main.addEventListener("htmx:sse:close", () => (connected = false));
  main.addEventListener("htmx:error", () => (connected = false));
  // A match in progress: its film until now, and every part that follows; the player keeps what its viewer looks at.
  let watched = null;
  let seen = "";
  let ended = 0;

  const playerOf = (root) => root?.querySelector(".bl")?.botleague;

  const show = (root, film) => {
    const old = playerOf(root);
    const place = document.createElement("div");
    place.className = "bl-player";
    root.replaceChildren(place);
    continued(old, botleague.mount(place, film));
  };

  // Who looked at a turn goes on looking at it, who followed goes on to the end, and who watched the end watches it.
  const continued = (old, player) => {
    if (!old) return;
    const { current, playing } = old;
    const isAtEnd = current === old.reel.last;
    old.pause();
    player.pause();
    player.show(isAtEnd ? player.reel.last : current);
    if (player.isLive ? playing || isAtEnd : playing && !isAtEnd) player.play();
  };

  const leave = () => {
    watched?.close();
    watched = null;
  };

  // The home page names the match that is played now: it follows the one that is watched, after a look at the result.
  const follow = (root) => {
    const now = main.querySelector("[data-live-now]")?.dataset.liveNow;
    if (watched || !now || now === root.dataset.liveFilm || Date.now() - ended < RESULT_MS) return;
    root.dataset.liveFilm = now;
    root.replaceChildren();
    seen = "";
  };

  const watch = () => {
    const root = main.querySelector("[data-live-film]");
    if (!root || document.hidden) return leave();
    if (!globalThis.botleague) return location.reload();
    follow(root);
    if (watched || (playerOf(root) && !playerOf(root).isLive)) return;
    watched = new EventSource(`${root.dataset.liveFilm}?seen=${seen}`);
    const hear = (act) => (event) => {
      seen = event.lastEventId;
      act(JSON.parse(event.data));
      if (playerOf(root).isLive) return;
      ended = Date.now();
      leave();
    };
    watched.addEventListener("film", hear((film) => show(root, film)));
    watched.addEventListener("part", hear((part) => playerOf(root).append(part)));
    watched.addEventListener("error", () => watched?.readyState === EventSource.CLOSED && leave());
  };

  // A film that has been made meanwhile comes with the page, perhaps not at once: it takes the place of the one that was watched.
  let last = null;
  document.addEventListener("htmx:before:swap", () => (last = playerOf(main) ?? last));
  document.addEventListener("htmx:after:swap", () => {
    const root = main.querySelector(".bl-player[data-film]:not(.bl)");
    if (root && !globalThis.botleague) location.reload();
    else if (root) continued(last, botleague.mount(root, JSON.parse(document.getElementById(root.dataset.film).textContent)));
    watch();
  });
  document.addEventListener("visibilitychange", watch);
  addEventListener("DOMContentLoaded", watch);
  document.addEventListener("visibilitychange", begin);
  setInterval(() => (poll(), watch()), POLL_MS);
  // htmx prepares a page in a timer of its own, before this one. Where its extension came after that, nobody listens yet.
  setTimeout(() => {
    if (!main.hasAttribute("data-htmx-powered")) htmx.process(main);
    begin();
  });
})();
