// @ts-check
// View 2: precision, recall and F1 of all segments together as step functions of the IoU threshold. The area
// under F1 is PQ, and NPQ the part of it above α, stretched to [0, 1].

import { alignRun, parts } from "../scoring/align.js";
import { unitPlot } from "../drawing/chart.js";
import { el, refill, svg } from "../drawing/dom.js";
import { compare, fraction, parseFraction, ratio, show, toNumber, written } from "../scoring/exact.js";
import { scores } from "../scoring/scores.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../scoring/exact.js").Fraction} Fraction */

const MEASURES = [
  ["f1", "F1(t)"],
  ["precision", "precision P(t)"],
  ["recall", "recall R(t)"],
];
const MOST_STEPS = 1500;

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountCurves(element, model, store) {
  const picture = el("figure", { class: "plot" });
  const slider = /** @type {HTMLInputElement} */ (
    el("input", { type: "range", min: 0, max: 100, id: "threshold", "aria-label": "threshold t in hundredths" })
  );
  const box = /** @type {HTMLInputElement} */ (el("input", { type: "text", size: 6, "aria-label": "threshold t" }));
  const values = el("dl", { class: "facts readings" });
  const area = el("p", { class: "note" });
  slider.addEventListener("input", () => store.set({ t: fraction(Number(slider.value), 100) }));
  box.addEventListener("input", () => {
    const t = parseFraction(box.value);
    const isGood = t !== null && compare(t, fraction(1)) <= 0;
    box.setAttribute("aria-invalid", String(!isGood));
    if (isGood) store.set({ t });
  });
  element.append(
    el(
      "div",
      { class: "beside" },
      picture,
      el(
        "div",
        {},
        el("p", {}, "Scores if only pairs with IoU ≥ t count as matched:"),
        el("label", {}, "t ", slider, " ", box),
        values,
        area,
      ),
    ),
  );
  const draw = () => {
    const state = store.get();
    const summary = summarise(model, state.rule, state.selected);
    const curve = curveOf(model, state);
    const at = toNumber(state.t);
    slider.value = String(Math.round(at * 100));
    if (document.activeElement !== box) box.value = written(state.t);
    const kept = curve.kept(state.t);
    const { tally } = summary;
    const wholes = { precision: tally.n + tally.spurious, recall: tally.n + tally.missed };
    /** @param {string} key
     * @param {number} n */
    const value = (key, n) =>
      key === "f1" ? ratio(2 * n, wholes.precision + wholes.recall) : ratio(n, wholes[/** @type {"recall"} */ (key)]);
    refill(
      values,
      MEASURES.flatMap(([key, label]) => [
        el("dt", {}, label),
        el("dd", { "data-reading": key }, show(value(key, kept))),
      ]),
      el("dt", {}, "pairs kept"),
      el("dd", { "data-reading": "kept" }, `${kept} of ${tally.n}`),
    );
    const whole = summary.clashes.size ? null : scores(tally, state.rule.alpha);
    refill(
      area,
      "Shaded: the area under F1, which is PQ ",
      el("b", { "data-reading": "pq" }, show(whole?.pq.value ?? NaN)),
      " of all segments together. NPQ, the area above α = ",
      written(state.rule.alpha),
      " stretched to [0, 1]: ",
      el("b", { "data-reading": "npq" }, show(whole?.npq.value ?? NaN)),
      model.classNames === null ? "." : ". (The pooled PQ above is a mean over classes.)",
    );
    refill(picture, drawing(curve, value, at, toNumber(state.rule.alpha)));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("t") || changed.has("selected")) draw();
  });
}

/** The IoUs of the pairs, rising, and how many reach a threshold exactly.
 * @param {Model} model
 * @param {import("../store.js").State} state */
function curveOf(model, { rule, selected }) {
  const alignment = alignRun(model, rule);
  /** @type {number[]} */
  const chosen = [];
  for (let at = 0; at < alignment.rows.length; at++) {
    if (selected === null || selected.has(model.rowItem[alignment.rows[at]])) chosen.push(at);
  }
  const rising = Float64Array.from(chosen, (at) => alignment.iou[at]).sort();
  /** Rounding keeps order, so only an IoU that rounds to the same double as t is compared exactly.
   * @param {Fraction} t */
  const kept = (t) => {
    const rounded = toNumber(t);
    let count = rising.length - firstAbove(rising, rounded);
    if (rising[firstAtLeast(rising, rounded)] !== rounded) return count;
    for (const at of chosen) {
      if (alignment.iou[at] !== rounded) continue;
      const [shared, missed, spurious] = parts(model, alignment.rows[at]).map(BigInt);
      if (shared * t.bottom >= t.top * (shared + missed + spurious)) count++;
    }
    return count;
  };
  return { rising, kept };
}

/** @param {Float64Array} rising
 * @param {number} value */
function firstAtLeast(rising, value) {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {Float64Array} rising
 * @param {number} value */
function firstAbove(rising, value) {
  let at = firstAtLeast(rising, value);
  let high = rising.length;
  while (at < high) {
    const middle = (at + high) >> 1;
    if (rising[middle] <= value) at = middle + 1;
    else high = middle;
  }
  return at;
}

/** @param {{ rising: Float64Array }} curve
 * @param {(key: string, n: number) => number} value
 * @param {number} t
 * @param {number} alpha */
function drawing({ rising }, value, t, alpha) {
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
