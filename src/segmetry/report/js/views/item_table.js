// @ts-check
// The items in numbers, below the scatter plot: those that are selected, sorted by any score, page by page.

import { provideWhole } from "../copying/tables_in_view.js";
import { el, refill } from "../drawing/dom.js";
import { score, show } from "../scoring/exact.js";
import { headlineOf, inItsUnit } from "../scoring/headline.js";
import { COUNTS } from "../scoring/scores.js";
import { summarise } from "../scoring/summary.js";

const ON_A_PAGE = 25;
const COLUMNS = [
  ["pq", "PQ"],
  ["sq", "SQ"],
  ["rq", "RQ"],
  ["precision", "P"],
  ["recall", "R"],
  ["npq", "NPQ"],
  ["n_matched", "matched"],
  ["n_missed", "missed"],
  ["n_spurious", "spurious"],
];

/** Columns in which much is bad: the first click sorts the worst first. */
const WORST_HIGH = new Set(["n_missed", "n_spurious"]);

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountItems(element, model, store) {
  const { headline } = model.data.overview;
  const isListed = COLUMNS.some(([key]) => key === headline.key);
  const columns = isListed ? COLUMNS : [["headline", headline.name], ...COLUMNS];
  const isLower = headline.better === "lower";
  let [sortedBy, descending, first] = [isListed ? headline.key : "headline", isLower, 0];
  const body = el("tbody");
  const place = el("span", { class: "note", "aria-live": "polite" });
  const move = (/** @type {number} */ by) => () => draw(first + by);
  const before = el("button", { type: "button", onclick: move(-ON_A_PAGE) }, "← previous");
  const after = el("button", { type: "button", id: "items-after", onclick: move(ON_A_PAGE) }, "next →");
  const headings = [["item", "item"], ...columns].map(([key, label]) => {
    const button = el("button", { type: "button", class: "sort", onclick: () => sort(key) }, label);
    return el("th", { scope: "col", "data-sort": key }, button);
  });
  const table = el("table", { id: "item-table" }, el("thead", {}, el("tr", {}, headings)), body);
  const pager = el("p", { class: "pager" }, before, " ", after, " ", place);
  element.append(el("div", { class: "scroll" }, table), pager);

  /** @param {string} key */
  function sort(key) {
    const isHigh = WORST_HIGH.has(key) || (key === "headline" && isLower);
    [sortedBy, descending] = key === sortedBy ? [key, !descending] : [key, isHigh];
    draw(0);
  }

  function sorted() {
    const { rule, selected } = store.get();
    const summary = summarise(model, rule);
    /** @type {Record<string, ArrayLike<number>>} */
    const items = { ...summary.items, headline: headlineOf(model, { rule, selected: null }).items };
    const itemScore = (/** @type {string} */ key, /** @type {number} */ item) =>
      key === "headline" ? items.headline[item] : summary.itemScore(key, item);
    const order = selected === null ? [...model.items.keys()] : [...selected].sort((a, b) => a - b);
    if (sortedBy !== "item") order.sort((a, b) => byValue(items[sortedBy][a], items[sortedBy][b], descending));
    else order.sort((a, b) => byName(model.items[a].name, model.items[b].name));
    if (sortedBy === "item" && descending) order.reverse();
    return { order, items, itemScore };
  }

  /** @param {number} from */
  function draw(from) {
    const { order, itemScore } = sorted();
    first = Math.max(0, Math.min(from, order.length - 1));
    headings.forEach((heading) => {
      const isSorted = heading.dataset.sort === sortedBy;
      heading.setAttribute("aria-sort", isSorted ? (descending ? "descending" : "ascending") : "none");
    });
    const shown = order.slice(first, first + ON_A_PAGE);
    refill(body, shown.map((item) => row(model, store, item, itemScore, columns)));
    pager.hidden = order.length <= ON_A_PAGE;
    /** @type {HTMLButtonElement} */ (before).disabled = first === 0;
    /** @type {HTMLButtonElement} */ (after).disabled = first + ON_A_PAGE >= order.length;
    refill(place, `${first + 1} to ${first + shown.length} of ${order.length}`);
  }
  provideWhole(table, () => {
    const { order, items } = sorted();
    const rows = order.map((item) => [model.items[item].name, ...columns.map(([key]) => items[key][item])]);
    return { head: ["item", ...columns.map(([, label]) => label)], rows };
  });
  draw(0);
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw(0);
  });
}

const collator = new Intl.Collator("en", { numeric: true });

/** Names in the order of the alphabet, numbers in them by value.
 * @param {string} a
 * @param {string} b
 * @returns {number} */
export function byName(a, b) {
  return collator.compare(a, b);
}

/** Undefined values come last in both directions.
 * @param {number} a
 * @param {number} b
 * @param {boolean} descending */
export function byValue(a, b, descending) {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return descending ? b - a : a - b;
}

/** @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store
 * @param {number} item
 * @param {(key: string, item: number) => number} valueOf computed for the rows that are shown, not for all items
 * @param {string[][]} columns */
function row(model, store, item, valueOf, columns) {
  const name = el("bdi", { class: "name" }, model.items[item].name);
  const open = el("button", { type: "button", class: "link", onclick: () => store.set({ item }) }, name);
  const text = (/** @type {string} */ key) =>
    key === "headline" ? inItsUnit(model, valueOf(key, item))
    : COUNTS.has(key) ? show(valueOf(key, item), true)
    : score(valueOf(key, item));
  const cells = columns.map(([key]) => el("td", { "data-key": key }, text(key)));
  return el("tr", { "data-item": item }, el("th", { scope: "row" }, open), cells);
}
