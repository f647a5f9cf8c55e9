// The stage: a bracket, or standings from the last place on, for a projector. Its results are covered until a key uncovers the next one; the address has the
// number of uncovered results, so that the way back from a replay leads to the same state. Covered results are only
// hidden from view: everybody may see them on the page.
"use strict";

(() => {
  const CAME = "botleague-stage";
  // Pixels per unit of the picture, whose names have 12 units, where a letter of the page has 16 pixels.
  const MIN_SCALE = 0.9;
  const PART_SCALE = 1.2;
  const MOVE_MS = 400;
  const STILL = matchMedia("(prefers-reduced-motion: reduce)");
  const main = document.querySelector("main");
  const isTyping = (event) => event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea");
  const number = (element) => Number(element.dataset.at);

  // On the page of a match that the stage has opened, B leads back.
  if (!new URLSearchParams(location.search).has("stage")) {
    addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "b" || isTyping(event) || sessionStorage.getItem(CAME) !== location.pathname) return;
      sessionStorage.removeItem(CAME);
      history.back();
    });
    return;
  }
  const rows = () => [...main.querySelectorAll("table.table tbody tr")];
  if (!main.querySelector("svg.tree") && !rows().length) return;

  const last = () => Math.max(0, ...[...main.querySelectorAll(".series[data-at], tr[data-at]")].map(number));
  let step = Number(location.hash.slice(1)) || 0;

  // A large bracket is shown in parts: the view follows the newest result, so that names stay readable from far away.
  const look = (tree) => {
    const whole = (tree.dataset.whole ??= tree.getAttribute("viewBox")).split(" ").map(Number);
    const letter = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const [width, height] = [tree.clientWidth, tree.clientHeight].map((size) => size / letter / PART_SCALE);
    const fits = Math.min(tree.clientWidth / whole[2], tree.clientHeight / whole[3]) >= MIN_SCALE * letter;
    const series = tree.querySelector(`.series[data-at="${Math.max(1, step)}"]`);
    if (!series || fits) return tree.setAttribute("viewBox", whole.join(" "));
    const { x, y, width: wide, height: high } = series.getBBox();
    const from = (middle, size, all) => (size >= all ? (all - size) / 2 : Math.min(all - size, Math.max(0, middle - size / 2)));
    const target = [from(x + wide / 2, width, whole[2]), from(y + high / 2, height, whole[3]), width, height];
    const start = tree.getAttribute("viewBox").split(" ").map(Number);
    const began = performance.now();
    const move = (now) => {
      if (tree.dataset.moved !== String(began)) return;
      const part = STILL.matches ? 1 : Math.min(1, Math.max(0, now - began) / MOVE_MS);
      const eased = part * (2 - part);
      tree.setAttribute("viewBox", target.map((value, at) => start[at] + (value - start[at]) * eased).join(" "));
      if (part < 1) requestAnimationFrame(move);
    };
    tree.dataset.moved = began;
    move(began);
  };

  const draw = () => {
    document.documentElement.classList.add("stage");
    main.querySelector(".hint").hidden = false;
    rows().forEach((row, place, all) => (row.dataset.at = all.length - place));
    for (const part of main.querySelectorAll("[data-at]")) {
      const isSeries = part.classList.contains("series");
      part.classList.toggle(isSeries ? "undecided" : "covered", number(part) > step);
      if (isSeries || part.matches("tr")) part.classList.toggle("new", number(part) === step);
    }
    for (const champion of main.querySelectorAll("[data-champion]")) champion.hidden = step < last();
    for (const tree of main.querySelectorAll("svg.tree")) look(tree);
    main.querySelector("tr.new")?.scrollIntoView({ block: "center" });
  };

  const show = (to) => {
    step = Math.min(last(), Math.max(0, to));
    history.replaceState(null, "", `#${step}`);
    draw();
  };

  const open = () => {
    const link = main.querySelector(".series.new[href], tr.new a.watch");
    if (!link) return;
    const url = new URL(link.getAttribute("href"), location);
    sessionStorage.setItem(CAME, url.pathname);
    location.assign(url);
  };

  const keys = {
    " ": () => show(step + 1),
    arrowright: () => show(step + 1),
    pagedown: () => show(step + 1),
    b: () => show(step - 1),
    arrowleft: () => show(step - 1),
    pageup: () => show(step - 1),
    f: open,
    home: () => show(0),
    end: () => show(last()),
    escape: () => location.assign(location.pathname),
  };
  addEventListener("keydown", (event) => {
    const act = keys[event.key.toLowerCase()];
    if (!act || isTyping(event)) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("htmx:after:swap", draw);
  addEventListener("resize", draw);
  show(step);
})();
