// @ts-check
// Which classes, which errors: the gain in PQ of every class (or size) if each kind of error is fixed, as a heat table
// whose cells are doors.

import { hasOwnErrors } from "../../data/errors.js";
import { el, refill, tableHead } from "../../drawing/dom.js";
import { score, shortGain } from "../../scoring/exact.js";
import { segmentsWith } from "../../data/segment_kinds.js";
import { door, pageDoor } from "./doors.js";
import { segmentsByClass, sizesOf } from "./trust_list.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../data/page_data.js").BudgetPart} Part */

const SHOWN = 8;
/** Classes whose headline is shown where no segments are matched. */
const MOST_SCORES = 10;

/** Whether there is more than one row to show.
 * @param {Model} model
 * @returns {"class" | "size" | null} */
export function heatLevel(model) {
  const { data: { budget }, unit } = model;
  if (budget.problem !== null || hasOwnErrors(model) || model.data.overview.headline.key !== "pq") return null;
  if (budget.by_class !== null && budget.by_class.length > 1) return "class";
  return budget.by_size.length > 1 && unit === "pixels" ? "size" : null;
}

/** @param {Model} model
 * @param {Store} store
 * @param {number} [most] rows
 * @returns {HTMLElement[]} */
export function classErrors(model, store, most = SHOWN) {
  const { budget } = model.data;
  const level = heatLevel(model);
  if (budget.problem !== null || level === null) return [];
  const parts = level === "class" ? /** @type {Part[]} */ (budget.by_class) : budget.by_size;
  const rows = level === "class" ? [...parts].sort((a, b) => (a.pq ?? 2) - (b.pq ?? 2)) : parts;
  const sizes = new Map((sizesOf(model) ?? []).map((size) => [size.name, size]));
  const counts = segmentsByClass(model);
  const segments = (/** @type {string} */ name, /** @type {number} */ code) =>
    level === "class" ? (counts[code] ?? 0) : (sizes.get(name)?.segments ?? 0);
  const highest = Math.max(1e-9, ...rows.flatMap((part) => part.individually.map((gain) => gain ?? 0)));
  const table = el("table", { class: "heat", id: "class-errors" });
  const head = [level, "n", "PQ", ...budget.order];
  refill(
    table,
    tableHead(head),
    el(
      "tbody",
      {},
      rows.slice(0, most).map((part) => {
        const code = level === "class" ? (model.classNames ?? []).indexOf(part.name) : -1;
        return el(
          "tr",
          { "data-part": part.name },
          el(
            "th",
            { scope: "row" },
            el("bdi", { class: "name" }, part.name),
            level === "size" ? el("span", { class: "note" }, ` ${sizes.get(part.name)?.limit}`) : null,
          ),
          el("td", { class: "note" }, segments(part.name, code).toLocaleString("en")),
          el("td", {}, bar(part.pq), segments(part.name, code) || part.pq ? score(part.pq) : "–"),
          budget.order.map((kind, at) =>
            cell(model, store, { level, part, kind, gain: part.individually[at], highest }),
          ),
        );
      }),
    ),
  );
  const rest = rows.length - most;
  const more = rest > 0 ? pageDoor(store, "errors", `${rest} more`) : null;
  const words = `Gain in PQ of the ${level} if all errors of a kind are fixed individually; worst first. `;
  return [el("div", { class: "scroll" }, table), el("p", { class: "note" }, words, more)];
}

/** @param {Model} model
 * @param {Store} store
 * @param {{ level: string, part: Part, kind: string, gain: number | null, highest: number }} facts */
function cell(model, store, { level, part, kind, gain, highest }) {
  const rule = model.rule(model.settings.rule);
  const found = level === "class" ? segmentsWith(model, rule, { kinds: [kind], classes: [part.name] }) : null;
  const errors = found === null ? null : found.true.length + found.pred.length;
  const isNothing = gain === null || (Math.abs(gain) < 0.0005 && !errors);
  const text = isNothing ? "" : shortGain(gain);
  const filter = level === "class" ? { classes: [part.name], kinds: [kind] } : { sizes: [part.name], kinds: [kind] };
  const title = errors === null ? `${kind}, ${part.name}` : `${errors} ${kind}, ${part.name}`;
  const content = text && errors !== 0 ? door(store, filter, title, text) : text;
  const box = el("td", { class: "heat-cell", "data-kind": kind, "data-errors": errors }, content);
  box.style.setProperty("--heat", String(Math.max(0, (gain ?? 0) / highest)));
  return box;
}

/** @param {number | null} pq */
function bar(pq) {
  const box = el("span", { class: "meter", "aria-hidden": "true" }, el("span", {}));
  box.style.setProperty("--share", String(pq ?? 0));
  return box;
}

/** The headline of every class, the worst first, where no segments are matched; a class is a door to its items.
 * @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement[]} */
export function classScores(model, store) {
  const { classes } = model.data.overview;
  if (classes.length < 2) return [];
  const rows = classes.slice(0, MOST_SCORES).map(([name, value]) => {
    const bar = el("span", { class: "meter long", "aria-hidden": "true" }, el("span", {}));
    bar.style.setProperty("--share", String(value ?? 0));
    const leads = door(store, { classes: [name] }, `items with ${name}`, el("bdi", { class: "name" }, name));
    return el(
      "tr",
      { "data-class": name },
      el("th", { scope: "row" }, leads),
      el("td", {}, bar),
      el("td", {}, score(value)),
    );
  });
  const rest = classes.length - rows.length;
  const more = rest > 0 ? [el("p", { class: "note" }, `and ${rest} more classes below`)] : [];
  return [el("table", { class: "heat", id: "class-scores" }, el("tbody", {}, rows)), ...more];
}
