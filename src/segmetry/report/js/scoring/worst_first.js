// @ts-check
// The order of items: lowest PQ first, as segmetry.report.item_pictures.worst_first says.

import { remembered } from "./remembered.js";
import { summarise } from "./summary.js";

/** Indices of all items by increasing PQ, equal ones in the order of the run, undefined ones last. */
const allItems = remembered((model, rule) => {
  const { pq } = summarise(model, rule).items;
  return Array.from(pq.keys()).sort((a, b) => {
    const [first, second] = [a, b].map((item) => (Number.isNaN(pq[item]) ? Infinity : pq[item]));
    return first === second ? a - b : first - second;
  });
});

/** The same of the items that are selected.
 * @param {import("../data/model.js").Model} model
 * @param {Pick<import("../store.js").State, "rule" | "selected">} state
 * @returns {number[]} */
export function worstFirst(model, { rule, selected }) {
  const order = allItems(model, rule);
  return selected === null ? order : order.filter((item) => selected.has(item));
}
