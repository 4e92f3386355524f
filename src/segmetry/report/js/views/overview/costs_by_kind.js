// @ts-check
// Where it fails, in points of the headline, of runs whose headline does not count aligned segments: the single errors
// of each kind, and of class maps of each pair of classes, together. A number leads to its errors.

import { errorsOf, onlyText, points } from "../../data/errors.js";
import { el, refill } from "../../drawing/dom.js";
import { swatchOf } from "../../drawing/error_colours.js";

/** @typedef {import("../../data/model.js").Model} Model */

const MOST = 8;
const WIDTH = 120;

/** Whether the errors of a run are others than those of aligned segments.
 * @param {Model} model
 * @returns {boolean} */
export function hasOwnErrors({ data: { errors } }) {
  return errors.problem === null && !errors.kinds.includes("split");
}

/** @param {Model} model
 * @param {import("../../store.js").Store} store
 * @returns {HTMLElement[]} */
export function costsByKind(model, store) {
  const { errors: facts } = model.data;
  const place = el("div", {});
  const headline = facts.problem === null ? facts.headline : "";
  errorsOf(model).then((errors) => {
    /** @type {Map<string, { name: string, kind: string, of: string, count: number, cost: number }>} */
    const rows = new Map();
    for (const { kind, of, what, cost } of errors) {
      const name = kind === "confused" ? what : of && kind !== "lost" ? `${of} ${kind}` : kind;
      const row = rows.get(name) ?? { name, kind, of, count: 0, cost: 0 };
      rows.set(name, { ...row, count: row.count + 1, cost: row.cost + cost });
    }
    const listed = [...rows.values()].sort((a, b) => b.cost - a.cost).slice(0, MOST);
    const most = Math.max(1e-9, ...listed.map(({ cost }) => cost));
    const bodies = listed.map(({ name, kind, of, count, cost }) => {
      const bar = el("span", { class: "cost-bar" });
      bar.style.width = `${Math.max(1, (WIDTH * Math.max(0, cost)) / most)}px`;
      const only = onlyText({ kind, of: of || undefined });
      const lead = () => store.set({ view: "errors", only });
      return el(
        "tr",
        { "data-cost": name },
        el("th", { scope: "row" }, swatchOf(kind), el("bdi", {}, name)),
        el("td", {}, bar),
        el("td", {}, points(cost)),
        el("td", {}, el("button", { type: "button", class: "link", onclick: lead }, `${count.toLocaleString("en")} →`)),
      );
    });
    refill(place, listed.length ? el("table", { id: "cost-table" }, el("tbody", {}, bodies)) : "No errors.");
  });
  const words = `Points of ${headline}: the costs of the single errors of each kind together.`;
  return [place, el("p", { class: "note" }, words)];
}
