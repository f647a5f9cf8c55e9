// The keys of a reveal: each step is a page of its own, so they only follow its links.
"use strict";

(() => {
  if (!document.querySelector("[data-reveal]")) return;
  document.querySelector("#new")?.scrollIntoView({ block: "center" });
  const steps = { ArrowRight: "next", ArrowUp: "next", " ": "next", PageDown: "next", ArrowLeft: "prev", ArrowDown: "prev", PageUp: "prev" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("a, button, input")) return;
    const link = document.querySelector(`[data-reveal] a[rel=${steps[event.key] ?? "none"}]`);
    if (!link) return;
    event.preventDefault();
    location.replace(link.href);
  });
})();
