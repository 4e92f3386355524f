// @ts-check
// The table of contents of the atlas: classes and kinds with the numbers of their errors, and every error by size and
// cost in a plot that is brushed.

import { onlyOf, onlyText, points } from "../data/errors.js";
import { counted } from "../data/words.js";
import { el, tableHead } from "../drawing/dom.js";
import { errorColour, swatchOf } from "../drawing/error_colours.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

const MOST_CLASSES = 14;

/** The classes and kinds with the numbers of their errors, coloured by their cost, and the plot.
 * @param {Model} model
 * @param {Store} store
 * @param {import("../data/page_data.js").ErrorsData} facts
 * @param {RunError[]} errors
 * @returns {(HTMLElement | null)[]} */
export function contents(model, store, facts, errors) {
  const kinds = facts.kinds.filter((kind) => errors.some((error) => error.kind === kind));
  /** @type {Map<string, { count: number, cost: number }>} */
  const sums = new Map();
  const add = (/** @type {string} */ key, /** @type {number} */ cost) => {
    const sum = sums.get(key) ?? { count: 0, cost: 0 };
    sums.set(key, { count: sum.count + 1, cost: sum.cost + cost });
  };
  for (const { kind, of, cost } of errors) {
    for (const key of new Set([`${kind}|`, `${kind}|${of}`, `|${of}`])) add(key, cost);
  }
  const costOf = (/** @type {string} */ of) => sums.get(`|${of}`)?.cost ?? 0;
  const classes = [...new Set(errors.map(({ of }) => of))].filter(Boolean).sort((a, b) => costOf(b) - costOf(a));
  const most = Math.max(...kinds.flatMap((kind) => classes.map((of) => sums.get(`${kind}|${of}`)?.cost ?? 0)), 1e-9);
  const cell = (/** @type {string} */ kind, /** @type {string} */ of, /** @type {boolean} */ isSum) => {
    const sum = sums.get(`${kind}|${of}`);
    if (!sum) return el("td", {});
    const asked = onlyText({ kind: kind || undefined, of: of || undefined });
    const title = `${counted(sum.count, "error")}, single costs together ${points(sum.cost)}`;
    const button = el("button",
      { type: "button", class: "cell", "data-only": asked, title, onclick: () =>
        store.set({ only: store.get().only === asked ? "" : asked }) }, sum.count.toLocaleString("en"));
    if (!isSum) {
      const share = Math.round(70 * Math.min(1, Math.max(0, sum.cost / most)));
      button.style.background = `color-mix(in srgb, ${errorColour(kind)} ${share}%, var(--card))`;
    }
    return el("td", {}, button);
  };
  const heads = kinds.map((kind) => el("span", {}, swatchOf(kind), kind));
  const rows = [
    el("tr", {}, el("th", { scope: "row" }, "all"), ...kinds.map((kind) => cell(kind, "", true))),
    ...classes.slice(0, MOST_CLASSES).map((of) =>
      el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, of)), ...kinds.map((kind) => cell(kind, of, false)))),
  ];
  const rest = classes.length > MOST_CLASSES ? el("p", { class: "note" },
    `${classes.length - MOST_CLASSES} further classes; rows by class × kind show them.`) : null;
  const table = el("div", { class: "card" }, el("h3", {}, "Errors by class and kind"),
    el("div", { class: "scroll" },
      el("table", { id: "error-contents" }, tableHead(["", ...heads]), el("tbody", {}, rows))), rest,
        el("p", { class: "note" }, "A number shows these errors. The darker, the more they cost."));
  return [table, plot(model, store, errors)];
}

/** @param {HTMLElement} place
 * @param {string} only */
export function mark(place, only) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll("[data-only]"))) {
    button.setAttribute("aria-pressed", String(button.dataset.only === only));
  }
}

/** Every error by size and cost; dragging selects.
 * @param {Model} model
 * @param {Store} store
 * @param {RunError[]} errors
 * @returns {HTMLElement} */
function plot(model, store, errors) {
  const [width, height, left, bottom, top] = [320, 220, 44, 30, 8];
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas",
    { class: "brush", role: "img", tabindex: 0, "aria-label": "every error by size and cost; drag to select" }));
  [canvas.width, canvas.height] = [2 * width, 2 * height];
  const log = (/** @type {number} */ size) => Math.log10(Math.max(1, size));
  const most = { x: Math.max(1, ...errors.slice(0, 5000).map(({ size }) => log(size))), y: errors[0]?.cost || 1 };
  const x = (/** @type {number} */ size) => left + (log(size) / most.x) * (width - left - 8);
  const y = (/** @type {number} */ cost) => height - bottom - (Math.max(0, cost) / most.y) * (height - bottom - top);
  /** @type {[number, number, number, number] | null} */
  let drag = null;
  const draw = () => {
    const context = canvas.getContext("2d");
    if (!context) return;
    const style = getComputedStyle(canvas);
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, width, height);
    context.strokeStyle = style.getPropertyValue("--line");
    context.strokeRect(left, top, width - left - 8, height - bottom - top);
    context.fillStyle = style.getPropertyValue("--soft");
    context.font = "11px system-ui";
    context.fillText(`size in ${model.unit}, from 1 to ${Math.round(10 ** most.x).toLocaleString("en")}`, left,
      height - 10);
    context.save();
    context.translate(12, height - bottom);
    context.rotate(-Math.PI / 2);
    context.fillText(`cost, to ${most.y.toFixed(2)} points`, 0, 0);
    context.restore();
    for (const { kind, size, cost } of errors) {
      context.fillStyle = errorColour(kind);
      context.fillRect(x(size) - 1.5, y(cost) - 1.5, 3, 3);
    }
    const { size, cost } = onlyOf(store.get().only);
    const shown = drag ?? (size && cost ? [x(size[0]), y(cost[1]), x(size[1]), y(cost[0])] : null);
    if (!shown) return;
    context.strokeStyle = style.getPropertyValue("--accent");
    context.strokeRect(shown[0], shown[1], shown[2] - shown[0], shown[3] - shown[1]);
  };
  const at = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return /** @type {[number, number]} */ ([((event.clientX - box.left) / box.width) * width,
      ((event.clientY - box.top) / box.height) * height]);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag = [...at(event), ...at(event)];
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    drag = [drag[0], drag[1], ...at(event)];
    draw();
  });
  canvas.addEventListener("pointerup", () => {
    if (!drag) return;
    const [x0, x1] = [drag[0], drag[2]].sort((a, b) => a - b);
    const [y0, y1] = [drag[1], drag[3]].sort((a, b) => a - b);
    drag = null;
    const size = (/** @type {number} */ place) => 10 ** (((place - left) / (width - left - 8)) * most.x);
    const cost = (/** @type {number} */ place) => ((height - bottom - place) / (height - bottom - top)) * most.y;
    const near = x1 - x0 < 4 && y1 - y0 < 4;
    const { size: _size, cost: _cost, ...others } = onlyOf(store.get().only);
    const range = near ? {} : { size: /** @type {[number, number]} */ ([Math.floor(size(x0)), Math.ceil(size(x1))]),
      cost: /** @type {[number, number]} */ ([Number(cost(y1).toFixed(4)), Number(cost(y0).toFixed(4))]) };
    store.set({ only: onlyText({ ...others, ...range }) });
    draw();
  });
  store.subscribe((_, changed) => {
    if (changed.has("only")) draw();
  });
  setTimeout(draw);
  return el("div", { class: "card" }, el("h3", {}, "Every error; drag to select"), canvas);
}
