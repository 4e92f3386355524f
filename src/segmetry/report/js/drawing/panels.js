// @ts-check
// The four pictures of an item: truth, prediction, precision map, recall map. A segment under the pointer is framed in
// all of them, together with those it overlaps.

import { pairColour, palette } from "./colours.js";
import { el } from "./dom.js";
import { coveredEdges, elementsOf, outlineOf } from "./mask_outlines.js";
import { paintOrder } from "../scoring/best_partners.js";
import { paintMasks } from "../data/label_planes.js";

/** @typedef {{ side: "true" | "pred", at: number }} Segment */
/** @typedef {{ side: "true" | "pred", map: boolean, title: string }} Kind */
/** @typedef {{ codes: Uint32Array, kind: Kind, picture: HTMLCanvasElement, frame: HTMLCanvasElement,
 *   n: number, masks: import("../data/label_planes.js").MaskStretches | null }} Panel `n` is the number of segments of
 *   its side, `masks` are those that may overlap */

/** @type {Kind[]} */
export const KINDS = [
  { side: "true", map: false, title: "truth" },
  { side: "pred", map: false, title: "prediction" },
  { side: "true", map: true, title: "recall map" },
  { side: "pred", map: true, title: "precision map" },
];
const VOID = [[0xd4, 0xd4, 0xd4], [0xbb, 0xbb, 0xbb]];
const STRIPE = 4;
/** Pictures with more columns are shown smaller than they are, and then smoothed. */
const SMOOTH = 480;

/** The codes a panel shows: a plane, or masks painted over each other, in maps the best on top.
 * @param {Kind} kind
 * @param {import("../data/label_planes.js").Plane | null} plane
 * @param {Record<"true" | "pred", import("../data/label_planes.js").MaskStretches> | null} masks
 * @param {import("../scoring/best_partners.js").SideValues} side
 * @param {number} rows
 * @param {number} columns
 * @returns {Uint32Array} */
export function codesFor(kind, plane, masks, side, rows, columns) {
  if (plane) return plane[kind.side];
  if (!masks) return new Uint32Array(rows * columns);
  return paintMasks(masks[kind.side], paintOrder(side), rows, columns);
}

/** Codes as pixels: the colour of their segment; void is striped, outside transparent.
 * @param {Uint32Array} codes
 * @param {(number[] | null)[]} colours
 * @param {number} columns
 * @returns {ImageData} */
export function pixelsOf(codes, colours, columns) {
  const image = new ImageData(columns, codes.length / columns);
  const words = new Uint32Array(image.data.buffer);
  const pack = (/** @type {number[] | null} */ rgb) => (rgb === null ? 0 : bytes(rgb));
  const packedColours = Uint32Array.from([null, ...colours], pack);
  const stripes = VOID.map(bytes);
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at];
    if (code < packedColours.length) words[at] = packedColours[code];
    else words[at] = stripes[Math.floor(((at % columns) + Math.floor(at / columns)) / STRIPE) % 2];
  }
  return image;
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
 * @param {number} columns */
export function paint(canvas, codes, colours, columns) {
  canvas.width = columns;
  canvas.height = codes.length / columns;
  canvas.getContext("2d")?.putImageData(pixelsOf(codes, colours, columns), 0, 0);
}

/** Frame some segments of a panel and veil everything else.
 * @param {Panel} panel
 * @param {number[] | null} framed positions of segments; null takes frames and veil away
 * @param {number} columns */
export function frame({ codes, frame: canvas, masks }, framed, columns) {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  if (framed === null || codes.length === 0) return;
  const image = new ImageData(columns, codes.length / columns);
  const words = new Uint32Array(image.data.buffer);
  const wanted = new Set(framed.map((at) => at + 1));
  const veil = new Uint32Array(new Uint8Array([255, 255, 255, 165]).buffer)[0];
  const line = bytes([0, 0, 0]);
  if (masks) {
    const rows = codes.length / columns;
    const whole = framed.map((at) => elementsOf(masks, at, rows, columns));
    words.fill(veil);
    for (const mask of whole) for (const at of mask) words[at] = 0;
    for (const mask of whole) for (const at of outlineOf(mask, rows, columns)) words[at] = line;
    context.putImageData(image, 0, 0);
    return;
  }
  for (let at = 0; at < codes.length; at++) {
    const column = at % columns;
    if (!wanted.has(codes[at])) {
      words[at] = veil;
      continue;
    }
    const here = codes[at];
    const edge =
      (column > 0 && codes[at - 1] !== here) ||
      (column + 1 < columns && codes[at + 1] !== here) ||
      (at >= columns && codes[at - columns] !== here) ||
      (at + columns < codes.length && codes[at + columns] !== here);
    if (edge) words[at] = line;
  }
  context.putImageData(image, 0, 0);
}

