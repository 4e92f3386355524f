// @ts-check
// One error as a square picture: the part of its item around it, the photograph in grey, truth white, prediction
// blue,
// the error filled with the colour of its kind; of a line two bars, of turns the lanes of the speakers.

import { headerOf, masksOf, paintMasks, planeOf, spansOf } from "../data/label_planes.js";
import { whenReady } from "../data/source.js";
import { photographOf } from "../item/photograph.js";
import { errorColour, hatching, isHatched } from "./error_colours.js";
import { bars, lanes } from "./line_error.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {{ top: number, left: number, bottom: number, right: number }} Box inclusive */
/** @typedef {{ rows: number, columns: number, tall: number, true: Uint32Array, pred: Uint32Array,
 *   isWrong: (at: number) => boolean, box: Box, step: number }} Scene
 * the codes of the segments that an error is about, 0 elsewhere */

const [GROUND, TRUTH, PREDICTION, HALO] = ["#3b3f47", "#ffffff", "#4db8ff", "#000000b0"];
const ROOM = 1.55;
const LEAST = 36;

/** @param {HTMLCanvasElement} canvas
 * @param {Item} item
 * @param {RunError} error
 * @param {number} side in pixels of the canvas
 * @param {boolean} [inColour] the photograph keeps its colours
 * @returns {Promise<boolean>} whether the page has a picture of it */
export async function drawError(canvas, item, error, side, inColour = false) {
  await whenReady(item);
  const header = headerOf(item);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!header || !context) return false;
  canvas.width = canvas.height = side;
  context.fillStyle = GROUND;
  context.fillRect(0, 0, side, side);
  if (header.kind === "spans") return bars(context, await spansOf(item), error, side);
  if (header.kind === "lanes") return lanes(context, header, error, side);
  const scene = header.kind === "masks" ? await ofMasks(item, header, error) : await ofLabels(item, header, error);
  if (!scene) return false;
  const photograph = await photographOf(item);
  drawScene(context, scene, photograph, error.kind, side, inColour);
  return true;
}

/** @param {Item} item
 * @param {import("../data/page_data.js").LabelsHeader} header
 * @param {RunError} error
 * @returns {Promise<Scene | null>} */
async function ofLabels(item, header, error) {
  const { rows, columns, step, tall } = header;
  const isPart = error.kind === "confused" || (error.error.startsWith("c") && error.span.length !== 2);
  const [[t = -1], [p = -1]] = [error.true, error.pred];
  const peak = header.peaks?.[t < 0 ? 1 : 0]?.[t < 0 ? p : t];
  let place = peak ?? header.first;
  if (isPart && error.span.length) place = nearest(header.planes, error.span[1]);
  if (error.kind === "lost") place = nearest(header.planes, Math.floor((error.span[0] + error.span[1] - 1) / 2));
  if (header.planes.length < 2) place = 0;
  const plane = await planeOf(item, place);
  const wanted = { true: new Set(error.true.map((at) => at + 1)), pred: new Set(error.pred.map((at) => at + 1)) };
  const keep = (/** @type {"true" | "pred"} */ side) =>
    plane[side].map((code) => (wanted[side].has(code) ? code : 0));
  const sides = { true: keep("true"), pred: keep("pred") };
  const [, , ...stated] = error.span;
  const given = isPart && stated.length === 4 ? stated.map((edge) => Math.floor(edge / step)) : null;
  const inside = (/** @type {number} */ at) => {
    if (!given) return true;
    const [row, column] = [Math.floor(at / columns), at % columns];
    return row >= given[0] && row <= given[2] && column >= given[1] && column <= given[3];
  };
  const isWrong = isPart
    ? (/** @type {number} */ at) =>
        inside(at) && plane.true[at] === (t < 0 ? 0 : t + 1) && plane.pred[at] === (p < 0 ? 0 : p + 1)
    : wrongOf(error.kind, sides);
  const box = given ? { top: given[0], left: given[1], bottom: given[2], right: given[3] } : boxOf(sides, columns,
    isPart ? isWrong : null);
  return box && { rows, columns, tall, ...sides, isWrong, box, step };
}

/** @param {Item} item
 * @param {import("../data/page_data.js").MasksHeader} header
 * @param {RunError} error
 * @returns {Promise<Scene | null>} */
async function ofMasks(item, header, error) {
  const { rows, columns, places } = header;
  const masks = await masksOf(item);
  const { errors } = item.model.data;
  const byPlace = errors.problem === null && errors.by_place ? places : null;
  const side = (/** @type {"true" | "pred"} */ word) => {
    const chosen = error[word].map((place) => (byPlace ? byPlace[word][place] : place)).filter((at) => at >= 0);
    return paintMasks(masks[word], chosen, rows, columns);
  };
  const sides = { true: side("true"), pred: side("pred") };
  const box = boxOf(sides, columns, null);
  return box && { rows, columns, tall: 1, ...sides, isWrong: wrongOf(error.kind, sides), box, step: 1 };
}

/** @param {string} kind
 * @param {{ true: Uint32Array, pred: Uint32Array }} sides
 * @returns {(at: number) => boolean} */
function wrongOf(kind, { true: t, pred: p }) {
  if (["spurious", "merge", "background", "duplicate", "both", "classification"].includes(kind)) return (at) =>
    p[at] > 0;
  if (["boundary", "localisation", "lost"].includes(kind)) return (at) => t[at] > 0 !== p[at] > 0;
  return (at) => t[at] > 0;
}

