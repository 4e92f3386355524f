// @ts-check
// What the maps paint: every segment with the IoU of its best partner, as
// segmetry.metrics.panoptic.precision_recall_maps computes it.

import { align, parts } from "./align.js";
import { plus, ratio } from "./exact.js";

/** @typedef {import("./exact.js").Count} Count */
/** @typedef {{ value: Float64Array, above: Uint8Array, shown: Uint8Array, matched: Int32Array,
 *   partner: Int32Array }} SideValues
 * of every segment: the best IoU; whether it is above α (or at an α that the rule accepts); whether it is painted
 * (the policy counts it); the number of its pair, and the position of its partner, -1 without one */
/** @typedef {{ true: SideValues, pred: SideValues }} Values */
/** @typedef {{ row: number, t: number, p: number, shared: import("./exact.js").Count,
 *   missed: import("./exact.js").Count, spurious: import("./exact.js").Count, iou: number, allowed: boolean,
 *   matched: boolean }} Edge
 * an overlap row of an item; `allowed` says whether the policy and the classes let it be aligned */

/** @param {number} count
 * @returns {SideValues} */
function empty(count) {
  return {
    value: new Float64Array(count),
    above: new Uint8Array(count),
    shown: new Uint8Array(count).fill(1),
    matched: new Int32Array(count).fill(-1),
    partner: new Int32Array(count).fill(-1),
  };
}

/** The overlap rows of an item, as the policy counts them.
 * @param {import("../data/model.js").Item} item
 * @param {import("./rules.js").Rule} rule
 * @returns {Edge[]} */
export function edgesOf(item, rule) {
  const { model, rows, index } = item;
  const pairs = new Set(align(item, rule).pairs.map(({ t, p }) => `${t} ${p}`));
  const first = Number(model.rowStart[index]);
  const allowed = allowedRows(model);
  return Array.from(rows.t, (t, at) => {
    const p = rows.p[at];
    const [shared, missed, spurious] = parts(model, first + at);
    const iou = ratio(shared, plus(plus(shared, missed), spurious));
    const row = first + at;
    return { row, t, p, shared, missed, spurious, iou, allowed: allowed[row] === 1, matched: pairs.has(`${t} ${p}`) };
  });
}

/** @type {WeakMap<import("../data/model.js").Model, Uint8Array>} */
const known = new WeakMap();

/** Which rows of a run may be aligned, as flags.
 * @param {import("../data/model.js").Model} model
 * @returns {Uint8Array} */
function allowedRows(model) {
  const before = known.get(model);
  if (before) return before;
  const isCandidate = new Uint8Array(model.shared.length);
  for (const row of model.candidates) isCandidate[row] = 1;
  known.set(model, isCandidate);
  return isCandidate;
}

/** @param {import("../data/model.js").Item} item
 * @param {import("./rules.js").Rule} rule
 * @param {Edge[]} [edges]
 * @returns {Values} */
export function valuesOf(item, rule, edges = edgesOf(item, rule)) {
  const sides = { true: empty(item.true.size.length), pred: empty(item.pred.size.length) };
  for (const edge of edges) {
    if (!edge.allowed) continue;
    const isAbove = Number(aboveAlpha(edge, rule));
    raise(sides.true, edge.t, edge.iou, isAbove);
    raise(sides.pred, edge.p, edge.iou, isAbove);
  }
  align(item, rule).pairs.forEach(({ t, p }, pair) => {
    sides.true.matched[t] = pair;
    sides.pred.matched[p] = pair;
    sides.true.partner[t] = p;
    sides.pred.partner[p] = t;
  });
  for (const word of /** @type {const} */ (["true", "pred"])) {
    item[word].excused?.forEach((/** @type {Count} */ flag, /** @type {number} */ at) => {
      if (flag && sides[word].matched[at] < 0) sides[word].shown[at] = 0;
    });
  }
  return sides;
}

/** @param {SideValues} side
 * @param {number} at
 * @param {number} value
 * @param {number} isAbove */
function raise(side, at, value, isAbove) {
  if (value > side.value[at]) side.value[at] = value;
  side.above[at] |= isAbove;
}

/** Whether the IoU of a row is above α, or at an α that the rule accepts; exactly.
 * @param {Edge} edge
 * @param {import("./rules.js").Rule} rule
 * @returns {boolean} */
function aboveAlpha({ shared, missed, spurious }, { alpha, attained }) {
  const union = plus(plus(shared, missed), spurious);
  const [top, bottom] = [Number(alpha.top), Number(alpha.bottom)];
  if (typeof shared === "number" && typeof union === "number" && Math.max(top, bottom) * union < 2 ** 53) {
    return attained ? shared * bottom >= top * union : shared * bottom > top * union;
  }
  const [left, right] = [BigInt(shared) * alpha.bottom, alpha.top * BigInt(union)];
  return attained ? left >= right : left > right;
}

/** Positions in the order in which overlapping masks are painted: by rising value, of one value the smaller id on top.
 * @param {SideValues} side
 * @returns {number[]} */
export function paintOrder(side) {
  const shown = Array.from(side.value.keys()).filter((at) => side.shown[at]);
  return shown.sort((a, b) => side.value[a] - side.value[b] || b - a);
}
