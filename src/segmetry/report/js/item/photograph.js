// @ts-check
// The photograph of an item, from its block of the page.

import { blockText } from "../data/source.js";
import { cached } from "../scoring/remembered.js";

/** @type {ReturnType<typeof cached<Promise<HTMLImageElement | null>>>} */
const photographs = cached(48);

/** @param {import("../data/model.js").Item} item
 * @returns {Promise<HTMLImageElement | null>} null where there is none, or where it cannot be shown */
export function photographOf({ model, index }) {
  const id = model.data.photos[index];
  return id === undefined ? Promise.resolve(null) : photographs(id, () => load(id));
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
  if (model.data.photos[index] !== undefined) return null;
  const why = model.data.photos_rejected[index] ?? model.data.photos_problem;
  return why ? `No photograph: ${why}.` : null;
}
