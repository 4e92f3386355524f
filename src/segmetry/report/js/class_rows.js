// @ts-check
// The numbers of every class, and of groups of classes. A pair goes with its true segment, a segment without a partner
// with itself, so the tallies of the classes add up to that of the whole.

import { isAlone } from "./align.js";
import { fsum } from "./exact.js";
import { COUNTS, lazy, meanOf, score, scores } from "./scores.js";

/** @typedef {import("./model.js").Model} Model */
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
  /** @param {import("./model.js").Side} side
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
  const rows = members.map((one, code) => classRow(model, alignment, names[code], code, one));
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
  const tally = tallyOf(alignment, pairs, missed.length, spurious.length);
  const items = new Set([...pairs.map((at) => model.rowItem[alignment.rows[at]]), ...missed, ...spurious]);
  const reason = "undefined in every item in which it occurs";
  /** @type {Tally[] | null} */
  let tallies = null;
  const mean = lazy((key) => {
    tallies ??= itemTallies(model, alignment, members, items);
    return meanOf(tallies.map((one) => score(key, one, alpha).value), model.settings.undefined, reason);
  });
  const iou = Float64Array.from(pairs, (at) => alignment.iou[at]);
  return { code, name, tally, iou, nItems: items.size, mean, pooled: scores(tally, alpha) };
}

/** The tally of a class in every item in which it occurs.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {Members} members
 * @param {Set<number>} items
 * @returns {Tally[]} */
function itemTallies(model, alignment, { pairs, missed, spurious }, items) {
  /** @type {Map<number, Members>} */
  const found = new Map([...items].map((item) => [item, { pairs: [], missed: [], spurious: [] }]));
  for (const at of pairs) found.get(model.rowItem[alignment.rows[at]])?.pairs.push(at);
  for (const item of missed) found.get(item)?.missed.push(item);
  for (const item of spurious) found.get(item)?.spurious.push(item);
  return [...found.values()].map((one) => tallyOf(alignment, one.pairs, one.missed.length, one.spurious.length));
}

/** @param {RunAlignment} alignment
 * @param {number[]} pairs
 * @param {number} missed
 * @param {number} spurious
 * @returns {Tally} */
function tallyOf(alignment, pairs, missed, spurious) {
  return {
    n: pairs.length,
    missed,
    spurious,
    total: fsum(pairs.map((at) => alignment.iou[at])),
    get excess() {
      return fsum(pairs.map((at) => alignment.excess[at]));
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
