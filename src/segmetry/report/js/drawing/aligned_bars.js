// @ts-check
// Two segmentations of a line as bars below each other, as segmetry.outputs.plots.aligned_bars arranges them: a
// predicted segment has the colour of its true partner and is white without one; solid lines join boundaries that
// agree, dashed ones near misses; a strip below shows the windows that are wrong.

import { svg } from "./dom.js";
import { isOneSided, joints } from "../scoring/windows.js";

/** @typedef {import("../scoring/windows.js").Span} Span */
/** @typedef {{ x: (position: number) => number, start: number, stop: number, perElement: number, low: number,
 *   high: number }} Scale the visible part of the line, and its place on the page */

/** @typedef {{ colours: string[], unit: string, tick: number | null }} Look
 * of every true segment; what an element is; its length in seconds, if it is time */

const [WIDTH, LEFT, EDGE, BAR, BETWEEN, STRIP, TOP] = [1120, 84, 12, 30, 26, 14, 30];
const [WHITE, INK] = ["#ffffff", "#1c1d22"];

/** @param {number} start
 * @param {number} stop
 * @param {number} n
 * @param {import("../scoring/windows.js").Windows} windows
 * @returns {Scale} */
function scaleOf(start, stop, n, windows) {
  const isWhole = start === 0 && stop === n;
  const margin = isWhole && windows.padded ? Math.max(windows.k / 2 - 1, 0) : 0;
  const [low, high] = [start - margin, stop + margin];
  const perElement = (WIDTH - LEFT - EDGE) / (high - low);
  const x = (/** @type {number} */ position) => LEFT + (Math.min(Math.max(position, low), high) - low) * perElement;
  return { x, start, stop, perElement, low, high };
}

/** @param {{ n: number, true: Span[], pred: Span[] }} lines
 * @param {{ true: number[], pred: number[] }} cuts
 * @param {import("../scoring/windows.js").Windows} windows
 * @param {{ t: number, p: number }[]} pairs
 * @param {[number, number]} part the first element that is shown, and the first after it that is not
 * @param {Look} look
 * @returns {SVGElement} */
