// Sorts tables in place, and on published pages shows only what a link asked for. Pages are whole without it.
"use strict";

// A server answers ?embed itself.
if (document.querySelector(".embedded") && new URLSearchParams(location.search).has("embed")) {
  document.documentElement.classList.add("embed");
  // A preview: the board alone.
  document.documentElement.classList.toggle("bare", location.hash === "#play");
}

(() => {
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = parseFloat(text.replace("−", "-"));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };

  const compare = (one, other) => {
    if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
    return typeof one === "number" ? -1 : 1;
  };

  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    rows.sort((one, other) => direction * compare(value(one, column), value(other, column)));
    body.append(...rows);
    for (const [index, head] of [...table.tHead.rows[0].cells].entries()) {
      if (index === column) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    }
  };

  const prepare = (table) => {
    for (const head of table.tHead.rows[0].cells) {
      // A heading for readers only would be a button that its keyboard user does not see.
      if (head.querySelector("button, .unseen")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
    }
  };

  const again = () => {
    for (const table of document.querySelectorAll("table[data-sortable]")) {
      prepare(table);
      const sorted = table.tHead.querySelector("[aria-sort]");
      if (sorted) sort(table, sorted.cellIndex, sorted.getAttribute("aria-sort") === "ascending" ? 1 : -1);
    }
  };

  document.addEventListener("click", (event) => {
    const head = event.target.closest?.("table[data-sortable] thead th");
    if (!head) return;
    // The best first: numbers fall, names and places rise.
    const known = head.getAttribute("aria-sort");
    const first = head.classList.contains("num") && head.cellIndex > 0 ? -1 : 1;
    sort(head.closest("table"), head.cellIndex, known ? (known === "ascending" ? -1 : 1) : first);
  });

  const filter = () => {
    const note = document.querySelector("[data-filter]");
    const asked = new URLSearchParams(location.search);
    const bots = [asked.get("bot"), asked.get("opponent")].filter(Boolean);
    const fault = asked.get("fault");
    if (!note || !(bots.length || fault)) return;
    for (const row of document.querySelectorAll("table.matches tbody tr")) {
      const sits = row.dataset.bots.split(" ").map(decodeURIComponent);
      row.hidden = !bots.every((bot) => sits.includes(bot)) || (fault && !row.dataset.faults.split(" ").includes(fault));
    }
    note.querySelector("strong").textContent = [...bots, fault].filter(Boolean).join(", ");
    note.hidden = false;
  };

  again();
  filter();
  document.addEventListener("htmx:after:swap", again);
})();
