// @ts-check
// The colours of the kinds of errors of all fields; errors of predictions that are on nothing are hatched, so that they
// are told apart without colours.

import { svg } from "./dom.js";

/** @type {Record<string, string>} */
const COLOURS = {
  class: "#cc79a7", confused: "#cc79a7", classification: "#cc79a7",
  split: "#5aa7dd", both: "#5aa7dd",
  merge: "#56b4e9", duplicate: "#56b4e9",
  missed: "#e07020", lost: "#e07020",
  spurious: "#e69f00", background: "#e69f00", "false alarm": "#e69f00",
  boundary: "#00b585", localisation: "#00b585", moved: "#00b585",
};
const HATCHED = new Set(["spurious", "background", "false alarm"]);

/** @param {string} kind
 * @returns {string} */
export function errorColour(kind) {
  return COLOURS[kind] ?? "#9a9a9a";
}

/** Whether errors of a kind are hatched, so that they are told apart without colours.
 * @param {string} kind
 * @returns {boolean} */
export function isHatched(kind) {
  return HATCHED.has(kind);
}

/** Stripes of a colour.
 * @param {CanvasRenderingContext2D} context
 * @param {string} colour
 * @returns {CanvasPattern | string} */
export function hatching(context, colour) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const own = tile.getContext("2d");
  if (!own) return colour;
  own.strokeStyle = colour;
  own.lineWidth = 3;
  for (const shift of [-8, 0, 8]) {
    own.moveTo(shift, 8);
    own.lineTo(shift + 8, 0);
  }
  own.stroke();
  return context.createPattern(tile, "repeat") ?? colour;
}

/** @param {string} kind
 * @returns {SVGElement} */
export function swatchOf(kind) {
  const colour = errorColour(kind);
  const lines = isHatched(kind) ? svg("path",
    { d: "M-2 6 6-2M2 14 14 2", stroke: "var(--card)", "stroke-width": 2 }) : null;
  return svg("svg", { class: "kind-swatch", viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" },
    svg("rect", { width: 12, height: 12, rx: 2, fill: colour }), lines);
}

