// @ts-check
// The colours of the kinds of errors: those of segmetry.outputs.plots.budget_plot, in every view.

import { el } from "./dom.js";

/** @typedef {import("../data/segment_kinds.js").Kind} Kind */

/** @type {Record<Kind, string>} */
export const KIND_COLOURS = {
  class: "#cc79a7",
  split: "#0072b2",
  merge: "#56b4e9",
  missed: "#d55e00",
  spurious: "#e69f00",
  boundary: "#009e73",
};
/** Matched segments, whole: with a loose boundary, and exactly right. */
export const LOOSE = "#8fd3bd";
export const EXACT = "#d5ebe3";
/** What one segment of a kind is.
 * @type {Record<Kind | "matched", string>} */
export const KIND_WORDS = {
  missed: "missed",
  spurious: "spurious",
  class: "wrong class",
  split: "split",
  merge: "merged",
  boundary: "loose boundary",
  matched: "exact",
};

/** A small box of a colour.
 * @param {string} colour
 * @returns {HTMLElement} */
export function swatch(colour) {
  const box = el("span", { class: "swatch" });
  box.style.background = colour;
  return box;
}

/** What colours mean.
 * @param {[string, string][]} pairs colours and words
 * @returns {HTMLElement} */
export function swatches(pairs) {
  const entries = pairs.map(([colour, word]) => el("li", {}, swatch(colour), el("bdi", {}, word)));
  return el("ul", { class: "swatches" }, entries);
}
