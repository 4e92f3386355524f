// @ts-check
// Precision, recall and F1 as step functions of the IoU threshold, as segmetry.alignments.curves defines them: of the
// pairs of a rule those with IoU ≥ t are kept, and every segment of the others is missed or spurious.

import { alignRun, parts } from "./align.js";
import { ratio, toNumber } from "./exact.js";

/** @typedef {"precision" | "recall" | "f1"} Measure */

/** The IoUs of the pairs, rising, how many pairs reach a threshold exactly, and a measure if so many are kept.
 * @param {import("../data/model.js").Model} model
 * @param {import("./rules.js").Rule} rule
 * @param {Set<number> | null} selected
 * @param {import("./scores.js").Tally} tally that of the items selected */
export function curveOf(model, rule, selected, tally) {
  const alignment = alignRun(model, rule);
  /** @type {number[]} */
  const chosen = [];
  for (let at = 0; at < alignment.rows.length; at++) {
    if (selected === null || selected.has(model.rowItem[alignment.rows[at]])) chosen.push(at);
  }
  const rising = Float64Array.from(chosen, (at) => alignment.iou[at]).sort();
  /** Rounding keeps order, so only an IoU that rounds to the same double as t is compared exactly.
   * @param {import("./exact.js").Fraction} t */
  const kept = (t) => {
    const rounded = toNumber(t);
    let count = rising.length - below(rising, (iou) => iou <= rounded);
    if (rising[below(rising, (iou) => iou < rounded)] !== rounded) return count;
    for (const at of chosen) {
      if (alignment.iou[at] !== rounded) continue;
      const [shared, missed, spurious] = parts(model, alignment.rows[at]).map(BigInt);
      if (shared * t.bottom >= t.top * (shared + missed + spurious)) count++;
    }
    return count;
  };
  const [ofPred, ofTrue] = [tally.n + tally.spurious, tally.n + tally.missed];
  /** @param {Measure} measure
   * @param {number} n */
  const value = (measure, n) =>
    measure === "f1" ? ratio(2 * n, ofPred + ofTrue) : ratio(n, measure === "precision" ? ofPred : ofTrue);
  return { rising, kept, value };
}

/** How many of some rising numbers, from the first on, fulfil a condition.
 * @param {Float64Array} rising
 * @param {(value: number) => boolean} holds
 * @returns {number} */
function below(rising, holds) {
  let [low, high] = [0, rising.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(rising[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}
