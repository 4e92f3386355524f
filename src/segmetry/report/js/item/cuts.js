// @ts-check
// What is shown of an item with rows and columns: an image, or a cut through a volume along one of its three axes. The
// page holds the planes of one axis; those of the others are put together from them.

import { headerOf, masksOf, paintMasks, planeOf } from "../data/label_planes.js";
import { paintOrder } from "../scoring/best_partners.js";

/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {import("../data/label_planes.js").FlatHeader} FlatHeader */
/** @typedef {import("../data/label_planes.js").MaskStretches} MaskStretches */
/** @typedef {import("../scoring/best_partners.js").Values} Values */
/** @typedef {{ axis: number, count: number, total: number, thickness: number | null }} Axis
 * one along which a volume can be cut: how many cuts the page has, of how many, and the distance of all of them */
/** @typedef {{ rows: number, columns: number, tall: number, true: Uint32Array, pred: Uint32Array,
 *   masks: Record<"true" | "pred", MaskStretches> | null, key: string }} Cut
 * codes of both sides; `tall` is the height of an element as a multiple of its width; masks that may overlap; the axis
 * and the place of a cut, such as 2:14, empty for an image */

/** The axes along which an item can be cut, the one whose planes are in the page first; none of an image.
 * @param {FlatHeader} header
 * @returns {Axis[]} */
export function axesOf(header) {
  if (header.kind !== "labels" || header.planes.length < 2) return [];
  const { planes, rows, columns, axis, shape, spacing } = header;
  const total = header.stack.reduce((product, length) => product * length, 1);
  const thickness = (/** @type {number} */ at) => (spacing ? spacing[at] : null);
  const first = { axis: axis ?? 0, count: planes.length, total, thickness: axis === null ? null : thickness(axis) };
  if (axis === null || header.word === "frame") return [first];
  const [down, across] = others(axis);
  return [
    first,
    { axis: down, count: rows, total: shape[down], thickness: thickness(down) },
    { axis: across, count: columns, total: shape[across], thickness: thickness(across) },
  ];
}

/** @param {number} axis
 * @returns {[number, number]} */
function others(axis) {
  return /** @type {[number, number]} */ ([0, 1, 2].filter((other) => other !== axis));
}

/** The place of a cut among all elements along its axis.
 * @param {FlatHeader} header
 * @param {Axis} axis
 * @param {number} place
 * @returns {number} */
export function depthOf(header, axis, place) {
  if (header.kind !== "labels") return 0;
  return axis.axis === (header.axis ?? 0) ? header.planes[place] : place * header.step;
}

/** @param {Item} item
 * @param {Axis | null} axis null for an image
 * @param {number} place
 * @param {Values} values
 * @returns {Promise<Cut | null>} null where the page has no picture */
export async function cutOf(item, axis, place, values) {
  const header = headerOf(item);
  if (!header || header.kind === "spans" || header.kind === "lanes") return null;
  const { rows, columns } = header;
  if (header.kind === "masks") {
    const masks = await masksOf(item);
    const [truth, pred] = /** @type {const} */ (["true", "pred"]).map((side) =>
      paintMasks(masks[side], paintOrder(values[side]), rows, columns),
    );
    return { rows, columns, tall: 1, true: truth, pred, masks, key: "" };
  }
  const key = axis === null ? "" : `${axis.axis}:${depthOf(header, axis, place)}`;
  if (axis === null || axis.axis === (header.axis ?? 0)) {
    const plane = await planeOf(item, axis === null ? 0 : place);
    return { rows, columns, tall: header.tall, ...plane, masks: null, key };
  }
  return { ...(await across(item, header, axis.axis, place)), key };
}

/** A cut across the planes of the page.
 * @param {Item} item
 * @param {import("../data/label_planes.js").LabelsHeader} header
 * @param {number} axis
 * @param {number} place
 * @returns {Promise<Omit<Cut, "key">>} */
async function across(item, header, axis, place) {
  const { rows, columns, planes, spacing, stack } = header;
  const volume = await volumeOf(item, planes.length);
  const isRow = axis === others(header.axis ?? 0)[0];
  const width = isRow ? columns : rows;
  const along = others(header.axis ?? 0)[isRow ? 1 : 0];
  const side = (/** @type {"true" | "pred"} */ word) => {
    const codes = new Uint32Array(planes.length * width);
    volume.forEach((plane, at) => {
      for (let column = 0; column < width; column++) {
        codes[at * width + column] = plane[word][isRow ? place * columns + column : column * columns + place];
      }
    });
    return codes;
  };
  const apart = stack[0] / planes.length;
  const tall = spacing ? (spacing[header.axis ?? 0] * apart) / (spacing[along] * header.step) : apart / header.step;
  return { rows: planes.length, columns: width, tall, true: side("true"), pred: side("pred"), masks: null };
}

/** The volume that was cut last: the next cut is likely to be of the same.
 * @type {{ item: Item, planes: Promise<import("../data/label_planes.js").Plane[]> } | null} */
let last = null;

/** @param {Item} item
 * @param {number} count
 * @returns {Promise<import("../data/label_planes.js").Plane[]>} */
function volumeOf(item, count) {
  if (last?.item !== item) {
    last = { item, planes: Promise.all(Array.from({ length: count }, (_, place) => planeOf(item, place))) };
  }
  return last.planes;
}

/** The numbers of wrong elements of the cuts along an axis, as Python has counted them.
 * @param {FlatHeader} header
 * @param {Axis} axis
 * @returns {readonly number[]} */
export function wrongAlong(header, axis) {
  if (header.kind !== "labels" || !header.wrong) return [];
  const own = header.axis ?? 0;
  return header.wrong[axis.axis === own ? 0 : axis.axis === others(own)[0] ? 1 : 2];
}

/** The cut along an axis with most wrong elements.
 * @param {FlatHeader} header
 * @param {Axis} axis
 * @returns {number} */
export function worstCut(header, axis) {
  const wrong = wrongAlong(header, axis);
  return Math.max(0, wrong.indexOf(Math.max(...wrong)));
}

/** The smallest box around all segments of a cut, with a little room; the whole cut if there are none.
 * @param {Cut} cut
 * @param {(t: number, p: number) => boolean} [wanted]
 * @returns {import("./zoom.js").Box} */
export function contentBox(cut, wanted = (t, p) => t > 0 || p > 0) {
  const { rows, columns, tall } = cut;
  let [top, bottom, left, right] = [rows, -1, columns, -1];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      if (!wanted(cut.true[at], cut.pred[at])) continue;
      [top, bottom] = [Math.min(top, row), row];
      [left, right] = [Math.min(left, column), Math.max(right, column)];
    }
  }
  if (bottom < 0) return { x: 0, y: 0, width: columns, height: rows * tall };
  const room = Math.max(1, 0.04 * Math.max(right - left, (bottom - top) * tall));
  const [x, y] = [Math.max(0, left - room), Math.max(0, top * tall - room)];
  const [endX, endY] = [Math.min(columns, right + 1 + room), Math.min(rows * tall, (bottom + 1) * tall + room)];
  return { x, y, width: endX - x, height: endY - y };
}
