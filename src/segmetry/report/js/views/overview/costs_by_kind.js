// @ts-check
// Where it fails, in points of the headline, of runs whose headline does not count aligned segments: the single errors
// of each kind, and of class maps of each pair of classes, together. A number leads to its errors.

import { KIND_NAMES } from "../../data/segment_kinds.js";
import { costsOfErrors, errorsOf, onlyText, points } from "../../data/errors.js";
import { el, svg } from "../../drawing/dom.js";
import { frames } from "../../drawing/plane_curve.js";
import { worstFirst } from "../../scoring/headline.js";
import { errorColour, swatchOf } from "../../drawing/error_colours.js";

/** @typedef {import("../../data/model.js").Model} Model */

const MOST = 8;
const MOST_VIDEOS = 5;
const WIDTH = 120;

/** @param {Model} model
 * @param {import("../../store.js").Store} store
 * @returns {HTMLElement[]} */
export function costsByKind(model, store) {
  const { errors: facts } = model.data;
  const headline = facts.problem === null ? facts.headline : "";
  const listed = costsOfErrors(errorsOf(model)).slice(0, MOST);
  const most = Math.max(1e-9, ...listed.map(({ cost }) => cost));
  const bodies = listed.map(({ name, kind, of, count, cost }) => {
    const bar = el("span", { class: "cost-bar" });
    bar.style.background = errorColour(kind);
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
  const words = `Points of ${headline}: the costs of the single errors of each kind together.`;
  const table = el("table", { id: "cost-table" }, el("tbody", {}, bodies));
  const curves = followed(model, store);
  const said = "J of every object over the frames; stretches under 0.5 are shaded. A click opens the frame.";
  return [...(curves ? [curves, el("p", { class: "note" }, said)] : []), ...(listed.length ? [table] : []),
    el("p", { class: "note" }, listed.length ? words : "No errors.")];
}

/** J of the objects of the worst videos over their frames.
 * @param {Model} model
 * @param {import("../../store.js").Store} store
 * @returns {HTMLElement | null} null where objects do not keep their ids, or the page has no pictures */
function followed(model, store) {
  const shown = worstFirst(model, { ...store.get(), selected: null }).flatMap((at) => {
    const header = model.maps[at];
    return header?.kind === "labels" && header.objects.length ? [{ at, header }] : [];
  });
  if (!shown.length) return null;
  return el("div", { class: "j-plots" }, shown.slice(0, MOST_VIDEOS).map(({ at, header }) => {
    const count = header.planes.length;
    const x = (/** @type {number} */ place) => ((place + 0.5) / count) * 600;
    const label = `J of every object of ${model.items[at].name} over ${count} frames`;
    const plot = svg("svg", { class: "j-plot", viewBox: "0 0 600 64", preserveAspectRatio: "none", role: "img",
      "aria-label": label }, frames(header.objects, x));
    const open = (/** @type {MouseEvent} */ event) => {
      const { left, width } = plot.getBoundingClientRect();
      const place = Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * count)));
      store.set({ item: at, slice: event.detail ? header.planes[place] : null });
    };
    const button = el("button", { type: "button", class: "j-button", "data-video": model.items[at].name },
      el("bdi", { class: "name" }, model.items[at].name), plot);
    button.addEventListener("click", open);
    return button;
  }));
}

/** Kinds of errors with the costs of their single errors in points of the headline.
 * @param {Model} model
 * @returns {import("./sentence.js").Cost[]} */
export function ownCostsByKind(model) {
  /** @type {Map<string, import("./sentence.js").Cost>} */
  const costs = new Map();
  for (const { kind, cost } of errorsOf(model)) {
    const own = costs.get(kind) ?? { kind, words: KIND_NAMES[/** @type {"class"} */ (kind)][1], gain: 0, errors: 0,
      shown: kind !== "boundary" };
    costs.set(kind, { ...own, gain: own.gain + cost / 100, errors: own.errors + 1 });
  }
  return [...costs.values()].sort((a, b) => b.gain - a.gain);
}

/** @param {Model} model */
export function ownCosts(model) {
  return costsOfErrors(errorsOf(model)).map(({ name, kind, of, cost }) =>
    ({ name, cost: points(cost), only: onlyText({ kind, of: of || undefined }) }));
}
