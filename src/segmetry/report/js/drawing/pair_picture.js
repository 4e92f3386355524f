// @ts-check
// The picture of one pair, as segmetry.outputs.plots.pair_picture draws it: what a true and a predicted segment share,
// what is missed and what is spurious in three colours; of a volume the plane with most of the true segment.

import { headerOf, masksOf, paintMasks, planeOf, spansOf } from "../data/label_planes.js";
import { whenReady } from "../data/source.js";
import { rgb } from "./colours.js";
import { el, refill } from "./dom.js";
import { swatches } from "./kind_colours.js";
import { paint } from "./panels.js";

/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {import("../scoring/exact.js").Count} Count */
/** @typedef {{ t: number, p: number, shared: Count, missed: Count, spurious: Count }} Pair positions within the item */

const MARGIN = 3;
/** Columns of a line; of a longer part every second, third … element. */
const MOST = 600;
const COLOURS = { shared: "#009e73", missed: "#d55e00", spurious: "#e69f00" };

/** @returns {HTMLElement} */
export function pairLegend() {
  return swatches(Object.entries(COLOURS).map(([word, colour]) => [colour, word]));
}

/** The numbers of elements of a pair in words.
 * @param {Omit<Pair, "t" | "p">} pair
 * @returns {string} */
export function pairWords({ shared, missed, spurious }) {
  return `${shared} shared, ${missed} missed, ${spurious} spurious`;
}

/** Draw a pair in a place; an item without pictures leaves it empty.
 * @param {HTMLElement} place
 * @param {Item} item
 * @param {Pair} pair */
export async function drawPair(place, item, pair) {
  await whenReady(item);
  const { codes, columns } = await codesOf(item, pair.t, pair.p);
  if (codes.length === 0) return;
  const label = pairWords(pair);
  const isLine = codes.length === columns;
  const canvas = el("canvas", { role: "img", "aria-label": label, class: isLine ? "line" : null });
  paint(/** @type {HTMLCanvasElement} */ (canvas), codes, Object.values(COLOURS).map(rgb), columns);
  refill(place, canvas);
}

/** Every element around a pair: 1 where both segments are, 2 missed, 3 spurious.
 * @param {Item} item
 * @param {number} t
 * @param {number} p
 * @returns {Promise<{ codes: Uint32Array, columns: number }>} */
async function codesOf(item, t, p) {
  const header = headerOf(item);
  if (header?.kind === "spans") {
    const spans = await spansOf(item);
    const [ours, theirs] = [spans.true[t], spans.pred[p]];
    const [first, last] = [Math.min(ours[0], theirs[0]), Math.max(ours[1], theirs[1])];
    const columns = Math.min(last - first, MOST);
    const places = Array.from({ length: columns }, (_, at) => first + Math.floor((at * (last - first)) / columns));
    const codes = places.map((at) => code(ours[0] <= at && at < ours[1], theirs[0] <= at && at < theirs[1]));
    return { codes: Uint32Array.from(codes), columns };
  }
  if (header?.kind === "labels") {
    const plane = await planeOf(item, header.peaks ? header.peaks[0][t] : 0);
    // Where the policy leaves out elements of one segment, they are void on the other side.
    const isLess = (/** @type {import("../data/model.js").ItemSide} */ side, /** @type {number} */ at) =>
      Number(side.counted[at]) < Number(side.size[at]);
    const inVoid = (/** @type {import("../data/model.js").ItemSide} */ side) => side.size.length + 1;
    const voids = [isLess(item.pred, p) ? inVoid(item.true) : -1, isLess(item.true, t) ? inVoid(item.pred) : -1];
    return cropped([plane.true, plane.pred], [t + 1, p + 1], voids, header.columns);
  }
  if (header?.kind === "masks") {
    const { rows, columns } = header;
    const masks = await masksOf(item);
    const [ours, theirs] = [paintMasks(masks.true, [t], rows, columns), paintMasks(masks.pred, [p], rows, columns)];
    return cropped([ours, theirs], [t + 1, p + 1], [-1, -1], columns);
  }
  return { codes: new Uint32Array(), columns: 0 };
}

/** @param {boolean} inTrue
 * @param {boolean} inPred */
function code(inTrue, inPred) {
  return inTrue && inPred ? 1 : inTrue ? 2 : inPred ? 3 : 0;
}

/** The box around both segments, and a margin.
 * @param {Uint32Array[]} planes
 * @param {number[]} own the codes of the two segments
 * @param {number[]} voids the code that takes an element away from the segment of the other side, -1 where none does
 * @param {number} width */
function cropped([ours, theirs], [t, p], voids, width) {
  const inTrue = (/** @type {number} */ at) => ours[at] === t && theirs[at] !== voids[1];
  const inPred = (/** @type {number} */ at) => theirs[at] === p && ours[at] !== voids[0];
  const height = ours.length / width;
  let [top, bottom, left, right] = [height, -1, width, -1];
  for (let at = 0; at < ours.length; at++) {
    if (!inTrue(at) && !inPred(at)) continue;
    const [row, column] = [Math.floor(at / width), at % width];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
    [left, right] = [Math.min(left, column), Math.max(right, column)];
  }
  if (bottom < 0) return { codes: new Uint32Array(), columns: 0 };
  [top, left] = [Math.max(0, top - MARGIN), Math.max(0, left - MARGIN)];
  [bottom, right] = [Math.min(height - 1, bottom + MARGIN), Math.min(width - 1, right + MARGIN)];
  const columns = right - left + 1;
  const codes = new Uint32Array((bottom - top + 1) * columns);
  for (let at = 0; at < codes.length; at++) {
    const place = (top + Math.floor(at / columns)) * width + left + (at % columns);
    codes[at] = code(inTrue(place), inPred(place));
  }
  return { codes, columns };
}
