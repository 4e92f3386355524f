// @ts-check
// The pairs of θ&: whether θ⁺ aligns them too, the kind of error, and whether they are false hits; and how the IoUs of
// the two alignments differ. As segmetry.alignments.pair_errors and false_hits, and segmetry.statistics.wider_rule.

import { alignRun, isAlone, parts } from "./align.js";
import { minus, plus } from "./exact.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./exact.js").Count} Count */
/** @typedef {{ item: number, t: number, p: number, shared: Count, missed: Count, spurious: Count, iou: number,
 *   rival: Count, isAdditional: boolean, isSmall: boolean, kind: string }} AlignedPair */

export const KINDS = {
  exact: "nothing missed, nothing spurious",
  partial: "at least twice as much is missed as is spurious",
  extra: "at least twice as much is spurious as is missed, most of it outside the truth",
  spill: "at least twice as much is spurious as is missed, most of it in other true segments",
  mixed: "neither dominates",
};
const SMALL = 1024;

/** All pairs of θ&.
 * @param {Model} model
 * @returns {AlignedPair[]} */
export function widePairs(model) {
  const wide = alignRun(model, model.rule("theta_and"));
  const narrow = new Uint8Array(model.shared.length);
  for (const row of alignRun(model, model.rule("theta_plus")).rows) narrow[row] = 1;
  const rivals = model.columns.wide_rival;
  return Array.from(wide.rows, (row, at) => {
    const [shared, missed, spurious] = parts(model, row);
    const [t, p] = [model.rowTrue[row], model.rowPred[row]];
    return {
      item: model.rowItem[row],
      t,
      p,
      shared,
      missed,
      spurious,
      iou: wide.iou[at],
      rival: rivals[at],
      isAdditional: !narrow[row],
      isSmall: model.true.size[t] < SMALL,
      kind: kindOf(model, p, shared, missed, spurious),
    };
  });
}

/** The kind of error of a pair. One side dominates when it is at least twice the other; mostly means more than half.
 * @param {Model} model
 * @param {number} p
 * @param {Count} shared
 * @param {Count} missed
 * @param {Count} spurious
 * @returns {string} */
function kindOf(model, p, shared, missed, spurious) {
  if (!missed && !spurious) return "exact";
  if (missed && missed >= plus(spurious, spurious)) return "partial";
  if (spurious < plus(missed, missed)) return "mixed";
  const { size, outside, void: inVoid } = model.pred;
  const inOthers = [outside[p], inVoid[p], shared].reduce(minus, size[p]);
  return plus(inOthers, inOthers) > spurious ? "spill" : "extra";
}

/** Whether π·s ≤ rival and π·s ≤ missed, exactly.
 * @param {AlignedPair} pair
 * @param {import("./exact.js").Fraction} pi
 * @returns {boolean} */
export function isFalseHit(pair, pi) {
  const least = pi.top * BigInt(pair.shared);
  return least <= pi.bottom * BigInt(pair.rival) && least <= pi.bottom * BigInt(pair.missed);
}

/** False hits, the Kolmogorov–Smirnov distance of the IoUs, and Pearson's correlation of additional pairs with true
 * segments per item; NaN where they are undefined.
 * @param {Model} model
 * @param {AlignedPair[]} pairs
 * @param {import("./exact.js").Fraction} pi
 * @param {Set<number> | null} selected
 * @returns {{ hits: Set<AlignedPair>, distance: number, correlation: number }} */
export function disagreement(model, pairs, pi, selected) {
  const wide = pairs.map((pair) => pair.iou);
  const narrow = pairs.filter((pair) => !pair.isAdditional).map((pair) => pair.iou);
  const items = selected === null ? [...model.items.keys()] : [...selected];
  const extra = new Map(items.map((item) => [item, 0]));
  for (const pair of pairs) if (pair.isAdditional) extra.set(pair.item, (extra.get(pair.item) ?? 0) + 1);
  const sizes = items.map((item) => Number(model.true.start[item + 1]) - Number(model.true.start[item]));
  return {
    hits: new Set(pairs.filter((pair) => isFalseHit(pair, pi))),
    distance: gap(narrow, wide),
    correlation: pearson(items.map((item) => extra.get(item) ?? 0), sizes),
  };
}

/** The additional pairs of every class that has some, and its true segments, the most first.
 * @param {Model} model
 * @param {AlignedPair[]} extra
 * @param {Set<number> | null} selected
 * @returns {{ name: string, added: number, total: number }[]} */
export function byClass(model, extra, selected) {
  const classes = model.true.classes;
  if (classes === null || !model.classNames) return [];
  const { matchedTrue } = alignRun(model, model.rule("theta_and"));
  const rows = new Map(extra.map((pair) => {
    const code = Number(classes[pair.t]);
    return [code, { name: model.classNames?.[code] ?? String(code), added: 0, total: 0 }];
  }));
  for (const pair of extra) count(rows.get(Number(classes[pair.t])), "added");
  for (let at = 0; at < classes.length; at++) {
    const isCounted = matchedTrue[at] || isAlone(model.true, matchedTrue, at);
    if (isCounted && (selected?.has(model.true.item[at]) ?? true)) count(rows.get(Number(classes[at])), "total");
  }
  return [...rows.values()].sort((a, b) => b.added - a.added || (a.name < b.name ? -1 : 1));
}

/** @param {{ added: number, total: number } | undefined} row
 * @param {"added" | "total"} word */
function count(row, word) {
  if (row) row[word]++;
}

/** Linearly interpolated quartiles; null without values.
 * @param {number[]} values
 * @returns {number[] | null} */
export function quartiles(values) {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  return [0.25, 0.5, 0.75].map((share) => {
    const place = share * (sorted.length - 1);
    const low = Math.floor(place);
    return sorted[low] + (place - low) * (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]);
  });
}

/** The largest gap between two empirical distribution functions; 1 if one is empty.
 * @param {number[]} first
 * @param {number[]} second
 * @returns {number} */
function gap(first, second) {
  if (!first.length && !second.length) return NaN;
  if (!first.length || !second.length) return 1;
  const [a, b] = [Float64Array.from(first).sort(), Float64Array.from(second).sort()];
  let [i, j, most] = [0, 0, 0];
  while (i < a.length || j < b.length) {
    const at = Math.min(a[i] ?? Infinity, b[j] ?? Infinity);
    while (i < a.length && a[i] <= at) i++;
    while (j < b.length && b[j] <= at) j++;
    most = Math.max(most, Math.abs(i * b.length - j * a.length));
  }
  return most / (a.length * b.length);
}

/** Pearson's correlation of two columns of integers, exact until the last step.
 * @param {number[]} first
 * @param {number[]} second
 * @returns {number} */
function pearson(first, second) {
  const n = BigInt(first.length);
  const sum = (/** @type {bigint[]} */ list) => list.reduce((total, value) => total + value, 0n);
  const [a, b] = [first.map(BigInt), second.map(BigInt)];
  const cross = n * sum(a.map((value, at) => value * b[at])) - sum(a) * sum(b);
  const spread = (/** @type {bigint[]} */ list) => n * sum(list.map((value) => value * value)) - sum(list) ** 2n;
  const product = spread(a) * spread(b);
  return product === 0n ? NaN : Number(cross) / Math.sqrt(Number(product));
}
