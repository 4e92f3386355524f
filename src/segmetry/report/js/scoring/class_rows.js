// @ts-check
// The numbers of every class, and of groups of classes. A pair goes with its true segment, a segment without a partner
// with itself, so the tallies of the classes add up to that of the whole.

import { isAlone } from "./align.js";
import { fsum } from "./exact.js";
import { COUNTS, lazy, meanOf, score, scores } from "./scores.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./scores.js").Score} Score */
/** @typedef {import("./scores.js").Tally} Tally */
/** @typedef {import("./align.js").RunAlignment} RunAlignment */
/** @typedef {{ code: number, name: string, tally: Tally, iou: Float64Array, nItems: number,
 *   mean: Record<string, Score>, pooled: Record<string, Score> }} ClassRow */
/** @typedef {{ pairs: number[], missed: number[], spurious: number[] }} Members
 * the pairs of a class, and the items of its segments without a partner, once for each; all by rising item */

/** One row per class that occurs: the mean goes over the items in which it does.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {number[]} pairs
 * @param {Set<number> | null} only
 * @returns {ClassRow[]} */
export function classRows(model, alignment, pairs, only) {
  const names = model.classNames ?? [];
  /** @type {Members[]} */
  const members = names.map(() => ({ pairs: [], missed: [], spurious: [] }));
  const trueClass = model.true.classes ?? [];
  for (const at of pairs) members[Number(trueClass[model.rowTrue[alignment.rows[at]]])].pairs.push(at);
  /** @param {import("../data/model.js").Side} side
   * @param {Uint8Array} matched
   * @param {"missed" | "spurious"} word */
  const add = (side, matched, word) => {
    for (let at = 0; at < matched.length; at++) {
      if (!isAlone(side, matched, at) || (only !== null && !only.has(side.item[at]))) continue;
      members[Number(side.classes?.[at])][word].push(side.item[at]);
    }
  };
  add(model.true, alignment.matchedTrue, "missed");
  add(model.pred, alignment.matchedPred, "spurious");
  const rows = members.map((own, code) => classRow(model, alignment, names[code], code, own));
  return rows.filter((row) => row.nItems > 0);
}

/** @param {Model} model
 * @param {RunAlignment} alignment
 * @param {string} name
 * @param {number} code
 * @param {Members} members
 * @returns {ClassRow} */
function classRow(model, alignment, name, code, members) {
  const { pairs, missed, spurious } = members;
  const { alpha } = alignment.rule;
  const tally = tallyOf(alignment, pairs, 0, pairs.length, missed.length, spurious.length);
  let nItems = 0;
  walk(model, alignment, members, () => nItems++);
  const reason = "undefined in every item in which it occurs";
  const mean = lazy((key) => {
    /** @type {number[]} */
    const values = [];
    walk(model, alignment, members, (...parts) => values.push(score(key, tallyOf(alignment, ...parts), alpha).value));
    return meanOf(values, model.settings.undefined, reason);
  });
  const iou = Float64Array.from(pairs, (at) => alignment.iou[at]);
  return { code, name, tally, iou, nItems, mean, pooled: scores(tally, alpha) };
}

/** Call a function for every item in which a class occurs, with its pairs (all pairs, from, to) and the numbers of its
 * missed and spurious segments: three lists by rising item are walked side by side.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {Members} members
 * @param {(pairs: number[], from: number, to: number, missed: number, spurious: number) => void} call */
function walk(model, alignment, { pairs, missed, spurious }, call) {
  /** @param {number} at */
  const itemOf = (at) => (at < pairs.length ? model.rowItem[alignment.rows[pairs[at]]] : Infinity);
  let [i, j, k] = [0, 0, 0];
  while (i < pairs.length || j < missed.length || k < spurious.length) {
    const item = Math.min(itemOf(i), missed[j] ?? Infinity, spurious[k] ?? Infinity);
    const [first, second, third] = [i, j, k];
    while (itemOf(i) === item) i++;
    while (missed[j] === item) j++;
    while (spurious[k] === item) k++;
    call(pairs, first, i, j - second, k - third);
  }
}

/** The tally of some of the pairs of a list.
 * @param {RunAlignment} alignment
 * @param {number[]} pairs
 * @param {number} from
 * @param {number} to
 * @param {number} missed
 * @param {number} spurious
 * @returns {Tally} */
function tallyOf(alignment, pairs, from, to, missed, spurious) {
  /** @param {Float64Array} values */
  const sum = (values) => fsum(pairs.slice(from, to).map((at) => values[at]));
  return {
    n: to - from,
    missed,
    spurious,
    total: sum(alignment.iou),
    get excess() {
      return sum(alignment.excess);
    },
  };
}

/** The groups of classes the run names, and all classes last: means over the classes that occur; counts are summed.
 * @param {Model} model
 * @param {ClassRow[]} classes
 * @returns {({ name: string } & import("./summary.js").Row)[]} */
export function groupRows(model, classes) {
  const { groups, undefined: user, policy } = model.settings;
  const instead = user ?? policy.undefined;
  const reason = "no class of this group occurs";
  /** @type {[string, ClassRow[]][]} */
  const members = Object.entries(groups).map(([name, codes]) => [
    name,
    classes.filter((row) => /** @type {number[]} */ (codes).includes(row.code)),
  ]);
  members.push(["all", classes]);
  return members.map(([name, rows]) => {
    /** @param {"mean" | "pooled"} word
     * @param {string} key */
    const over = (word, key) => meanOf(rows.map((row) => row[word][key].value), instead, reason);
    const pooled = lazy((key) => (COUNTS.has(key) ? summed(rows, key) : over("pooled", key)));
    return { name, mean: lazy((key) => over("mean", key)), pooled };
  });
}

/** A count over some classes; a sum of IoUs is rounded once, from the pairs themselves.
 * @param {ClassRow[]} rows
 * @param {string} key
 * @returns {Score} */
function summed(rows, key) {
  const value =
    key === "sum_iou"
      ? fsum(rows.flatMap((row) => [...row.iou]))
      : rows.reduce((sum, row) => sum + row.pooled[key].value, 0);
  return { value, numerator: value, denominator: 1 };
}
