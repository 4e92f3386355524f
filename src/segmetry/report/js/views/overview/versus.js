// @ts-check
// Two runs item by item: which items got better and which worse, as a scatter plot and as a list.

import { capital, counted, plural } from "../../data/words.js";
import { choice, el, refill, tableHead } from "../../drawing/dom.js";
import { score } from "../../scoring/exact.js";
import { door, itemDoor } from "./doors.js";
import { headlineOf } from "../../scoring/headline.js";
import { versusPlot } from "./versus_plot.js";
import { shortName } from "./worst_tiles.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("./versus_plot.js").Pair} Pair */

const SHOWN = 8;

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
  const values = model.runs.map((run) => sign * (run.data.overview.headline.value ?? -Infinity));
  const [best, other] = [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);
  // Of two equal runs the second is taken for the better one, in the order in which they are named.
  return values[best] === values[other] ? [best, other] : [other, best];
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
    el("figure", { class: "plot versus-plot" }, versusPlot(pairs, first.name, second.name, name, second, store, b)),
    el("div", { class: "got-worse" }, gotWorse(pairs, second, store, b, name)),
  ];
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
    const [title, text] = [`${plural(model.words.item)} that are ${word}`, `${items.length} ${word}`];
    return el("span", { "data-outcome": word }, items.length ? door(store, { items }, title, text) : text);
  };
  const listed = [...worse].sort((p, q) => p.gain - q.gain).slice(0, SHOWN);
  const rows = listed.map((pair) =>
    el(
      "tr",
      { "data-item": pair.item },
      el("th", { scope: "row" }, openDoor(model, store, run, pair.item)),
      el("td", {}, score(pair.first)),
      el("td", {}, score(pair.second)),
      el("td", {}, score(pair.second - pair.first, true)),
    ),
  );
  const head = tableHead([model.words.item, "before", "after", "change"]);
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
