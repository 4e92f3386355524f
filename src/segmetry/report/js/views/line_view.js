// @ts-check
// View 8: the open item as aligned bars, if it is a line, with the windows in which the prediction is wrong.

import { align } from "../scoring/align.js";
import { drawBars } from "../drawing/aligned_bars.js";
import { el, refill } from "../drawing/dom.js";
import { ratio, show } from "../scoring/exact.js";
import { shownItem } from "../scoring/worst_first.js";
import { headerOf, spansOf, whyNone } from "../data/label_planes.js";
import { boundaries, windows, windowSize } from "../scoring/windows.js";

/** @typedef {import("../scoring/windows.js").Span} Span */
/** @typedef {{ n: number, true: Span[], pred: Span[] }} Lines */

const MOST = 400;
const LEGEND =
  "A predicted segment has the colour of its true partner and is white without one. Solid lines join boundaries that " +
  "agree, dashed ones near misses. In the strip: dark where only one side has a boundary (Pk and WindowDiff), light " +
  "where only the numbers differ (WindowDiff).";

/** Whether a run has lines.
 * @param {import("../data/model.js").Model} model
 * @returns {boolean} */
export function hasLines(model) {
  return model.items.some((item) => item.kind === "spans");
}

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountLinear(element, model, store) {
  const name = el("h3", { class: "item-name", dir: "auto" });
  const names = ["line-controls", "line", "line-description"];
  const [controls, picture, description] = names.map((className) => el("div", { class: className }));
  element.append(name, controls, picture, description);
  /** @type {{ index: number, redraw: () => void } | null} */
  let open = null;
  const draw = async () => {
    const index = shownItem(model, store.get());
    if (index === null) return;
    if (open?.index === index) return open.redraw();
    const item = model.items[index];
    refill(name, item.name);
    for (const place of [controls, picture, description]) refill(place);
    open = { index, redraw: () => {} };
    if (headerOf(item)?.kind !== "spans") return refill(picture, el("p", { class: "note" }, whyNoLine(model, item)));
    const lines = await spansOf(item);
    if (open.index !== index) return;
    open.redraw = openLine(item, lines, store, { controls, picture, description });
    open.redraw();
    element.dataset.item = String(index);
  };
  draw();
  store.subscribe((_, changed) => {
    if (["rule", "item", "selected"].some((key) => changed.has(key))) draw();
  });
}

/** @param {import("../data/model.js").Model} model
 * @param {import("../data/model.js").Item} item
 * @returns {string} */
function whyNoLine(model, item) {
  if (item.kind !== "spans") return "This item is not a linear segmentation.";
  return `The spans of this item are not in the report: ${whyNone(model)}.`;
}

/** @param {string} label
 * @param {number} value
 * @param {number} least
 * @param {number} most
 * @param {(value: number) => void} onvalue
 * @returns {{ label: HTMLElement, input: HTMLInputElement }} */
function numberBox(label, value, least, most, onvalue) {
  const facts = { type: "number", min: least, max: most, step: 1, value, "aria-label": label };
  const input = /** @type {HTMLInputElement} */ (el("input", facts));
  input.addEventListener("change", () => {
    const wanted = Math.round(Number(input.value));
    const kept = Number.isFinite(wanted) ? Math.min(Math.max(wanted, least), most) : value;
    input.value = String(kept);
    onvalue(kept);
  });
  return { label: el("label", {}, `${label} `, input), input };
}

/** @param {import("../data/model.js").Item} item
 * @param {Lines} lines
 * @param {import("../store.js").Store} store
 * @param {Record<"controls" | "picture" | "description", HTMLElement>} places
 * @returns {() => void} */
function openLine(item, lines, store, { controls, picture, description }) {
  const { n } = lines;
  const cuts = { true: boundaries(lines.true, n), pred: boundaries(lines.pred, n) };
  const shown = { k: windowSize(cuts.true, n), padded: true, start: 0, length: Math.max(1, Math.min(n, MOST)) };
  const redraw = () => {
    if (n === 0) return refill(picture, el("p", { class: "note" }, "This item is empty."));
    const counted = windows(cuts.true, cuts.pred, n, shown.k, shown.padded);
    const pairs = align(item, store.get().rule).pairs;
    const part = /** @type {[number, number]} */ ([shown.start, Math.min(n, shown.start + shown.length)]);
    refill(picture, drawBars(lines, cuts, counted, pairs, part));
    refill(description, sentences(counted, part, n));
  };
  const from = numberBox("first element", shown.start, 0, Math.max(0, n - 1), (value) => move(value, shown.length));
  const count = numberBox("elements shown", shown.length, 1, Math.max(1, n), (value) => move(shown.start, value));
  const k = numberBox("k, gaps in a window", shown.k, 1, Math.max(1, n), (value) => {
    shown.k = value;
    redraw();
  });
  const move = (/** @type {number} */ start, /** @type {number} */ length) => {
    shown.length = Math.min(Math.max(1, length), Math.max(1, n));
    shown.start = Math.min(Math.max(0, start), Math.max(0, n - shown.length));
    from.input.value = String(shown.start);
    count.input.value = String(shown.length);
    redraw();
  };
  const padded = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", checked: true }));
  padded.addEventListener("change", () => {
    shown.padded = padded.checked;
    redraw();
  });
  const button = (/** @type {string} */ label, /** @type {string} */ title, /** @type {() => void} */ onclick) =>
    el("button", { type: "button", title, "aria-label": title, onclick }, label);
  const half = () => Math.max(1, Math.floor(shown.length / 2));
  refill(
    controls,
    button("◀", "move back", () => move(shown.start - half(), shown.length)),
    button("▶", "move forward", () => move(shown.start + half(), shown.length)),
    button("+", "zoom in", () => move(shown.start + Math.floor(shown.length / 4), half())),
    button("−", "zoom out", () => move(shown.start - half(), shown.length * 2)),
    from.label,
    count.label,
    k.label,
    el("label", {}, padded, " padded"),
  );
  return redraw;
}

/** @param {import("../scoring/windows.js").Windows} counted
 * @param {[number, number]} part
 * @param {number} n
 * @returns {HTMLElement[]} */
function sentences(counted, [start, stop], n) {
  const value = (/** @type {number} */ wrong) =>
    counted.count > 0 ? `${show(ratio(wrong, counted.count))} = ${wrong}/${counted.count}` : "–";
  const words = counted.padded ? ", padded so that every gap is in k windows" : "";
  return [
    el(
      "p",
      { class: "item-facts" },
      el("span", { "data-key": "pk" }, `Pk ${value(counted.pk)}`),
      el("span", { "data-key": "window_diff" }, `WindowDiff ${value(counted.windowDiff)}`),
      el("span", {}, `windows of ${counted.k === 1 ? "1 gap" : `${counted.k} gaps`}${words}`),
      stop - start < n ? el("span", {}, `elements ${start} to ${stop - 1} of ${n}`) : null,
    ),
    el("p", { class: "note" }, LEGEND),
  ];
}
