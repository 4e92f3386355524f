// @ts-check
// Aligning a whole run, or one item of it, under a rule: which rows of the overlap table the rule picks.

import { minus, plus, ratio } from "./exact.js";
import { remembered } from "./remembered.js";
import { decider } from "./rules.js";

/** @typedef {import("./exact.js").Count} Count */
/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {{ rule: Rule, rows: Uint32Array, start: Uint32Array, iou: Float64Array, excess: Float64Array,
 *   matchedTrue: Uint8Array, matchedPred: Uint8Array, missed: Uint32Array, spurious: Uint32Array,
 *   clashes: Set<number> }} RunAlignment
 * the chosen rows of the run, those of item i at start[i] to start[i + 1], with their IoUs and
 * (IoU − α)/(1 − α) (0 where that is less); how many true and pred
 * segments of each item have no partner; the items in which a segment has several. */

export const alignRun = remembered(wholeRun);

/** Shared, missed and spurious elements of a row, as the policy counts them.
 * @param {Model} model
 * @param {number} row
 * @returns {[Count, Count, Count]} three Numbers, or three BigInts in a run of huge segments */
export function parts(model, row) {
  const shared = model.shared[row];
  const trueSize = model.true.counted[model.rowTrue[row]];
  const predSize = model.pred.counted[model.rowPred[row]];
  return [shared, minus(trueSize, shared), minus(predSize, shared)];
}

/** @param {Model} model
 * @param {Rule} rule
 * @returns {RunAlignment} */
function wholeRun(model, rule) {
  const chosen = model.data.chosen[rule.name];
  const decided = () => ({ rows: Uint32Array.from(model.columns[chosen], Number), clashes: new Set() });
  const { rows, clashes } = chosen ? decided() : pick(model, rule);
  const start = new Uint32Array(model.nItems + 1);
  const matchedTrue = new Uint8Array(model.true.size.length);
  const matchedPred = new Uint8Array(model.pred.size.length);
  const iou = new Float64Array(rows.length);
  const excess = new Float64Array(rows.length);
  rows.forEach((row, at) => {
    const [shared, missed, spurious] = parts(model, row);
    const union = plus(plus(shared, missed), spurious);
    iou[at] = ratio(shared, union);
    excess[at] = above(shared, union, rule.alpha);
    matchedTrue[model.rowTrue[row]] = 1;
    matchedPred[model.rowPred[row]] = 1;
    start[model.rowItem[row] + 1]++;
  });
  for (let item = 0; item < model.nItems; item++) start[item + 1] += start[item];
  const missed = alone(model.true, matchedTrue, model.nItems);
  const spurious = alone(model.pred, matchedPred, model.nItems);
  return { rule, rows, start, iou, excess, matchedTrue, matchedPred, missed, spurious, clashes };
}

/** max(0, top/bottom − α)/(1 − α), rounded once.
 * @param {Count} top
 * @param {Count} bottom
 * @param {import("./exact.js").Fraction} alpha
 * @returns {number} */
function above(top, bottom, alpha) {
  const [up, down] = [Number(alpha.top), Number(alpha.bottom)];
  if (typeof top === "number" && typeof bottom === "number" && bottom * down < 2 ** 53) {
    return Math.max(0, (top * down - up * bottom) / (bottom * (down - up)));
  }
  const [a, b] = [BigInt(top), BigInt(bottom)];
  return Math.max(0, ratio(a * alpha.bottom - alpha.top * b, b * (alpha.bottom - alpha.top)));
}

/** The candidates a rule accepts, and the items in which that gives a segment several partners.
 * @param {Model} model
 * @param {Rule} rule
 * @returns {{ rows: Uint32Array, clashes: Set<number> }} */
function pick(model, rule) {
  const accepts = decider(rule, model.settings.wide ? Infinity : model.settings.widest);
  const { candidates } = model;
  const picked = new Uint32Array(candidates.length);
  let count = 0;
  for (const row of candidates) {
    const [shared, missed, spurious] = parts(model, row);
    if (accepts(shared, missed, spurious)) picked[count++] = row;
  }
  const rows = picked.subarray(0, count);
  const clashes = new Set();
  if (model.settings.resolve === "keep") return { rows, clashes };
  const seenTrue = new Uint8Array(model.true.size.length);
  const seenPred = new Uint8Array(model.pred.size.length);
  for (const row of rows) {
    const [t, p] = [model.rowTrue[row], model.rowPred[row]];
    if (seenTrue[t] || seenPred[p]) clashes.add(model.rowItem[row]);
    seenTrue[t] = seenPred[p] = 1;
  }
  return { rows, clashes };
}

/** How many segments of each item have no partner and count.
 * @param {import("../data/model.js").Side} side
 * @param {Uint8Array} matched
 * @param {number} nItems
 * @returns {Uint32Array} */
function alone(side, matched, nItems) {
  const counts = new Uint32Array(nItems);
  for (let at = 0; at < matched.length; at++) {
    if (isAlone(side, matched, at)) counts[side.item[at]]++;
  }
  return counts;
}

/** Whether a segment has no partner and counts as an error.
 * @param {import("../data/model.js").Side} side
 * @param {Uint8Array} matched
 * @param {number} at
 * @returns {boolean} */
export function isAlone(side, matched, at) {
  return !matched[at] && !side.excused?.[at];
}

/** The alignment of one item: pairs and segments without a partner, as positions within the item.
 * @param {Item} item
 * @param {Rule} rule
 * @returns {{ pairs: { t: number, p: number, shared: Count, missed: Count, spurious: Count, iou: number }[],
 *   unmatchedTrue: number[], unmatchedPred: number[], clash: string | null }} */
export function align(item, rule) {
  const model = item.model;
  const aligned = alignRun(model, rule);
  const firstTrue = Number(model.true.start[item.index]);
  const firstPred = Number(model.pred.start[item.index]);
  const pairs = [];
  for (let at = aligned.start[item.index]; at < aligned.start[item.index + 1]; at++) {
    const [shared, missed, spurious] = parts(model, aligned.rows[at]);
    const [t, p] = [model.rowTrue[aligned.rows[at]] - firstTrue, model.rowPred[aligned.rows[at]] - firstPred];
    pairs.push({ t, p, shared, missed, spurious, iou: aligned.iou[at] });
  }
  /** @param {import("../data/model.js").Side} side
   * @param {Uint8Array} matched */
  const unmatched = (side, matched) => {
    const list = [];
    const from = Number(side.start[item.index]);
    for (let at = from; at < Number(side.start[item.index + 1]); at++) {
      if (isAlone(side, matched, at)) list.push(at - from);
    }
    return list;
  };
  return {
    pairs,
    unmatchedTrue: unmatched(model.true, aligned.matchedTrue),
    unmatchedPred: unmatched(model.pred, aligned.matchedPred),
    clash: aligned.clashes.has(item.index) ? CLASH : null,
  };
}

export const CLASH = "a segment has several partners under this rule";
