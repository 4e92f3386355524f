// @ts-check
// Error analysis, as Python computed it for the run's own rule: the gain in PQ if all errors of a kind are fixed,
// individually and after those above, as a waterfall and as a table with all scores then; the same by size and by
// class; and classes confused with others.

import { confusion, partTables } from "./budget_parts.js";
import { stepsOf, waterfall } from "./overview/where_it_fails.js";
import { choice, el, refill, tableCells, tableHead } from "../drawing/dom.js";
import { AVERAGES, averagesOf } from "../scoring/averages.js";
import { score } from "../scoring/exact.js";

/** @typedef {import("../data/page_data.js").BudgetData} BudgetData */
/** @typedef {import("../scoring/averages.js").Average} Average */
/** @typedef {"individually" | "cumulative"} Mode */

const COUNTS = /** @type {const} */ (["errors", "missed", "spurious"]);
const SYMBOLS = /** @type {Record<string, string>} */ ({ pq: "PQ", sq: "SQ", rq: "RQ", precision: "P", recall: "R" });
const MODES = /** @type {Mode[]} */ (["cumulative", "individually"]);

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountBudget(element, model, store) {
  const { budget } = model.data;
  if (budget.problem !== null) {
    element.append(el("p", { class: "note wrap" }, budget.problem));
    return;
  }
  const average = choice("average", averagesOf(model), AVERAGES);
  const mode = choice("fixed", MODES);
  const table = el("table", { id: "budget-table" });
  const picture = el("figure", { class: "plot" });
  const parts = partTables(budget, model, store);
  const draw = () => {
    const over = /** @type {Average} */ (average.value());
    const fixed = /** @type {Mode} */ (mode.value());
    refill(picture, waterfall(stepsOf(budget, over, fixed), store));
    refill(table, budgetTable(budget, over, fixed));
    parts.draw(fixed);
  };
  for (const control of [average, mode]) control.select.addEventListener("change", draw);
  draw();
  const words =
    `Under the rule of the run, ${budget.rule}, and the policy ${budget.policy}, for all items; the controls at ` +
    "the top do not change it. Individually: gain in PQ if only the errors of that kind are fixed. Cumulative: gain " +
    "after all kinds above are fixed. Individual gains do not add up, since two errors can concern the same segment.";
  element.append(
    el("p", { class: "note" }, words),
    el("p", {}, average.label, " ", mode.label),
    picture,
    el("div", { class: "scroll" }, table),
    definitions(budget),
    ...parts.elements,
  );
  if (budget.confusion !== null) element.append(...confusion(budget.confusion, model, store));
}

/** One row per kind below the scores as they are.
 * @param {BudgetData} budget
 * @param {Average} average
 * @param {Mode} mode */
function budgetTable(budget, average, mode) {
  /** @param {Record<string, import("../data/page_data.js").ByAverage>} values */
  const scores = (values) =>
    budget.keys.map((key) => el("td", { "data-cell": key }, score(values[key][average] ?? null)));
  const symbols = budget.keys.map((key) => SYMBOLS[key]);
  const head = ["kind", "errors", "missed", "spurious", "gain individually", "gain cumulative", ...symbols];
  const rows = budget.order.map((kind) => {
    const errors = budget.kinds[kind];
    return el(
      "tr",
      { "data-kind": kind },
      el("th", { scope: "row", title: errors.words }, kind),
      COUNTS.map((name) => el("td", { "data-cell": name }, errors[name])),
      el("td", { "data-cell": "gain-individually" }, score(errors.gain_individually[average] ?? null, true)),
      el("td", { "data-cell": "gain-cumulative" }, score(errors.gain_cumulative[average] ?? null, true)),
      scores(errors[mode]),
    );
  });
  const first = el("th", { scope: "row" }, "as predicted");
  return [
    tableHead(head),
    el(
      "tbody",
      {},
      el("tr", { "data-kind": "base" }, first, tableCells(Array(5).fill(null)), scores(budget.base)),
      rows,
    ),
  ];
}

/** The definition of every kind, and how it is fixed.
 * @param {BudgetData} budget */
function definitions(budget) {
  const rows = budget.order.flatMap((kind) => {
    const { words, fixed } = budget.kinds[kind];
    return [el("dt", {}, kind), el("dd", {}, `${words}. If fixed, ${fixed}.`)];
  });
  const counts =
    "The columns missed and spurious count the unmatched segments that a kind explains, each under the " +
    "first such kind.";
  return el(
    "details",
    { id: "budget-kinds" },
    el("summary", {}, "Definition of the kinds"),
    el("dl", { class: "facts" }, rows),
    el("p", { class: "note" }, counts),
  );
}