export function drawBars(lines, cuts, windows, pairs, [start, stop], look) {
  const scale = scaleOf(start, stop, lines.n, windows);
  const second = TOP + BAR + BETWEEN;
  const strip = second + BAR + 16;
  const own = look.colours;
  const theirs = lines.pred.map(() => WHITE);
  for (const { t, p } of pairs) theirs[p] = own[t];
  const matched = new Set(pairs.map(({ t }) => t));
  const label = `${look.unit} ${start} to ${stop - 1} of the line, truth above prediction`;
  const words = [["true", TOP + BAR / 2], ["predicted", second + BAR / 2], ["windows", strip + STRIP / 2]];
  return svg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${strip + STRIP + 8}`, class: "aligned", role: "img", "aria-label": label },
    ticks(scale, look),
    words.map(([word, y]) => svg("text", { x: LEFT - 10, y: Number(y) + 4, "text-anchor": "end" }, word)),
    bar(lines.true, own, (at) => matched.has(at), scale, TOP, "true", look),
    bar(lines.pred, theirs, (at) => theirs[at] !== WHITE, scale, second, "pred", look),
    drawJoints(cuts, scale, TOP + BAR),
    penalties(windows, scale, strip),
  );
}

/** @param {Scale} scale
 * @param {number} from
 * @param {number} to
 * @returns {boolean} */
function isShown({ low, high }, from, to) {
  return to > low && from < high;
}

/** @param {Span[]} spans
 * @param {string[]} colours
 * @param {(at: number) => boolean} isMatched
 * @param {Scale} scale
 * @param {number} top
 * @param {string} side
 * @param {Look} look
 * @returns {SVGElement[]} */
function bar(spans, colours, isMatched, scale, top, side, look) {
  const middle = top + BAR / 2;
  const shapes = [rest(scale.x(scale.start), scale.x(scale.stop), middle)];
  spans.forEach(([from, to], at) => {
    if (!isShown(scale, from, to)) return;
    const [x, end] = [scale.x(from), scale.x(to)];
    const note = `[${from}, ${to}): ${lengthOf(to - from, look)}, ${isMatched(at) ? "matched" : "no partner"}`;
    const shape = { x, y: top, width: end - x, height: BAR, fill: colours[at], "data-side": side, "data-at": at };
    // The outlines of thin segments would hide their colours.
    shapes.push(svg("rect", { ...shape, class: end - x > 4 ? "segment" : "segment thin" }, svg("title", {}, note)));
    const size = lengthOf(to - from, look).split(" ")[0];
    if (end - x > size.length * 7.2 + 6) {
      const fill = isDark(colours[at]) ? "#fff" : INK;
      const text = svg("text", { x: (x + end) / 2, y: middle + 4, "text-anchor": "middle", class: "inside" }, size);
      text.style.fill = fill;
      shapes.push(text);
    }
  });
  return shapes;
}

/** @param {{ true: number[], pred: number[] }} cuts
 * @param {Scale} scale
 * @param {number} top
 * @returns {SVGElement[]} */
function drawJoints(cuts, scale, top) {
  const { agreed, near } = joints(cuts.true, cuts.pred);
  const inside = (/** @type {number} */ cut) => cut > scale.start && cut < scale.stop;
  const solid = Math.min(2, Math.max(0.5, scale.perElement / 3));
  const line = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string | null} */ dashes) =>
    svg("line", {
      x1: scale.x(from),
      x2: scale.x(to),
      y1: top,
      y2: top + BETWEEN,
      class: dashes ? "joint slanting" : "joint",
      "stroke-dasharray": dashes,
      "stroke-width": dashes ? 1.4 : solid,
    });
  return [
    ...agreed.filter(inside).map((cut) => line(cut, cut, null)),
    ...near.filter(([from, to]) => inside(from) && inside(to)).map(([from, to]) => line(from, to, "4 3")),
  ];
}

/** The wrong windows; a window is drawn at the middle of its gaps.
 * @param {import("../scoring/windows.js").Windows} windows
 * @param {Scale} scale
 * @param {number} top
 * @returns {SVGElement[]} */
function penalties(windows, scale, top) {
  const shapes = [rest(scale.x(scale.low), scale.x(scale.high), top + STRIP)];
  for (const stretch of windows.stretches) {
    const from = stretch.first + windows.k / 2;
    if (stretch.inTrue === stretch.inPred || !isShown(scale, from, from + stretch.length)) continue;
    const [x, end] = [scale.x(from), scale.x(from + stretch.length)];
    const gaps = windows.k === 1 ? "1 gap" : `${windows.k} gaps`;
    const counts = `${stretch.inTrue} true and ${stretch.inPred} predicted boundaries`;
    const note = `${stretch.length} windows of ${gaps}: ${counts}`;
    const name = isOneSided(stretch) ? "wrong-one" : "wrong-count";
    const shape = { x, y: top, width: end - x, height: STRIP, class: name, "data-windows": stretch.length };
    shapes.push(svg("rect", shape, svg("title", {}, note)));
  }
  return shapes;
}

/** @param {number} from
 * @param {number} to
 * @param {number} y
 * @returns {SVGElement} */
function rest(from, to, y) {
  return svg("line", { x1: from, x2: to, y1: y, y2: y, class: "rest" });
}

/** A number of elements, or their length in seconds.
 * @param {number} count
 * @param {Look} look
 * @returns {string} */
function lengthOf(count, { unit, tick }) {
  return tick === null ? `${count} ${unit}` : `${Number((count * tick).toPrecision(6))} ${unit}`;
}

/** Whether white letters are read better on a colour than dark ones.
 * @param {string} colour as #rrggbb
 * @returns {boolean} */
function isDark(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 130;
}

/** @param {Scale} scale
 * @param {Look} look
 * @returns {SVGElement[]} */
function ticks(scale, { tick, unit }) {
  const length = tick ?? 1;
  const [start, stop] = [scale.start * length, scale.stop * length];
  let step = tick === null ? 1 : 10 ** -4;
  for (let at = tick === null ? 0 : -12; step * 12 < stop - start; at++) {
    step = [1, 2, 5][((at % 3) + 3) % 3] * 10 ** Math.floor(at / 3);
  }
  const shapes = [svg("text", { x: LEFT - 10, y: 14, "text-anchor": "end" }, unit)];
  for (let at = Math.ceil(start / step - 1e-9); at * step <= stop * (1 + 1e-12); at++) {
    const position = at * step;
    const x = scale.x(position / length);
    shapes.push(svg("text", { x, y: 14, "text-anchor": "middle" }, String(Number(position.toPrecision(8)))));
    shapes.push(svg("line", { x1: x, x2: x, y1: 19, y2: 24, class: "axis" }));
  }
  return shapes;
}
