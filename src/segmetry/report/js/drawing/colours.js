// @ts-check
// The colours of segments, the same in all pictures, graphs and bars; those of the maps are of
// segmetry.outputs.plots.map_images.

import { headerOf } from "../data/label_planes.js";
import { firstKind, segmentKinds } from "../data/segment_kinds.js";
import { toNumber } from "../scoring/exact.js";
import { EXACT, KIND_COLOURS, LOOSE } from "./kind_colours.js";

/** Brown to orange for values up to α, light to dark blue above it. */
const BELOW = [[0x54, 0x27, 0x08], [0xf0, 0xaa, 0x3c]];
const ABOVE = [[0xbe, 0xde, 0xf5], [0x00, 0x34, 0x6e]];
/** Paul Tol's muted scheme: distinguishable in every common colour blindness. */
export const DISTINCT = [
  "#88ccee", "#ddcc77", "#44aa99", "#cc6677", "#999933", "#aa4499", "#117733", "#882255", "#332288",
];
/** Okabe and Ito's colours without black, and some of Tol's. */
const CLASSES = [
  ...["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#0072b2", "#f0e442", "#d55e00", "#999933", "#882255", "#44aa99"],
];
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

/** How segments are coloured: by the kind of their error, by class, or each by itself.
 * @typedef {"kind" | "class" | "segment"} Mode */
/** @typedef {{ true: string[], pred: string[] }} SegmentColours */

/** The colour of every segment of an item, in all pictures, the graph and the bars.
 * @param {import("../data/model.js").Item} item
 * @param {import("../scoring/best_partners.js").Values} values
 * @param {import("../scoring/rules.js").Rule} rule
 * @param {Mode} mode
 * @returns {SegmentColours} */
export function segmentColours(item, values, rule, mode) {
  const numbers = headerOf(item)?.colours;
  const own = (/** @type {"true" | "pred"} */ side, /** @type {number} */ at) =>
    DISTINCT[Number(numbers?.[side][at] ?? at % DISTINCT.length)];
  const kinds = kindsOf(item, rule);
  /** @param {"true" | "pred"} side
   * @param {number} at */
  const colour = (side, at) => {
    if (!values[side].shown[at]) return IGNORED;
    if (mode === "class") return classColour(Number(item[side].classes?.[at] ?? 0));
    if (mode === "kind") return kindColour(kinds[side][at]);
    const partner = values.pred.partner[at];
    return side === "pred" && partner >= 0 ? own("true", partner) : own(side, at);
  };
  const list = (/** @type {"true" | "pred"} */ side) => Array.from(values[side].value, (_, at) => colour(side, at));
  return { true: list("true"), pred: list("pred") };
}

/** @param {import("../data/segment_kinds.js").Kind | "matched" | null} kind
 * @returns {string} */
export function kindColour(kind) {
  if (kind === null) return IGNORED;
  return kind === "matched" ? EXACT : kind === "boundary" ? LOOSE : KIND_COLOURS[kind];
}

/** The first kind of error of every segment of an item.
 * @param {import("../data/model.js").Item} item
 * @param {import("../scoring/rules.js").Rule} rule
 * @returns {Record<"true" | "pred", (import("../data/segment_kinds.js").Kind | "matched" | null)[]>} */
export function kindsOf({ model, index }, rule) {
  const all = segmentKinds(model, rule);
  const list = (/** @type {"true" | "pred"} */ side) => {
    const { start } = model[side];
    const bits = all[side].subarray(Number(start[index]), Number(start[index + 1]));
    return Array.from(bits, (segment) => firstKind(model, segment));
  };
  return { true: list("true"), pred: list("pred") };
}

/** The colour of a class: of the first ones those that are told apart best, then steps of the golden angle.
 * @param {number} code
 * @returns {string} */
export function classColour(code) {
  if (code < CLASSES.length) return CLASSES[code];
  const hue = (code * 137.508) % 360;
  return hex(hue, code % 2 ? 0.45 : 0.7, code % 3 ? 0.5 : 0.65);
}

/** @param {number} hue
 * @param {number} saturation
 * @param {number} lightness
 * @returns {string} */
function hex(hue, saturation, lightness) {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (/** @type {number} */ shift) => {
    const place = (shift + hue / 30) % 12;
    const value = lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(255 * value).toString(16).padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** The colour of every segment in a map of values; null where it is not painted.
 * @param {import("../scoring/best_partners.js").SideValues} side
 * @param {import("../scoring/exact.js").Fraction} alpha
 * @returns {(number[] | null)[]} */
export function mapPalette(side, alpha) {
  return Array.from(side.value, (value, at) => (side.shown[at] ? mapColour(value, side.above[at], alpha) : null));
}
