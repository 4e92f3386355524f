// @ts-check
// The panoptic scores of a tally: what segmetry.metrics.panoptic.panoptic_quality, panoptic_counts and curves
// compute, in the same order of operations, so that every double has the same bits.

import { fsum } from "./exact.js";

/** @typedef {import("./exact.js").Fraction} Fraction */
/** @typedef {{ n: number, missed: number, spurious: number, total: number, excess: number }} Tally
 * matched pairs and segments without a partner; Σ IoU and Σ max(0, IoU − α)/(1 − α) over the pairs */
/** @typedef {{ value: number, numerator?: number, denominator?: number, undefined?: string }} Score
 * `value` is NaN where the score is undefined, and `undefined` says why */

const NO_SEGMENTS = "no true and no pred segments";
const NO_TRUE = "no true segments";
const NO_PRED = "no pred segments";

/** Numerator, denominator, and why the score is undefined where the denominator is 0.
 * @type {Record<string, (tally: Tally, alpha: Fraction) => [number, number, string]>} */
const FORMULAS = {
  pq: (tally) => [2 * tally.total, both(tally), NO_SEGMENTS],
  sq: ({ n, total }) => [total, n, "no matched pair"],
  rq: (tally) => [2 * tally.n, both(tally), NO_SEGMENTS],
  precision: ({ n, spurious }) => [n, n + spurious, NO_PRED],
  recall: ({ n, missed }) => [n, n + missed, NO_TRUE],
  f1: (tally) => [2 * tally.n, both(tally), NO_SEGMENTS],
  weighted_precision: ({ n, spurious, total }) => [total, n + spurious, NO_PRED],
  weighted_recall: ({ n, missed, total }) => [total, n + missed, NO_TRUE],
  weighted_f1: (tally) => [2 * tally.total, both(tally), NO_SEGMENTS],
  n_matched: ({ n }) => [n, 1, ""],
  n_missed: ({ missed }) => [missed, 1, ""],
  n_spurious: ({ spurious }) => [spurious, 1, ""],
  sum_iou: ({ total }) => [total, 1, ""],
  npq: (tally) => [2 * tally.excess, both(tally), NO_SEGMENTS],
};

export const TALLY_KEYS = Object.keys(FORMULAS);
export const COUNTS = new Set(["n_matched", "n_missed", "n_spurious", "sum_iou"]);

/** |H| + |T|
 * @param {Tally} tally
 * @returns {number} */
function both({ n, missed, spurious }) {
  return 2 * n + missed + spurious;
}

/** @param {number} numerator
 * @param {number} denominator
 * @param {string} reason
 * @returns {Score} */
export function quotient(numerator, denominator, reason) {
  if (denominator === 0) return { value: NaN, numerator, denominator, undefined: reason };
  return { value: numerator / denominator, numerator, denominator };
}

/** One score of a tally.
 * @param {string} key
 * @param {Tally} tally
 * @param {Fraction} alpha the lower bound of the IoU of pairs under the rule
 * @returns {Score} */
export function score(key, tally, alpha) {
  return quotient(...FORMULAS[key](tally, alpha));
}

/** All panoptic scores of a tally, each computed on first use.
 * @param {Tally} tally
 * @param {Fraction} alpha
 * @returns {Record<string, Score>} */
export function scores(tally, alpha) {
  return lazy((key) => score(key, tally, alpha));
}

/** Every score undefined for one reason.
 * @param {string} reason
 * @returns {Record<string, Score>} */
export function undefinedScores(reason) {
  return lazy(() => ({ value: NaN, undefined: reason }));
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

/** An object with a value for every score, computed on first use.
 * @template T
 * @param {(key: string) => T} compute
 * @returns {Record<string, T>} */
export function lazy(compute) {
  const values = /** @type {Record<string, T>} */ ({});
  for (const key of TALLY_KEYS) {
    const get = () => {
      const value = compute(key);
      Object.defineProperty(values, key, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(values, key, { get, enumerable: true, configurable: true });
  }
  return values;
}
