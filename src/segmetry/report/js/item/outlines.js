// @ts-check
// The outlines of segments as paths along the edges of elements, which stay sharp however far one zooms in.

import { elementsOf } from "../drawing/mask_outlines.js";

/** The edges between segments of a plane, and between them and the outside; those at its border are left out.
 * @param {Uint32Array} codes
 * @param {number} columns
 * @returns {Path2D} */
export function planeOutlines(codes, columns) {
  const rows = codes.length / columns;
  const path = new Path2D();
  for (let row = 1; row < rows; row++) {
    const start = row * columns;
    stretches(columns, (column) => codes[start + column] !== codes[start - columns + column], (from, to) => {
      path.moveTo(from, row);
      path.lineTo(to, row);
    });
  }
  for (let column = 1; column < columns; column++) {
    stretches(rows, (row) => codes[row * columns + column] !== codes[row * columns + column - 1], (from, to) => {
      path.moveTo(column, from);
      path.lineTo(column, to);
    });
  }
  return path;
}

/** The outlines of masks that may overlap: all of every mask, covered or not.
 * @param {import("../data/label_planes.js").MaskStretches} masks
 * @param {Iterable<number>} shown
 * @param {number} rows
 * @param {number} columns
 * @returns {Path2D} */
export function maskOutlines(masks, shown, rows, columns) {
  const path = new Path2D();
  const inside = new Uint8Array(rows * columns);
  for (const mask of shown) {
    const elements = elementsOf(masks, mask, rows, columns);
    for (const at of elements) inside[at] = 1;
    for (const at of elements) outlineElement(path, inside, at, rows, columns);
    for (const at of elements) inside[at] = 0;
  }
  return path;
}

/** @param {Path2D} path
 * @param {Uint8Array} inside
 * @param {number} at
 * @param {number} rows
 * @param {number} columns */
function outlineElement(path, inside, at, rows, columns) {
  const [row, column] = [Math.floor(at / columns), at % columns];
  if (row > 0 && !inside[at - columns]) line(path, column, row, column + 1, row);
  if (row + 1 < rows && !inside[at + columns]) line(path, column, row + 1, column + 1, row + 1);
  if (column > 0 && !inside[at - 1]) line(path, column, row, column, row + 1);
  if (column + 1 < columns && !inside[at + 1]) line(path, column + 1, row, column + 1, row + 1);
}

/** @param {Path2D} path
 * @param {number} x
 * @param {number} y
 * @param {number} toX
 * @param {number} toY */
function line(path, x, y, toX, toY) {
  path.moveTo(x, y);
  path.lineTo(toX, toY);
}

/** Call a function with every stretch of places that are wanted.
 * @param {number} length
 * @param {(at: number) => boolean} wanted
 * @param {(from: number, to: number) => void} action */
function stretches(length, wanted, action) {
  let from = -1;
  for (let at = 0; at < length; at++) {
    const isWanted = wanted(at);
    if (isWanted && from < 0) from = at;
    if (!isWanted && from >= 0) {
      action(from, at);
      from = -1;
    }
  }
  if (from >= 0) action(from, length);
}
