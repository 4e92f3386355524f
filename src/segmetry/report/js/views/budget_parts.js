// @ts-check
// Below the error analysis: gains by size and by class, and confused classes.

import { el, refill, tableCells, tableHead } from "../drawing/dom.js";
import { show, signed } from "../scoring/exact.js";

/** @typedef {import("./budget.js").Mode} Mode */
/** @typedef {import("../data/page_data.js").BudgetPart} Part */

const SHOWN = 20;
const MORE = 200;

/** PQ of every size and class with its gain if each kind of error is fixed, and a function that draws another mode.
 * @param {import("../data/page_data.js").BudgetData} budget */
export function partTables(budget) {
  /** @type {[string, string, Part[] | null][]} */
  const listed = [
    ["size", "By size", budget.by_size],
    ["class", "By class", budget.by_class],
  ];
  const there = listed.flatMap(([level, heading, parts]) => (parts === null ? [] : [{ level, heading, parts }]));
  const tables = there.map(({ level, heading, parts }) => {
    const grown = growing(`budget-${level}`, [level, "PQ", ...budget.order]);
    return { heading: el("h3", {}, heading), parts, grown };
  });
  const words =
    "Pooled PQ, and its gain if all errors of a kind are fixed. A pair and a missed segment count for the true " +
    "segment, a spurious one for itself." +
    (budget.by_class === null ? "" : " Classes with most unmatched segments come first.");
  return {
    elements: [
      ...tables.flatMap(({ heading, grown }) => [heading, ...grown.elements]),
      el("p", { class: "note" }, words),
    ],
    /** @param {Mode} mode */
    draw(mode) {
      for (const { parts, grown } of tables) grown.show(parts.map((part) => () => partRow(part, mode, budget.order)));
    },
  };
}

/** @param {Part} part
 * @param {Mode} mode
 * @param {string[]} kinds */
function partRow(part, mode, kinds) {
  const gains = kinds.map((kind, at) => el("td", { "data-cell": kind }, signed(part[mode][at])));
  const name = el("th", { scope: "row" }, el("bdi", { class: "name" }, part.name));
  return el("tr", { "data-part": part.name }, name, el("td", { "data-cell": "pq" }, show(part.pq)), gains);
}

/** How often a class is confused with another, the most frequent first.
 * @param {[string, string, number][]} rows
 * @returns {HTMLElement[]} */
export function confusion(rows) {
  const heading = el("h3", {}, "Confused classes");
  if (!rows.length) {
    return [heading, el("p", { class: "note" }, "No pair differs in class only.")];
  }
  const grown = growing("confusion", ["true class", "predicted class", "pairs"]);
  grown.show(
    rows.map(([first, second, pairs]) => () => {
      const names = [first, second].map((name) => el("bdi", { class: "name" }, name));
      return el("tr", {}, tableCells([...names, pairs]));
    }),
  );
  return [heading, ...grown.elements];
}

/** A table that shows its first rows, and more when asked.
 * @param {string} id
 * @param {string[]} head
 * @returns {{ elements: HTMLElement[], show: (rows: (() => HTMLElement)[]) => void }} */
function growing(id, head) {
  const body = el("tbody");
  /** @type {(() => HTMLElement)[]} */
  let left = [];
  const more = el("button", { type: "button", id: `${id}-more`, onclick: () => add(MORE) });
  /** @param {number} count */
  function add(count) {
    body.append(...left.slice(0, count).map((row) => row()));
    left = left.slice(count);
    more.hidden = left.length === 0;
    refill(more, `show more (${left.length})`);
  }
  return {
    elements: [
      el("div", { class: "scroll" }, el("table", { id }, tableHead(head), body)),
      el("p", { class: "pager" }, more),
    ],
    show(rows) {
      const before = body.children.length;
      left = rows;
      body.replaceChildren();
      add(Math.max(SHOWN, before));
    },
  };
}
