// @ts-check
// The tiles of missed masks and false alarms, which Python has written: each opens its item, and shows the part of the
// item around its mask, with the outlines of the masks of the other side.

import { headerOf, masksOf } from "../data/label_planes.js";
import { whenReady } from "../data/source.js";
import { el, refill } from "../drawing/dom.js";
import { elementsOf, outlineOf } from "../drawing/mask_outlines.js";

/** @typedef {import("../data/label_planes.js").MaskStretches} MaskStretches */
/** @typedef {{ top: number, left: number, height: number, width: number }} Box */

const FILL = { true: [0xd5, 0x5e, 0x00, 255], pred: [0x00, 0x72, 0xb2, 255] };
const OUTLINE = [0x22, 0x22, 0x22, 255];
/** Rows and columns that are shown around a mask, as a share of its own. */
const MARGIN = 0.5;
const LEAST_MARGIN = 4;

/** @param {import("../data/model.js").Model[]} models
 * @param {import("../store.js").Store} store */
export function mountDetectionTiles(models, store) {
  for (const tile of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#detections .tile"))) {
    const [run, index] = [Number(tile.dataset.run), Number(tile.dataset.item)];
    tile.addEventListener("click", (event) => {
      event.preventDefault();
      store.set({ run, item: index, filter: null });
    });
    draw(tile, models[run].items[index]);
  }
}

/** @param {HTMLElement} tile
 * @param {import("../data/model.js").Item} item */
async function draw(tile, item) {
  await whenReady(item);
  const header = headerOf(item);
  const thumb = /** @type {HTMLElement | null} */ (tile.querySelector(".thumb"));
  if (header?.kind !== "masks" || !header.places || !thumb) return;
  const side = tile.dataset.side === "true" ? "true" : "pred";
  const at = header.places[side][Number(tile.dataset.place)] ?? -1;
  if (at < 0) return;
  const masks = await masksOf(item);
  const { rows, columns } = header;
  const mask = elementsOf(masks[side], at, rows, columns);
  if (mask.length === 0) return;
  const box = around(mask, rows, columns);
  const image = new ImageData(box.width, box.height);
  paint(image, box, columns, mask, FILL[side]);
  const others = masks[side === "true" ? "pred" : "true"];
  for (let other = 0; other + 1 < others.stretches.length; other++) {
    paint(image, box, columns, outlineOf(elementsOf(others, other, rows, columns), rows, columns), OUTLINE);
  }
  const words = side === "true" ? "the mask, and outlines of predictions" : "the mask, and outlines of true masks";
  const size = { width: box.width, height: box.height };
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { ...size, role: "img", "aria-label": words }));
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  refill(thumb, canvas);
}

/** The rows and columns of some elements and a margin around them.
 * @param {number[]} elements
 * @param {number} rows
 * @param {number} columns
 * @returns {Box} */
function around(elements, rows, columns) {
  let [top, bottom, left, right] = [rows, 0, columns, 0];
  for (const at of elements) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
    [left, right] = [Math.min(left, column), Math.max(right, column)];
  }
  const margin = Math.max(LEAST_MARGIN, Math.round(MARGIN * Math.max(bottom - top + 1, right - left + 1)));
  top = Math.max(0, top - margin);
  left = Math.max(0, left - margin);
  const [end, edge] = [Math.min(rows, bottom + 1 + margin), Math.min(columns, right + 1 + margin)];
  return { top, left, height: end - top, width: edge - left };
}

/** @param {ImageData} image
 * @param {Box} box
 * @param {number} columns
 * @param {number[]} elements
 * @param {number[]} colour */
function paint(image, box, columns, elements, colour) {
  for (const at of elements) {
    const [row, column] = [Math.floor(at / columns) - box.top, (at % columns) - box.left];
    const isInside = row >= 0 && row < box.height && column >= 0 && column < box.width;
    if (isInside) image.data.set(colour, 4 * (row * box.width + column));
  }
}
