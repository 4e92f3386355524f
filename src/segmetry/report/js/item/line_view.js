// @ts-check
// An item that is a line as aligned bars, with the windows in which the prediction is wrong.

import { align } from "../scoring/align.js";
import { drawBars } from "../drawing/aligned_bars.js";
import { el, refill, signButton } from "../drawing/dom.js";
import { ratio, show } from "../scoring/exact.js";
import { segmentColours } from "../drawing/colours.js";
import { headerOf, spansOf } from "../data/label_planes.js";
import { valuesOf } from "../scoring/best_partners.js";
import { boundaries, windows, windowSize } from "../scoring/windows.js";

/** @typedef {import("../scoring/windows.js").Span} Span */
/** @typedef {{ n: number, true: Span[], pred: Span[] }} Lines */

const MOST = 400;
const LEGEND =
  "A predicted segment has the colour of its true partner and is white without one. Solid lines join boundaries that " +
  "agree, dashed ones near misses. In the strip: dark where only one side has a boundary (Pk and WindowDiff), light " +
  "where only the numbers differ (WindowDiff).";
const BEYOND = " The strip is wider than the bars: padded windows reach beyond both ends of the line.";

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Item} item
 * @param {import("../store.js").Store} store
 * @returns {{ draw: () => void, goTo: (segment: import("../drawing/panels.js").Segment) => void }} what draws the bars
 *   again, and what shows a segment */
export function mountLine(element, item, store) {
  const names = ["line-controls", "line", "line-description"];
  const [controls, picture, description] = names.map((className) => el("div", { class: className }));
  if (headerOf(item)?.kind !== "spans") return { draw() {}, goTo() {} };
  element.append(controls, picture, description);
  /** @type {ReturnType<typeof openLine> | null} */
  let open = null;
  spansOf(item).then((lines) => {
    open = openLine(item, lines, store, { controls, picture, description });
    open.draw();
    element.dataset.drawn = String(item.index);
  });
  return { draw: () => open?.draw(), goTo: (segment) => open?.goTo(segment) };
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
 * @param {Record<"controls" | "picture" | "description", HTMLElement>} places */
function openLine(item, lines, store, { controls, picture, description }) {
  const { n } = lines;
  const header = headerOf(item);
  const tick = header?.kind === "spans" ? header.tick : null;
  const word = tick === null ? item.unit : "elements";
  const cuts = { true: boundaries(lines.true, n), pred: boundaries(lines.pred, n) };
  const shown = { k: windowSize(cuts.true, n), padded: true, start: 0, length: Math.max(1, Math.min(n, MOST)) };
  const redraw = () => {
    if (n === 0) return refill(picture, el("p", { class: "note" }, "This item is empty."));
    const counted = windows(cuts.true, cuts.pred, n, shown.k, shown.padded);
    const pairs = align(item, store.get().rule).pairs;
    const part = /** @type {[number, number]} */ ([shown.start, Math.min(n, shown.start + shown.length)]);
    const { rule } = store.get();
    const colours = segmentColours(item, valuesOf(item, rule), rule, "segment").true;
    refill(picture, drawBars(lines, cuts, counted, pairs, part, { colours, unit: item.unit, tick }));
    refill(description, sentences(counted, part, n, item.unit));
  };
  const last = Math.max(0, n - 1);
  const from = numberBox(`first of the ${word}`, shown.start, 0, last, (value) => move(value, shown.length));
  const count = numberBox(`${word} shown`, shown.length, 1, Math.max(1, n), (value) => move(shown.start, value));
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
  const half = () => Math.max(1, Math.floor(shown.length / 2));
  refill(
    controls,
    signButton("◀", "move back", () => move(shown.start - half(), shown.length)),
    signButton("▶", "move forward", () => move(shown.start + half(), shown.length)),
    signButton("+", "zoom in", () => move(shown.start + Math.floor(shown.length / 4), half())),
    signButton("−", "zoom out", () => move(shown.start - half(), shown.length * 2)),
    from.label,
    count.label,
    k.label,
    el("label", {}, padded, " padded"),
  );
  return {
    draw: redraw,
    /** @param {import("../drawing/panels.js").Segment} segment */
    goTo({ side, at }) {
      const [from, to] = lines[side][at];
      const room = Math.max(2, Math.round((to - from) / 2));
      move(from - room, to - from + 2 * room);
    },
  };
}

/** @param {import("../scoring/windows.js").Windows} counted
 * @param {[number, number]} part
 * @param {number} n
 * @param {string} unit
 * @returns {HTMLElement[]} */
function sentences(counted, [start, stop], n, unit) {
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
      stop - start < n ? el("span", {}, `${unit} ${start} to ${stop - 1} of ${n}`) : null,
    ),
    el("p", { class: "note" }, counted.padded && counted.k > 2 && stop - start === n ? LEGEND + BEYOND : LEGEND),
  ];
}
