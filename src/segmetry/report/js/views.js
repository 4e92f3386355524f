// @ts-check
// The views from top to bottom: the section each is mounted on, and whether a run has anything to show there.

import { mountVerdict } from "./verdict.js";

/** @typedef {{ id: string, mount: (element: HTMLElement, model: import("./model.js").Model,
 *   store: import("./store.js").Store) => void, wanted: (model: import("./model.js").Model) => boolean }} View */

/** @type {View[]} */
export const VIEWS = [{ id: "verdict", mount: mountVerdict, wanted: () => true }];
