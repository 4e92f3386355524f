// @ts-check
// The headline of every class, the worst first, where no segments are matched; a class is a door to its items.

import { el } from "../../drawing/dom.js";
import { show } from "../../scoring/exact.js";
import { door } from "./doors.js";

const SHOWN = 10;

/** @param {import("../../data/model.js").Model} model
 * @param {import("../../store.js").Store} store
 * @returns {HTMLElement[]} */
export function classScores(model, store) {
  const { classes } = model.data.overview;
  if (classes.length < 2) return [];
  const rows = classes.slice(0, SHOWN).map(([name, value]) => {
    const bar = el("span", { class: "meter long", "aria-hidden": "true" }, el("span", {}));
    bar.style.setProperty("--share", String(value ?? 0));
    const leads = door(store, { classes: [name] }, `items with ${name}`, el("bdi", { class: "name" }, name));
    return el(
      "tr",
      { "data-class": name },
      el("th", { scope: "row" }, leads),
      el("td", {}, bar),
      el("td", {}, show(value)),
    );
  });
  const rest = classes.length - rows.length;
  const more = rest > 0 ? [el("p", { class: "note" }, `and ${rest} more classes below`)] : [];
  return [el("table", { class: "heat", id: "class-scores" }, el("tbody", {}, rows)), ...more];
}
