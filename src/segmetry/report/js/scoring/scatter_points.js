// @ts-check
// The points of the scatter plot: every true segment with its partner, the pred it shares most with, or every item with
// the sums over its segments. The corner of a point is decided on integers.

import { minus, plus, ratio } from "./exact.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./exact.js").Count} Count */
/** @typedef {{ item: number, segment: number | null, shared: Count, missed: Count, spurious: Count, recall: number,
 *   precision: number, corner: string }} Point */

export const CORNERS = ["good", "over-segmentation", "under-segmentation", "bad"];

/** P > 1/2 is s > p and R > 1/2 is s > m, so the good corner is θ&; a point on a dividing line counts with the worse.
 * @param {Count} shared
 * @param {Count} missed
 * @param {Count} spurious
 * @returns {string} */
export function cornerOf(shared, missed, spurious) {
  const [precise, complete] = [shared > spurious, shared > missed];
  if (precise) return complete ? "good" : "over-segmentation";
  return complete ? "under-segmentation" : "bad";
}

/** @param {number} item
 * @param {number | null} segment
 * @param {Count} shared
 * @param {Count} missed
 * @param {Count} spurious
 * @returns {Point} */
function point(item, segment, shared, missed, spurious) {
  const [ofTrue, ofPred] = [plus(shared, missed), plus(shared, spurious)];
  return {
    item,
    segment,
    shared,
    missed,
    spurious,
    recall: ratio(shared, ofTrue) || 0,
    precision: ratio(shared, ofPred) || 0, // 0 where there is no partner
    corner: cornerOf(shared, missed, spurious),
  };
}

/** @param {Model} model
 * @returns {Point[]} */
export function segmentPoints(model) {
  const { partner_true: at, partner_shared: shared, partner_spurious: spurious } = model.columns;
  return Array.from({ length: at.length }, (_, n) => {
    const segment = Number(at[n]);
    const missed = minus(model.true.counted[segment], shared[n]);
    return point(model.true.item[segment], segment, shared[n], missed, spurious[n]);
  });
}

/** @param {Model} model
 * @returns {Point[]} */
export function itemPoints(model) {
  const { partner_true: at, partner_shared: shared, partner_spurious: spurious } = model.columns;
  const zero = /** @type {Count} */ (model.settings.wide ? 0n : 0);
  const points = [];
  for (let n = 0; n < at.length; ) {
    const item = model.true.item[Number(at[n])];
    let [s, m, p] = [zero, zero, zero];
    for (; n < at.length && model.true.item[Number(at[n])] === item; n++) {
      s = plus(s, shared[n]);
      m = plus(m, minus(model.true.counted[Number(at[n])], shared[n]));
      p = plus(p, spurious[n]);
    }
    points.push(point(item, null, s, m, p));
  }
  return points;
}
