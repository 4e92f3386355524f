// @ts-check
// The number a run is known by, as it is now: computed here under the chosen rule and filter where the page can, else
// that of Python, for all items. Items are in its order: the worst first.

import { hasOwnErrors } from "../data/errors.js";
import { AVERAGES, averagesOf } from "./averages.js";
import { TALLY_KEYS } from "./scores.js";
import { fixed, show } from "./exact.js";
import { summarise } from "./summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").State} State */
/** @typedef {{ key: string, name: string, averaged: string, protocol: string | null, value: number,
 *   low: number | null, high: number | null, problem: string | null, items: ArrayLike<number>, isLive: boolean,
 *   isLowerBetter: boolean, percent: boolean, others: { name: string, value: number }[] }} Headline
 * `items`: the value of every item, NaN where it is undefined; `others`: the same score in other averages */

const MANY = "segments have several partners under this rule";
const FILTERED = "intervals are for all items";
const OTHER_RULE = "intervals are for θ⁺, θ& and the rule of the run";

/** Whether the page is about matched segments: not about classes of elements, or detections.
 * @param {Model} model
 * @returns {boolean} */
export function isAboutSegments(model) {
  return model.data.overview.errors === null && !hasOwnErrors(model);
}

/** @type {WeakMap<Model, boolean>} */
const live = new WeakMap();

/** Whether the headline follows the rule and the filter: the page computes it, and gets what Python has for all items.
 * A protocol may count what the page does not know, such as classes that no item has.
 * @param {Model} model
 * @returns {boolean} */
export function isLive(model) {
  const { key, average, value } = model.data.overview.headline;
  if (!isAboutSegments(model) || !TALLY_KEYS.includes(key)) return false;
  if (!live.has(model)) {
    const { whole, clashes } = summarise(model, model.rule(model.settings.rule), null);
    const own = (whole[average] ?? whole.pooled)[key].value;
    live.set(model, clashes.size > 0 || value === null || Math.abs(own - value) < 1e-9);
  }
  return live.get(model) ?? false;
}

/** @param {Model} model
 * @param {Pick<State, "rule" | "selected">} state
 * @returns {Headline} */
export function headlineOf(model, { rule, selected }) {
  const { headline } = model.data.overview;
  const { key, name, averaged, protocol, average } = headline;
  const isLowerBetter = headline.better === "lower";
  const common = { key, name, averaged, protocol, isLowerBetter, percent: headline.percent };
  if (!isLive(model)) {
    const { low, high, problem } = headline;
    const items = /** @type {Float64Array} */ (model.columns.headline_items);
    return { ...common, value: headline.value ?? NaN, low, high, problem, items, isLive: false, others: [] };
  }
  const summary = summarise(model, rule, selected);
  const valueIn = (/** @type {import("./averages.js").Average} */ over) =>
    (summary.whole[over] ?? summary.whole.pooled)[key].value;
  const averages = averagesOf(model).filter((other) => other !== average);
  const own = rule.name === model.settings.rule && selected === null;
  const stored = model.data.intervals?.by_rule[rule.name];
  const ends = own
    ? headline
    : selected === null && key === "pq"
      ? (stored?.scores.pq?.[average] ?? { low: null, high: null })
      : { low: null, high: null };
  const why = selected !== null ? FILTERED : stored ? (stored.reason ?? FILTERED) : OTHER_RULE;
  return {
    ...common,
    value: valueIn(average),
    low: ends.low,
    high: ends.high,
    problem: summary.clashes.size ? MANY : own ? headline.problem : ends.low === null ? why : null,
    items: summary.items[key],
    isLive: true,
    others: averages.map((other) => ({ name: AVERAGES[other], value: valueIn(other) })),
  };
}

/** A value of the headline in the unit and the digits of the protocol; with the ends of its interval, with two digits
 * of what is uncertain, as segmetry.results.Cell.text prints it.
 * @param {Model} model
 * @param {number | null} value
 * @param {number | null} [low]
 * @param {number | null} [high]
 * @returns {string} */
export function inItsUnit(model, value, low = null, high = null) {
  const { percent, decimals } = model.data.overview.headline;
  if (value === null || !Number.isFinite(value)) return show(value);
  const scale = percent ? 100 : 1;
  const half = low === null || high === null ? 0 : (scale * (high - low)) / 2;
  const least = half > 0 ? Math.max(0, 1 + Math.ceil(-Math.log10(half))) : decimals;
  return fixed(scale * value, Math.min(decimals, least, percent || Math.abs(value) < 100 ? decimals : 1));
}

/** The items that are selected from worst to best, equal ones in the order of the run, undefined ones last, as
 * segmetry.report.item_pictures.worst_first orders them.
 * @param {Model} model
 * @param {Pick<State, "rule" | "selected">} state
 * @param {Headline} [headline]
 * @returns {number[]} */
export function worstFirst(model, { rule, selected }, headline = headlineOf(model, { rule, selected: null })) {
  const { items, isLowerBetter } = headline;
  const value = (/** @type {number} */ at) =>
    Number.isNaN(items[at]) ? Infinity : isLowerBetter ? -items[at] : items[at];
  return [...(selected ?? model.items.keys())].sort((a, b) => (value(a) === value(b) ? a - b : value(a) - value(b)));
}
