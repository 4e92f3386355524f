// @ts-check
// Which overlaps are worth showing: those that are matched, or at least 2 % of one of their two segments.

/** @typedef {import("../scoring/best_partners.js").Edge} Edge */

const SHARE = 50n;

/** @param {Edge} edge
 * @returns {boolean} */
export function isLarge({ shared, missed, spurious, matched }) {
  if (matched) return true;
  const [common, ours, theirs] = [BigInt(shared), BigInt(missed), BigInt(spurious)];
  return SHARE * common >= common + ours || SHARE * common >= common + theirs;
}
