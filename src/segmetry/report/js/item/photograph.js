// @ts-check
// The photograph of an item, from its block of the page.

import { blockText } from "../data/source.js";
import { cached } from "../scoring/remembered.js";

/** @type {ReturnType<typeof cached<Promise<HTMLImageElement | null>>>} */
const photographs = cached(48);

/** The block with the photograph of an item, or with a cut of its scan.
 * @param {import("../data/model.js").Item} item
 * @param {string} [key] the axis and the place of a cut, such as 2:14
 * @returns {string | undefined} */
export function photographId({ model, index }, key = "") {
  return key ? model.data.scans[index]?.[key] : model.data.photos[index];
}

/** @param {import("../data/model.js").Item} item
 * @param {string} [key]
 * @returns {Promise<HTMLImageElement | null>} null where there is none, or where it cannot be shown */
export function photographOf(item, key) {
  const id = photographId(item, key);
  return id === undefined ? Promise.resolve(null) : photographs(id, () => load(id));
}

/** @type {WeakMap<HTMLImageElement, HTMLCanvasElement>} */
const greys = new WeakMap();

/** A photograph without its colours, so that those of errors are seen over it.
 * @param {HTMLImageElement} photograph
 * @returns {HTMLCanvasElement} */
export function greyOf(photograph) {
  const known = greys.get(photograph);
  if (known) return known;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [photograph.naturalWidth, photograph.naturalHeight];
  const context = canvas.getContext("2d");
  if (context) {
    context.filter = "grayscale(1)";
    context.drawImage(photograph, 0, 0);
  }
  greys.set(photograph, canvas);
  return canvas;
}

/** @param {string} id
 * @returns {Promise<HTMLImageElement | null>} */
async function load(id) {
  const image = new Image();
  image.src = `data:image/jpeg;base64,${blockText(id)}`;
  try {
    await image.decode();
    return image;
  } catch {
    return null;
  }
}

/** Why an item has no photograph, where one was asked for.
 * @param {import("../data/model.js").Item} item
 * @returns {string | null} */
export function whyNoPhotograph({ model, index }) {
  if (model.data.photos[index] !== undefined || model.data.scans[index]) return null;
  const why = model.data.photos_rejected[index] ?? model.data.photos_problem;
  return why ? `No photograph: ${why}.` : null;
}
