// @ts-check
// View 2: precision, recall and F1 of all segments together as step functions of the IoU threshold. The area
// under F1 is PQ, and NPQ the part of it above α, stretched to [0, 1].

import { unitPlot } from "../drawing/chart.js";
import { el, refill, svg } from "../drawing/dom.js";
import { curveOf } from "../scoring/threshold_curves.js";
import { score, toNumber, written } from "../scoring/exact.js";
import { scores } from "../scoring/scores.js";
import { summarise } from "../scoring/summary.js";
import { fractionInput } from "./fraction_input.js";

/** @typedef {import("../data/model.js").Model} Model */

const MEASURES = /** @type {[import("../scoring/threshold_curves.js").Measure, string][]} */ ([
  ["f1", "F1(t)"],
  ["precision", "precision P(t)"],
  ["recall", "recall R(t)"],
]);
const MOST_STEPS = 1500;

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountCurves(element, model, store) {
  const picture = el("figure", { class: "plot" });
  const input = fractionInput("threshold", "t", "threshold t", [0, 100], () => true, (t) => store.set({ t }));
  const values = el("dl", { class: "facts readings" });
  const area = el("p", { class: "note" });
  const words = el("p", {}, "Scores if only pairs with IoU ≥ t count as matched:");
  element.append(el("div", { class: "beside" }, picture, el("div", {}, words, input.label, values, area)));
  const draw = () => {
    const state = store.get();
    const summary = summarise(model, state.rule, state.selected);
    const curve = curveOf(model, state.rule, state.selected, summary.tally);
    const at = toNumber(state.t);
    input.show(state.t);
    const kept = curve.kept(state.t);
    refill(
      values,
      MEASURES.flatMap(([key, label]) => [
        el("dt", {}, label),
        el("dd", { "data-reading": key }, score(curve.value(key, kept))),
      ]),
      el("dt", {}, "pairs kept"),
      el("dd", { "data-reading": "kept" }, `${kept} of ${summary.tally.n}`),
    );
    const whole = summary.clashes.size ? null : scores(summary.tally, state.rule.alpha);
    refill(
      area,
      "Shaded: the area under F1, which is PQ ",
      el("b", { "data-reading": "pq" }, score(whole?.pq.value ?? NaN)),
      " of all segments together. NPQ, the area above α = ",
      written(state.rule.alpha),
      " stretched to [0, 1]: ",
      el("b", { "data-reading": "npq" }, score(whole?.npq.value ?? NaN)),
      model.classNames === null ? "." : ". (PQ by class is the mean of the classes.)",
    );
    refill(picture, drawing(curve, at, toNumber(state.rule.alpha)));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("t") || changed.has("selected")) draw();
  });
}

/** @param {ReturnType<typeof curveOf>} curve
 * @param {number} t
 * @param {number} alpha */
function drawing({ rising, value }, t, alpha) {
  const label = "Precision, recall and F1 over the threshold";
  const plot = unitPlot({ width: 640, height: 380, xLabel: "IoU threshold t", yLabel: "", label });
  const { root, x, y } = plot;
  // Of very many steps only as many are drawn as a screen can show.
  const every = Math.max(1, Math.ceil(rising.length / MOST_STEPS));
  for (const [key, label] of MEASURES) {
    if (Number.isNaN(value(key, 0))) continue; // no segments on that side
    let path = `M${x(0)} ${y(value(key, rising.length))}`;
    for (let at = 0; at < rising.length; at += every) {
      const after = Math.min(rising.length, at + every);
      path += `H${x(rising[after - 1]).toFixed(2)}V${y(value(key, rising.length - after)).toFixed(2)}`;
    }
    path += `H${x(1)}`;
    if (key === "f1") root.append(svg("path", { class: "area", d: `${path}V${y(0)}H${x(0)}Z` }));
    root.append(svg("path", { class: `curve ${key}`, d: path }, svg("title", {}, label)));
  }
  root.append(
    svg("line", { class: "alpha", x1: x(alpha), x2: x(alpha), y1: y(0), y2: y(1) }),
    svg("text", { x: x(alpha) + 4, y: y(1) + 12 }, "α"),
    svg("line", { class: "cursor", x1: x(t), x2: x(t), y1: y(0), y2: y(1) }),
  );
  MEASURES.forEach(([key, label], at) => {
    const left = x(0) + 16;
    const high = y(0) - 52 + 18 * at;
    root.append(
      svg("line", { class: `curve ${key}`, x1: left, x2: left + 22, y1: high, y2: high }),
      svg("text", { x: left + 30, y: high + 4 }, label),
    );
  });
  return root;
}
