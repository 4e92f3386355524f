// @ts-check
// From the alignment of a run to its numbers: of every item, and in the three averages, as segmetry.statistics.summary
// computes them. Everything is computed on first use.

import { alignRun, CLASH } from "./align.js";
import { cellsOf, classRows, groupRows, itemValue } from "./class_rows.js";
import { fsum } from "./exact.js";
import { remembered } from "./remembered.js";
import { COUNTS, lazy, meanOf, score, scores, undefinedScores } from "./scores.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {import("./scores.js").Score} Score */
/** @typedef {import("./scores.js").Tally} Tally */
/** @typedef {import("./align.js").RunAlignment} RunAlignment */
/** @typedef {import("./averages.js").Row} Row */
/** @typedef {{ items: Record<string, Float64Array>,
 *   itemScore: (key: string, item: number) => number, whole: Row, tally: Tally, iou: Float64Array,
 *   classes: import("./class_rows.js").ClassRow[], groups: ({ name: string } & Row)[], nItems: number,
 *   clashes: Set<number> }} Summary
 * `items` has a column of every score, NaN where it is undefined (or the item left out), of which `itemScore` computes
 * one value; `iou` are of all pairs */

const ofAllItems = remembered((model, rule) => compute(model, rule, null));

/** The numbers of a run under a rule; of some of its items only, if `only` names them.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Set<number> | null} [only]
 * @returns {Summary} */
export function summarise(model, rule, only = null) {
  return only === null ? ofAllItems(model, rule) : compute(model, rule, only);
}

/** @param {Model} model
 * @param {Rule} rule
 * @param {Set<number> | null} only
 * @returns {Summary} */
function compute(model, rule, only) {
  const alignment = alignRun(model, rule);
  const listed = Array.from(only ?? model.items.keys()).sort((a, b) => a - b);
  const clashes = new Set([...alignment.clashes].filter((item) => only === null || only.has(item)));
  const tallies = itemTallies(alignment);
  const pairs = pairsOf(alignment, listed);
  /** @type {ReturnType<typeof cellsOf> | null} */
  let known = null;
  const cells = () => (known ??= cellsOf(model, alignment, pairs, only));
  /** @param {string} key
   * @param {number} item */
  const itemScore = (key, item) => {
    if (clashes.has(item)) return NaN;
    const isMean = model.settings.average === "class" && !COUNTS.has(key);
    if (!isMean) return score(key, tallies(item), rule.alpha).value;
    return itemValue(model, alignment, key, [...(cells().get(item)?.values() ?? [])]);
  };
  const items = lazy((key) => {
    const column = new Float64Array(model.nItems).fill(NaN);
    for (const item of listed) column[item] = itemScore(key, item);
    return column;
  });
  const iou = Float64Array.from(pairs, (at) => alignment.iou[at]);
  const tally = {
    n: pairs.length,
    missed: listed.reduce((sum, item) => sum + alignment.missed[item], 0),
    spurious: listed.reduce((sum, item) => sum + alignment.spurious[item], 0),
    total: fsum(iou),
    get excess() {
      return fsum(pairs.map((at) => alignment.excess[at]));
    },
  };
  const common = { items, itemScore, tally, iou, nItems: listed.length, clashes };
  if (clashes.size) {
    const none = undefinedScores(CLASH);
    const byClass = model.classNames === null ? null : none;
    return { ...common, whole: { by_item: none, by_class: byClass, pooled: none }, classes: [], groups: [] };
  }
  const classes = model.classNames === null ? [] : classRows(model, alignment, cells());
  const groups = model.classNames === null ? [] : groupRows(model, alignment, classes, cells(), listed);
  const values = (/** @type {string} */ key) => listed.map((item) => items[key][item]);
  const byItem = lazy((key) => meanOf(values(key), model.settings.undefined, "undefined in every item"));
  const byClass = model.classNames === null ? null : groups[groups.length - 1].by_class;
  const whole = { by_item: byItem, by_class: byClass, pooled: scores(tally, rule.alpha) };
  return { ...common, whole, classes, groups };
}

/** The tally of every item; sums of all items are computed once, when one is asked for.
 * @param {RunAlignment} alignment
 * @returns {(item: number) => Tally} */
function itemTallies({ start, iou, excess, missed, spurious }) {
  /** @param {Float64Array} values */
  const sums = (values) => Float64Array.from(missed, (_, item) => fsum(values.subarray(start[item], start[item + 1])));
  /** @type {Float64Array | null} */
  let totals = null;
  /** @type {Float64Array | null} */
  let excesses = null;
  return (item) => ({
    n: start[item + 1] - start[item],
    missed: missed[item],
    spurious: spurious[item],
    get total() {
      return (totals ??= sums(iou))[item];
    },
    get excess() {
      return (excesses ??= sums(excess))[item];
    },
  });
}

/** The positions of the pairs of some items.
 * @param {RunAlignment} alignment
 * @param {number[]} items
 * @returns {number[]} */
function pairsOf(alignment, items) {
  const positions = [];
  for (const item of items) {
    for (let at = alignment.start[item]; at < alignment.start[item + 1]; at++) positions.push(at);
  }
  return positions;
}
