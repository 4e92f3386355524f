// @ts-check
// The layers of a picture: what one sees of a cut, as a canvas of its size and outlines.

import { kindsOf, mapPalette, rgb } from "../drawing/colours.js";
import { coveredEdges } from "../drawing/mask_outlines.js";
import { dot, paint, part } from "../drawing/panels.js";
import { paintOrder } from "../scoring/best_partners.js";
import { disagreement, errorCodes, errorPalette } from "./error_pixels.js";
import { photographId } from "./photograph.js";
import { maskOutlines, planeOutlines } from "./outlines.js";

/** @typedef {import("./cuts.js").Cut} Cut */
/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {import("../scoring/best_partners.js").Values} Values */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {import("../drawing/colours.js").SegmentColours} SegmentColours */
/** @typedef {"errors" | "truth" | "prediction" | "recall map" | "precision map" | "photograph"} Layer */

/** @type {Layer[]} */
const LAYERS = ["errors", "truth", "prediction", "recall map", "precision map", "photograph"];

/** The layers of a run: maps of best partners only where segments have partners.
 * @param {import("../data/model.js").Model} model
 * @returns {Layer[]} */
export function layersOf(model) {
  return LAYERS.filter((layer) => !layer.endsWith("map") || model.data.agrees_by === null);
}

/** @param {Layer} layer
 * @returns {"true" | "pred"} the side whose segments are pointed at first */
export function sideOf(layer) {
  return layer === "prediction" || layer === "precision map" ? "pred" : "true";
}

/** Paint a layer on a canvas, which gets the size of the cut.
 * @param {HTMLCanvasElement} canvas
 * @param {Layer} layer
 * @param {Item} item
 * @param {Cut} cut
 * @param {Values} values
 * @param {Rule} rule
 * @param {SegmentColours} colours
 * @param {{ striped: boolean, dotted: boolean }} look whether segments without a partner are striped, and the edges of
 *   masks that are covered by others dotted */
export function paintLayer(canvas, layer, item, cut, values, rule, colours, { striped, dotted }) {
  const { columns, rows, masks } = cut;
  if (layer === "errors") {
    const hasPhotograph = photographId(item, cut.key) !== undefined;
    const column = item.model.data.agrees_by;
    const codes = column ? disagreement(cut, item, column) : errorCodes(cut, values, kindsOf(item, rule));
    return paint(canvas, codes, errorPalette(hasPhotograph), columns);
  }
  if (layer === "photograph") return paint(canvas, new Uint32Array(cut.true.length), [], columns);
  const word = sideOf(layer);
  const [side, codes] = [values[word], cut[word]];
  if (layer.endsWith("map")) return paint(canvas, codes, mapPalette(side, rule.alpha), columns);
  const isAlone = Uint8Array.from(side.partner, (partner, at) => Number(striped && partner < 0 && side.shown[at]));
  paint(canvas, codes, colours[word].map(rgb), columns, isAlone);
  part(canvas, codes, colours[word], columns);
  if (masks && dotted) dot(canvas, coveredEdges(codes, masks[word], paintOrder(side), rows, columns), columns);
}

/** @param {Cut} cut
 * @param {Values} values
 * @returns {Record<"true" | "pred", Path2D>} */
export function outlinesOf(cut, values) {
  const { masks, rows, columns } = cut;
  const side = (/** @type {"true" | "pred"} */ word) =>
    masks
      ? maskOutlines(masks[word], paintOrder(values[word]), rows, columns)
      : planeOutlines(cut[word], columns);
  return { true: side("true"), pred: side("pred") };
}

/** Where the name of every segment of a side is written: in the middle of its longest row.
 * @param {Uint32Array} codes
 * @param {number} columns
 * @param {number} count
 * @returns {{ at: number, column: number, row: number, width: number }[]} */
export function labelPlaces(codes, columns, count) {
  const best = new Map();
  for (let start = 0; start < codes.length; ) {
    const row = Math.floor(start / columns);
    let end = start + 1;
    while (end < (row + 1) * columns && codes[end] === codes[start]) end++;
    const [code, width] = [codes[start], end - start];
    if (code > 0 && code <= count) {
      const known = best.get(code) ?? { width: 0, rows: [] };
      if (width > known.width * 1.02) best.set(code, { width, rows: [[row, start % columns, width]] });
      else if (width > known.width * 0.9) known.rows.push([row, start % columns, width]);
    }
    start = end;
  }
  return [...best].map(([code, { rows }]) => {
    const [row, column, width] = rows[rows.length >> 1];
    return { at: code - 1, column: column + width / 2, row: row + 0.5, width };
  });
}
