// @ts-check
// The points of the scatter plot: every true segment with its partner, the pred it shares most with, or every item with
// the sums over its segments. Which corner a point lies in is decided on integers.

import { ratio } from "./exact.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{ item: number, segment: number | null, shared: any, missed: any, spurious: any, recall: number,
 *   precision: number, corner: string }} Point */

export const CORNERS = ["good", "over-segmentation", "under-segmentation", "bad"];

/** P > 1/2 is s > p and R > 1/2 is s > m, so the good corner is θ&; a point on a dividing line counts with the worse.
 * @param {any} shared
 * @param {any} missed
 * @param {any} spurious
 * @returns {string} */
export function cornerOf(shared, missed, spurious) {
  const [precise, complete] = [shared > spurious, shared > missed];
  if (precise) return complete ? "good" : "over-segmentation";
  return complete ? "under-segmentation" : "bad";
}

/** @param {number} item
 * @param {number | null} segment
 * @param {any} shared
 * @param {any} missed
 * @param {any} spurious
 * @returns {Point} */
function point(item, segment, shared, missed, spurious) {
  const [ofTrue, ofPred] = [shared + missed, shared + spurious];
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
  return Array.from(at, (_, n) => {
    const segment = Number(at[n]);
    const size = /** @type {any} */ (model.true.counted[segment]);
    return point(model.true.item[segment], segment, shared[n], size - /** @type {any} */ (shared[n]), spurious[n]);
  });
}

/** @param {Model} model
 * @returns {Point[]} */
export function itemPoints(model) {
  const found = [];
  const segments = segmentPoints(model);
  for (let from = 0; from < segments.length; ) {
    const item = segments[from].item;
    let { shared, missed, spurious } = segments[from];
    for (from++; from < segments.length && segments[from].item === item; from++) {
      shared += segments[from].shared;
      missed += segments[from].missed;
      spurious += segments[from].spurious;
    }
    found.push(point(item, null, shared, missed, spurious));
  }
  return found;
}
