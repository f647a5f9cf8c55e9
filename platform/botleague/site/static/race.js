// The race of a season: its range input cuts the lines at a round, moves the names there, and sorts the standings as of
// then; a button plays it. The page is whole without it, as of now.
"use strict";

(() => {
  const STEP_MS = 400;
  const NAME_HEIGHT = 25;
  const main = document.querySelector("main");
  let step = null;  // the chosen one, null for now
  let timer = 0;
  let race = null;

  // What the server sent: values by bot and step, pictures, and the cells of the standings as of now.
  const read = () => {
    const root = main.querySelector("[data-race]");
    if (!root) return null;
    const { unit, per, steps, values } = JSON.parse(root.dataset.race);
    const courses = values.map((course) => {
      let value = 0;
      return course.map((by) => (by === null ? null : (value += by) / per));
    });
    const table = main.querySelector("table.table");
    const rows = table ? [...table.tBodies[0].rows] : [];
    const cells = rows.map((row) => [".rank", ".racing"].map((name) => row.querySelector(name)));
    return {
      root, unit, steps, courses, table, rows, cells,
      now: cells.map((pair) => pair.map((cell) => [...cell.childNodes])),
      input: root.querySelector("input"),
      lines: [...root.querySelectorAll("polyline")],
      dots: [...root.querySelectorAll(".dot")],
      names: [...root.querySelectorAll(".names > *")],
      height: root.querySelector(".names").height.baseVal.value,
    };
  };

  const text = (value) => {
    if (value === null) return "–";
    const whole = Math.floor(value);
    return value - whole === 0.5 ? `${whole || ""}½` : String(Math.round(value * 100) / 100);
  };

  const spreadOut = (levels) => {
    const order = levels.map((_, index) => index).sort((one, other) => levels[one] - levels[other]);
    const places = [...levels];
    const margin = NAME_HEIGHT / 2;
    let least = margin;
    for (const index of order) least = (places[index] = Math.max(least, places[index])) + NAME_HEIGHT;
    let most = race.height - margin;
    for (const index of order.reverse()) most = (places[index] = Math.min(most, places[index])) - NAME_HEIGHT;
    return places;
  };

  const draw = (at) => {
    const last = race.steps.length - 1;
    const x = (1000 * at) / last;
    race.root.querySelector("clipPath rect").setAttribute("width", x);
    race.root.querySelector(".mark").setAttribute("d", `M${x} 0V${race.height}`);
    const plot = race.root.querySelector(".plot");
    race.root.querySelector(".names").style.transform = `translateX(${-(1 - at / last) * plot.clientWidth}px)`;
    const levels = race.lines.map((line) => line.points[at - last + line.points.length - 1]?.y ?? null);
    const shown = levels.map((level, index) => index).filter((index) => levels[index] !== null);
    const places = spreadOut(shown.map((index) => levels[index]));
    for (const name of race.names) name.classList.toggle("absent", true);
    for (const dot of race.dots) dot.classList.toggle("absent", true);
    for (const [number, index] of shown.entries()) {
      const name = race.names[index];
      name.classList.remove("absent");
      race.dots[index].classList.remove("absent");
      race.dots[index].setAttribute("d", `M${x} ${levels[index]}h0`);
      name.querySelector(".lead").setAttribute("d", `M2 ${levels[index]}L16 ${places[number]}`);
      name.querySelector(".at").setAttribute("transform", `translate(0 ${places[number]})`);
      // Lines are drawn from the last bot to the first.
      name.querySelector(".value").textContent = text(race.courses[race.lines.length - 1 - index][at]);
    }
  };

  const sort = (at) => {
    const isWhole = race.rows.length === race.courses.length;
    const note = main.querySelector(".then");
    note.hidden = at === null || !isWhole;
    if (!isWhole) return;
    race.table.classList.toggle("past", at !== null);
    const body = race.table.tBodies[0];
    if (at === null) {
      race.cells.forEach((pair, row) => pair.forEach((cell, which) => cell.replaceChildren(...race.now[row][which])));
      body.append(...race.rows);
      return;
    }
    note.querySelector("span").textContent = `as of ${race.unit} ${race.steps[at]} of ${race.steps.at(-1)}`;
    const value = (row) => race.courses[row][at] ?? -Infinity;
    const order = race.rows.map((_, row) => row).sort((one, other) => value(other) - value(one) || one - other);
    let place = 0;
    order.forEach((row, number) => {
      if (!number || value(row) !== value(order[number - 1])) place = number + 1;
      const course = race.courses[row][at];
      race.cells[row][0].textContent = course === null ? "–" : place;
      race.cells[row][1].textContent = text(course);
      body.append(race.rows[row]);
    });
  };

  const show = (at) => {
    const last = race.steps.length - 1;
    step = at === null || at >= last ? null : at;
    const shown = step ?? last;
    race.input.value = shown;
    race.input.setAttribute("aria-valuetext", `${race.unit} ${race.steps[shown]}`);
    draw(shown);
    sort(step);
  };

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    const button = race?.root.querySelector("[data-play]");
    if (button) button.textContent = "▸";
  };

  const play = () => {
    if (timer) return stop();
    show(step ?? 0);
    race.root.querySelector("[data-play]").textContent = "❚❚";
    timer = setInterval(() => {
      show(step + 1);
      if (step === null) stop();
    }, STEP_MS);
  };

  const highlight = (index) => {
    for (const which of [race.lines, race.names, race.dots])
      which.forEach((one, number) => one.classList.toggle("on", number === index));
  };

  // The line nearest to the pointer: lines are too thin to be met.
  const nearest = (event) => {
    const box = race.root.querySelector(".lines").getBoundingClientRect();
    const last = race.steps.length - 1;
    const at = Math.min(step ?? last, Math.max(0, Math.round(((event.clientX - box.left) / box.width) * last)));
    const away = race.lines.map((line) => {
      const level = line.points[at - last + line.points.length - 1]?.y ?? Infinity;
      return Math.abs(level - (event.clientY - box.top));
    });
    const least = Math.min(...away);
    return least < 24 ? away.indexOf(least) : -1;
  };

  const point = (event) => {
    if (!race || !race.root.contains(event.target)) return;
    const name = event.target.closest(".names > *");
    highlight(name ? race.names.indexOf(name) : event.type === "pointermove" ? nearest(event) : -1);
  };

  const again = () => {
    race = read();
    if (!race) return stop();
    show(step === null ? null : Math.min(step, race.steps.length - 1));
  };

  main.addEventListener("input", (event) => {
    if (event.target !== race?.input) return;
    stop();
    show(Number(race.input.value));
  });
  main.addEventListener("click", (event) => {
    if (event.target.closest("[data-play]")) play();
    if (!event.target.closest("[data-now]")) return;
    stop();
    show(null);
    race.input.focus();
  });
  main.addEventListener("pointermove", point);
  main.addEventListener("focusin", point);
  main.addEventListener("pointerleave", () => race && highlight(-1));
  addEventListener("resize", () => race && draw(step ?? race.steps.length - 1));
  document.addEventListener("htmx:after:swap", again);
  again();
})();
