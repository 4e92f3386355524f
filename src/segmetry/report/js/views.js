// @ts-check
// The views from top to bottom: the section each is mounted on, and whether a run has anything to show there.

import { mountGallery } from "./gallery.js";
import { mountItem } from "./item.js";
import { hasLines, mountLinear } from "./linear.js";
import { mountVerdict } from "./verdict.js";

/** @typedef {{ id: string, mount: (element: HTMLElement, model: import("./model.js").Model,
 *   store: import("./store.js").Store) => void, wanted: (model: import("./model.js").Model) => boolean }} View */

/** @type {View[]} */
export const VIEWS = [
  { id: "verdict", mount: mountVerdict, wanted: () => true },
  { id: "gallery", mount: mountGallery, wanted: () => true },
  { id: "item", mount: mountItem, wanted: () => true },
  { id: "linear", mount: mountLinear, wanted: hasLines },
];
