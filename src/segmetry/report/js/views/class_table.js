// @ts-check
// View 4: the scores of every class, sortable, with counts, splits and merges, and the distribution of its IoUs.

import { bars, histogram } from "../drawing/chart.js";
import { el, refill } from "../drawing/dom.js";
import { score, show } from "../scoring/exact.js";
import { byName, byValue } from "./item_table.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../scoring/class_rows.js").ClassRow} ClassRow */
/** @typedef {Omit<ClassRow, "tally"> & { splits: number, merges: number }} TableRow */
/** @typedef {{ key: string, label: string, title: string, value: (row: TableRow) => number | string }} Heading */

const BINS = 20;
const COVERAGE = "smaller coverage > 1/10, larger > 1/2";
const SHARES = ["pq", "sq", "rq", "by_item"];
const COUNTS = ["n_matched", "n_missed", "n_spurious"];

/** Columns in which much is bad: the first click sorts the worst first. */
const WORST_HIGH = new Set(["n_missed", "n_spurious", "splits", "merges"]);

/** @type {Heading[]} */
const COLUMNS = [
  { key: "name", label: "class", title: "name of the class", value: (row) => row.name },
  { key: "items", label: "items", title: "items in which the class occurs", value: (row) => row.nItems },
  ...[
    ["pq", "PQ", "of all segments of the class"],
    ["sq", "SQ", "of all segments of the class"],
    ["rq", "RQ", "of all segments of the class"],
    ["n_matched", "matched", "pairs of segments"],
    ["n_missed", "missed", "true segments without a partner"],
    ["n_spurious", "spurious", "predicted segments without a partner"],
  ].map(([key, label, title]) => {
    return { key, label, title, value: (/** @type {TableRow} */ row) => row.pooled[key].value };
  }),
  {
    key: "by_item",
    label: "PQ by item",
    title: "mean over the items in which the class occurs",
    value: (row) => row.by_item.pq.value,
  },
  .../** @type {["splits" | "merges", string][]} */ ([
    ["splits", `true segments that match several predicted ones: ${COVERAGE}`],
    ["merges", `predicted segments that match several true ones: ${COVERAGE}`],
  ]).map(([key, title]) => ({ key, label: key, title, value: (/** @type {TableRow} */ row) => row[key] })),
];

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountClasses(element, model, store) {
  let [sortedBy, descending] = ["pq", false];
  const body = el("tbody");
  const foot = el("tfoot");
  const headings = COLUMNS.map((column) => {
    const button = el("button", { type: "button", class: "sort", onclick: () => sort(column.key) }, column.label);
    return el("th", { scope: "col", "data-sort": column.key, title: column.title }, button);
  });
  const last = el("th", { scope: "col" }, "IoU of pairs, 0 to 1");
  const table = el("table", { id: "class-table" }, el("thead", {}, el("tr", {}, headings, last)), body, foot);
  element.append(el("div", { class: "scroll" }, table));

  /** @param {string} key */
  function sort(key) {
    [sortedBy, descending] = key === sortedBy ? [key, !descending] : [key, WORST_HIGH.has(key)];
    draw();
  }

  function draw() {
    const { rule, selected } = store.get();
    const summary = summarise(model, rule, selected);
    const column = /** @type {Heading} */ (COLUMNS.find((column) => column.key === sortedBy));
    const rows = rowsOf(model, summary, selected !== null);
    const order = (/** @type {TableRow} */ row) => Number(column.value(row));
    if (sortedBy === "name") rows.sort((a, b) => (descending ? byName(b.name, a.name) : byName(a.name, b.name)));
    else rows.sort((a, b) => byValue(order(a), order(b), descending));
    headings.forEach((heading, at) => {
      const isSorted = COLUMNS[at].key === sortedBy;
      heading.setAttribute("aria-sort", isSorted ? (descending ? "descending" : "ascending") : "none");
    });
    refill(body, rows.map((row) => tableRow(row)));
    refill(foot, summary.groups.map((group) => groupRow(group)));
  }
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw();
  });
}

/** @param {import("../data/model.js").Model} model
 * @param {import("../scoring/summary.js").Summary} summary
 * @param {boolean} isPart splits and merges are known for the whole run only
 * @returns {TableRow[]} */
function rowsOf(model, summary, isPart) {
  const graph = model.data.graph;
  /** @param {"splits" | "merges"} word
   * @param {number | null} code */
  const count = (word, code) => {
    if (isPart) return NaN;
    return code === null ? graph[word] : (graph.by_class?.[word][code] ?? NaN);
  };
  if (model.classNames !== null) {
    return summary.classes.map((row) => ({
      ...row,
      splits: count("splits", row.code),
      merges: count("merges", row.code),
    }));
  }
  if (summary.clashes.size) return [];
  const all = { code: 0, name: "all segments", nItems: summary.nItems, iou: summary.iou };
  return [{ ...all, ...summary.whole, splits: count("splits", null), merges: count("merges", null) }];
}

/** @param {TableRow} row */
function tableRow(row) {
  const cells = COLUMNS.slice(1).map((column) => {
    const value = /** @type {number} */ (column.value(row));
    return el("td", { "data-cell": column.key }, SHARES.includes(column.key) ? score(value) : show(value, true));
  });
  const counts = histogram(row.iou, BINS);
  const title = (/** @type {number} */ at) => `${at / BINS} to ${(at + 1) / BINS}: ${counts[at]} pairs`;
  const small = bars(counts, { width: 120, height: 24, label: `IoUs of ${row.iou.length} pairs`, title });
  const heading = el("th", { scope: "row" }, el("bdi", { class: "name" }, row.name));
  return el("tr", { "data-class": row.name }, heading, cells, el("td", {}, small));
}

/** @param {{ name: string } & import("../scoring/summary.js").Row} group */
function groupRow(group) {
  const cells = COLUMNS.slice(1).map((column) => {
    if (column.key === "by_item") return el("td", {}, score(group.by_item.pq.value));
    const found = group.by_class?.[column.key];
    return el("td", {}, !found ? "" : COUNTS.includes(column.key) ? show(found.value, true) : score(found.value));
  });
  return el("tr", { "data-group": group.name }, el("th", { scope: "row" }, group.name), cells, el("td"));
}
