// @ts-check
// Which classes, which errors: the gain in PQ of every class (or size) if each kind of error is fixed, as a heat table
// whose cells are doors.

import { el, refill } from "../../drawing/dom.js";
import { fixed, show } from "../../scoring/exact.js";
import { segmentsWith } from "../../data/segment_kinds.js";
import { door, pageDoor } from "./doors.js";
import { limitOf } from "./trust_list.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../data/page_data.js").BudgetPart} Part */

const SHOWN = 8;

/** Whether there is more than one row to show.
 * @param {Model} model
 * @returns {"class" | "size" | null} */
export function heatLevel({ data: { budget }, unit }) {
  if (budget.problem !== null) return null;
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
  const highest = Math.max(1e-9, ...rows.flatMap((part) => part.individually.map((gain) => gain ?? 0)));
  const table = el("table", { class: "heat", id: "class-errors" });
  const head = [level, "n", "PQ", ...budget.order];
  refill(
    table,
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        head.map((name) => el("th", { scope: "col" }, name)),
      ),
    ),
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
            level === "size" ? note(model, part.name) : null,
          ),
          el("td", { class: "note" }, segmentsOf(model, level, part.name, code).toLocaleString("en")),
          el("td", {}, bar(part.pq), show(part.pq)),
          budget.order.map((kind, at) =>
            cell(model, store, { level, part, kind, code, gain: part.individually[at], highest }),
          ),
        );
      }),
    ),
  );
  const rest = rows.length - most;
  const more = rest > 0 ? pageDoor(store, "errors", `${rest} more`) : null;
  return [
    el("div", { class: "scroll" }, table),
    el(
      "p",
      { class: "note" },
      "Gain in PQ of the ",
      level,
      " if all errors of a kind are fixed individually; worst first. ",
      more,
    ),
  ];
}

/** @param {Model} model
 * @param {string} name */
function note({ data: { budget } }, name) {
  if (budget.problem !== null || budget.size_edges.length !== 2) return null;
  const at = ["small", "medium", "large"].indexOf(name);
  return at < 0 ? null : el("span", { class: "note" }, ` ${limitOf(budget.size_edges, at)}`);
}

/** How many true segments a class or size has.
 * @param {Model} model
 * @param {string} level
 * @param {string} name
 * @param {number} code */
function segmentsOf(model, level, name, code) {
  const { budget } = model.data;
  let count = 0;
  if (level === "class") for (const each of model.true.classes ?? []) count += Number(each) === code ? 1 : 0;
  else if (budget.problem === null) {
    const place = ["small", "medium", "large"].indexOf(name);
    for (const size of model.true.size) {
      count += budget.size_edges.filter((edge) => Number(size) >= edge).length === place ? 1 : 0;
    }
  }
  return count;
}

/** @param {Model} model
 * @param {Store} store
 * @param {{ level: string, part: Part, kind: string, code: number, gain: number | null, highest: number }} facts */
function cell(model, store, { level, part, kind, code, gain, highest }) {
  const rule = model.rule(model.settings.rule);
  const found = level === "class" ? segmentsWith(model, rule, { kinds: [kind], classes: [code] }) : null;
  const errors = found === null ? null : found.true.length + found.pred.length;
  const isNothing = gain === null || (Math.abs(gain) < 0.0005 && !errors);
  const text = isNothing ? "" : gain >= 0 ? `+${fixed(gain, 3)}` : fixed(gain, 3);
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
