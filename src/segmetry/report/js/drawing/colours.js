// @ts-check
// The colours of the pictures: those of segmetry.outputs.images.map_images, matched_images and
// segmetry.outputs.plots.aligned_bars.

import { toNumber } from "../scoring/exact.js";

/** Brown to orange for values up to α, light to dark blue above it. */
const BELOW = [[0x54, 0x27, 0x08], [0xf0, 0xaa, 0x3c]];
const ABOVE = [[0xbe, 0xde, 0xf5], [0x00, 0x34, 0x6e]];
/** Paul Tol's muted scheme: distinguishable in every common colour blindness. */
const MATCHED = ["#88ccee", "#ddcc77", "#44aa99", "#cc6677", "#999933", "#aa4499", "#117733", "#882255", "#332288"];
export const UNMATCHED = "#3a3a3a";
const IGNORED = "#b0b0b0";

/** A number rounded to the nearest integer, halves to even.
 * @param {number} value
 * @returns {number} */
function rint(value) {
  const low = Math.floor(value);
  const rest = value - low;
  if (rest !== 0.5) return rest < 0.5 ? low : low + 1;
  return low % 2 === 0 ? low : low + 1;
}

/** The colour of a value in the precision or recall map.
 * @param {number} value
 * @param {boolean | number} isAbove whether it is above α, which is decided exactly elsewhere
 * @param {import("../scoring/exact.js").Fraction} alpha
 * @returns {number[]} red, green, blue */
export function mapColour(value, isAbove, alpha) {
  const bound = toNumber(alpha);
  const [from, to] = isAbove ? ABOVE : BELOW;
  const raw = isAbove ? (bound < 1 ? (value - bound) / (1 - bound) : 1) : bound > 0 ? value / bound : 0;
  const share = Math.min(Math.max(raw, 0), 1);
  return from.map((start, channel) => rint(start + (to[channel] - start) * share));
}

/** "#rrggbb" as three numbers.
 * @param {string} text
 * @returns {number[]} */
export function rgb(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}

/** @param {number[]} channels
 * @returns {string} */
export function css(channels) {
  return `rgb(${channels.join(" ")})`;
}

/** The colour of a segment in the truth and the prediction: one for both of a pair, dark without a partner.
 * @param {import("../scoring/best_partners.js").SideValues} side
 * @param {number} at
 * @returns {string} */
export function pairColour(side, at) {
  if (!side.shown[at]) return IGNORED;
  return side.matched[at] < 0 ? UNMATCHED : MATCHED[side.matched[at] % MATCHED.length];
}

/** The colour of every segment of a side: of its pair, or of its value in a map (null where it is not painted).
 * @param {import("../scoring/best_partners.js").SideValues} side
 * @param {import("../scoring/exact.js").Fraction | null} alpha null for the colours of the pairs
 * @returns {(number[] | null)[]} */
export function palette(side, alpha) {
  return Array.from(side.value, (value, at) => {
    if (alpha === null) return rgb(pairColour(side, at));
    return side.shown[at] ? mapColour(value, side.above[at], alpha) : null;
  });
}