/** @param {{ true: Uint32Array, pred: Uint32Array }} sides
 * @param {number} columns
 * @param {((at: number) => boolean) | null} isWrong
 * @returns {Box | null} */
function boxOf({ true: t, pred: p }, columns, isWrong) {
  const box = { top: Infinity, left: Infinity, bottom: -1, right: -1 };
  for (let at = 0; at < t.length; at++) {
    if (isWrong ? !isWrong(at) : !t[at] && !p[at]) continue;
    const [row, column] = [Math.floor(at / columns), at % columns];
    if (row < box.top) box.top = row;
    if (row > box.bottom) box.bottom = row;
    if (column < box.left) box.left = column;
    if (column > box.right) box.right = column;
  }
  return box.bottom < 0 ? null : box;
}

/** @param {readonly number[]} places
 * @param {number} wanted
 * @returns {number} */
function nearest(places, wanted) {
  let best = 0;
  places.forEach((place, at) => {
    if (Math.abs(place - wanted) < Math.abs(places[best] - wanted)) best = at;
  });
  return best;
}

/** @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {HTMLImageElement | null} photograph
 * @param {string} kind
 * @param {number} side
 * @param {boolean} inColour */
function drawScene(context, scene, photograph, kind, side, inColour) {
  const { rows, columns, tall, box } = scene;
  const [width, height] = [box.right - box.left + 1, (box.bottom - box.top + 1) * tall];
  const span = Math.max(LEAST / scene.step, Math.min(ROOM * Math.max(width, height), Math.min(columns, rows * tall)));
  const scale = side / span;
  const fit = (/** @type {number} */ middle, /** @type {number} */ whole) =>
    span >= whole ? (whole - span) / 2 : Math.min(Math.max(middle - span / 2, 0), whole - span);
  const x = fit(box.left + width / 2, columns);
  const y = fit(box.top * tall + height / 2, rows * tall);
  if (photograph) {
    context.drawImage(photograph, -x * scale, -y * scale, columns * scale, rows * tall * scale);
    if (!inColour) grey(context, side);
  } else {
    context.fillStyle = "#4a4f59";
    context.fillRect(-x * scale, -y * scale, columns * scale, rows * tall * scale);
  }
  const [first, last] = [Math.max(0, Math.floor(x)), Math.min(columns, Math.ceil(x + span))];
  const [from, to] = [Math.max(0, Math.floor(y / tall)), Math.min(rows, Math.ceil((y + span) / tall))];
  const place = (/** @type {number} */ row, /** @type {number} */ column) =>
    /** @type {[number, number]} */ ([(column - x) * scale, (row * tall - y) * scale]);
  const fill = new Path2D();
  for (let row = from; row < to; row++) {
    for (let column = first; column < last; column++) {
      if (!scene.isWrong(row * columns + column)) continue;
      const start = column;
      while (column + 1 < last && scene.isWrong(row * columns + column + 1)) column++;
      const [left, top] = place(row, start);
      fill.rect(left, top, (column + 1 - start) * scale, tall * scale + 0.3);
    }
  }
  context.fillStyle = isHatched(kind) ? hatching(context, errorColour(kind)) : `${errorColour(kind)}8c`;
  context.fill(fill);
  for (const [word, colour] of /** @type {const} */ ([["true", TRUTH], ["pred", PREDICTION]])) {
    const path = new Path2D();
    const codes = scene[word];
    for (let row = from; row <= to; row++) {
      for (let column = first; column <= last; column++) {
        const own = row < to && column < last ? codes[row * columns + column] : 0;
        const above = row > from && column < last ? codes[(row - 1) * columns + column] : 0;
        const before = column > first && row < to ? codes[row * columns + column - 1] : 0;
        if (own !== above && row > 0 && row < rows && row > from && row < to) edge(path, place(row, column),
          place(row, column + 1));
        if (own !== before && column > 0 && column < columns && column > first && column < last) edge(path,
          place(row, column), place(row + 1, column));
      }
    }
    const line = Math.max(1.4, side / 110);
    for (const [style, thick] of /** @type {[string, number][]} */ ([[HALO, 2.4 * line], [colour, line]])) {
      context.strokeStyle = style;
      context.lineWidth = thick;
      context.stroke(path);
    }
  }
}

/** @param {Path2D} path
 * @param {[number, number]} from
 * @param {[number, number]} to */
function edge(path, from, to) {
  path.moveTo(...from);
  path.lineTo(...to);
}

/** The picture in grey, stretched between the 2nd and the 98th percentile.
 * @param {CanvasRenderingContext2D} context
 * @param {number} side */
function grey(context, side) {
  const image = context.getImageData(0, 0, side, side);
  const { data } = image;
  const counts = new Uint32Array(256);
  for (let at = 0; at < data.length; at += 4) {
    const level = Math.round(0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2]);
    data[at] = level;
    counts[level]++;
  }
  let [low, high, seen] = [0, 255, 0];
  counts.forEach((count, level) => {
    if (seen <= 0.02 * side * side) low = level;
    if (seen <= 0.98 * side * side) high = level;
    seen += count;
  });
  const scale = 235 / Math.max(1, high - low);
  for (let at = 0; at < data.length; at += 4) {
    data[at] = data[at + 1] = data[at + 2] = Math.max(0, Math.min(235, (data[at] - low) * scale));
  }
  context.putImageData(image, 0, 0);
}
