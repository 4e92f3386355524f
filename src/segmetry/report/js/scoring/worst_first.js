// @ts-check
// The order of items: lowest PQ first, as segmetry.report.item_pictures.worst_first says.

import { summarise } from "./summary.js";

/** @typedef {{ rule: string, selected: Set<number> | null, order: number[] }} Known */

/** The order that was asked for last: several views ask for the same one.
 * @type {WeakMap<import("../data/model.js").Model, Known>} */
const known = new WeakMap();

/** Indices of items by increasing PQ, equal ones in the order of the run, undefined ones last.
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").State} state
 * @returns {number[]} */
export function worstFirst(model, { rule, selected }) {
  const before = known.get(model);
  if (before && before.rule === rule.name && before.selected === selected) return before.order;
  const order = sorted(model, rule, selected);
  known.set(model, { rule: rule.name, selected, order });
  return order;
}

/** @param {import("../data/model.js").Model} model
 * @param {import("./rules.js").Rule} rule
 * @param {Set<number> | null} selected
 * @returns {number[]} */
function sorted(model, rule, selected) {
  const { pq } = summarise(model, rule).items;
  const listed = Array.from(pq.keys()).filter((item) => selected === null || selected.has(item));
  return listed.sort((a, b) => {
    const [first, second] = [a, b].map((item) => (Number.isNaN(pq[item]) ? Infinity : pq[item]));
    return first === second ? a - b : first - second;
  });
}
