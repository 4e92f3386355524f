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
/** @typedef {Pick<import("../store.js").Filter, "kinds" | "classes" | "sizes" | "confused">} Wanted
 * any of these kinds ("matched" among them), classes and sizes; confused: true and predicted class of one pair */

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

/** The segments that have one of the kinds, one of the classes and one of the sizes, where they are stated, as
 * positions in the run; of a single kind on the side on which it is counted, so that there are as many as the error
 * analysis counts. Of pairs that differ in class those of the truth.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Wanted} wanted
 * @returns {{ true: number[], pred: number[] }} */
export function segmentsWith(model, rule, { kinds, classes, sizes, confused }) {
  const ofAll = kinds ? segmentKinds(model, rule) : null;
  const { bits } = model.data.segment_kinds;
  const pairs = confused ? confusedTruth(model, confused) : null;
  const codes = new Set((model.classNames ?? []).flatMap((name, code) => (classes?.includes(name) ? [code] : [])));
  /** @param {"true" | "pred"} word */
  const list = (word) => {
    const side = model[word];
    const here = (kinds ?? []).filter((kind) => (COUNTED_ON[/** @type {Kind} */ (kind)] ?? "true") === word);
    const mask = here.reduce((sum, kind) => sum | (bits[kind] ?? 0), 0);
    const found = [];
    for (const at of pairs === null ? side.size.keys() : word === "true" ? pairs : []) {
      if (ofAll && !(ofAll[word][at] & mask)) continue;
      if (classes && !codes.has(Number(side.classes?.[at]))) continue;
      if (sizes && !sizes.includes(sizeName(model, side.size[at]))) continue;
      found.push(at);
    }
    return found;
  };
  return { true: list("true"), pred: list("pred") };
}

/** The true segments of one class that are paired with a predicted one of another.
 * @param {Model} model
 * @param {[string, string]} classes
 * @returns {Set<number>} */
function confusedTruth({ columns, classNames, true: truth, pred }, [first, second]) {
  /** @type {Set<number>} */
  const found = new Set();
  const partners = columns.confused_pred;
  (columns.confused_true ?? []).forEach((/** @type {number | bigint} */ t, /** @type {number} */ at) => {
    const [own, other] = [truth.classes?.[Number(t)], pred.classes?.[Number(partners[at])]];
    if (classNames?.[Number(own)] === first && classNames?.[Number(other)] === second) found.add(Number(t));
  });
  return found;
}

/** The name of the bin of a size, as segmetry.BySize names it.
 * @param {Model} model
 * @param {import("../scoring/exact.js").Count} size
 * @returns {string} */
function sizeName({ data: { sizes } }, size) {
  return sizes.names[sizes.edges.filter((edge) => size >= edge).length];
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
