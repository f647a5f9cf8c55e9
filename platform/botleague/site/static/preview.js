// The still of a league plays while its card is pointed at or focused: only then its replay is loaded, in a frame.
"use strict";

(() => {
  const WAIT_MS = 250;
  const AGAIN_MS = 2000;
  const TRIES = 5;

  // A picture of one pixel stands for one that is being made.
  for (const picture of document.querySelectorAll("main[data-live] .picture img")) {
    const address = picture.src;
    let tries = 0;
    const again = () => {
      if (picture.naturalWidth !== 1 || tries++ === TRIES) return;
      setTimeout(() => (picture.src = `${address}?${tries}`), AGAIN_MS);
    };
    picture.addEventListener("load", again);
    if (picture.complete) again();
  }

  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  let card = null;
  let timer = null;

  const stop = () => {
    clearTimeout(timer);
    card?.querySelector(".picture iframe")?.remove();
    card = null;
  };

  const play = (picture) => {
    const frame = document.createElement("iframe");
    frame.tabIndex = -1;
    frame.hidden = true;
    // A frame that the server refuses, or a match without a replay, leaves the still. Files of a disk tell nothing.
    frame.onload = () => {
      const isFile = location.protocol === "file:";
      frame.hidden = !isFile && !frame.contentDocument?.querySelector(".bl-player");
    };
    frame.src = `${picture.href}?embed#play`;
    picture.append(frame);
  };

  const begin = (event) => {
    const next = event.target.closest?.("li.card");
    if (next === card) return;
    stop();
    const picture = next?.querySelector(".picture[data-plays]");
    if (!picture || event.pointerType === "touch") return;
    card = next;
    timer = setTimeout(() => play(picture), WAIT_MS);
  };

  addEventListener("pointerover", begin);
  addEventListener("focusin", begin);
  document.documentElement.addEventListener("pointerleave", stop);
})();
