// @ts-check
// The scatter plot of two runs: every item at its values in both, or squares of many items.

import { counted } from "../../data/words.js";
import { unitPlot } from "../../drawing/chart.js";
import { svg } from "../../drawing/dom.js";
import { score, show } from "../../scoring/exact.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {{ item: number, first: number, second: number, gain: number }} Pair
 * an item of the second run, its value in both runs, and how much better the second is */

/** More items than this are drawn as squares, the stronger the more items fall into one. */
const MANY = 1000;
const SQUARES = 50;

/** Every item as a dot, the first run across and the second up; above the line the second is better.
 * @param {Pair[]} pairs
 * @param {string} across
 * @param {string} up
 * @param {string} name
 * @param {Model} model
 * @param {Store} store
 * @param {number} run */
export function versusPlot(pairs, across, up, name, model, store, run) {
  const label = `${name} of every ${model.words.item} in ${across} and in ${up}`;
  const most = pairs.reduce((greatest, { first, second }) => Math.max(greatest, first, second), 1);
  const plot = unitPlot({ width: 420, height: 380, xLabel: `${name}, ${across}`, yLabel: `${name}, ${up}`, label });
  plot.root.setAttribute("role", "group");
  const [x, y] = [(/** @type {number} */ v) => plot.x(v / most), (/** @type {number} */ v) => plot.y(v / most)];
  plot.root.append(svg("line", { class: "divide", x1: x(0), x2: x(most), y1: y(0), y2: y(most) }));
  if (most > 1)
    plot.root.append(
      svg("text", { class: "note", x: x(most), y: plot.y(0) - 6, "text-anchor": "end" }, `axes × ${show(most)}`),
    );
  if (pairs.length > MANY) {
    plot.root.append(...squares(pairs, most, plot, store, run, model.words.item));
    return plot.root;
  }
  for (const pair of pairs) {
    const word = wordOf(pair);
    const title = `${model.items[pair.item].name}: ${score(pair.first)} to ${score(pair.second)}`;
    const open = () => store.set({ run, item: model.items[pair.item].index });
    const place = { class: `pair ${word}`, cx: x(pair.first), cy: y(pair.second), r: 3.5 };
    plot.root.append(svg("circle", { ...place, "data-item": pair.item, onclick: open }, svg("title", {}, title)));
  }
  return plot.root;
}

/** @param {Pair} pair
 * @returns {"better" | "worse" | "same"} */
function wordOf({ gain }) {
  return gain > 0 ? "better" : gain < 0 ? "worse" : "same";
}

/** Many items as a grid of squares; a click shows the items of one.
 * @param {Pair[]} pairs
 * @param {number} most the end of both axes
 * @param {import("../../drawing/chart.js").Plot} plot
 * @param {Store} store
 * @param {number} run
 * @param {string} noun
 * @returns {SVGElement[]} */
function squares(pairs, most, plot, store, run, noun) {
  /** @type {Map<string, { column: number, row: number, word: string, items: number[] }>} */
  const found = new Map();
  const place = (/** @type {number} */ value) =>
    Math.max(0, Math.min(SQUARES - 1, Math.floor((value / most) * SQUARES)));
  for (const pair of pairs) {
    const [column, row, word] = [place(pair.first), place(pair.second), wordOf(pair)];
    const key = `${column} ${row} ${word}`;
    const square = found.get(key) ?? { column, row, word, items: [] };
    found.set(key, square);
    square.items.push(pair.item);
  }
  let fullest = 1;
  for (const { items } of found.values()) fullest = Math.max(fullest, items.length);
  return [...found.values()].map(({ column, row, word, items }) => {
    const title = `${counted(items.length, noun)} ${word === "same" ? "the same" : word}`;
    const attributes = {
      class: `pair ${word}`,
      x: plot.x(column / SQUARES),
      y: plot.y((row + 1) / SQUARES),
      width: plot.width / SQUARES,
      height: plot.height / SQUARES,
      "fill-opacity": 0.2 + 0.8 * (Math.log1p(items.length) / Math.log1p(fullest)),
      "data-count": items.length,
    };
    const show = () => store.set({ run, filter: { items }, view: "items" });
    return svg("rect", { ...attributes, onclick: show }, svg("title", {}, title));
  });
}
