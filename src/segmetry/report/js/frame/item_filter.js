// @ts-check
// Which items of a run pass a filter, and what else follows from the choices of the user: what stays when another run
// is shown.

import { itemsWith } from "../data/segment_kinds.js";
import { ruleNamed } from "../scoring/rules.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {import("../store.js").Filter} Filter */
/** @typedef {import("../store.js").State} State */
/** @typedef {(item: number) => boolean} Test */

/** The items that pass; null where there is no filter.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Filter | null} filter
 * @returns {Set<number> | null} */
function passing(model, rule, filter) {
  if (filter === null) return null;
  const tests = testsOf(model, rule, filter);
  return new Set([...model.items.keys()].filter((item) => tests.every((test) => test(item))));
}

/** Whether what passes depends on the rule.
 * @param {Filter | null} filter
 * @returns {boolean} */
function dependsOnRule(filter) {
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
    const there = itemsWith(model, rule, filter);
    tests.push((item) => there.has(item));
  }
  return tests;
}

/** A function that completes a state: another run shows the same items, named by the same names.
 * @param {Model[]} models
 * @returns {(next: State, before: State, patch: Partial<State>) => State} */
export function completion(models) {
  return (next, before, patch) => {
    const model = models[next.run];
    let { item, filter, rule } = next;
    if (next.run !== before.run) {
      const translated = translation(models[before.run], model);
      if (item !== null && !("item" in patch)) item = translated(item) ?? null;
      if (filter?.items && !("filter" in patch)) {
        filter = { ...filter, items: filter.items.flatMap((at) => translated(at) ?? []) };
      }
      if (!("rule" in patch)) rule = ruleNamed(rule.name, model) ?? model.rule(model.settings.rule);
    }
    const isSameRule = rule === before.rule || !dependsOnRule(filter);
    const isSame = filter === before.filter && next.run === before.run && isSameRule;
    const selected = isSame ? before.selected : passing(model, rule, filter);
    return { ...next, item, filter, rule, selected };
  };
}

/** From the index of an item to that of the item of the same name in another run.
 * @param {Model} from
 * @param {Model} to
 * @returns {(item: number) => number | undefined} */
function translation(from, to) {
  const places = new Map(to.items.map((item, at) => [item.name, at]));
  return (item) => places.get(from.items[item].name);
}
