// @ts-check
// The kinds of errors of every segment: under the rule of the run those that segmetry.diagnose distinguishes, under
// another rule, or where it distinguishes none, only whether a segment has a partner and whether the two are equal.

import { alignRun, isAlone, parts } from "../scoring/align.js";
import { remembered } from "../scoring/remembered.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./model.js").Side} Side */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {"class" | "split" | "merge" | "missed" | "spurious" | "boundary"} Kind */
/** @typedef {{ true: Uint8Array, pred: Uint8Array, isComplete: boolean }} Kinds
 * a sum of bits for every segment of the run; `isComplete` where class, split and merge are distinguished */
/** @typedef {{ kinds?: string[], classes?: number[], confused?: [number, number] }} Wanted
 * any of these kinds ("matched" among them), any of these classes (by code); confused: true and predicted class */

/** In the order in which errors are fixed.
 * @type {Kind[]} */
export const KINDS = ["class", "split", "merge", "missed", "spurious", "boundary"];

/** What an error of a kind is called, of one and of several segments.
 * @type {Record<Kind, [string, string]>} */
export const KIND_NAMES = {
  class: ["wrong class", "wrong classes"],
  split: ["split segment", "split segments"],
  merge: ["merged segment", "merged segments"],
  missed: ["missed segment", "missed segments"],
  spurious: ["spurious segment", "spurious segments"],
  boundary: ["loose boundary", "loose boundaries"],
};

/** The side on which errors of a kind are counted.
 * @type {Record<Kind, "true" | "pred">} */
export const COUNTED_ON = {
  class: "true",
  split: "true",
  merge: "pred",
  missed: "true",
  spurious: "pred",
  boundary: "true",
};

/** The kinds of all segments of a run under a rule. */
export const segmentKinds = remembered((model, rule) =>
  isDiagnosed(model, rule) ? diagnosed(model) : fromAlignment(model, rule),
);

/** Whether Python has distinguished the errors under a rule.
 * @param {Model} model
 * @param {Rule} rule
 * @returns {boolean} */
function isDiagnosed(model, rule) {
  const { problem, rule: own } = model.data.segment_kinds;
  return problem === null && rule.name === own;
}

/** @param {Model} model
 * @returns {Kinds} */
function diagnosed({ columns }) {
  const [truth, pred] = [columns.true_kinds, columns.pred_kinds].map((column) => Uint8Array.from(column, Number));
  return { true: truth, pred, isComplete: true };
}

/** @param {Model} model
 * @param {Rule} rule
 * @returns {Kinds} */
function fromAlignment(model, rule) {
  const { bits } = model.data.segment_kinds;
  const { rows, matchedTrue, matchedPred } = alignRun(model, rule);
  /** @param {Side} side
   * @param {Uint8Array} matched
   * @param {string} word */
  const lone = (side, matched, word) =>
    Uint8Array.from(matched, (_, at) => (isAlone(side, matched, at) ? bits[word] : 0));
  const [truth, pred] = [lone(model.true, matchedTrue, "missed"), lone(model.pred, matchedPred, "spurious")];
  for (const row of rows) {
    const [, missed, spurious] = parts(model, row);
    const isEqual = Number(missed) === 0 && Number(spurious) === 0;
    const kind = bits.matched | (isEqual ? 0 : bits.boundary);
    truth[model.rowTrue[row]] |= kind;
    pred[model.rowPred[row]] |= kind;
  }
  return { true: truth, pred, isComplete: false };
}

/** The first kind of error of a segment, in the order in which they are fixed; "matched" where it has none, null where
 * it is ignored.
 * @param {Model} model
 * @param {number} bitsOfSegment
 * @returns {Kind | "matched" | null} */
export function firstKind(model, bitsOfSegment) {
  const { bits } = model.data.segment_kinds;
  return KINDS.find((kind) => bitsOfSegment & bits[kind]) ?? (bitsOfSegment & bits.matched ? "matched" : null);
}

/** The segments of some kinds and classes, as positions in the run; of a single kind on the side on which it is
 * counted, so that there are as many as the error analysis counts.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Wanted} wanted
 * @returns {{ true: number[], pred: number[] }} */
export function segmentsWith(model, rule, { kinds, classes, confused }) {
  const ofAll = segmentKinds(model, rule);
  const { bits } = model.data.segment_kinds;
  if (confused) return confusedSegments(model, confused);
  const codes = classes ? new Set(classes) : null;
  /** @param {"true" | "pred"} word */
  const list = (word) => {
    const here = (kinds ?? []).filter((kind) => (COUNTED_ON[/** @type {Kind} */ (kind)] ?? "true") === word);
    const mask = here.reduce((sum, kind) => sum | bits[kind], 0);
    const found = [];
    const side = model[word];
    for (let at = 0; at < side.size.length; at++) {
      if (kinds && !(ofAll[word][at] & mask)) continue;
      if (codes && !codes.has(Number(side.classes?.[at]))) continue;
      found.push(at);
    }
    return found;
  };
  return { true: list("true"), pred: list("pred") };
}

/** Pairs that differ in class only, of one true and one predicted class.
 * @param {Model} model
 * @param {[number, number]} classes */
function confusedSegments({ columns, true: truth, pred }, [first, second]) {
  const kept = [];
  for (let at = 0; at < (columns.confused_true?.length ?? 0); at++) {
    const [t, p] = [Number(columns.confused_true[at]), Number(columns.confused_pred[at])];
    if (Number(truth.classes?.[t]) === first && Number(pred.classes?.[p]) === second) kept.push([t, p]);
  }
  return { true: kept.map(([t]) => t), pred: kept.map(([, p]) => p) };
}

/** The items with a segment of some kinds and classes.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Wanted} wanted
 * @returns {Set<number>} */
export function itemsWith(model, rule, wanted) {
  const found = segmentsWith(model, rule, wanted);
  return new Set([...found.true.map((at) => model.true.item[at]), ...found.pred.map((at) => model.pred.item[at])]);
}

/** How many errors of each kind every item has.
 * @param {Model} model
 * @param {Rule} rule
 * @returns {Record<Kind, Uint32Array>} */
export function errorsByItem(model, rule) {
  const ofAll = segmentKinds(model, rule);
  const { bits } = model.data.segment_kinds;
  return /** @type {Record<Kind, Uint32Array>} */ (
    Object.fromEntries(
      KINDS.map((kind) => {
        const counts = new Uint32Array(model.nItems);
        const word = COUNTED_ON[kind];
        ofAll[word].forEach((segment, at) => {
          if (segment & bits[kind]) counts[model[word].item[at]]++;
        });
        return [kind, counts];
      }),
    )
  );
}