/** An empty panel; `onsegment` is called with the segment under the pointer (null: none), and whether it was pressed.
 * @param {Kind} kind
 * @param {import("../data/label_planes.js").FlatHeader} header
 * @param {(segment: Segment | null, pressed: boolean) => void} onsegment
 * @returns {{ figure: HTMLElement, panel: Panel }} */
export function makePanel(kind, header, onsegment) {
  const { rows, columns } = header;
  const tall = header.kind === "labels" ? header.tall : 1;
  const size = { width: columns, height: rows };
  const picture = /** @type {HTMLCanvasElement} */ (
    el("canvas", { ...size, role: "img", "aria-label": kind.title, "data-panel": kind.title })
  );
  const over = /** @type {HTMLCanvasElement} */ (el("canvas", { ...size, class: "frame", "aria-hidden": "true" }));
  const panel = { codes: new Uint32Array(0), kind, picture, frame: over, n: 0, masks: null };
  const stack = el("div", { class: columns > SMOOTH ? "stack smooth" : "stack" }, picture, over);
  stack.style.setProperty("--ratio", `${columns} / ${rows === 1 ? Math.max(1, columns / 12) : rows * tall}`);
  const tell = (/** @type {PointerEvent} */ event, /** @type {boolean} */ pressed) => {
    const box = over.getBoundingClientRect();
    const column = Math.min(columns - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * columns)));
    const row = Math.min(rows - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * rows)));
    const code = panel.codes[row * columns + column] ?? 0;
    const isSegment = code > 0 && code <= panel.n;
    onsegment(isSegment ? { side: kind.side, at: code - 1 } : null, pressed);
  };
  stack.addEventListener("pointermove", (event) => tell(event, false));
  stack.addEventListener("pointerdown", (event) => tell(event, true));
  stack.addEventListener("pointerleave", () => onsegment(null, false));
  return { figure: el("figure", {}, el("figcaption", {}, kind.title), stack), panel };
}

/** Draw a panel anew: after another plane, or under another rule.
 * @param {Panel} panel
 * @param {Uint32Array} codes
 * @param {import("../scoring/best_partners.js").SideValues} side
 * @param {import("../scoring/exact.js").Fraction} alpha
 * @param {number} columns
 * @param {import("../data/label_planes.js").MaskStretches | null} masks those that were painted, if they may overlap */
export function drawPanel(panel, codes, side, alpha, columns, masks) {
  panel.codes = codes;
  panel.masks = masks;
  panel.n = side.value.length;
  paint(panel.picture, codes, palette(side, panel.kind.map ? alpha : null), columns);
  if (panel.kind.map) return;
  part(panel.picture, codes, side, columns);
  if (masks) dot(panel.picture, coveredEdges(codes, masks, paintOrder(side), codes.length / columns, columns), columns);
}

/** Dotted lines, dark and light in turn, which are visible on every colour.
 * @param {HTMLCanvasElement} canvas
 * @param {Set<number>} elements
 * @param {number} columns */
function dot(canvas, elements, columns) {
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
 * @param {import("../scoring/best_partners.js").SideValues} side
 * @param {number} columns */
function part(canvas, codes, side, columns) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const colours = ["", ...Array.from(side.value, (_, at) => pairColour(side, at))];
  const isSame = (/** @type {number} */ a, /** @type {number} */ b) =>
    a !== b && a > 0 && b > 0 && colours[a] === colours[b];
  context.fillStyle = "#d8d8d8";
  for (let at = 0; at < codes.length; at++) {
    const column = at % columns;
    const right = column + 1 < columns && isSame(codes[at], codes[at + 1]);
    if (right || isSame(codes[at], codes[at + columns] ?? 0)) context.fillRect(column, Math.floor(at / columns), 1, 1);
  }
}
