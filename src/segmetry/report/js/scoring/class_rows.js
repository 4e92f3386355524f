// @ts-check
// The numbers of every class, and of groups of classes. A pair goes with its true segment, a segment without a partner
// with itself, so the tallies of the classes add up to that of the whole. A class in an item is a cell.

import { isAlone } from "./align.js";
import { fsum } from "./exact.js";
import { COUNTS, lazy, meanOf, score, scores } from "./scores.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./averages.js").Row} Row */
/** @typedef {import("./scores.js").Score} Score */
/** @typedef {import("./scores.js").Tally} Tally */
/** @typedef {import("./align.js").RunAlignment} RunAlignment */
/** @typedef {{ code: number, name: string, tally: Tally, iou: Float64Array, nItems: number } & Row} ClassRow */
/** @typedef {{ code: number, pairs: number[], missed: number, spurious: number, tally?: Tally }} Cell
 * a class in an item: its pairs, how many of its segments have no partner, and both together once it was asked for */

/** The classes that occur in every item, by its place in the run.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {number[]} pairs those of the items
 * @param {Set<number> | null} only
 * @returns {Map<number, Map<number, Cell>>} by item and class */
export function cellsOf(model, alignment, pairs, only) {
  /** @type {Map<number, Map<number, Cell>>} */
  const cells = new Map();
  /** @param {number} item
   * @param {number} code */
  const cell = (item, code) => {
    const own = cells.get(item) ?? new Map();
    cells.set(item, own);
    const known = own.get(code) ?? { code, pairs: [], missed: 0, spurious: 0 };
    own.set(code, known);
    return known;
  };
  const trueClass = model.true.classes ?? [];
  for (const at of pairs) {
    const row = alignment.rows[at];
    cell(model.rowItem[row], Number(trueClass[model.rowTrue[row]])).pairs.push(at);
  }
  /** @param {import("../data/model.js").Side} side
   * @param {Uint8Array} matched
   * @param {"missed" | "spurious"} word */
  const add = (side, matched, word) => {
    for (let at = 0; at < matched.length; at++) {
      if (!isAlone(side, matched, at) || (only !== null && !only.has(side.item[at]))) continue;
      cell(side.item[at], Number(side.classes?.[at]))[word] += 1;
    }
  };
  add(model.true, alignment.matchedTrue, "missed");
  add(model.pred, alignment.matchedPred, "spurious");
  return cells;
}

/** The value of an item: the mean over its classes, or of all their segments; NaN where it is undefined.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {string} key
 * @param {Cell[]} cells
 * @returns {number} */
export function itemValue(model, alignment, key, cells) {
  const { alpha } = alignment.rule;
  if (COUNTS.has(key) || model.settings.average === "segments") {
    return score(key, tallyOf(alignment, cells), alpha).value;
  }
  const values = cells.map((cell) => score(key, tallyOf(alignment, [cell]), alpha).value);
  return meanOf(values, inClasses(model), "").value;
}

/** What an undefined class counts as in a mean over classes; null leaves it out.
 * @param {Model} model
 * @returns {number | null} */
function inClasses(model) {
  return model.settings.undefined ?? model.settings.policy.undefined;
}

/** One row per class that occurs: by item goes over the items in which it does.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {Map<number, Map<number, Cell>>} cells
 * @returns {ClassRow[]} */
export function classRows(model, alignment, cells) {
  /** @type {Cell[][]} */
  const members = (model.classNames ?? []).map(() => []);
  for (const item of [...cells.keys()].sort((a, b) => a - b)) {
    for (const cell of cells.get(item)?.values() ?? []) members[cell.code].push(cell);
  }
  const rows = members.map((own, code) => classRow(model, alignment, code, own));
  return rows.filter((row) => row.nItems > 0);
}

/** @param {Model} model
 * @param {RunAlignment} alignment
 * @param {number} code
 * @param {Cell[]} cells
 * @returns {ClassRow} */
function classRow(model, alignment, code, cells) {
  const { alpha } = alignment.rule;
  const tally = tallyOf(alignment, cells);
  const reason = "undefined in every item in which it occurs";
  const byItem = lazy((key) => {
    const values = cells.map((cell) => score(key, tallyOf(alignment, [cell]), alpha).value);
    return meanOf(values, model.settings.undefined, reason);
  });
  const total = scores(tally, alpha);
  const iou = Float64Array.from(cells.flatMap((cell) => cell.pairs), (at) => alignment.iou[at]);
  const name = (model.classNames ?? [])[code];
  return { code, name, tally, iou, nItems: cells.length, by_item: byItem, by_class: total, pooled: total };
}

/** The tally of some cells; that of a single one is computed once.
 * @param {RunAlignment} alignment
 * @param {Cell[]} cells
 * @returns {Tally} */
function tallyOf(alignment, cells) {
  if (cells.length === 1) return (cells[0].tally ??= new PairTally(alignment, cells[0].pairs, cells));
  return new PairTally(alignment, cells.flatMap((cell) => cell.pairs), cells);
}

/** The tally of some pairs and of segments without a partner. */
class PairTally {
  /** @param {RunAlignment} alignment
   * @param {number[]} pairs
   * @param {Cell[]} cells */
  constructor(alignment, pairs, cells) {
    this.alignment = alignment;
    this.pairs = pairs;
    this.n = pairs.length;
    this.missed = 0;
    this.spurious = 0;
    for (const cell of cells) {
      this.missed += cell.missed;
      this.spurious += cell.spurious;
    }
    this.total = this.sum(alignment.iou);
  }

  get excess() {
    return this.sum(this.alignment.excess);
  }

  /** @param {Float64Array} values */
  sum(values) {
    const { pairs } = this;
    if (pairs.length < 2) return pairs.length ? values[pairs[0]] : 0;
    return fsum(pairs.map((at) => values[at]));
  }
}

/** The groups of classes the run names, and all classes last; counts are summed.
 * @param {Model} model
 * @param {RunAlignment} alignment
 * @param {ClassRow[]} classes
 * @param {Map<number, Map<number, Cell>>} cells
 * @param {number[]} items
 * @returns {({ name: string } & Row)[]} */
export function groupRows(model, alignment, classes, cells, items) {
  const { groups } = model.settings;
  /** @type {[string, Set<number>][]} */
  const members = Object.entries(groups).map(([name, codes]) => [name, new Set(/** @type {number[]} */ (codes))]);
  members.push(["all", new Set(classes.map((row) => row.code))]);
  return members.map(([name, codes]) => {
    const rows = classes.filter((row) => codes.has(row.code));
    const why = (/** @type {string} */ words) => (rows.length ? words : "no class of this group occurs");
    const own = items.map((item) => [...(cells.get(item)?.values() ?? [])].filter((cell) => codes.has(cell.code)));
    const total = scores(tallyOf(alignment, own.flat()), alignment.rule.alpha);
    const byItem = lazy((key) => {
      const counted = COUNTS.has(key) ? own : own.filter((present) => present.length > 0);
      const values = counted.map((present) => itemValue(model, alignment, key, present));
      return meanOf(values, model.settings.undefined, why("undefined in every item"));
    });
    const byClass = lazy((key) => {
      if (COUNTS.has(key)) return total[key];
      return meanOf(rows.map((row) => row.pooled[key].value), inClasses(model), why("undefined in every class"));
    });
    return { name, by_item: byItem, by_class: byClass, pooled: total };
  });
}
