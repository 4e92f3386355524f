// @ts-check
// Below the error analysis: gains by size and by class, and confused classes.

import { itemsWith } from "../data/segment_kinds.js";
import { el, refill, tableHead } from "../drawing/dom.js";
import { score } from "../scoring/exact.js";
import { door } from "./overview/doors.js";
import { limitOf } from "./overview/trust_list.js";

/** @typedef {import("./budget.js").Mode} Mode */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../data/page_data.js").BudgetPart} Part */

const SHOWN = 20;
const MORE = 200;
const MOST_CLASSES = 40;

/** PQ of every size and class with its gain if each kind of error is fixed, and a function that draws another mode.
 * @param {import("../data/page_data.js").BudgetData} budget
 * @param {Model} model
 * @param {Store} store */
export function partTables(budget, model, store) {
  /** @type {[string, string, Part[] | null][]} */
  const listed = [
    ["size", "By size", budget.by_size],
    ["class", "By class", budget.by_class],
  ];
  const there = listed.flatMap(([level, heading, parts]) =>
    parts === null || parts.length < 2 ? [] : [{ level, heading, parts }],
  );
  const tables = there.map(({ level, heading, parts }) => {
    const grown = growing(`budget-${level}`, [level, "PQ", ...budget.order]);
    return { heading: el("h3", {}, heading), level, parts, grown };
  });
  const words =
    "Pooled PQ, and its gain if all errors of a kind are fixed. A pair and a missed segment count for the true " +
    "segment, a spurious one for itself." +
    (budget.by_class === null ? "" : " Classes with most unmatched segments come first.");
  return {
    elements: tables.length
      ? [
          ...tables.flatMap(({ heading, grown }) => [heading, ...grown.elements]),
          el("p", { class: "note" }, words + sizeWords(budget, model)),
        ]
      : [],
    /** @param {Mode} mode */
    draw(mode) {
      for (const { parts, grown, level } of tables) {
        const gains = parts.flatMap((part) => part[mode].map((gain) => gain ?? 0));
        const most = Math.max(1e-9, ...gains);
        grown.show(parts.map((part) => () => partRow(part, mode, budget.order, most, level, store)));
      }
    },
  };
}

/** What the sizes mean.
 * @param {import("../data/page_data.js").BudgetData} budget
 * @param {Model} model */
function sizeWords({ by_size: parts, size_edges: edges }, model) {
  if (parts.length < 2 || edges.length !== 2) return "";
  const unit = model.unit;
  const limits = ["small", "medium", "large"].map((name, at) => `${name} ${limitOf(edges, at).replace("px", unit)}`);
  return ` Sizes: ${limits.join(", ")}.`;
}

/** @param {Part} part
 * @param {Mode} mode
 * @param {string[]} kinds
 * @param {number} most the largest gain of all
 * @param {string} level
 * @param {Store} store */
function partRow(part, mode, kinds, most, level, store) {
  const gains = kinds.map((kind, at) => {
    const gain = part[mode][at];
    const filter = level === "class" ? { classes: [part.name], kinds: [kind] } : { sizes: [part.name], kinds: [kind] };
    const text = score(gain, true);
    const content = gain ? door(store, filter, `${kind}, ${part.name}`, text) : text;
    const box = el("td", { "data-cell": kind, class: "heat-cell" }, content);
    box.style.setProperty("--heat", String(Math.max(0, (gain ?? 0) / most)));
    return box;
  });
  const name = el("th", { scope: "row" }, el("bdi", { class: "name" }, part.name));
  return el("tr", { "data-part": part.name }, name, el("td", { "data-cell": "pq" }, score(part.pq)), gains);
}

/** How often a class is confused with another, as a matrix whose cells are doors; classes that are confused most first.
 * @param {[string, string, number][]} rows
 * @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement[]} */
export function confusion(rows, model, store) {
  const heading = el("h3", {}, "Classes confused with others");
  if (!rows.length) return [heading, el("p", { class: "note" }, "No pair differs in class only.")];
  /** @type {Map<string, number>} */
  const totals = new Map();
  for (const [first, second, pairs] of rows) {
    for (const name of [first, second]) totals.set(name, (totals.get(name) ?? 0) + pairs);
  }
  const names = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  const shown = names.slice(0, MOST_CLASSES);
  const counts = new Map(rows.map(([first, second, pairs]) => [JSON.stringify([first, second]), pairs]));
  const most = Math.max(...rows.map(([, , pairs]) => pairs));
  const body = shown.map((first) =>
    el(
      "tr",
      { "data-true": first },
      el("th", { scope: "row" }, el("bdi", { class: "name" }, first)),
      shown.map((second) => cell(model, store, first, second, counts.get(JSON.stringify([first, second])) ?? 0, most)),
    ),
  );
  const rest = names.length - shown.length;
  const words = "Rows: true class, columns: predicted class. Pairs that would match if they were of one class.";
  return [
    heading,
    el(
      "div",
      { class: "scroll" },
      el(
        "table",
        { id: "confusion", class: "heat" },
        tableHead(["true ↓ predicted →", ...shown.map((name) => el("bdi", { class: "name" }, name))]),
        el("tbody", {}, body),
      ),
    ),
    el("p", { class: "note" }, words + (rest > 0 ? ` ${rest} classes that are confused less are left out.` : "")),
  ];
}

/** @param {Model} model
 * @param {Store} store
 * @param {string} first
 * @param {string} second
 * @param {number} pairs
 * @param {number} most */
function cell(model, store, first, second, pairs, most) {
  const box = el("td", { class: first === second ? "heat-cell same" : "heat-cell", "data-pred": second });
  if (pairs === 0) return box;
  const items = [...itemsWith(model, model.rule(model.settings.rule), { confused: [first, second] })];
  const title = `${pairs} ${first} predicted as ${second}`;
  box.append(items.length ? door(store, { items, kinds: ["class"] }, title, String(pairs)) : String(pairs));
  box.style.setProperty("--heat", String(pairs / most));
  return box;
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
      el("div", { class: "scroll" }, el("table", { id, class: "heat" }, tableHead(head), body)),
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
