// @ts-check
// What the colours and lines of a picture mean.

import { KINDS } from "../data/segment_kinds.js";
import { classColour, css, kindColour, kindsOf, mapColour } from "../drawing/colours.js";
import { el } from "../drawing/dom.js";
import { EXACT, KIND_COLOURS, KIND_WORDS, swatches } from "../drawing/kind_colours.js";
import { photographId } from "./photograph.js";
import { toNumber, written } from "../scoring/exact.js";

/** @typedef {import("../scoring/rules.js").Rule} Rule */

const LINES = "Solid outlines: truth; dashed blue: prediction.";
const COVERED = "Dotted: edges of masks that are covered by others. Pointing at a segment frames its whole mask.";
const MOST_CLASSES = 24;
export const OF_MAPS = /** @type {[string, string][]} */ (
  [[KIND_COLOURS.missed, "missed"], [KIND_COLOURS.spurious, "added"], [KIND_COLOURS.class, "taken for another"]]);

/** @param {import("./layers.js").Layer} layer
 * @param {import("../drawing/colours.js").Mode} mode
 * @param {import("../data/model.js").Item} item
 * @param {Rule} rule
 * @param {boolean} areMasks
 * @returns {HTMLElement[]} */
export function legendOf(layer, mode, item, rule, areMasks) {
  const words = [LINES, areMasks ? COVERED : ""].filter(Boolean).join(" ");
  return [...colours(layer, mode, item, rule), el("p", { class: "note" }, words)];
}

/** @param {import("./layers.js").Layer} layer
 * @param {import("../drawing/colours.js").Mode} mode
 * @param {import("../data/model.js").Item} item
 * @param {Rule} rule
 * @returns {HTMLElement[]} */
function colours(layer, mode, item, rule) {
  if (layer === "photograph") return [];
  if (layer.endsWith("map")) return ramp(rule);
  const kinds = kindsOf(item, rule);
  const present = new Set([...kinds.true, ...kinds.pred]);
  if (layer === "errors") {
    const shown = KINDS.filter((kind) => present.has(kind));
    /** @type {[string, string][]} */
    const right = photographId(item) === undefined ? [[EXACT, "right"]] : [];
    if (item.model.data.agrees_by) return [swatches([...OF_MAPS, ...right])];
    const words = "Coloured where the two segments of an element are not partners.";
    const wrong = shown.map((kind) => /** @type {[string, string]} */ ([KIND_COLOURS[kind], KIND_WORDS[kind]]));
    return [swatches([...wrong, ...right]), el("p", { class: "note" }, words)];
  }
  if (mode === "kind") {
    const shown = /** @type {const} */ ([...KINDS, "matched"]).filter((kind) => present.has(kind));
    return [swatches(shown.map((kind) => [kindColour(kind), KIND_WORDS[kind]]))];
  }
  if (mode === "class") return [swatches(classesIn(item))];
  return [el("p", { class: "note" }, "A pair has one colour; segments without a partner are striped.")];
}

/** @param {import("../data/model.js").Item} item
 * @returns {[string, string][]} */
function classesIn(item) {
  const codes = new Set([...(item.true.classes ?? []), ...(item.pred.classes ?? [])].map(Number));
  const names = item.model.classNames ?? [];
  return [...codes].sort((a, b) => a - b).slice(0, MOST_CLASSES).map((code) => [classColour(code), names[code] ?? ""]);
}

/** The scale of the maps: a bar from 0 over α to 1.
 * @param {Rule} rule
 * @returns {HTMLElement[]} */
function ramp({ alpha, attained, label }) {
  const at = toNumber(alpha);
  /** @type {[number[], number][]} */
  const stops = [
    [mapColour(0, false, alpha), 0],
    [mapColour(at, false, alpha), at],
    [mapColour(at, true, alpha), at],
    [mapColour(1, true, alpha), 1],
  ];
  const words = attained
    ? `brown to orange below ${written(alpha)}, light to dark blue from there`
    : `brown to orange up to ${written(alpha)}, light to dark blue above`;
  const from = attained ? "at or above" : "above";
  const bar = el("span", { class: "ramp", role: "img", "aria-label": words });
  const shown = (at > 0 ? stops : stops.slice(2)).map(([colour, share]) => `${css(colour)} ${share * 100}%`);
  bar.style.background = `linear-gradient(to right, ${shown.join(", ")})`;
  const mark = el("span", { class: "mark" }, alpha.top > 0n ? `α = ${written(alpha)}` : "");
  mark.style.left = `${at * 100}%`;
  return [
    el("p", { class: "note" }, `IoU of the best partner; blue is ${from} the lower bound of ${label}.`),
    el("div", { class: "scale" }, el("span", {}, "0"), el("span", { class: "track" }, bar, mark), el("span", {}, "1")),
  ];
}
