// @ts-check
// The errors of two runs: fixed, new, remaining and changed, from the first run of the page to another.

import { errorsOf, FATES, onlyText, points } from "../data/errors.js";
import { counted } from "../data/words.js";
import { el } from "../drawing/dom.js";
import { errorColour, swatchOf } from "../drawing/error_colours.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

export const SHOWN_FATES = ["fixed", "new", "remaining", "changed"];
/** @type {Record<string, string>} */
export const FATE_SIGNS = { fixed: "✓", new: "+", remaining: "=", changed: "~" };

/** @param {Model} model
 * @param {string} other
 * @param {string} fate
 * @returns {string} */
export function fateWords({ runs }, other, fate) {
  const { name } = runs[0];
  return {
    fixed: ` · of ${name}, gone in ${other}`,
    new: ` · of ${other}, not in ${name}`,
    remaining: " · the same place, the same kind",
    changed: " · the same place, another kind",
  }[fate] ?? "";
}

/** Which errors are shown: of the run, or from the first run to another.
 * @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement | null} */
export function runSwitch({ name, runs, fates }, store) {
  if (fates.length === 0) return null;
  const { against } = store.get();
  const button = (/** @type {string} */ text, /** @type {string} */ value) =>
    el("button", { type: "button", "data-against": value, "aria-pressed": String(against === value),
      onclick: () => store.set({ against: value, only: "" }) }, el("bdi", {}, text));
  return el("div", { class: "segmented", role: "group", "aria-label": "errors of one run, or of two" },
    button(`of ${name}`, ""),
    fates.map(({ run }) => button(`${runs[0].name} → ${runs[run].name}`, runs[run].name)));
}

/** @param {Model} model
 * @param {string} other
 * @param {RunError[]} errors
 * @param {RunError[]} list
 * @returns {HTMLElement[]} */
export function changes({ runs, fates }, other, errors, list) {
  const count = (/** @type {string} */ wanted) => errors.filter(({ fate }) => fate === wanted).length;
  const parts = SHOWN_FATES.map((fate) => [el("b", {}, count(fate).toLocaleString("en")), ` ${fate}`]);
  const words = parts.flatMap((part, at) => [...(at ? [", "] : []), ...part]);
  const index = runs.findIndex(({ name }) => name === other);
  const problem = fates.find(({ run }) => run === index)?.problem;
  const rest = runs[0].data.errors.problem === null
    ? errorsOf(runs[0]).length - errors.filter(({ fate }) => fate !== "new").length : 0;
  const shown = list.length < errors.length ? `${list.length.toLocaleString("en")} of these are shown. ` : "";
  const notes = `${shown}${rest ? `${counted(rest, "loose boundary").replace("boundarys", "boundaries")} of ` +
    `${runs[0].name} are not compared. ` : ""}White: truth; blue: the run of the error; dashed amber: the other run.`;
  return [el("p", { class: "lead" }, `From ${runs[0].name} to ${other}: `, words, "."),
    el("p", { class: "note" }, problem ? `${notes} ${problem}.` : notes)];
}

/** A card for fixed, new and remaining errors, with their numbers by kind.
 * @param {Store} store
 * @param {RunError[]} errors
 * @returns {HTMLElement[]} */
export function fateCards(store, errors) {
  const kinds = [...new Set(errors.map(({ kind }) => kind))];
  const count = (/** @type {string} */ fate, /** @type {string} */ kind) =>
    errors.filter((error) => error.fate === fate && (!kind || error.kind === kind)).length;
  const most = Math.max(1, ...FATES.flatMap((fate) => kinds.map((kind) => count(fate, kind))));
  return SHOWN_FATES.filter((fate) => fate !== "changed" || count(fate, "")).map((fate) => {
    const total = errors.filter((error) => error.fate === fate).reduce((sum, { cost }) => sum + cost, 0);
    const rows = kinds.filter((kind) => count(fate, kind)).map((kind) => {
      const asked = onlyText({ fate, kind });
      const bar = el("span", { class: "cost-bar" });
      bar.style.background = errorColour(kind);
      bar.style.width = `${Math.max(1, (90 * count(fate, kind)) / most)}px`;
      const lead = () => store.set({ only: store.get().only === asked ? "" : asked });
      return el("tr", {}, el("th", { scope: "row" }, swatchOf(kind), kind), el("td", {}, bar),
        el("td", {}, el("button", { type: "button", class: "cell", "data-only": asked, onclick: lead },
          count(fate, kind).toLocaleString("en"))));
    });
    return el("div", { class: "card", "data-fate": fate }, el("h3", {}, `${FATE_SIGNS[fate]} ${fate}`),
      el("p", { class: "fate-count" }, count(fate, "").toLocaleString("en"),
        el("span", { class: "note" }, ` single costs together ${points(total)}`)),
      el("table", {}, el("tbody", {}, rows)));
  });
}
