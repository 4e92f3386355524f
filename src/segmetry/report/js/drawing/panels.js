// @ts-check
// Paint codes of segments as pixels, and frame segments.

import { el } from "./dom.js";
import { elementsOf, outlineOf } from "./mask_outlines.js";

/** @typedef {{ side: "true" | "pred", at: number }} Segment */

const VOID = [[0xd4, 0xd4, 0xd4], [0xbb, 0xbb, 0xbb]];
const STRIPE = 4;

/** Codes as pixels: the colour of their segment; void is striped, outside transparent.
 * @param {Uint32Array} codes
 * @param {(number[] | null)[]} colours
 * @param {number} columns
 * @param {Uint8Array | null} [striped] segments that are striped in their colour and a lighter one
 * @returns {ImageData} */
export function pixelsOf(codes, colours, columns, striped = null) {
  const image = new ImageData(columns, codes.length / columns);
  const words = new Uint32Array(image.data.buffer);
  const pack = (/** @type {number[] | null} */ rgb) => (rgb === null ? 0 : bytes(rgb));
  const packedColours = Uint32Array.from([null, ...colours], pack);
  const lighter = Uint32Array.from([null, ...colours], (colour) => pack(colour && light(colour)));
  const stripes = VOID.map(bytes);
  const isOdd = (/** @type {number} */ at) =>
    Math.floor(((at % columns) + Math.floor(at / columns)) / STRIPE) % 2;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code >= packedColours.length) words[at] = stripes[isOdd(at)];
    else words[at] = code > 0 && striped?.[code - 1] && isOdd(at) ? lighter[code] : packedColours[code];
  }
  return image;
}

/** @param {number[]} colour
 * @returns {number[]} */
function light(colour) {
  return colour.map((channel) => Math.round(channel + (255 - channel) * 0.45));
}

/** An opaque colour as the four bytes of a pixel, in the order of this machine.
 * @param {number[]} rgb
 * @returns {number} */
function bytes(rgb) {
  return new Uint32Array(new Uint8Array([...rgb, 255]).buffer)[0];
}

/** Paint codes on a canvas of their size.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint32Array} codes
 * @param {(number[] | null)[]} colours
 * @param {number} columns
 * @param {Uint8Array | null} [striped] */
export function paint(canvas, codes, colours, columns, striped = null) {
  canvas.width = columns;
  canvas.height = codes.length / columns;
  canvas.getContext("2d")?.putImageData(pixelsOf(codes, colours, columns, striped), 0, 0);
}

/** Frame some segments and veil everything else.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint32Array} codes
 * @param {number[] | null} framed positions of segments; null takes frames and veil away
 * @param {number} columns
 * @param {import("../data/label_planes.js").MaskStretches | null} masks those that were painted, if they may overlap */
export function frame(canvas, codes, framed, columns, masks) {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (framed === null || codes.length === 0) return;
  const rows = codes.length / columns;
  const image = new ImageData(columns, rows);
  const words = new Uint32Array(image.data.buffer);
  const veil = new Uint32Array(new Uint8Array([255, 255, 255, 165]).buffer)[0];
  const line = bytes([0, 0, 0]);
  const segments = framed.map((at) => (masks ? elementsOf(masks, at, rows, columns) : elementsWith(codes, at + 1)));
  words.fill(veil);
  for (const elements of segments) for (const at of elements) words[at] = 0;
  for (const elements of segments) {
    const outline = outlineOf(elements, rows, columns);
    for (const at of outline) if (masks || !isAtBorder(codes, at, columns)) words[at] = line;
  }
  context.putImageData(image, 0, 0);
}

/** @param {Uint32Array} codes
 * @param {number} code
 * @returns {number[]} */
function elementsWith(codes, code) {
  const elements = [];
  for (let at = codes.indexOf(code); at >= 0; at = codes.indexOf(code, at + 1)) elements.push(at);
  return elements;
}

/** Whether an element is on the outline only because the plane ends there.
 * @param {Uint32Array} codes
 * @param {number} at
 * @param {number} columns
 * @returns {boolean} */
function isAtBorder(codes, at, columns) {
  const [here, column] = [codes[at], at % columns];
  return !(
    (column > 0 && codes[at - 1] !== here) ||
    (column + 1 < columns && codes[at + 1] !== here) ||
    (at >= columns && codes[at - columns] !== here) ||
    (at + columns < codes.length && codes[at + columns] !== here)
  );
}

/** Dotted lines, dark and light in turn, which are visible on every colour.
 * @param {HTMLCanvasElement} canvas
 * @param {Set<number>} elements
 * @param {number} columns */
export function dot(canvas, elements, columns) {
  const context = canvas.getContext("2d");
  if (!context) return;
  for (const at of elements) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    context.fillStyle = Math.floor((row + column) / 2) % 2 === 0 ? "#222222" : "#ffffff";
    context.fillRect(column, row, 1, 1);
  }
}

/** A light line between neighbours of one colour, which would run into each other otherwise.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint32Array} codes
 * @param {string[]} segments the colour of every segment
 * @param {number} columns */
export function part(canvas, codes, segments, columns) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const colours = ["", ...segments];
  const isSame = (/** @type {number} */ a, /** @type {number} */ b) =>
    a !== b && a > 0 && b > 0 && colours[a] === colours[b];
  context.fillStyle = "#d8d8d8";
  for (let at = 0; at < codes.length; at++) {
    const column = at % columns;
    const right = column + 1 < columns && isSame(codes[at], codes[at + 1]);
    if (right || isSame(codes[at], codes[at + columns] ?? 0)) context.fillRect(column, Math.floor(at / columns), 1, 1);
  }
}

/** Everything but some segments is veiled.
 * @param {import("../item/cuts.js").Cut} cut
 * @param {{ true: number[], pred: number[] }} framed
 * @returns {HTMLCanvasElement} */
export function veilOf({ true: truth, pred, columns, rows }, framed) {
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { width: columns, height: rows }));
  const image = new ImageData(columns, rows);
  const words = new Uint32Array(image.data.buffer);
  const veil = new Uint32Array(new Uint8Array([255, 255, 255, 175]).buffer)[0];
  const [ours, theirs] = [new Set(framed.true.map((at) => at + 1)), new Set(framed.pred.map((at) => at + 1))];
  for (let at = 0; at < words.length; at++) if (!ours.has(truth[at]) && !theirs.has(pred[at])) words[at] = veil;
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}
