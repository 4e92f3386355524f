// @ts-check
// Which items of a run pass a filter.

import { COUNTED_ON, segmentKinds } from "../data/segment_kinds.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {import("../store.js").Filter} Filter */
/** @typedef {(item: number) => boolean} Test */

/** The items that pass; null where there is no filter.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Filter | null} filter
 * @returns {Set<number> | null} */
export function passing(model, rule, filter) {
  if (filter === null) return null;
  const tests = testsOf(model, rule, filter);
  return new Set([...model.items.keys()].filter((item) => tests.every((test) => test(item))));
}

/** Whether what passes depends on the rule.
 * @param {Filter | null} filter
 * @returns {boolean} */
export function dependsOnRule(filter) {
  return filter !== null && Boolean(filter.kinds || filter.score);
}

/** @param {Model} model
 * @param {Rule} rule
 * @param {Filter} filter
 * @returns {Test[]} */
function testsOf(model, rule, filter) {
  const { text, items, score, groups } = filter;
  /** @type {Test[]} */
  const tests = [];
  if (text) {
    const wanted = text.toLowerCase();
    tests.push((item) => model.items[item].name.toLowerCase().includes(wanted));
  }
  if (items) {
    const picked = new Set(items);
    tests.push((item) => picked.has(item));
  }
  if (score) {
    const { pq } = summarise(model, rule).items;
    tests.push((item) => pq[item] >= score[0] && pq[item] <= score[1]);
  }
  for (const [column, labels] of Object.entries(groups ?? {})) {
    tests.push((item) => labels.includes(model.data.groups[column]?.[item] ?? ""));
  }
  if (filter.classes || filter.sizes || filter.kinds || filter.confused) {
    const there = itemsWithSegments(model, rule, filter);
    tests.push((item) => there.has(item));
  }
  return tests;
}

/** The items with a segment that has one of the classes, one of the sizes and one of the kinds, where they are asked
 * for; or that is taken for another class.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Filter} filter
 * @returns {Set<number>} */
function itemsWithSegments(model, rule, { classes, sizes, kinds, confused }) {
  /** @type {Set<number>} */
  const items = new Set();
  const names = model.classNames ?? [];
  const { bits } = model.data.segment_kinds;
  const ofAll = kinds ? segmentKinds(model, rule) : null;
  const ofPairs = confused ? confusedTruth(model, confused) : null;
  for (const word of /** @type {const} */ (["true", "pred"])) {
    const side = model[word];
    // Of a single kind on the side on which it is counted, as the error analysis counts it.
    const here = (kinds ?? []).filter((kind) => (COUNTED_ON[/** @type {"class"} */ (kind)] ?? "true") === word);
    const mask = here.reduce((sum, kind) => sum | (bits[kind] ?? 0), 0);
    for (let at = 0; at < side.size.length; at++) {
      if (ofAll && !(ofAll[word][at] & mask)) continue;
      if (classes && !classes.includes(names[Number(side.classes?.[at])])) continue;
      if (sizes && !sizes.includes(sizeName(model, side.size[at]))) continue;
      if (ofPairs && !(word === "true" && ofPairs.has(at))) continue;
      items.add(side.item[at]);
    }
  }
  return items;
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
export function sizeName({ data: { sizes } }, size) {
  return sizes.names[sizes.edges.filter((edge) => size >= edge).length];
}
