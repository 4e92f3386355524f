// @ts-check
// Which detections are kept: precision, recall and F1 of those of a score or more, and the best least score.

import { el, refill, svg } from "../drawing/dom.js";
import { ticksBetween } from "../drawing/chart.js";
import { ratio, show } from "../scoring/exact.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../data/page_data.js").ConfidenceData} ConfidenceData */

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [640, 260, 40, 34];
const LINES = /** @type {const} */ (["precision", "recall", "f1"]);

/** @param {Model} model */
export function hasConfidence(model) {
  return model.data.overview.confidence !== null;
}

/** Precision, recall and F1 of the detections that are kept.
 * @param {ConfidenceData} curve
 * @param {number} at
 * @returns {Record<(typeof LINES)[number], number>} */
export function keptAt({ hits, false: wrong, n_true: all }, at) {
  const kept = hits[at] + wrong[at];
  return { precision: ratio(hits[at], kept), recall: ratio(hits[at], all), f1: ratio(2 * hits[at], kept + all) };
}

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountConfidence(element, model, store) {
  const curve = model.data.overview.confidence;
  if (curve === null) return;
  const { scores, best } = curve;
  const last = scores.length - 1;
  const facts = { type: "range", id: "confidence", min: 0, max: last, step: 1, "aria-label": "least score" };
  const range = /** @type {HTMLInputElement} */ (el("input", facts));
  const [plot, numbers, words] = [el("figure", { class: "plot" }), el("dl", { class: "facts readings" }), el("p")];
  const propose = el("button", { type: "button", id: "best-confidence", onclick: () => choose(best) },
    `best: ${show(scores[best])}`);
  /** The place of the least score that is chosen: the lowest score that is not below it. */
  const place = () => {
    const wanted = Number(store.get().conf);
    if (store.get().conf === "" || Number.isNaN(wanted)) return last;
    return Math.max(0, scores.filter((score) => score >= wanted).length - 1);
  };
  const choose = (/** @type {number} */ at) => store.set({ conf: at === last ? "" : String(scores[at]) });
  range.addEventListener("input", () => choose(last - Number(range.value)));
  const draw = () => {
    const at = place();
    range.value = String(last - at);
    const [now, then] = [keptAt(curve, at), keptAt(curve, best)];
    const counts = { "least score": show(scores[at]), "true": curve.n_true.toLocaleString("en"),
      found: curve.hits[at].toLocaleString("en"), wrong: curve.false[at].toLocaleString("en") };
    const shares = Object.fromEntries(LINES.map((name) => [name === "f1" ? "F1" : name, show(now[name])]));
    const all = { ...counts, ...shares };
    refill(numbers, Object.entries(all).flatMap(([name, value]) =>
      [el("dt", {}, name), el("dd", { "data-reading": name }, value)]));
    const withAll = keptAt(curve, last).f1;
    const gain = then.f1 - withAll;
    refill(words, gain < 0.005
      ? `No threshold on the score helps: F1 is ${show(withAll)} with all detections, ${show(then.f1)} at best.`
      : ["Best threshold: ", el("b", {}, show(scores[best])), `, where F1 is ${show(then.f1)} instead of ` +
        `${show(withAll)} with all detections.`]);
    refill(plot, drawn(curve, at));
  };
  element.append(words, el("p", {}, el("label", {}, "least score ", range), " ", propose),
    el("div", { class: "beside" }, plot, numbers),
    el("p", { class: "note" }, "A detection is found at IoU 0.5 of a true mask of its class; all items."));
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("conf")) draw();
  });
}

/** @param {ConfidenceData} curve
 * @param {number} at
 * @returns {SVGElement} */
function drawn(curve, at) {
  const { scores, best } = curve;
  const [low, high] = [Math.min(0, scores[scores.length - 1]), Math.max(1, scores[0])];
  const x = (/** @type {number} */ score) => LEFT + ((score - low) / (high - low)) * (WIDTH - LEFT - 8);
  const y = (/** @type {number} */ value) => 6 + (1 - value) * (HEIGHT - BOTTOM - 6);
  const values = scores.map((_, index) => keptAt(curve, index));
  const lines = LINES.map((name) => svg("polyline", { class: `curve ${name}`,
    points: scores.map((score, index) => `${x(score).toFixed(1)},${y(values[index][name]).toFixed(1)}`).join(" ") }));
  const upright = (/** @type {number} */ score, /** @type {string} */ name) =>
    svg("line", { class: name, x1: x(score), x2: x(score), y1: 6, y2: HEIGHT - BOTTOM });
  const labels = LINES.map((name, index) => svg("text", { x: LEFT + 60 + 130 * index, y: HEIGHT - BOTTOM - 8 },
    name === "f1" ? "F1 (solid)" : `${name} (${name === "recall" ? "dotted" : "dashed"})`));
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": "precision, recall and F1 over the least score of a detection" },
    [0, 0.5, 1].map((tick) => svg("g", {},
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(tick), y2: y(tick) }),
      svg("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, tick))),
    ticksBetween(low, high).map((tick) => svg("text", { x: x(tick), y: HEIGHT - 14, "text-anchor": "middle" }, tick)),
    upright(scores[best], "alpha"), upright(scores[at], "cursor"), lines, labels);
}
