// @ts-check
// Classes by their elements: IoU and Dice of each with the item in which it is worst, and which class is predicted in
// place of which, of the items that pass the filter. A cell of the matrix leads to its errors.

import { errorsOf, onlyText } from "../data/errors.js";
import { counted } from "../data/words.js";
import { el, refill, tableHead } from "../drawing/dom.js";
import { classSums, NOTHING } from "../scoring/class_sums.js";
import { score } from "../scoring/exact.js";
import { itemDoor } from "./overview/doors.js";

/** @typedef {import("../data/model.js").Model} Model */

const MOST = 40;

/** Whether both sides of a run have classes.
 * @param {Model} model
 * @returns {boolean} */
export function hasClassMaps(model) {
  return model.data.agrees_by === "classes" && model.true.classes !== null && model.pred.classes !== null;
}

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountClassMaps(element, model, store) {
  const [table, matrix] = [el("div", { class: "scroll" }), el("div", { class: "scroll" })];
  element.append(table, el("h3", {}, "Which class is predicted in place of which"), matrix);
  const nameOf = (/** @type {string} */ label) =>
    label === NOTHING ? "no class" : (model.classNames?.[Number(label)] ?? label);
  const draw = () => {
    const items = [...(store.get().selected ?? model.items.keys())];
    const { classes, cells } = classSums(model, items, "classes");
    const worst = worstItems(model, items);
    const rows = classes.map(({ label, iou, dice, true: ours, pred: theirs }) => {
      const item = worst.get(label);
      const bar = el("span", { class: "meter long", "aria-hidden": "true" }, el("span", {}));
      bar.style.setProperty("--share", String(Number.isNaN(iou) ? 0 : iou));
      return el("tr", { "data-class": nameOf(label) },
        el("th", { scope: "row" }, el("bdi", { class: "name" }, nameOf(label))),
        el("td", {}, score(iou)), el("td", {}, bar), el("td", {}, score(dice)),
        el("td", {}, ours.toLocaleString("en")), el("td", {}, theirs.toLocaleString("en")),
        el("td", {}, item ? itemDoor(store, item.at, el("bdi", {}, model.items[item.at].name)) : "–",
          item ? ` ${score(item.iou)}` : ""));
    });
    const heads = ["class", "IoU", "", "Dice", `true ${model.unit}`, "predicted", `worst ${model.words.item}`];
    refill(table, el("table", { id: "map-classes" }, tableHead(heads), el("tbody", {}, rows)));
    refill(matrix, ...matrixOf(model, store, classes.map(({ label }) => label), cells, nameOf));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("selected")) draw();
  });
}

/** The item in which each class of the truth has its lowest IoU.
 * @param {Model} model
 * @param {number[]} items
 * @returns {Map<string, { at: number, iou: number }>} */
function worstItems(model, items) {
  /** @type {Map<string, { at: number, iou: number }>} */
  const worst = new Map();
  for (const at of items) {
    for (const { label, iou, true: ours } of classSums(model, [at], "classes").classes) {
      if (Number(ours) > 0 && iou < (worst.get(label)?.iou ?? Infinity)) worst.set(label, { at, iou });
    }
  }
  return worst;
}

/** @param {Model} model
 * @param {import("../store.js").Store} store
 * @param {string[]} labels
 * @param {Map<string, Map<string, import("../scoring/exact.js").Count>>} cells
 * @param {(label: string) => string} nameOf
 * @returns {HTMLElement[]} */
function matrixOf(model, store, labels, cells, nameOf) {
  const total = (/** @type {string} */ label) =>
    [...(cells.get(label) ?? [])].reduce((sum, [, count]) => sum + Number(count), 0);
  const shown = [...labels].sort((a, b) => total(b) - total(a)).slice(0, MOST);
  const isOutside = [...cells].some(([first, row]) => first === NOTHING || row.has(NOTHING));
  if (isOutside) shown.push(NOTHING);
  const known = new Set(errorsOf(model).map((error) => `${error.of}|${error.as}`));
  const body = shown.map((first) => el("tr", { "data-true": nameOf(first) },
    el("th", { scope: "row" }, el("bdi", { class: "name" }, nameOf(first))),
    shown.map((second) => {
      const count = Number(cells.get(first)?.get(second) ?? 0);
      const isRight = first === second;
      const box = el("td", { class: isRight ? "heat-cell same" : "heat-cell", "data-pred": nameOf(second) });
      if (count === 0) return box;
      const share = count / Math.max(1, total(first));
      const [of, as] = [first === NOTHING ? nameOf(second) : nameOf(first), second === NOTHING ? "" : nameOf(second)];
      const elements = counted(count, model.unit.replace(/s$/, ""));
      const title = `${elements} of ${nameOf(first)} predicted as ${nameOf(second)}`;
      const text = `${share >= 0.0995 || share === 0 ? Math.round(100 * share) : (100 * share).toFixed(1)} %`;
      const lead = () => store.set({ view: "errors", only: onlyText({ of, as }) });
      const leads = !isRight && known.has(`${of}|${as}`);
      box.title = title;
      box.append(leads ? el("button", { type: "button", class: "door", title, onclick: lead }, text) : text);
      if (!isRight) box.style.setProperty("--heat", String(Math.min(1, 2 * share)));
      return box;
    })));
  const rest = labels.length - Math.min(labels.length, MOST);
  const words = `Rows: true class, columns: predicted class; per cent of the ${model.unit} of the true class. ` +
    `What is right is not coloured. A cell leads to its errors.` +
    (rest > 0 ? ` ${rest} smaller classes are left out.` : "");
  return [el("table", { id: "class-matrix", class: "heat" },
    tableHead(["true ↓ predicted →", ...shown.map((label) => el("bdi", { class: "name" }, nameOf(label)))]),
    el("tbody", {}, body)), el("p", { class: "note" }, words)];
}
