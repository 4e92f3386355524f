// @ts-check
// Axes, steps and small histograms in SVG.

import { svg } from "./dom.js";

/** @typedef {{ root: SVGElement, x: (value: number) => number, y: (value: number) => number, left: number, top: number,
 *   width: number, height: number }} Plot */

const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** A square of [0, 1] × [0, 1] with axes, a grid and labels.
 * @param {{ width: number, height: number, xLabel: string, yLabel: string, label: string }} options
 * @returns {Plot} */
export function unitPlot({ width, height, xLabel, yLabel, label }) {
  const [left, top, right, bottom] = [52, 12, 16, 44];
  const inner = { width: width - left - right, height: height - top - bottom };
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const x = (/** @type {number} */ value) => left + value * inner.width;
  const y = (/** @type {number} */ value) => top + (1 - value) * inner.height;
  const middle = { "text-anchor": "middle" };
  for (const tick of TICKS) {
    root.append(
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: y(0), y2: y(1) }),
      svg("line", { class: "grid", x1: x(0), x2: x(1), y1: y(tick), y2: y(tick) }),
      svg("text", { x: x(tick), y: y(0) + 18, ...middle }, tick),
      svg("text", { x: x(0) - 8, y: y(tick) + 4, "text-anchor": "end" }, tick),
    );
  }
  root.append(
    svg("text", { class: "axis-label", x: x(0.5), y: height - 6, ...middle }, xLabel),
    svg("text", { class: "axis-label", transform: `translate(14 ${y(0.5)}) rotate(-90)`, ...middle }, yLabel),
  );
  return { root, x, y, left, top, ...inner };
}

/** A histogram as bars, with what each bar means as its title.
 * @param {number[]} counts
 * @param {{ width: number, height: number, label: string, title?: (at: number) => string }} options
 * @returns {SVGElement} */
export function bars(counts, { width, height, label, title }) {
  const most = Math.max(1, ...counts);
  const step = width / counts.length;
  const box = { viewBox: `0 0 ${width} ${height}`, width, height };
  const root = svg("svg", { class: "bars", ...box, role: "img", "aria-label": label });
  counts.forEach((count, at) => {
    const tall = count === 0 ? 0 : Math.max(1, (count / most) * (height - 1));
    const bar = svg("rect", { x: at * step + 0.5, y: height - 1 - tall, width: Math.max(0.5, step - 1), height: tall });
    if (title) bar.append(svg("title", {}, title(at)));
    root.append(bar);
  });
  root.append(svg("line", { class: "axis", x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }));
  return root;
}

/** The number of values in each of n equal bins of [0, 1]; the last bin includes 1.
 * @param {Iterable<number>} values
 * @param {number} n
 * @returns {number[]} */
export function histogram(values, n) {
  const counts = new Array(n).fill(0);
  for (const value of values) counts[Math.min(n - 1, Math.floor(value * n))]++;
  return counts;
}

/** @typedef {{ low: number | null, high: number | null, difference: number | null }} Difference with its interval */

/** The largest of some differences and of the ends of their intervals.
 * @param {Difference[]} rows
 * @returns {number} */
export function reachOf(rows) {
  const ends = rows.flatMap(({ low, high, difference }) => [low, high, difference]);
  return ends.reduce((/** @type {number} */ most, end) => Math.max(most, Math.abs(end ?? 0)), 1e-9);
}

/** Where a difference is drawn, 0 in the middle.
 * @param {number} value
 * @param {number} reach
 * @param {number} width
 * @returns {number} */
export function differencePlace(value, reach, width) {
  return width / 2 + (value / reach) * (width / 2 - 14);
}

/** A difference as a dot and its interval as a line about 0.
 * @param {Difference} row
 * @param {number} reach
 * @param {number} width
 * @param {string} [word] a class of both, after a space
 * @returns {SVGElement} */
export function differenceBar({ low, high, difference }, reach, width, word = "") {
  const x = (/** @type {number} */ value) => differencePlace(value, reach, width);
  const known = low !== null && high !== null;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} 14`, width, height: 14, "aria-hidden": "true" },
    svg("line", { class: "divide", x1: width / 2, x2: width / 2, y1: 0, y2: 14 }),
    known ? svg("line", { class: `range${word}`, x1: x(low), x2: x(high), y1: 7, y2: 7 }) : null,
    difference === null ? null : svg("circle", { class: `dot${word}`, cx: x(difference), cy: 7, r: 4 }),
  );
}

/** A few round numbers between two values.
 * @param {number} low
 * @param {number} high
 * @returns {number[]} */
export function ticksBetween(low, high) {
  const rough = (high - low) / 4.5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((size) => size * power).find((size) => size >= rough) ?? rough;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(10)));
}
