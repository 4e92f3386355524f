// @ts-check
// Masks that may overlap, one by one: their elements, and those on their edge.

/** The elements of a mask, as positions row by row.
 * @param {import("../data/label_planes.js").MaskStretches} masks
 * @param {number} mask
 * @param {number} rows
 * @param {number} columns
 * @returns {number[]} */
export function elementsOf(masks, mask, rows, columns) {
  const elements = [];
  for (let stretch = masks.stretches[mask]; stretch < masks.stretches[mask + 1]; stretch++) {
    for (let at = masks.start[stretch]; at < masks.stop[stretch]; at++) {
      elements.push((at % rows) * columns + Math.floor(at / rows));
    }
  }
  return elements;
}

/** The elements that have a neighbour outside, in the image or beyond its border.
 * @param {number[]} elements
 * @param {number} rows
 * @param {number} columns
 * @param {Uint8Array} [inside] zeros, one for each element of the image, which are zeros again afterwards
 * @returns {number[]} */
export function outlineOf(elements, rows, columns, inside = new Uint8Array(rows * columns)) {
  for (const at of elements) inside[at] = 1;
  const outline = elements.filter((at) => {
    const column = at % columns;
    const isAtBorder = column === 0 || column + 1 === columns || at < columns || at >= (rows - 1) * columns;
    return isAtBorder || !(inside[at - 1] && inside[at + 1] && inside[at - columns] && inside[at + columns]);
  });
  for (const at of elements) inside[at] = 0;
  return outline;
}

/** The elements on the edge of a mask that is covered there by another one.
 * @param {Uint32Array} codes masks painted over each other
 * @param {import("../data/label_planes.js").MaskStretches} masks
 * @param {Iterable<number>} shown positions of the masks that are painted
 * @param {number} rows
 * @param {number} columns
 * @returns {Set<number>} */
export function coveredEdges(codes, masks, shown, rows, columns) {
  const covered = new Set();
  const inside = new Uint8Array(codes.length);
  for (const mask of shown) {
    const outline = outlineOf(elementsOf(masks, mask, rows, columns), rows, columns, inside);
    for (const at of outline) if (codes[at] !== mask + 1) covered.add(at);
  }
  return covered;
}
