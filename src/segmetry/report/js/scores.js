// @ts-check
// The panoptic scores of a tally: what segmetry.scores.panoptic, panoptic_counts and curves compute, in the same order
// of operations, so that every double has the same bits.

import { fsum, ratio } from "./exact.js";

/** @typedef {{ n: number, missed: number, spurious: number, total: number, excess: number }} Tally
 * matched pairs and segments without a partner; Σ IoU and Σ max(0, IoU − α) over the pairs */
/** @typedef {{ value: number, numerator?: number, denominator?: number, undefined?: string }} Score
 * `value` is NaN where the score is undefined, and `undefined` says why */

export const TALLY_KEYS = [
  "pq",
  "sq",
  "rq",
  "precision",
  "recall",
  "f1",
  "weighted_precision",
  "weighted_recall",
  "weighted_f1",
  "n_matched",
  "n_missed",
  "n_spurious",
  "sum_iou",
  "npq",
];
export const COUNTS = new Set(["n_matched", "n_missed", "n_spurious", "sum_iou"]);
const NO_SEGMENTS = "no true and no pred segments";

/** @param {number} numerator
 * @param {number} denominator
 * @param {string} reason
 * @returns {Score} */
export function quotient(numerator, denominator, reason) {
  if (denominator === 0) return { value: NaN, numerator, denominator, undefined: reason };
  return { value: numerator / denominator, numerator, denominator };
}

/** The panoptic scores of a tally.
 * @param {Tally} tally
 * @param {import("./exact.js").Fraction} alpha below which no pair of the rule can lie
 * @returns {Record<string, Score>} */
export function scores(tally, alpha) {
  const { n, missed, spurious, total } = tally;
  const both = 2 * n + missed + spurious;
  return {
    pq: quotient(2 * total, both, NO_SEGMENTS),
    sq: quotient(total, n, "no matched pair"),
    rq: quotient(2 * n, both, NO_SEGMENTS),
    precision: quotient(n, n + spurious, "no pred segments"),
    recall: quotient(n, n + missed, "no true segments"),
    f1: quotient(2 * n, both, NO_SEGMENTS),
    weighted_precision: quotient(total, n + spurious, "no pred segments"),
    weighted_recall: quotient(total, n + missed, "no true segments"),
    weighted_f1: quotient(2 * total, both, NO_SEGMENTS),
    n_matched: quotient(n, 1, ""),
    n_missed: quotient(missed, 1, ""),
    n_spurious: quotient(spurious, 1, ""),
    sum_iou: quotient(total, 1, ""),
    npq: npq(tally.excess, both, alpha),
  };
}

/** NPQ = 2 Σ max(0, w − α) / ((1−α)(|H|+|T|)).
 * @param {number} excess
 * @param {number} both
 * @param {import("./exact.js").Fraction} alpha
 * @returns {Score} */
function npq(excess, both, alpha) {
  const whole = ratio((alpha.bottom - alpha.top) * BigInt(both), alpha.bottom);
  return quotient(2 * excess, whole, NO_SEGMENTS);
}

/** Every score undefined for one reason.
 * @param {string} reason
 * @returns {Record<string, Score>} */
export function undefinedScores(reason) {
  return Object.fromEntries(TALLY_KEYS.map((key) => [key, { value: NaN, undefined: reason }]));
}

/** The mean of the defined values, with `instead` in the place of the others unless it is null.
 * @param {Iterable<number>} values NaN where undefined
 * @param {number | null} instead
 * @param {string} reason
 * @returns {Score} */
export function meanOf(values, instead, reason) {
  const used = [];
  for (const value of values) {
    if (!Number.isNaN(value)) used.push(value);
    else if (instead !== null) used.push(instead);
  }
  return quotient(fsum(used), used.length, reason);
}
