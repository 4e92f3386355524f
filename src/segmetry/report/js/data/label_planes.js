// @ts-check
// The elements of an item, from the text that segmetry.report.label_planes has written: planes of codes, masks, spans.
// A code is 0 outside, k + 1 in the segment at position k of its side, and the number of segments + 1 in the void.

import { cached } from "../scoring/remembered.js";
import { blockText, isServed, unpack } from "./source.js";

/** @typedef {import("./page_data.js").PictureHeader} Header */
/** @typedef {import("./page_data.js").LabelsHeader} LabelsHeader */
/** @typedef {LabelsHeader | import("./page_data.js").MasksHeader} FlatHeader of what has rows and columns */
/** @typedef {{ stretches: number[], start: number[], stop: number[] }} MaskStretches
 * the stretches of mask k are stretches[k] to stretches[k + 1], in column-major order */
/** @typedef {{ true: Uint32Array, pred: Uint32Array }} Plane the codes of both sides, row by row */

/** Whether a run has pictures of an item.
 * @param {import("./model.js").Item} item
 * @returns {Header | null} */
export function headerOf(item) {
  return item.model.maps[item.index] ?? null;
}

/** Whether some items of a run have pictures.
 * @param {import("./model.js").Model} model
 * @returns {boolean} */
export function hasPictures(model) {
  return isServed() || Object.keys(model.maps).length > 0;
}

/** Lists of numbers that were packed one after the other, each behind its length.
 * @param {Uint8Array} bytes
 * @returns {number[][]} */
function lists(bytes) {
  let at = 0;
  const next = () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  const lists = [];
  while (at < bytes.length) lists.push(Array.from({ length: next() }, next));
  return lists;
}

/** One line of an item's text.
 * @param {import("./model.js").Item} item
 * @param {number} line
 * @returns {Promise<number[][]>} */
async function packed(item, line) {
  const text = blockText(`${item.model.data.maps_block}-${item.index}`);
  return lists(new Uint8Array(await unpack(text.split("\n")[line])));
}

/** A plane of codes: each element as the one above it, except for stretches with a code of their own.
 * @param {number[][]} packedLists distances, lengths - 1 and words of the stretches
 * @param {number} rows
 * @param {number} columns
 * @returns {Uint32Array} */
export function decodePlane([distances, lengths, words], rows, columns) {
  const codes = new Uint32Array(rows * columns);
  let done = 0;
  const copyTo = (/** @type {number} */ end) => {
    for (; done < Math.min(end, columns); done++) codes[done] = 0;
    for (; done < end; done++) codes[done] = codes[done - columns];
  };
  distances.forEach((distance, stretch) => {
    copyTo(done + distance);
    const column = done % columns;
    const left = column > 0 ? codes[done - 1] : 0;
    const aboveRight = done >= columns && column + 1 < columns ? codes[done - columns + 1] : 0;
    const code = words[stretch] === 0 ? left : words[stretch] === 1 ? aboveRight : words[stretch] - 2;
    codes.fill(code, done, done + lengths[stretch] + 1);
    done += lengths[stretch] + 1;
  });
  copyTo(codes.length);
  return codes;
}

/** @type {ReturnType<typeof cached<Promise<Plane>>>} */
const recent = cached(64);

/** A plane of a label array; `place` counts the planes that are in the page.
 * @param {import("./model.js").Item} item
 * @param {number} place
 * @returns {Promise<Plane>} */
export function planeOf(item, place) {
  const { rows, columns } = /** @type {LabelsHeader} */ (headerOf(item));
  const side = async (/** @type {number} */ line) => decodePlane(await packed(item, line), rows, columns);
  return recent(`${item.model.data.maps_block}-${item.index}-${place}`, async () => {
    return { true: await side(2 * place), pred: await side(2 * place + 1) };
  });
}

/** @param {import("./model.js").Item} item
 * @returns {Promise<{ true: MaskStretches, pred: MaskStretches }>} */
export async function masksOf(item) {
  const [first, second] = await Promise.all([packed(item, 0), packed(item, 1)]);
  return { true: maskStretches(first), pred: maskStretches(second) };
}

/** @param {number[][]} packedLists stretches of each mask, distances and lengths of all
 * @returns {MaskStretches} */
function maskStretches([counts, distances, lengths]) {
  const stretches = [0];
  const [start, stop] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (const count of counts) {
    const from = stretches[stretches.length - 1];
    let end = 0;
    for (let stretch = from; stretch < from + count; stretch++) {
      start.push(end + distances[stretch]);
      end += distances[stretch] + lengths[stretch];
      stop.push(end);
    }
    stretches.push(from + count);
  }
  return { stretches, start, stop };
}

/** Masks painted over each other in an order, as a plane of codes: the last one is on top.
 * @param {MaskStretches} masks
 * @param {Iterable<number>} order
 * @param {number} rows
 * @param {number} columns
 * @returns {Uint32Array} */
export function paintMasks(masks, order, rows, columns) {
  const codes = new Uint32Array(rows * columns);
  for (const mask of order) {
    for (let stretch = masks.stretches[mask]; stretch < masks.stretches[mask + 1]; stretch++) {
      for (let at = masks.start[stretch]; at < masks.stop[stretch]; at++) {
        codes[(at % rows) * columns + Math.floor(at / rows)] = mask + 1;
      }
    }
  }
  return codes;
}

/** The spans of both sides, from left to right.
 * @param {import("./model.js").Item} item
 * @returns {Promise<{ n: number, true: [number, number][], pred: [number, number][] }>} */
export async function spansOf(item) {
  const [first, second] = await Promise.all([packed(item, 0), packed(item, 1)]);
  return { n: /** @type {Header} */ (headerOf(item)).shape[0], true: spans(first), pred: spans(second) };
}

/** @param {number[][]} packedLists
 * @returns {[number, number][]} */
function spans([distances, lengths]) {
  let end = 0;
  return distances.map((distance, at) => {
    const start = end + distance;
    end = start + lengths[at];
    return [start, end];
  });
}
