// @ts-check
// The part of an item around an error: the photograph in grey, truth white, prediction blue, another run's dashed
// amber, the error filled with the colour of its kind.

import { errorColour, hatching, isHatched } from "./error_colours.js";

/** @typedef {{ top: number, left: number, bottom: number, right: number }} Box inclusive */
/** @typedef {{ rows: number, columns: number, tall: number, true: Uint32Array, pred: Uint32Array,
 *   isWrong: (at: number) => boolean, box: Box, step: number, key: string,
 *   other?: Uint32Array | null }} Scene
 * the codes of the segments that an error is about, 0 elsewhere */

const [TRUTH, PREDICTION, OTHER, HALO] = ["#ffffff", "#4db8ff", "#ffb347", "#000000b0"];
const ROOM = 1.55;
const LEAST = 36;

/** @param {CanvasRenderingContext2D} context
 * @param {Scene} scene
 * @param {HTMLImageElement | null} photograph
 * @param {string} kind
 * @param {number} side
 * @param {boolean} inColour */
export function drawScene(context, scene, photograph, kind, side, inColour) {
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
  for (const [word, colour] of /** @type {const} */ ([["true", TRUTH], ["other", OTHER], ["pred", PREDICTION]])) {
    const path = new Path2D();
    const codes = scene[word];
    if (!codes) continue;
    context.setLineDash(word === "other" ? [side / 30, side / 45] : []);
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
  context.setLineDash([]);
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
