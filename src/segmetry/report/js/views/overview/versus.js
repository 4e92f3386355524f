// @ts-check
// Two runs item by item: which items got better and which worse, as a scatter plot and as a list.

import { capital, counted, plural } from "../../data/words.js";
import { unitPlot } from "../../drawing/chart.js";
import { choice, el, refill, svg } from "../../drawing/dom.js";
import { show, signed } from "../../scoring/exact.js";
import { door, itemDoor } from "./doors.js";
import { headlineOf } from "./headline.js";
import { shortName } from "./worst_tiles.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {{ item: number, first: number, second: number, gain: number }} Pair
 * an item of the second run, its value in both runs, and how much better the second is */

const SHOWN = 8;
/** More items than this are drawn as squares, the stronger the more items fall into one. */
const MANY = 1000;
const SQUARES = 50;

/** The items that both runs have with a defined value.
 * @param {Model} first
 * @param {Model} second
 * @param {import("../../store.js").State} state
 * @returns {Pair[]} */
export function pairsOf(first, second, state) {
  const { selected } = state;
  const [before, after] = [first, second].map((model) => headlineOf(model, { ...state, selected: null }));
  const places = new Map(first.items.map((item, at) => [item.name, at]));
  const sign = after.isLowerBetter ? -1 : 1;
  return second.items.flatMap(({ name, index }) => {
    const at = places.get(name);
    if (at === undefined || (selected !== null && !selected.has(index))) return [];
    const [x, y] = [before.items[at], after.items[index]];
    return Number.isNaN(x) || Number.isNaN(y) ? [] : [{ item: index, first: x, second: y, gain: sign * (y - x) }];
  });
}

/** The two runs that the sentence compares: the two best, in their order.
 * @param {Model} model
 * @returns {[number, number]} */
export function twoBest(model) {
  const { headline } = model.runs[0].data.overview;
  const sign = headline.better === "lower" ? -1 : 1;
  const values = model.runs.map((run, at) => ({ at, value: sign * (run.data.overview.headline.value ?? -Infinity) }));
  const best = values
    .sort((a, b) => b.value - a.value || a.at - b.at)
    .slice(0, 2)
    .map(({ at }) => at);
  const [first, second] = best.sort((a, b) => a - b);
  const isSecondBetter =
    sign *
      ((model.runs[second].data.overview.headline.value ?? 0) -
        (model.runs[first].data.overview.headline.value ?? 0)) >=
    0;
  return isSecondBetter ? [first, second] : [second, first];
}

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {Store} store */
export function mountVersus(element, model, store) {
  if (model.comparison === null) return;
  const names = Object.fromEntries(model.runs.map((run, at) => [String(at), run.name]));
  const [from, to] = ["from", "to"].map((word) => choice(word, Object.keys(names), names));
  [from.select.value, to.select.value] = twoBest(model).map(String);
  const place = el("div", { class: "versus" });
  const draw = () => {
    const [a, b] = [Number(from.value()), Number(to.value())];
    refill(place, a === b ? el("p", { class: "note" }, "Choose two different runs.") : versus(model, store, a, b));
  };
  for (const control of [from, to]) control.select.addEventListener("change", draw);
  draw();
  const choices = model.runs.length > 2 ? el("p", {}, from.label, " ", to.label) : null;
  if (choices) element.append(choices);
  element.append(place);
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw();
  });
}

/** The scatter plot and the items that got worse.
 * @param {Model} model
 * @param {Store} store
 * @param {number} a
 * @param {number} b
 * @returns {HTMLElement[]} */
export function versus(model, store, a, b) {
  const [first, second] = [model.runs[a], model.runs[b]];
  const pairs = pairsOf(first, second, store.get());
  const { name } = second.data.overview.headline;
  return [
    el("figure", { class: "plot versus-plot" }, scatter(pairs, first.name, second.name, name, second, store, b)),
    el("div", { class: "got-worse" }, gotWorse(pairs, second, store, b, name)),
  ];
}

/** Every item as a dot, the first run across and the second up; above the line the second is better.
 * @param {Pair[]} pairs
 * @param {string} across
 * @param {string} up
 * @param {string} name
 * @param {Model} model
 * @param {Store} store
 * @param {number} run */
function scatter(pairs, across, up, name, model, store, run) {
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
    const title = `${model.items[pair.item].name}: ${show(pair.first)} to ${show(pair.second)}`;
    const open = () => store.set({ run, item: model.items[pair.item].index });
    const attributes = {
      class: `pair ${word}`,
      cx: x(pair.first),
      cy: y(pair.second),
      r: 3.5,
      "data-item": pair.item,
    };
    plot.root.append(svg("circle", { ...attributes, onclick: open }, svg("title", {}, title)));
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
  const place = (/** @type {number} */ value) => Math.max(0, Math.min(SQUARES - 1, Math.floor((value / most) * SQUARES)));
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

/** @param {Pair[]} pairs
 * @param {Model} model
 * @param {Store} store
 * @param {number} run
 * @param {string} name
 * @returns {HTMLElement[]} */
function gotWorse(pairs, model, store, run, name) {
  const count = (/** @type {(pair: Pair) => boolean} */ wanted) => pairs.filter(wanted);
  const [better, worse, same] = [count((p) => p.gain > 0), count((p) => p.gain < 0), count((p) => p.gain === 0)];
  /** @param {Pair[]} some
   * @param {string} word */
  const outcome = (some, word) => {
    const items = some.map((pair) => pair.item);
    return el(
      "span",
      { "data-outcome": word },
      items.length ? door(store, { items }, `${plural(model.words.item)} that are ${word}`, `${items.length} ${word}`) : `0 ${word}`,
    );
  };
  const listed = [...worse].sort((p, q) => p.gain - q.gain).slice(0, SHOWN);
  const rows = listed.map((pair) =>
    el(
      "tr",
      { "data-item": pair.item },
      el("th", { scope: "row" }, openDoor(model, store, run, pair.item)),
      el("td", {}, show(pair.first)),
      el("td", {}, show(pair.second)),
      el("td", {}, signed(pair.second - pair.first)),
    ),
  );
  const head = el(
    "thead",
    {},
    el(
      "tr",
      {},
      [model.words.item, "before", "after", "change"].map((word) => el("th", { scope: "col" }, word)),
    ),
  );
  return [
    el(
      "p",
      {},
      `${counted(pairs.length, model.words.item)}: `,
      outcome(better, "better"),
      ", ",
      outcome(worse, "worse"),
      same.length ? ", " : "",
      same.length ? outcome(same, "the same") : "",
    ),
    el("h3", {}, `${capital(plural(model.words.item))} that got worse (${name})`),
    listed.length
      ? el("div", { class: "scroll" }, el("table", {}, head, el("tbody", {}, rows)))
      : el("p", { class: "note" }, "None."),
  ];
}

/** @param {Model} model
 * @param {Store} store
 * @param {number} run
 * @param {number} item */
function openDoor(model, store, run, item) {
  const { name } = model.items[item];
  const button = itemDoor(store, item, el("bdi", { class: "name", title: name }, shortName(name)));
  button.addEventListener("click", () => store.set({ run, item }));
  return button;
}
