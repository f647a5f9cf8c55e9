/* The player of matches. It plays a film (botleague.film) on a canvas: from a page, from a disk, inside a notebook, and while
   the match is still being played. By hand, without a build step or a library.

   Reel reads a film and gives any frame; Board draws frames and what lies between two of them; Player is all the rest. A film's texts are strangers' texts: they reach the page as text nodes. */
"use strict";
(() => {
  const SPECTATOR = -1;
  const MATCH_S = 40; // how long a match takes at normal speed, whatever its length
  const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16];
  const GLIDE_MS = 320; // of a step, and the longest part of a turn that things spend on their way
  const CHECKPOINT = 64; // frames between two that are kept whole
  const RANKS = 12; // of a shape among those that came in the place of another
  const PAGE = 200; // turns in the list at a time
  const MOST_TALL = 6; // seats that have a line for their move each
  const MOST_CHIPS = 8; // seats above the board
  const RUN_UP = 3; // turns that are played before the turning point
  const LONGEST_NAME = 28;
  const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufefc]/; // letters of Hebrew, Arabic and related scripts
  const SMALLEST_NAME = 8; // pixels of the screen
  const RESULT_MS = 1200; // from the last turn to the card of the result
  const CLIP_MS = 8000;
  const FROM_START = "botleague.fromStart"; // the viewer's choice, kept by the browser
  const HIDDEN_LAYERS = new Set(["debug"]);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("screen and (prefers-color-scheme: dark)"); // paper is light

  // ---- A film ------------------------------------------------------------------------------------------------------------

  class Reel {
    constructor(film) {
      if (film.format !== 1) throw new Error(`This page is older than the film: format ${film.format}.`);
      this.texts = [];
      this.forms = [];
      this.shapes = { form: [], x: [], y: [], key: [], title: [] };
      this.keyOf = new Map();
      this.lastOf = new Map();
      this.strips = new Map();
      this.scores = [];
      this.moves = [];
      this.events = [];
      this.faults = [];
      this.tags = [];
      this.at = { events: new Map(), faults: new Map(), prints: new Map(), used: new Map(), tags: new Map() };
      this.longest = 0; // milliseconds of a turn, over all seats
      this.add(film);
    }

    get last() {
      return this.moves.length - 1;
    }

    get winners() {
      return this.head.seats.flatMap(({ place }, seat) => (place === 1 ? [seat] : []));
    }

    /** What the numbers of the course count, such as "cells"; the score is the result of the match. */
    get unit() {
      return this.head.score_words?.[0] || "position";
    }

    /** The seat whose lead is drawn: the winner, else the first. */
    get hero() {
      return this.winners.length === 1 ? this.winners[0] : 0;
    }

    /** Per frame, the hero's score minus the best other; with two seats the mean of two turns. NaN without scores. */
    lead() {
      const { hero } = this;
      const lead = this.scores.map((row) => (row.length ? row[hero] - Math.max(...row.filter((_, seat) => seat !== hero), row.length > 1 ? -Infinity : 0) : NaN));
      return this.head.seats.length === 2 ? lead.map((value, frame) => (value + lead[Math.max(0, frame - 1)]) / 2) : lead;
    }

    /** Adds a part, or the whole film to an empty reel. */
    add(part) {
      this.head = part;
      extend(this.texts, part.texts);
      extend(this.forms, part.forms);
      this.addShapes(part.shapes);
      for (const strip of part.strips) {
        if (!this.strips.has(strip.seat))
          this.strips.set(strip.seat, { stages: [], focus: [], shapes: [], lines: [], kept: [], cursor: { frame: -1, shapes: [], lines: [] }, end: [], known: 0, after: new Map() });
        const known = this.strips.get(strip.seat);
        extend(known.stages, strip.stages);
        extend(known.focus, strip.focus ?? []);
        extend(known.lines, strip.lines);
        for (const written of strip.shapes) known.shapes.push(written.length ? read(known, written) : written);
      }
      for (const scores of part.scores) this.scores.push(scores.length ? scores : (this.scores.at(-1) ?? []));
      extend(this.moves, part.moves);
      extend(this.events, part.events);
      extend(this.faults, part.faults);
      extend(this.tags, part.tags ?? []);
      for (const name in this.at)
        for (const row of part[name] ?? []) {
          if (!this.at[name].has(row[0])) this.at[name].set(row[0], []);
          this.at[name].get(row[0]).push(row);
        }
      for (const row of part.used) this.longest = Math.max(this.longest, this.time(row));
    }

    /** Keys are told by the difference from the last one of the same form, the others from the last one of the same key. */
    addShapes(columns) {
      const { form, x, y, key, title } = this.shapes;
      columns.form.forEach((which, n) => {
        const thing = columns.key[n] + (this.keyOf.get(which) ?? 0);
        const last = this.lastOf.get(thing) ?? [0, 0, 0];
        const told = [columns.x[n] + last[0], columns.y[n] + last[1], columns.title[n] + last[2]];
        this.keyOf.set(which, thing);
        this.lastOf.set(thing, told);
        form.push(which);
        key.push(thing);
        x.push(told[0]);
        y.push(told[1]);
        title.push(told[2]);
      });
    }

    /** Milliseconds that count for the clock of the match, of a row of `used`. */
    time(row) {
      return this.head.limits.clock === "wall" ? row[3] : row[2];
    }

    /** The text of an index, with the names of bots in it. */
    text(index) {
      return named(this.texts[index], this.head.seats);
    }

    /** A frame of a strip: its shapes in the order of drawing, its lines, and the stage; null before a seat's first. */
    frame(seat, number) {
      const strip = this.strips.get(seat);
      const stage = strip.stages.findLast((stage) => stage[0] <= number);
      if (!stage) return null;
      let cursor = strip.cursor;
      if (cursor.frame > number || number - cursor.frame > CHECKPOINT) {
        const kept = strip.kept[Math.min(Math.floor(number / CHECKPOINT), strip.kept.length - 1)];
        if (kept && (kept.frame > cursor.frame || cursor.frame > number)) cursor = { ...kept };
      }
      while (cursor.frame < number) {
        const next = ++cursor.frame;
        cursor.shapes = patched(cursor.shapes, strip.shapes[next]);
        cursor.lines = patched(cursor.lines, strip.lines[next]);
        if (next % CHECKPOINT === 0 && strip.kept.length === next / CHECKPOINT) strip.kept.push({ ...cursor });
      }
      strip.cursor = cursor;
      const focus = strip.focus.findLast((focus) => focus[0] <= number);
      const view = focus?.[3] ? focus.slice(1) : [0, 0, stage[1], stage[2]];
      return { shapes: cursor.shapes, lines: cursor.lines, width: stage[1], height: stage[2], background: stage[3], view };
    }

    /** The number of a frame at or after `from`, going by `step`, that a list of rows speaks of; undefined if none does. */
    seek(rows, from, step) {
      const frames = rows.map((row) => row[0]);
      return step > 0 ? frames.find((frame) => frame > from) : frames.findLast((frame) => frame < from);
    }
  }

  function extend(list, more) {
    for (const item of more) list.push(item);
  }

  /** A long name as a sentence has it. */
  function short(name) {
    const letters = [...name];
    return letters.length > LONGEST_NAME ? letters.slice(0, LONGEST_NAME - 1).join("") + "…" : name;
  }

  /** A text with the names of bots; those that read from the right do not turn the words around them. */
  function named(text, seats) {
    return text.replace(/\{seat (\d{1,4})\}/g, (_, seat) => {
      const name = short(seats[seat]?.name ?? `seat ${seat}`);
      return FROM_RIGHT.test(name) ? `\u2068${name}\u2069` : name;
    });
  }

  /** Groups of how many to keep, to drop and to put in, and these. */
  function patched(old, changes) {
    if (!changes.length) return old;
    const list = [];
    let place = 0;
    for (let at = 0; at < changes.length; ) {
      const [keep, drop, put] = [changes[at], changes[at + 1], changes[at + 2]];
      for (let n = 0; n < keep; n++) list.push(old[place + n]);
      for (let n = 0; n < put; n++) list.push(changes[at + 3 + n]);
      place += keep + drop;
      at += 3 + put;
    }
    while (place < old.length) list.push(old[place++]);
    return list;
  }

  /** The next frame of a strip, with shapes by their own numbers. */
  function read(strip, written) {
    const changes = written.slice(1);
    strip.known += written[0];
    let [place, behind] = [0, -1];
    for (let at = 0; at < changes.length; ) {
      const [keep, drop, put] = [changes[at], changes[at + 1], changes[at + 2]];
      place += keep;
      if (keep) behind = strip.end[place - 1];
      for (let n = 0; n < put; n++) {
        const context = n < drop ? strip.end[place + n] : ~behind;
        const code = changes[at + 3 + n];
        if (!strip.after.has(context)) strip.after.set(context, []);
        const after = strip.after.get(context);
        if (code === 0) behind = strip.known++;
        else behind = code <= RANKS ? after.splice(code - 1, 1)[0] : code - 1 - RANKS;
        after.unshift(behind);
        after.length = Math.min(after.length, RANKS);
        changes[at + 3 + n] = behind;
      }
      place += drop;
      at += 3 + put;
    }
    strip.end = patched(strip.end, changes);
    return changes;
  }

  // ---- The board ---------------------------------------------------------------------------------------------------------

  class Board {
    constructor(reel, canvas) {
      this.reel = reel;
      this.canvas = canvas;
      this.context = canvas.getContext("2d");
      this.ground = document.createElement("canvas"); // what lies below everything that moves
      this.grounds = "";
      this.paths = [];
      this.hidden = new Set(HIDDEN_LAYERS);
      this.colors = new Map(); // of the bots, by the colours of their seats in scenes
    }

    /** Draws the frame `to`, or what lies between `from` and it: `part` of the way is done. */
    draw(to, from, part, followed) {
      const { canvas, context } = this;
      const moving = from && part < 1 && from.width === to.width ? this.ways(from, to) : null;
      this.look(to.view.map((end, n) => (moving ? from.view[n] + (end - from.view[n]) * part : end)));
      const shapes = moving ? from.shapes : to.shapes;
      let first = 0;
      if (moving) {
        first = shapes.findIndex((shape) => moving.has(this.reel.shapes.key[shape]));
        if (first < 0) first = shapes.length;
        this.keepGround(shapes, first, to);
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.drawImage(this.ground, 0, 0);
      } else this.clear(context, to);
      for (let i = first; i < shapes.length; i++) {
        const way = moving?.get(this.reel.shapes.key[shapes[i]]);
        if (!way) this.shape(context, shapes[i]);
        else if (way.shape < 0) this.shape(context, shapes[i], 0, 0, 1 - part);
        else this.shape(context, way.shape, (part - 1) * way.dx, (part - 1) * way.dy);
      }
      if (followed) this.ring(to, moving, part, followed);
    }

    /** Fits a part of the picture into the middle of the canvas. */
    look([x, y, width, height]) {
      const { canvas } = this;
      const { unit } = this.reel.head;
      this.scale = Math.min(canvas.width / width, canvas.height / height) / unit;
      this.left = canvas.width / 2 - (x + width / 2) * unit * this.scale;
      this.top = canvas.height / 2 - (y + height / 2) * unit * this.scale;
    }

    /** What moves, by the index of its key: which shape it becomes, and how far that is away. */
    ways(from, to) {
      const { key, x, y } = this.reel.shapes;
      const target = new Map();
      for (const shape of to.shapes) if (key[shape]) target.set(key[shape], shape);
      const ways = new Map();
      for (const shape of from.shapes) {
        const goal = target.get(key[shape]) ?? -1;
        if (key[shape] && goal !== shape)
          ways.set(key[shape], goal < 0 ? { shape: -1 } : { shape: goal, dx: x[goal] - x[shape], dy: y[goal] - y[shape] });
      }
      return ways;
    }

    keepGround(shapes, count, frame) {
      const name = [this.canvas.width, this.canvas.height, this.scale, this.left, this.top, [...this.hidden], frame.background, ...shapes.slice(0, count)].join();
      if (name === this.grounds) return;
      this.grounds = name;
      this.ground.width = this.canvas.width;
      this.ground.height = this.canvas.height;
      const context = this.ground.getContext("2d");
      this.clear(context, frame);
      for (let i = 0; i < count; i++) this.shape(context, shapes[i]);
    }

    clear(context, frame) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      this.groundColor = frame.background;
      context.fillStyle = this.paint(frame.background);
      context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    }

    shape(context, number, dx = 0, dy = 0, alpha = 1) {
      const { scale, reel } = this;
      const form = reel.forms[reel.shapes.form[number]];
      const [kind, , , layer] = form;
      if (layer && this.hidden.has(layer)) return;
      const fill = form[1] && this.paint(form[1]);
      const stroke = form[2] && this.paint(form[2]);
      const x = (reel.shapes.x[number] + dx) * scale + this.left;
      const y = (reel.shapes.y[number] + dy) * scale + this.top;
      const hairline = Math.max(1, this.canvas.width / 700);
      context.globalAlpha = alpha;
      context.lineJoin = context.lineCap = "round";
      if (fill) context.fillStyle = fill;
      if (stroke) context.strokeStyle = stroke;
      if (kind === "e") this.emblem(context, x, y, form);
      else if (kind === "r" && form[6]) {
        context.setTransform(1, 0, 0, 1, x, y);
        context.beginPath();
        context.roundRect(0, 0, form[4] * scale, form[5] * scale, form[6] * scale);
        if (fill) context.fill();
        context.lineWidth = hairline;
        if (stroke) context.stroke();
      } else if (kind === "r") {
        // On whole pixels: neighbours then have no seam between them.
        context.setTransform(1, 0, 0, 1, 0, 0);
        const [left, top] = [Math.round(x), Math.round(y)];
        const [width, height] = [Math.round(x + form[4] * scale) - left, Math.round(y + form[5] * scale) - top];
        if (fill) context.fillRect(left, top, width, height);
        context.lineWidth = hairline;
        if (stroke) context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
      } else if (kind === "t") {
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.font = `600 ${(form[5] * scale).toFixed(1)}px ${form[6] ? "ui-monospace, monospace" : "system-ui, sans-serif"}`;
        context.textAlign = "center";
        context.textBaseline = "alphabetic";
        const text = this.fitted(context, form);
        if (stroke) {
          context.lineWidth = 0.22 * form[5] * scale;
          context.strokeText(text, x, y + 0.35 * form[5] * scale);
        }
        context.fillText(text, x, y + 0.35 * form[5] * scale);
      } else {
        context.setTransform(scale, 0, 0, scale, x, y);
        const path = this.path(reel.shapes.form[number]);
        if (fill) context.fill(path);
        context.lineWidth = kind === "l" ? form[4] : hairline / scale;
        if (stroke) context.stroke(path);
      }
      context.globalAlpha = 1;
    }

    /** The text of a form, cut to its width; nothing if it has one and its letters are too small to read. */
    fitted(context, form) {
      const text = this.reel.text(form[4]);
      if (!form[7]) return text;
      if (form[5] * this.scale < SMALLEST_NAME * devicePixelRatio) return "";
      const fits = (part) => context.measureText(part).width <= form[7] * this.scale;
      if (fits(text)) return text;
      const letters = [...text];
      while (letters.length > 1 && !fits(letters.join("") + "…")) letters.pop();
      return letters.join("").trimEnd() + "…";
    }

    /** A colour of a scene as it is shown: a bot's in place of its seat's, a dark one on a dark page. */
    paint(color) {
      const known = this.colors.get(color);
      if (known) return known;
      const base = color.slice(0, 7);
      const table = dark.matches ? this.reel.head.dark : undefined;
      const shown = (this.colors.get(base) ?? table?.[base] ?? base) + color.slice(7);
      this.colors.set(color, shown);
      return shown;
    }

    emblem(context, x, y, form) {
      const { emblem, color } = this.reel.head.seats[form[4]] ?? {};
      const size = form[5] * this.scale;
      const fill = this.paint(form[1] ?? color ?? "#888888");
      context.setTransform(size / 32, 0, 0, size / 32, x - size / 2, y - size / 2);
      const parts = emblem ? symbols(emblem).map(part) : [];
      context.fillStyle = fill;
      if (!parts.every(Boolean) || !parts.length) context.fill(part("h0") ?? new Path2D("M4 4h24v24H4z"));
      else
        parts.forEach((path, place) => {
          if (place === parts.length - 1) context.fillStyle = form[1] ? this.paint(color) : this.paint(this.groundColor);
          context.fill(path);
        });
    }

    path(number) {
      return (this.paths[number] ??= outline(this.reel.forms[number]));
    }

    ring(frame, moving, part, followed) {
      const number = frame.shapes.find((shape) => this.reel.texts[this.reel.shapes.key[shape]] === followed);
      if (number === undefined) return;
      const { context, scale, reel } = this;
      const way = moving?.get(reel.shapes.key[number]);
      const box = bounds(reel.forms[reel.shapes.form[number]]);
      const x = reel.shapes.x[number] + (box[0] + box[2]) / 2 + (part - 1) * (way?.dx ?? 0);
      const y = reel.shapes.y[number] + (box[1] + box[3]) / 2 + (part - 1) * (way?.dy ?? 0);
      const radius = Math.hypot(box[2] - box[0], box[3] - box[1]) / 2 + this.canvas.width / 100 / scale;
      context.setTransform(scale, 0, 0, scale, x * scale + this.left, y * scale + this.top);
      for (const [color, width] of [["#ffffff", 4], ["#111111", 2]]) {
        context.beginPath();
        context.arc(0, 0, radius, 0, 2 * Math.PI);
        context.strokeStyle = color;
        context.lineWidth = (width * devicePixelRatio) / scale;
        context.stroke();
      }
    }

    /** The uppermost shape at a place of the canvas that has something to say; undefined if there is none. */
    find(frame, x, y) {
      const { reel, context, scale } = this;
      return frame.shapes.findLast((number) => {
        const form = reel.forms[reel.shapes.form[number]];
        if (this.hidden.has(form[3]) || !reel.shapes.title[number]) return false;
        const [left, top, right, bottom] = bounds(form);
        const [px, py] = [(x - this.left) / scale - reel.shapes.x[number], (y - this.top) / scale - reel.shapes.y[number]];
        const slack = 4 / scale;
        if (px < left - slack || px > right + slack || py < top - slack || py > bottom + slack) return false;
        context.setTransform(1, 0, 0, 1, 0, 0);
        return form[0] !== "p" || context.isPointInPath(this.path(reel.shapes.form[number]), px, py);
      });
    }
  }

  const parts = new Map(); // of emblems, by the name of their symbol in the page

  /** The symbols of an emblem, the eyes last. */
  function symbols([head, eyes, top]) {
    return [top ? `t${top}` : "", `h${head}`, `e${eyes}`].filter(Boolean);
  }

  function part(name) {
    if (!parts.has(name)) {
      const drawn = document.querySelector(`#bl-${name} path`);
      parts.set(name, drawn && new Path2D(drawn.getAttribute("d")));
    }
    return parts.get(name);
  }

  /** The outline of a form around its place, in steps. */
  function outline(form) {
    const path = new Path2D();
    if (form[0] === "c") path.arc(0, 0, Math.max(0, form[4]), 0, 2 * Math.PI);
    else {
      path.moveTo(0, 0);
      for (let i = form[0] === "l" ? 5 : 4; i < form.length; i += 2) path.lineTo(form[i], form[i + 1]);
      if (form[0] === "p") path.closePath();
    }
    return path;
  }

  /** Left, top, right and lower end of a form around its place. */
  function bounds(form) {
    const size = form[4];
    if (form[0] === "r") return [0, 0, form[4], form[5]];
    if (form[0] === "c") return [-size, -size, size, size];
    if (form[0] === "t" || form[0] === "e") return [-form[5], -form[5] / 2, form[5], form[5] / 2];
    const box = [0, 0, 0, 0];
    for (let i = form[0] === "l" ? 5 : 4; i < form.length; i += 2) {
      box[0] = Math.min(box[0], form[i]);
      box[1] = Math.min(box[1], form[i + 1]);
      box[2] = Math.max(box[2], form[i]);
      box[3] = Math.max(box[3], form[i + 1]);
    }
    return box;
  }

  // ---- Elements ----------------------------------------------------------------------------------------------------------

  const ICONS = {
    play: "M7 4.5v15l12-7.5z",
    pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
    first: "M5 5h2.500v14H5zM19 5v14L9 12z",
    last: "M16.5 5H19v14h-2.500zM5 5v14l10-7z",
    back: "M16 5v14L6 12z",
    forward: "M8 5v14l10-7z",
    before: "M12.5 5v14L3 12zM21 5v14l-9.5-7z",
    after: "M11.5 5v14L21 12zM3 5v14l9.5-7z",
    fault: "M12 3 1.8 20.500h20.400zM11 9.500h2v5h-2zm0 6.500h2v2h-2z",
    link: "M9.5 6H7a6 6 0 0 0 0 12h2.5v-2H7a4 4 0 0 1 0-8h2.5zM14.5 6H17a6 6 0 0 1 0 12h-2.5v-2H17a4 4 0 0 0 0-8h-2.5zM8 11h8v2H8z",
    flag: "M5 3h2v18H5zM8.500 4H20l-3 4.500 3 4.500H8.500z",
    full: "M4 4h6v2.200H6.200V10H4zM14 4h6v6h-2.200V6.200H14zM4 14h2.200v3.800H10V20H4zM17.800 14H20v6h-6v-2.200h3.800z",
    clip: "M11 3h2v9l3.300-3.300 1.400 1.400L12 15.800l-5.700-5.700 1.400-1.400L11 12zM5 18h14v2H5z",
    text: "M4 5h16v2H4zm0 4.500h16v2H4zM4 14h16v2H4zm0 4.500h10v2H4z",
  };

  const KEYS = [
    ["Space", "play or pause"],
    ["← →", "a turn back or on"],
    ["Shift + ← →", "to the turn before or after of the same bot"],
    ["↑ ↓", "ten turns on or back"],
    ["Home, End", "to the beginning or the end"],
    ["n, p", "next or previous event"],
    ["f, Shift + f", "next or previous fault"],
    ["k", "three turns before the turning point"],
    ["+, −", "faster or slower"],
    ["v", "whose view: the spectator's or a bot's"],
    ["d", "drawings of the bots on or off"],
    ["t", "text instead of the board"],
    ["?", "this list"],
  ];

  /** An element with attributes and children; texts become text nodes, and only these. */
  function element(name, attributes = {}, ...children) {
    const [tag, ...classes] = name.split(".");
    const made = document.createElement(tag || "div");
    if (classes.length) made.className = classes.map((name) => `bl-${name}`).join(" ");
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  function drawn(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function icon(name) {
    return drawn("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, drawn("path", { d: ICONS[name], "fill-rule": "evenodd" }));
  }

  /** Panels of which one is shown, with a row of tabs for them. */
  function tabs(panels, changed) {
    const names = Object.keys(panels);
    const heads = names.map((name) => element("button.tab", { type: "button", role: "tab", onclick: () => pick(name) }, name));
    const bodies = names.map((name) => element(".panel", { role: "tabpanel", "aria-label": name }, ...panels[name]));
    const made = element(".card", {}, element(".tabs", { role: "tablist", "aria-label": "Details", onkeydown: turn }, ...heads), ...bodies);
    function pick(name) {
      heads.forEach((head, place) => {
        const isPicked = names[place] === name;
        head.setAttribute("aria-selected", isPicked);
        head.tabIndex = isPicked ? 0 : -1;
        bodies[place].hidden = !isPicked;
      });
      if (made.isConnected) changed();
    }
    function turn(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.stopPropagation();
      const open = heads.filter((head) => !head.hidden);
      const next = open.at((open.indexOf(event.target) + step) % open.length);
      next.focus();
      next.click();
    }
    made.show = (name, isShown) => (heads[names.indexOf(name)].hidden = !isShown);
    pick(names[0]);
    return made;
  }

  /** Whether this viewer wants replays from the beginning; a page without storage forgets it. */
  function remembered(choice) {
    try {
      if (choice !== undefined) localStorage.setItem(FROM_START, choice ? "1" : "");
      return Boolean(localStorage.getItem(FROM_START));
    } catch {
      return false;
    }
  }

  function save(blob, name) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  function button(name, label, key, act) {
    const title = key ? `${label} (${key})` : label;
    return element("button.button", { type: "button", "aria-label": label, title, onclick: act }, icon(name));
  }

  /** A name, which reads in its own direction and changes nobody else's. */
  function name(text) {
    return element("bdi.name", { title: text }, text);
  }

  function number(value) {
    return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1);
  }

  /** A canvas as large as its place on the screen has pixels; true if that has changed. */
  function fit(canvas, width, height) {
    const [wide, high] = [Math.max(1, Math.round(width * devicePixelRatio)), Math.max(1, Math.round(height * devicePixelRatio))];
    if (canvas.width === wide && canvas.height === high) return false;
    canvas.width = wide;
    canvas.height = high;
    return true;
  }

  // ---- The player --------------------------------------------------------------------------------------------------------

  class Player {
    /** `stage` is what the page shows around the film: label, notes, ratings (Stage in film_page.py). */
    constructor(root, film, stage = JSON.parse(root.dataset.stage || "{}")) {
      this.root = root;
      this.reel = new Reel(film);
      this.extra = stage;
      this.current = 0;
      this.view = SPECTATOR;
      this.followed = "";
      this.playing = false;
      this.speed = 1;
      this.frame = null; // what is shown, see Reel.frame
      this.glide = null; // from which frame, since when, for how long
      this.listed = null;
      this.build();
      this.board = new Board(this.reel, this.canvas);
      this.recolor();
      const asked = this.asked();
      this.show(asked ?? (this.isLive ? this.reel.last : this.opening()));
      this.updateThings();
      if (asked === null && (this.isLive || !still.matches)) this.play();
      new ResizeObserver(() => this.resize()).observe(this.stage);
      dark.addEventListener("change", () => (this.recolor(), this.resize()));
      // Paper shows the end, unless the address asks for a turn.
      addEventListener("beforeprint", () => {
        this.beforePrint = this.asked() === null && !this.isLive ? this.current : null;
        if (this.beforePrint !== null) this.step(this.reel.last - this.current);
      });
      addEventListener("afterprint", () => this.beforePrint !== null && this.step(this.beforePrint - this.current));
      addEventListener("hashchange", () => this.asked() !== null && (this.pause(), this.show(this.asked())));
      document.addEventListener("visibilitychange", () => (this.since = performance.now()));
    }

    /** The frame at which a replay opens: shortly before its turning point, unless the viewer prefers the beginning. */
    opening() {
      return remembered() ? 0 : this.beforeTurning;
    }

    get beforeTurning() {
      return Math.max(0, (this.reel.head.turning?.frame ?? 0) - RUN_UP);
    }

    get isLive() {
      return !this.reel.head.is_over;
    }

    /** Adds what was played since. Whoever watched the end goes on watching it. */
    append(part) {
      const watched = this.current === this.reel.last;
      this.reel.add(part);
      this.updateHead();
      this.updateLayers();
      this.listed = null;
      if (watched && this.playing) this.since = performance.now() - 1000 / this.rate;
      this.seek.max = this.reel.last;
      this.update();
      if (this.playing) this.wake();
    }

    /** Turns a second. */
    get rate() {
      const { last } = this.reel;
      return this.speed * (this.isLive ? Math.max(1, (last - this.current) / 2) : Math.max(0.5, last / MATCH_S));
    }

    // What one can do.

    play() {
      if (this.current === this.reel.last && !this.isLive) this.show(0);
      this.hideResult();
      this.playing = true;
      this.since = performance.now();
      this.update();
      this.wake();
    }

    pause() {
      this.playing = false;
      this.update();
    }

    /** Goes to a frame; a neighbour is glided to. */
    show(frame) {
      this.hideResult();
      const next = Math.min(Math.max(Math.round(frame), 0), this.reel.last);
      const isStep = Math.abs(next - this.current) === 1 && !still.matches;
      this.since = performance.now();
      this.glide = isStep ? { from: this.frame, since: this.since, ms: GLIDE_MS } : null;
      this.current = next;
      this.update();
      this.wake();
    }

    step(frames) {
      this.playing = false;
      this.show(this.current + frames);
    }

    /** Goes to the nearest turn of the seat that has moved now, or of the one that is looked at. */
    stepTurn(step) {
      const { moves, at, last } = this.reel;
      const seats = (frame) => [...moves[frame].filter((_, place) => place % 2 === 0), ...(at.faults.get(frame) ?? []).map((fault) => fault[1])];
      const seat = this.view !== SPECTATOR ? this.view : seats(this.current)[0];
      let frame = this.current + step;
      while (frame > 0 && frame < last && seat !== undefined && !seats(frame).includes(seat)) frame += step;
      this.step(frame - this.current);
    }

    watchTurning() {
      this.show(this.beforeTurning);
      this.play();
    }

    showResult() {
      this.result.hidden = false;
      this.paint();
    }

    hideResult() {
      clearTimeout(this.ending);
      this.result.hidden = true;
    }

    toggleFull() {
      if (document.fullscreenElement) document.exitFullscreen();
      else this.stage.requestFullscreen?.().catch(() => this.say("This page may not use the full screen."));
    }

    /** Saves eight seconds of the board as a film, or a picture where the browser cannot record. */
    async saveClip() {
      const name = this.reel.head.seats.map((seat) => seat.name).join("-").replace(/[^\w-]+/g, "_").slice(0, 60);
      if (!globalThis.MediaRecorder?.isTypeSupported("video/webm")) {
        this.canvas.toBlob((blob) => save(blob, `${name}.png`));
        return;
      }
      const recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: "video/webm" });
      const parts = [];
      recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
      recorder.addEventListener("stop", () => (save(new Blob(parts, { type: "video/webm" }), `${name}.webm`), this.say("Saved the clip.")));
      recorder.start();
      this.play();
      this.say("Recording eight seconds.", CLIP_MS);
      setTimeout(() => recorder.stop(), CLIP_MS);
    }

    jump(rows, step) {
      const frame = this.reel.seek(rows, this.current, step);
      if (frame === undefined) this.say(step > 0 ? "None after this turn." : "None before this turn.");
      else this.step(frame - this.current);
    }

    faster(step) {
      const place = Math.min(Math.max(SPEEDS.indexOf(this.speed) + step, 0), SPEEDS.length - 1);
      this.speed = SPEEDS[place];
      this.since = performance.now();
      this.speedSelect.value = this.speed;
    }

    look(seat) {
      this.view = seat;
      this.viewSelect.value = seat;
      this.glide = null;
      this.update();
      this.resize();
    }

    follow(key) {
      this.followed = key;
      this.update();
    }

    toggleLayer(layer, isShown = this.board.hidden.has(layer)) {
      this.board.hidden[isShown ? "delete" : "add"](layer);
      this.updateLayers();
      this.paint();
    }

    toggleText(isText = !this.root.classList.contains("bl-text")) {
      this.root.classList.toggle("bl-text", isText);
      this.textButton.setAttribute("aria-pressed", isText);
      this.update();
      this.resize();
    }

    async copyLink() {
      const link = `${location.href.split(/\?embed|#/)[0]}#t=${this.current}`;
      try {
        await navigator.clipboard.writeText(link);
        this.say(`Copied the link to turn ${this.current}.`);
      } catch {
        this.say(link, 60_000);
      }
    }

    /** The frame that the address asks for, null for none. */
    asked() {
      const found = /^#t=(\d{1,9})$/.exec(location.hash);
      return found ? Number(found[1]) : null;
    }

    say(text, ms = 4000) {
      this.status.textContent = text;
      clearTimeout(this.silence);
      this.silence = setTimeout(() => (this.status.textContent = ""), ms);
    }

    // Time.

    /** Draws until nothing moves any more. */
    wake() {
      this.pending ??= requestAnimationFrame((now) => this.tick(now));
    }

    tick(now) {
      this.pending = null;
      const duration = 1000 / this.rate;
      if (this.playing && now - this.since >= duration) {
        const turns = Math.floor((now - this.since) / duration);
        const next = Math.min(this.current + turns, this.reel.last);
        const isStep = next === this.current + 1 && !still.matches;
        if (next > this.current || !this.isLive) {
          this.glide = isStep ? { from: this.frame, since: now, ms: Math.min(duration, 2 * GLIDE_MS) } : null;
          this.current = next;
          this.since += turns * duration;
          if (next === this.reel.last && !this.isLive) {
            this.playing = false;
            this.ending = setTimeout(() => this.showResult(), still.matches ? 0 : RESULT_MS);
          }
          this.update();
        } else this.since = now; // a live match has not gone on
      } else if (this.glide) this.paint(now);
      if (this.glide && now - this.glide.since >= this.glide.ms) this.glide = null;
      if (this.glide) this.wake();
      else if (this.playing) this.sleep(duration - (performance.now() - this.since));
    }

    /** Waits for the next turn without drawing anything meanwhile. */
    sleep(ms) {
      clearTimeout(this.timer);
      if (this.isLive && this.current === this.reel.last) return;
      this.timer = setTimeout(() => this.wake(), Math.max(0, ms - 8));
    }

    // Drawing.

    paint(now = performance.now()) {
      this.unseen.hidden = this.frame !== null;
      if (!this.frame) return;
      const part = this.glide ? Math.min(Math.max((now - this.glide.since) / this.glide.ms, 0), 1) : 1;
      this.board.draw(this.frame, this.glide?.from, part, this.followed);
    }

    /** Makes the board as large as there is space for it. */
    resize() {
      const ratio = this.frame ? this.frame.width / this.frame.height : 1.5;
      // The board shrinks until board, lead and controls fit into the window, as far as the page above allows.
      const above = this.stage.getBoundingClientRect().top + scrollY;
      const others = [this.heading, this.shares, this.headline, this.timeline, this.controls];
      const taken = others.reduce((sum, part) => sum + part.offsetHeight, document.fullscreenElement ? 96 : Math.min(above, 220) + (document.querySelector(".bare") ? 8 : 48));
      const most = Math.max(document.querySelector(".embed") ? 90 : 180, innerHeight - taken);
      const width = Math.min(this.stage.clientWidth, most * ratio);
      const height = width / ratio;
      this.figure.style.width = `${width}px`;
      this.figure.style.height = `${height}px`;
      fit(this.canvas, width, height);
      fit(this.marks, this.marks.clientWidth, this.marks.clientHeight);
      fit(this.graph, this.graph.clientWidth, this.graph.clientHeight);
      for (const { bars } of this.rows) fit(bars, bars.clientWidth, bars.clientHeight);
      this.board.grounds = "";
      this.listTurns();
      this.paint();
      this.paintMarks();
      this.paintGraph();
      this.rows.forEach((row, seat) => this.paintBars(row.bars, seat));
    }

    color(variable) {
      return getComputedStyle(this.root).getPropertyValue(variable);
    }

    /** A seat's colour as it is read on the ground of the page. */
    ink(seat) {
      return seat < 0 ? this.color("--bl-soft") : (this.inks[seat] ??= getComputedStyle(this.rows[seat].row).getPropertyValue("--bl-seat"));
    }

    /** Puts the bots' colours, light or dark, in the place of the seats' colours of scenes. */
    recolor() {
      this.inks = [];
      this.board.colors.clear();
      this.reel.head.seats.forEach((seat, number) => {
        if (seat.hue >= 0 && !this.board.colors.has(seat.color)) this.board.colors.set(seat.color, this.ink(number));
      });
      this.board.grounds = "";
    }

    /** The lead or the shares over the match, with events and turning point; what is still to come is pale. */
    paintMarks() {
      const context = this.marks.getContext("2d");
      const { reel } = this;
      const { width, height } = this.marks;
      const { last } = reel;
      const dot = devicePixelRatio;
      const at = (frame) => 8 * dot + (frame / Math.max(1, last)) * (width - 16 * dot);
      const [top, low] = [14 * dot, height - 8 * dot]; // above it the turning point, below it the ticks
      context.clearRect(0, 0, width, height);
      if (this.hasShares()) this.paintShares(context, at, top, low);
      else this.paintLead(context, at, top, low);
      const tick = (frame, color, size) => {
        context.fillStyle = color;
        context.fillRect(Math.round(at(frame) - dot / 2), height - size * dot, Math.ceil(1.5 * dot), size * dot);
      };
      for (const [frame, seat] of reel.events) tick(frame, this.ink(seat), 5);
      for (const [frame, , kind] of reel.faults) if (kind !== "warning") tick(frame, this.color("--bl-alarm"), 8);
      const { turning } = reel.head;
      if (turning) {
        const x = at(turning.frame);
        context.fillStyle = this.color("--bl-gold");
        context.fillRect(Math.round(x - dot / 2), top, Math.ceil(dot), height - top);
        context.beginPath();
        for (const [dx, dy] of [[0, 0], [5, 5], [0, 10], [-5, 5]]) context.lineTo(x + dx * dot, (dy + 1) * dot);
        context.fill();
      }
    }

    paintLead(context, at, top, low) {
      const { reel } = this;
      const { last, hero } = reel;
      const dot = devicePixelRatio;
      if (this.leadOf !== last) [this.leadOf, this.lead] = [last, reel.lead()];
      const ups = this.lead.filter((value) => !Number.isNaN(value));
      const high = Math.max(0, ...ups);
      const deep = Math.min(0, ...ups);
      const zero = top + ((low - top) * high) / (high - deep || 1);
      const y = (value) => top + ((low - top) * (high - value)) / (high - deep || 1);
      const every = Math.max(1, Math.floor(this.lead.length / this.marks.width));
      const other = reel.head.seats.length === 2 ? 1 - hero : SPECTATOR;
      for (const [color, from, to] of [[this.ink(hero), top - dot, zero], [this.ink(other), zero, low + dot]])
        for (const [start, end, alpha] of [[0, this.current, 0.9], [this.current, last, 0.3]]) {
          context.save();
          context.beginPath();
          context.rect(at(start), from, at(end) - at(start), to - from);
          context.clip();
          context.beginPath();
          context.moveTo(at(0), zero);
          this.lead.forEach((value, frame) => frame % every === 0 && !Number.isNaN(value) && context.lineTo(at(frame), y(value)));
          context.lineTo(at(last), zero);
          context.globalAlpha = alpha;
          context.fillStyle = color;
          context.fill();
          context.restore();
        }
      context.fillStyle = this.color("--bl-edge");
      context.fillRect(at(0), Math.round(zero), at(last) - at(0), Math.max(1, dot));
    }

    /** Whether scores are parts of a whole that three or more seats divide: the slider shows these instead of a lead. */
    hasShares() {
      const { scores } = this.reel;
      return (scores[0]?.length ?? 0) > 2 && scores.every((row) => Math.min(...row) >= 0);
    }

    /** The part of each seat in all scores over the match, one band upon the other in order of places. */
    paintShares(context, at, top, low) {
      const { scores, last } = this.reel;
      const every = Math.max(1, Math.floor(scores.length / this.marks.width));
      const frames = scores.map((_, frame) => frame).filter((frame) => frame % every === 0 || frame === last);
      const y = (part) => low - (low - top) * part;
      if (this.sharesOf !== last) [this.sharesOf, this.bands] = [last, this.shareBands()];
      for (const { seat, below, above } of this.bands) {
        context.save();
        context.beginPath();
        for (const frame of frames) context.lineTo(at(frame), y(above[frame]));
        for (const frame of frames.toReversed()) context.lineTo(at(frame), y(below[frame]));
        context.clip();
        context.fillStyle = this.ink(seat);
        for (const [start, end, alpha] of [[0, this.current, 0.9], [this.current, last, 0.3]]) {
          context.globalAlpha = alpha;
          context.fillRect(at(start), top, at(end) - at(start), low - top);
        }
        // Bands of similar colours stay apart.
        context.globalAlpha = 1;
        context.strokeStyle = this.color("--bl-ground");
        context.lineWidth = devicePixelRatio;
        context.stroke();
        context.restore();
      }
    }

    /** Per seat, the last place first, where its band starts and ends in each frame, from 0 to 1. */
    shareBands() {
      const { scores, head } = this.reel;
      const order = head.seats.map((_, seat) => seat).sort((a, b) => head.seats[b].place - head.seats[a].place || b - a);
      const sums = scores.map((row) => row.reduce((sum, value) => sum + value, 0) || 1);
      let below = scores.map(() => 0);
      return order.map((seat) => {
        const band = { seat, below, above: scores.map((row, frame) => below[frame] + row[seat] / sums[frame]) };
        below = band.above;
        return band;
      });
    }

    paintGraph() {
      const { scores, last } = this.reel;
      const context = this.graph.getContext("2d");
      const { width, height } = this.graph;
      context.clearRect(0, 0, width, height);
      if (!this.graph.clientWidth) return;
      let [low, high] = [Infinity, -Infinity];
      for (const row of scores) for (const value of row) [low, high] = [Math.min(low, value), Math.max(high, value)];
      if (low > high) return;
      if (low === high) [low, high] = [low - 1, high + 1];
      const pad = 6 * devicePixelRatio;
      const side = 8 * devicePixelRatio;
      const x = (frame) => side + (frame / Math.max(1, last)) * (width - 2 * side);
      const y = (value) => pad + (1 - (value - low) / (high - low)) * (height - 2 * pad);
      context.lineJoin = "round";
      context.lineWidth = Math.max(1, 1.5 * devicePixelRatio);
      const every = Math.max(1, Math.floor(scores.length / width));
      this.reel.head.seats.forEach((_, seat) => {
        context.strokeStyle = this.ink(seat);
        context.beginPath();
        for (let frame = 0; frame < scores.length; frame += every)
          if (scores[frame].length) context.lineTo(x(frame), y(scores[frame][seat]));
        context.stroke();
      });
      context.fillStyle = this.color("--bl-ink");
      context.fillRect(Math.round(x(this.current)), 0, Math.max(1, devicePixelRatio), height);
      this.reel.head.seats.forEach((_, seat) => {
        if (!scores[this.current].length) return;
        context.fillStyle = this.ink(seat);
        context.beginPath();
        context.arc(x(this.current), y(scores[this.current][seat]), 3 * devicePixelRatio, 0, 2 * Math.PI);
        context.fill();
      });
    }

    /** The time that a seat used in the turns around this one, a bar each, and its limit as a line. */
    paintBars(canvas, seat) {
      if (!canvas.clientWidth) return;
      const context = canvas.getContext("2d");
      const { width, height } = canvas;
      const { limits } = this.reel.head;
      const bar = 3 * devicePixelRatio;
      const count = Math.floor(width / (bar + devicePixelRatio));
      const rows = (this.usedBy[seat] ??= [...this.reel.at.used.values()].flat().filter((row) => row[1] === seat));
      const next = rows.findIndex((row) => row[0] > this.current);
      const end = next < 0 ? rows.length : next;
      const top = Math.max(limits.move_ms * 1.25, Math.min(this.reel.longest, limits.first_move_ms));
      context.clearRect(0, 0, width, height);
      rows.slice(Math.max(0, end - count), end).forEach((row, place) => {
        const ms = this.reel.time(row);
        const high = Math.max(devicePixelRatio, Math.min(1, ms / top) * height);
        const limit = row === rows[0] ? limits.first_move_ms : limits.move_ms;
        context.fillStyle = ms > 1.1 * limit ? this.color("--bl-alarm") : this.ink(seat);
        context.fillRect(place * (bar + devicePixelRatio), height - high, bar, high);
      });
      context.fillStyle = this.color("--bl-edge");
      context.fillRect(0, Math.round(height - (limits.move_ms / top) * height), width, Math.max(1, devicePixelRatio));
    }

    // The page.

    build() {
      const { head } = this.reel;
      this.stage = element(".stage");
      this.canvas = element("canvas.canvas", { role: "img", onclick: (event) => this.pick(event), onpointermove: (event) => this.point(event), onpointerleave: () => (this.tip.hidden = true) });
      this.tip = element(".tip", { hidden: true, "aria-hidden": "true" });
      this.unseen = element("p.unseen", { hidden: true }, "This bot has no observation yet.");
      this.result = element("section.result", { hidden: true, role: "dialog", "aria-label": "Result" });
      this.figure = element("figure.board", {}, this.canvas, this.unseen, this.tip, this.result);
      this.swipe();
      this.heading = element(".head");
      this.shares = element(".shares", { "aria-hidden": "true" });
      this.headline = element("p.headline");
      this.caption = element(".caption");
      this.marks = element("canvas.marks", { "aria-hidden": "true" });
      this.seek = element("input.seek", { type: "range", min: 0, step: 1, max: this.reel.last, "aria-label": "Turn", oninput: () => this.step(this.seek.value - this.current) });
      this.timeline = element(".timeline", {}, this.marks, this.seek);
      this.graph = element("canvas.graph", { role: "img", onpointerdown: (event) => this.pickScore(event), onpointermove: (event) => event.buttons && this.pickScore(event) });
      this.playButton = button("play", "Play", "space", () => (this.playing ? this.pause() : this.play()));
      this.playButton.classList.add("bl-main-button");
      this.textButton = button("text", "Text instead of the board", "t", () => this.toggleText());
      this.textButton.setAttribute("aria-pressed", "false");
      this.turningButton = element("button.button.turn-button", { type: "button", title: "Turning point (k)", "aria-label": "Turning point", onclick: () => this.watchTurning() }, icon("flag"), element("span", { "aria-hidden": "true" }, "Turning point"));
      this.counter = element("output.counter");
      this.speedSelect = element("select.select", { "aria-label": "Speed", onchange: () => ((this.speed = Number(this.speedSelect.value)), (this.since = performance.now())) },
        ...SPEEDS.map((speed) => element("option", { value: speed, selected: speed === 1 }, `${speed >= 1 ? speed : `1/${1 / speed}`}×`)));
      this.viewSelect = element("select.select", { "aria-label": "View", onchange: () => this.look(Number(this.viewSelect.value)) },
        ...[...this.reel.strips.keys()].map((seat) => element("option", { value: seat }, seat < 0 ? "everything" : `as ${head.seats[seat].name}`)));
      this.followSelect = element("select.select", { "aria-label": "Follow", onfocus: () => this.updateThings(), onpointerdown: () => this.updateThings(), onchange: () => this.follow(this.followSelect.value) });
      this.tagSelect = element("select.select", { "aria-label": "Turns", onchange: () => this.showTag(this.tagSelect.value) });
      this.layers = element("span.layers", { role: "group", "aria-label": "Layers" });
      this.status = element("p.status", { role: "status" });
      this.help = this.buildHelp();
      const faults = () => this.reel.faults.filter((row) => row[2] !== "warning");
      this.controls = element(".controls", { role: "group", "aria-label": "Player" },
        button("first", "To the beginning", "Home", () => this.step(-this.current)),
        button("back", "A turn back", "←", () => this.step(-1)),
        this.playButton,
        button("forward", "A turn on", "→", () => this.step(1)),
        button("last", "To the end", "End", () => this.step(this.reel.last - this.current)),
        this.counter,
        element("span.gap"),
        this.turningButton,
        this.speedSelect,
        button("full", "Full screen", "", () => this.toggleFull()));
      const more = element(".controls", { role: "group", "aria-label": "More" },
        button("before", "Previous event", "p", () => this.jump(this.reel.events, -1)),
        button("after", "Next event", "n", () => this.jump(this.reel.events, 1)),
        (this.faultButton = button("fault", "Next fault", "f", () => this.jump(faults(), 1))),
        this.textButton,
        button("link", "Copy a link to this turn", "", () => this.copyLink()),
        button("clip", "Save a clip", "", () => this.saveClip()),
        element("button.button", { type: "button", "aria-label": "Keys", title: "Keys (?)", onclick: () => this.help.showModal() }, "?"));
      this.jumpFault = (step) => this.jump(faults(), step);
      const choice = (label, field) => element("label.choice", {}, `${label} `, field);
      const start = element("input", { type: "checkbox", onchange: () => remembered(start.checked) });
      start.checked = remembered();
      const choices = element(".below", {}, more,
        this.reel.strips.size > 1 ? choice("View", this.viewSelect) : "",
        (this.followChoice = choice("Follow", this.followSelect)),
        (this.tagChoice = choice("Turns", this.tagSelect)),
        this.layers,
        head.turning ? element("label.layer", {}, start, "open replays at the beginning") : "");
      this.stage.append(this.heading, this.shares, this.figure, this.headline, this.timeline, this.controls, this.status);

      this.inks = [];
      this.usedBy = [];
      this.rows = head.seats.map((seat, number) => this.buildSeat(seat, number));
      this.facts = element("p.facts", { hidden: true });
      this.printed = element(".printed");
      this.earlier = element("button.more", { type: "button", hidden: true, onclick: () => this.listPage(this.page - 1) }, "Earlier turns");
      this.later = element("button.more", { type: "button", hidden: true, onclick: () => this.listPage(this.page + 1) }, "Later turns");
      this.turns = element("ol.turns", { onclick: (event) => this.pickTurn(event) });
      this.turnsBox = element(".turnsbox", { tabindex: 0, role: "region", "aria-label": "Turn by turn" }, this.earlier, this.turns, this.later);
      this.outcome = element("p.outcome", {}, "The match is still being played.");
      this.turning = element("section.turning", { "aria-label": "Turning point", hidden: true });
      const seats = element(head.seats.length > MOST_TALL ? "ul.seats.compact" : "ul.seats", { "aria-label": "Bots" }, ...this.rows.map(({ row }) => row));
      const unit = element("p.unit-note", { "aria-hidden": "true" }, this.reel.scores[0]?.length ? this.reel.unit : "");
      this.tabs = tabs({ Moves: [this.turnsBox], Bots: [unit, seats, this.graph], Output: [this.printed] }, () => this.resize());
      const side = element(".side", {}, this.turning, this.outcome, this.facts, this.tabs);
      this.root.replaceChildren(this.stage, side, element(".lower", {}, choices, this.caption), this.help);
      this.root.classList.add("bl");
      this.root.addEventListener("keydown", (event) => this.key(event));
      document.addEventListener("keydown", (event) => event.target === document.body && this.key(event));
      this.updateHead();
      this.updateLayers();
    }

    /** On a touch screen the board itself scrubs: its width is the whole match. */
    swipe() {
      let start = null;
      this.canvas.addEventListener("pointerdown", (event) => event.pointerType === "touch" && (start = { x: event.clientX, frame: this.current }));
      this.canvas.addEventListener("pointerup", () => (start = null));
      this.canvas.addEventListener("pointercancel", () => (start = null));
      this.canvas.addEventListener("pointermove", (event) => {
        if (!start || Math.abs(event.clientX - start.x) < 10) return;
        const frame = start.frame + Math.round(((event.clientX - start.x) / this.canvas.clientWidth) * this.reel.last);
        if (frame !== this.current) this.step(frame - this.current);
      });
    }

    /** An element in the colour of a seat's bot; films of earlier versions have the seat's own colour only. */
    tinted(made, seat) {
      const { hue, color } = this.reel.head.seats[seat];
      if (hue >= 0) made.classList.add(`bl-c${hue}`);
      else made.style.setProperty("--bl-seat", color);
      return made;
    }

    /** The emblem of a seat; a disc if the film or the page has none. */
    emblem(seat) {
      const { hue, emblem } = this.reel.head.seats[seat];
      if (!(hue >= 0) || !document.getElementById("bl-h0")) return this.tinted(element("span.swatch", { "aria-hidden": "true" }), seat);
      return this.tinted(drawn("svg", { viewBox: "0 0 32 32", "aria-hidden": "true", class: "bl-emblem" }, ...symbols(emblem).map((part) => drawn("use", { href: `#bl-${part}` }))), seat);
    }

    buildSeat(seat, number) {
      const score = element("span.score", { title: this.reel.unit });
      const move = element("span.move", { dir: "auto" });
      const bars = element("canvas.bars", { "aria-hidden": "true" });
      const ms = element("span.ms");
      const badge = element("span.badge");
      const row = element("li.seat", {}, this.emblem(number), element("span.who", {}, name(seat.name), seat.version ? element("span.version", {}, seat.version) : "", badge), score, move, element("span.time", {}, bars, ms));
      this.tinted(row, number);
      return { row, score, move, bars, ms, badge };
    }

    /** Names, emblems and score above the board: two seats face each other, more are a row by place. */
    buildHead() {
      const { head } = this.reel;
      const note = (seat) => [head.seats[seat].version, this.extra.notes?.[seat]].filter(Boolean).join(" · ");
      const who = (seat) => element("span.side-name", {}, name(head.seats[seat].name), element("span.note", {}, note(seat)));
      const score = (seat) => element("b.points", { "data-seat": seat, title: head.is_over ? "Score" : this.reel.unit });
      this.heading.className = `bl-head bl-of-${Math.min(3, head.seats.length)}`;
      if (head.seats.length === 2) {
        const middle = element("span.middle", {}, element("span.result-line", {}, score(0), element("i", { "aria-hidden": "true" }, "–"), score(1)), element("span.note", {}, this.extra.label ?? ""));
        this.heading.replaceChildren(this.emblem(0), who(0), middle, who(1), this.emblem(1));
        return;
      }
      const order = head.seats.map((_, seat) => seat).sort((a, b) => head.seats[a].place - head.seats[b].place || a - b);
      const chips = order.slice(0, MOST_CHIPS).map((seat) => element("span.chip", {}, this.emblem(seat), who(seat), score(seat)));
      if (order.length > MOST_CHIPS) chips.push(element("span.note", {}, `and ${order.length - MOST_CHIPS} more`));
      this.heading.replaceChildren(...chips);
    }

    buildTurning() {
      const { turning, seats, score_words: words } = this.reel.head;
      this.turning.hidden = this.turningButton.hidden = !turning;
      if (!turning) return;
      const at = (frame) => this.reel.scores[frame]?.map(number).join(" : ") ?? "";
      // With two seats the same one is to move: its bonus is not part of the change.
      const figures = [["before", turning.frame - Math.min(2, seats.length)], ["after", turning.frame], ["at the end", this.reel.last]];
      this.turning.replaceChildren(
        element("p.turning-head", {}, `Turning point · turn ${turning.frame}`),
        element("p.turning-text", {}, named(turning.text, seats)),
        seats.length < 3 && this.reel.scores[0]?.length
          ? element("dl.figures", {}, ...figures.map(([label, frame]) => element("div", {}, element("dt", {}, label), element("dd", {}, at(Math.max(0, frame))))), element("div.unit", {}, element("dt", {}, words?.[0] ?? "")))
          : "",
        element("button.wide-button", { type: "button", onclick: () => this.watchTurning() }, icon("play"), `Watch from turn ${this.beforeTurning}`));
    }

    buildResult() {
      const { head, last, winners } = this.reel;
      const solo = head.seats.length === 1;
      const title = solo ? `Score ${number(head.seats[0].score)}` : winners.length === 1 ? `${short(head.seats[winners[0]].name)} wins` : "Draw";
      const lines = head.seats.map((_, seat) => seat).sort((a, b) => head.seats[a].place - head.seats[b].place).slice(0, MOST_CHIPS);
      const line = (seat) => {
        const rating = this.extra.ratings?.[seat];
        const change = rating ? element(`span.${rating[1] < rating[0] ? "down" : "up"}`, {}, `${rating[0]} → ${rating[1]}`) : "";
        return element("li", {}, this.emblem(seat), name(head.seats[seat].name), change, element("b", {}, number(head.seats[seat].score)));
      };
      const act = (label, run, kind) => element(`button.${kind}`, { type: "button", onclick: run }, label);
      this.result.replaceChildren(
        winners.length === 1 ? this.emblem(winners[0]) : "",
        element("button.button.dismiss", { type: "button", "aria-label": "Close", onclick: () => this.hideResult() }, "×"),
        element("h2", {}, title),
        element("p.note", {}, named(head.reason, head.seats)),
        element("ol.lines", {}, ...lines.map(line)),
        head.seats.length > MOST_CHIPS ? element("p.note.others", {}, `and ${head.seats.length - MOST_CHIPS} more`) : "",
        head.turning ? element("p.note", {}, `Turning point: turn ${head.turning.frame} of ${last}.`) : "",
        element(".actions", {},
          head.turning ? act("From the turning point", () => this.watchTurning(), "wide-button") : "",
          act("Watch again", () => (this.show(0), this.play()), "wide-button.plain"),
          act("Copy link", () => this.copyLink(), "wide-button.plain")));
    }

    buildHelp() {
      const close = element("button.close", { type: "button", onclick: () => this.help.close() }, "Close");
      const rows = KEYS.map(([key, text]) => element("tr", {}, element("th", { scope: "row" }, key), element("td", {}, text)));
      return element("dialog.help", { "aria-label": "Keys" }, element("table", {}, element("tbody", {}, ...rows)), close);
    }

    updateHead() {
      const { head } = this.reel;
      this.outcome.hidden = head.is_over;
      this.root.classList.toggle("bl-live", this.isLive);
      this.root.classList.toggle("bl-bright", !Object.keys(head.dark ?? {}).length);
      this.root.classList.toggle("bl-timed", this.reel.at.used.size > 0);
      this.usedBy = [];
      this.faultButton.hidden = !this.reel.faults.some((row) => row[2] !== "warning");
      this.updateTags();
      this.tabs.show("Output", this.reel.at.prints.size > 0);
      this.rows.forEach(({ badge, row }, seat) => {
        const { place, faults, forfeit } = head.seats[seat];
        const counts = Object.entries(faults).map(([kind, count]) => `${count} ${kind}`);
        badge.textContent = [place ? ordinal(place) : "", forfeit ? "forfeit" : "", ...counts].filter(Boolean).join(" · ");
        row.classList.toggle("bl-won", place === 1);
      });
      this.buildHead();
      this.buildTurning();
      this.buildResult();
    }

    /** The score above the board: the result, or the newest figures of a live match. */
    updateScore() {
      const { head, scores } = this.reel;
      const row = scores[this.current] ?? [];
      for (const points of this.heading.querySelectorAll(".bl-points")) {
        const seat = Number(points.dataset.seat);
        const value = head.is_over ? head.seats[seat].score : row[seat];
        points.textContent = value === undefined ? "" : number(value);
      }
      const fits = row.length > 1 && row.length <= MOST_CHIPS && Math.max(...row) > 0 && Math.min(...row) >= 0;
      this.shares.classList.toggle("bl-none", !fits);
      if (!fits) return;
      const unit = head.score_words?.[0] ? ` ${head.score_words[0]}` : "";
      const end = (seat) => this.tinted(element("span.share-end", {}, number(row[seat]) + unit), seat);
      const bar = element("span.share-bar", {}, ...row.map((value, seat) => {
        const part = this.tinted(element("span"), seat);
        part.style.flex = value;
        if (row.length > 2) part.style.order = head.seats[seat].place;
        return part;
      }));
      this.shares.replaceChildren(...(row.length === 2 ? [end(0), bar, end(1)] : [bar]));
    }

    /** The tags of all bots: if one is chosen, the list of turns has only the frames with it. */
    updateTags() {
      const { tags, texts } = this.reel;
      this.frames = this.tag ? [...new Set(tags.filter((row) => texts[row[2]] === this.tag).map((row) => row[0]))] : null;
      const count = new Map();
      for (const [, , text] of tags) count.set(texts[text], (count.get(texts[text]) ?? 0) + 1);
      this.tagChoice.hidden = !count.size;
      this.tagSelect.replaceChildren(
        element("option", { value: "" }, "all"),
        ...[...count].map(([tag, number]) => element("option", { value: tag, selected: tag === this.tag }, `#${tag} (${number})`)));
    }

    showTag(tag) {
      this.tag = tag;
      this.listed = null;
      this.updateTags();
      if (this.frames) this.step(this.frames[0] - this.current);
      else this.listTurns();
    }

    updateLayers() {
      const known = [...new Set(this.reel.forms.map((form) => form[3]))].filter(Boolean).sort();
      const hidden = this.board?.hidden ?? HIDDEN_LAYERS;
      this.layers.replaceChildren(
        ...known.map((layer) =>
          element("label.layer", {}, element("input", { type: "checkbox", checked: !hidden.has(layer), onchange: (event) => this.toggleLayer(layer, event.target.checked) }), layer)));
    }

    updateThings() {
      const { key, title } = this.reel.shapes;
      const things = new Map();
      for (const shape of this.frame?.shapes ?? [])
        if (key[shape] && title[shape]) things.set(this.reel.texts[key[shape]], this.reel.text(title[shape]));
      if (this.followed && !things.has(this.followed)) things.set(this.followed, this.followed);
      this.followChoice.hidden = !things.size;
      this.followSelect.replaceChildren(
        element("option", { value: "" }, "nothing"),
        ...[...things].map(([key, title]) => element("option", { value: key, selected: key === this.followed }, title.slice(0, 60))));
    }

    /** Shows the state everywhere. */
    update() {
      const { reel, current } = this;
      const frame = (this.frame = reel.frame(this.view, current));
      this.seek.value = current;
      this.seek.setAttribute("aria-valuetext", `turn ${current} of ${reel.last}`);
      this.counter.textContent = `${current} / ${reel.last}`;
      this.updateScore();
      const isStopped = !this.playing;
      if (this.playButton.dataset.icon !== String(isStopped)) {
        this.playButton.dataset.icon = isStopped;
        this.playButton.replaceChildren(icon(isStopped ? "play" : "pause"));
        this.playButton.setAttribute("aria-label", isStopped ? "Play" : "Pause");
      }
      const lines = (frame?.lines ?? []).map((line) => reel.text(line));
      this.headline.textContent = this.headline.title = lines[0] ?? "";
      fill(this.caption, lines.slice(1), (line) => element("p", {}, line));
      const moves = new Map();
      for (let i = 0; i < reel.moves[current].length; i += 2) moves.set(reel.moves[current][i], reel.text(reel.moves[current][i + 1]));
      const faults = reel.at.faults.get(current) ?? [];
      const used = reel.at.used.get(current) ?? [];
      this.rows.forEach((row, seat) => {
        const value = reel.scores[current]?.[seat];
        row.score.textContent = value === undefined ? "" : number(value);
        const fault = faults.find((fault) => fault[1] === seat && fault[2] !== "warning");
        row.move.textContent = fault ? `${fault[2]}${fault[3] ? `: ${reel.texts[fault[3]]}` : ""}` : (moves.get(seat) ?? "");
        row.move.title = row.move.textContent;
        row.move.classList.toggle("bl-fault", Boolean(fault));
        row.row.classList.toggle("bl-moved", moves.has(seat) || Boolean(fault));
        const time = used.find((used) => used[1] === seat);
        if (time) row.ms.textContent = `${number(Number(reel.time(time).toPrecision(2)))} of ${reel.head.limits.move_ms} ms`;
        if (reel.at.used.size) this.paintBars(row.bars, seat);
      });
      this.canvas.setAttribute("aria-label", [`Turn ${current} of ${reel.last}`, ...lines, ...[...moves].map(([seat, text]) => `${reel.head.seats[seat].name}: ${text}`)].join(". ").slice(0, 600));
      this.graph.setAttribute("aria-label", `${reel.unit}: ${reel.head.seats.map((seat, n) => `${seat.name} ${reel.scores[current]?.[n] ?? "none"}`).join(", ")}`);
      this.graph.hidden = !reel.scores.some((row) => row.length);
      this.updatePrinted();
      this.updateFacts(frame);
      this.listTurns();
      if (this.board) {
        this.paint();
        this.paintMarks();
        this.paintGraph();
      }
    }

    updatePrinted() {
      const rows = this.reel.at.prints.get(this.current) ?? [];
      this.printed.replaceChildren(
        ...rows.map(([, seat, text, isCut]) =>
          element(".print", {}, element("h2", {}, name(this.reel.head.seats[seat].name), " printed"), element("pre", { dir: "auto" }, this.reel.texts[text] + (isCut ? "\n…" : "")))));
    }

    updateFacts(frame) {
      const { key, title } = this.reel.shapes;
      const shape = this.followed && frame?.shapes.find((shape) => this.reel.texts[key[shape]] === this.followed);
      this.facts.hidden = !this.followed;
      if (this.followed) this.facts.textContent = shape === undefined ? "What is followed is not on the board." : this.reel.text(title[shape]) || this.followed;
    }

    /** Keeps the list of turns in step: the page with this turn in it, and the turn marked. */
    listTurns() {
      const { frames } = this;
      const place = frames ? Math.max(0, frames.findLastIndex((frame) => frame <= this.current)) : this.current;
      const page = Math.floor(place / PAGE);
      if (this.listed !== page) this.listPage(page);
      this.turns.querySelector("[aria-current]")?.removeAttribute("aria-current");
      const line = this.turns.querySelector(`[data-frame="${this.current}"]`);
      if (!line) return;
      line.setAttribute("aria-current", "step");
      const box = this.turnsBox;
      const [top, bottom] = [line.offsetTop, line.offsetTop + line.offsetHeight];
      if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
    }

    listPage(page) {
      const { frames } = this;
      const last = frames ? frames.length - 1 : this.reel.last;
      this.page = this.listed = page;
      const end = Math.min(last, (page + 1) * PAGE - 1);
      const lines = [];
      for (let place = page * PAGE; place <= end; place++) lines.push(this.line(frames ? frames[place] : place));
      this.turns.start = page * PAGE;
      this.turns.replaceChildren(...lines);
      this.earlier.hidden = page === 0;
      this.later.hidden = end === last;
    }

    line(frame) {
      const { reel } = this;
      const parts = [];
      for (let i = 0; i < reel.moves[frame].length; i += 2) parts.push([reel.moves[frame][i], reel.text(reel.moves[frame][i + 1]), ""]);
      for (const [, seat, kind, detail] of reel.at.faults.get(frame) ?? []) parts.push([seat, detail ? `${kind}: ${reel.texts[detail]}` : kind, kind === "warning" ? "note" : "fault"]);
      for (const [, seat, , text] of reel.at.events.get(frame) ?? []) parts.push([seat, reel.text(text), "event"]);
      for (const [, seat, text] of reel.at.tags.get(frame) ?? []) parts.push([seat, `#${reel.texts[text]}`, "tag"]);
      if (frame === reel.last && reel.head.is_over) parts.push([SPECTATOR, named(reel.head.reason, reel.head.seats), "note"]);
      if (!frame && !parts.length) parts.push([SPECTATOR, "The match begins.", "note"]);
      const lines = parts.flatMap(([seat, text, kind]) => {
        const words = element("span", { dir: "auto", class: kind ? `bl-${kind}` : "bl-did" }, text);
        const own = seat < 0 || kind === "event" ? [words] : [this.emblem(seat), name(reel.head.seats[seat].name), " ", words];
        return [element("span.part", {}, ...own), " "];
      });
      const mark = reel.head.turning?.frame === frame ? [element("span.turning-mark", {}, "turning point")] : [];
      return element("li.turn", { "data-frame": frame }, element("a.number", { href: `#t=${frame}`, "aria-label": `Turn ${frame}`, tabindex: -1 }, String(frame)), " ", element("span.told", {}, ...lines, ...mark));
    }

    // What is pointed at.

    pickTurn(event) {
      const line = event.target.closest("li");
      if (!line) return;
      event.preventDefault();
      this.step(Number(line.dataset.frame) - this.current);
    }

    pickScore(event) {
      const box = this.graph.getBoundingClientRect();
      this.step(Math.round(((event.clientX - box.left - 8) / (box.width - 16)) * this.reel.last) - this.current);
    }

    thing(event) {
      const box = this.canvas.getBoundingClientRect();
      const ratio = this.canvas.width / box.width;
      return this.frame ? this.board.find(this.frame, (event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio) : undefined;
    }

    pick(event) {
      const shape = this.thing(event);
      const key = shape === undefined ? "" : this.reel.texts[this.reel.shapes.key[shape]];
      this.follow(key === this.followed ? "" : key);
      this.updateThings();
    }

    point(event) {
      const shape = this.thing(event);
      const title = shape === undefined ? "" : this.reel.text(this.reel.shapes.title[shape]);
      this.tip.hidden = !title;
      if (!title) return;
      this.tip.textContent = title;
      const box = this.figure.getBoundingClientRect();
      const half = this.tip.offsetWidth / 2;
      const y = event.clientY - box.top;
      this.tip.style.left = `${Math.max(half, Math.min(event.clientX - box.left, box.width - half))}px`;
      this.tip.style.top = `${y}px`;
      this.tip.classList.toggle("bl-under", this.tip.offsetHeight + 16 > y);
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
      const isField = event.target.closest("select, input:not(.bl-seek), textarea");
      const isPressed = event.target.closest("button, a") && (event.key === " " || event.key === "Enter");
      if (isField || isPressed) return;
      const inList = event.target === this.turnsBox;
      const acts = {
        " ": () => (this.playing ? this.pause() : this.play()),
        ArrowRight: () => (event.shiftKey ? this.stepTurn(1) : this.step(1)),
        ArrowLeft: () => (event.shiftKey ? this.stepTurn(-1) : this.step(-1)),
        ArrowUp: () => this.step(10),
        ArrowDown: () => this.step(-10),
        Home: () => this.step(-this.current),
        End: () => (this.step(this.reel.last - this.current), this.isLive && this.play()),
        n: () => this.jump(this.reel.events, 1),
        p: () => this.jump(this.reel.events, -1),
        f: () => this.jumpFault(1),
        k: () => this.reel.head.turning && this.watchTurning(),
        F: () => this.jumpFault(-1),
        v: () => this.look(this.nextView()),
        d: () => this.toggleDrawings(),
        t: () => this.toggleText(),
        "+": () => this.faster(1),
        "-": () => this.faster(-1),
        "?": () => this.help.showModal(),
      };
      if (event.key === "Escape" && !this.result.hidden) this.hideResult();
      if (!acts[event.key] || (inList && event.key.startsWith("Arrow") && !event.key.match(/Left|Right/))) return;
      event.preventDefault();
      acts[event.key]();
    }

    nextView() {
      const seats = [...this.reel.strips.keys()];
      return seats[(seats.indexOf(this.view) + 1) % seats.length];
    }

    toggleDrawings() {
      const layers = new Set(this.reel.forms.map((form) => form[3]));
      const layer = ["bot", "debug"].find((layer) => layers.has(layer));
      if (layer) this.toggleLayer(layer);
    }
  }

  function fill(parent, lines, make) {
    while (parent.children.length > lines.length) parent.lastChild.remove();
    lines.forEach((line, place) => {
      const child = parent.children[place];
      if (!child) parent.append(make(line));
      else if (child.textContent !== line) child.textContent = line;
    });
  }

  function ordinal(place) {
    const ending = place % 100 > 10 && place % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][place % 10] ?? "th");
    return `${place}${ending}`;
  }

  // ---- The page ----------------------------------------------------------------------------------------------------------

  function mount(root, film) {
    return (root.botleague = new Player(root, film));
  }

  async function start(root) {
    const inline = document.getElementById(root.dataset.film);
    try {
      const film = inline ? JSON.parse(inline.textContent) : await fetched(root.dataset.src);
      mount(root, film);
    } catch (error) {
      root.prepend(element("p.status", { role: "alert" }, `The match cannot be shown: ${error.message}`));
    }
  }

  async function fetched(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`the server answered ${answer.status}.`);
    return answer.json();
  }

  globalThis.botleague = { mount, Reel };
  const all = () => document.querySelectorAll("[data-film], [data-src]").forEach(start);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", all);
  else all();
})();
