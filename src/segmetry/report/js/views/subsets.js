// @ts-check
// The headline over the items of every label of a column, such as day and night: what Python says of each as a data set
// of its own. A label is a door to its items.

import { el, tableHead } from "../drawing/dom.js";
import { inItsUnit } from "../scoring/headline.js";
import { enter } from "./overview/doors.js";

/** @typedef {import("../data/model.js").Model} Model */

/** @param {Model} model */
export function hasSubsets(model) {
  return Object.keys(model.data.subsets).length > 0;
}

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountSubsets(element, model, store) {
  const { headline } = model.data.overview;
  const whole = headline.value ?? NaN;
  for (const [column, rows] of Object.entries(model.data.subsets)) {
    const values = rows.map(([, , value]) => value ?? NaN).filter((value) => !Number.isNaN(value));
    const [low, high] = [Math.min(0, ...values), Math.max(1e-9, ...values, whole)];
    const worst = headline.better === "lower" ? Math.max(...values) : Math.min(...values);
    const body = rows.map(([label, count, value]) => {
      const bar = el("span", { class: "meter long", "aria-hidden": "true" }, el("span", {}));
      bar.style.setProperty("--share", String(value === null ? 0 : (value - low) / (high - low)));
      const lead = () => enter(store, { groups: { [column]: [label] } });
      return el("tr", { "data-label": label, class: value === worst && rows.length > 1 ? "worst" : null },
        el("th", { scope: "row" },
          el("button", { type: "button", class: "door", onclick: lead }, el("bdi", {}, label))),
        el("td", {}, count.toLocaleString("en")), el("td", {}, inItsUnit(model, value)), el("td", {}, bar));
    });
    const all = el("tr", {}, el("th", { scope: "row" }, "all"), el("td", {}, model.nItems.toLocaleString("en")),
      el("td", {}, inItsUnit(model, headline.value)), el("td", {}));
    element.append(el("div", { class: "scroll" }, el("table", { class: "subsets", "data-column": column },
      tableHead([column, model.words.item === "series" ? "series" : `${model.words.item}s`, headline.name, ""]),
      el("tbody", {}, body, all))));
  }
}
