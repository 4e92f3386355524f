// @ts-check
// Where it fails: the gain in PQ if each kind of error is fixed, as a connected waterfall; every count is a door.

import { COUNTED_ON, KIND_NAMES } from "../../data/segment_kinds.js";
import { counted } from "../../data/words.js";
import { el, refill, svg } from "../../drawing/dom.js";
import { ticksBetween } from "../../drawing/chart.js";
import { KIND_COLOURS } from "../../drawing/kind_colours.js";
import { score, scoreTick } from "../../scoring/exact.js";
import { errorsOf, hasOwnErrors } from "../../data/errors.js";
import { costsByKind } from "./costs_by_kind.js";
import { door, drawnDoor } from "./doors.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../data/page_data.js").BudgetData} BudgetData */
/** @typedef {import("../../data/segment_kinds.js").Kind} Kind */
/** @typedef {"individually" | "cumulative"} Mode */
/** @typedef {{ name: string, kind: string | null, from: number, to: number, gain: number | null, count: number | null,
 *   title: string, filter: import("../../store.js").Filter | null }} Step */

const [LABEL, BARS, GAIN, COUNT] = [92, 250, 70, 66];
const WIDTH = LABEL + BARS + GAIN + COUNT;
const ROW = 28;
const MODES = /** @type {Mode[]} */ (["cumulative", "individually"]);
const WORDS = {
  cumulative: "Cumulative: after all kinds above are fixed.",
  individually: "Individually: if only this kind is fixed; these gains do not add up.",
};

/** @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement[]} */
export function whereItFails(model, store) {
  const { errors } = model.data.overview;
  if (errors !== null) return otherErrors(model, store, errors);
  if (hasOwnErrors(model) || (model.data.overview.headline.key !== "pq" && errorsOf(model).length)) {
    return costsByKind(model, store);
  }
  const { budget } = model.data;
  if (budget.problem !== null) return [el("p", { class: "note wrap", id: "no-budget" }, budget.problem)];
  const place = el("div", {});
  const note = el("p", { class: "note" });
  /** @param {Mode} mode */
  const draw = (mode) => {
    refill(place, waterfall(stepsOf(budget, model.data.overview.headline.average, mode), store));
    for (const [other, button] of buttons) button.setAttribute("aria-pressed", String(other === mode));
    refill(note, WORDS[mode], " Click a count to see those segments.");
  };
  /** @type {[Mode, HTMLElement][]} */
  const buttons = MODES.map((mode) => [
    mode,
    el("button", { type: "button", class: "switch", "data-mode": mode, onclick: () => draw(mode) }, mode),
  ]);
  draw("cumulative");
  const switches = el("p", { class: "switches" }, "gain in PQ if fixed ", buttons.map(([, button]) => button));
  return [switches, place, note];
}

/** The steps from PQ as predicted to 1.
 * @param {BudgetData} budget
 * @param {import("../../scoring/averages.js").Average} average
 * @param {Mode} mode
 * @returns {Step[]} */
export function stepsOf(budget, average, mode) {
  const over = budget.base.pq[average] === undefined ? "pooled" : average;
  const [base, name] = [budget.base.pq[over] ?? 0, "as predicted"];
  /** @type {Step[]} */
  const steps = [
    { name, kind: null, from: 0, to: base, gain: null, count: null, filter: null, title: name },
  ];
  let before = base;
  for (const kind of /** @type {Kind[]} */ (budget.order)) {
    const errors = budget.kinds[kind];
    if (kind === "class" && budget.confusion === null) continue;
    const after = errors[mode].pq[over] ?? before;
    const from = mode === "individually" ? base : before;
    const gain = (mode === "individually" ? errors.gain_individually : errors.gain_cumulative)[over] ?? null;
    const sides = COUNTED_ON[kind] === "pred" ? "predicted" : "true";
    const called = KIND_NAMES[kind][errors.errors === 1 ? 0 : 1];
    const title = `${errors.errors} ${called}: ${errors.words}; ${sides} segments`;
    steps.push({ name: kind, kind, from, to: after, gain, count: errors.errors, title, filter: { kinds: [kind] } });
    before = after;
  }
  return steps;
}

/** @param {Step[]} steps
 * @param {Store} store */
export function waterfall(steps, store) {
  const ends = steps.flatMap((step) => [step.from, step.to]);
  const most = Math.max(...ends, 1e-9);
  const x = (/** @type {number} */ value) => LABEL + (Math.max(0, value) / most) * BARS;
  const height = ROW * steps.length + 22;
  const root = svg("svg", {
    class: "waterfall",
    viewBox: `0 0 ${WIDTH} ${height}`,
    role: "group",
    "aria-label": "gain in PQ if each kind of error is fixed",
  });
  for (const tick of ticksBetween(0, most)) {
    root.append(
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 0, y2: height - 18 }),
      svg("text", { class: "tick", x: x(tick), y: height - 4, "text-anchor": "middle" }, scoreTick(tick)),
    );
  }
  steps.forEach((step, at) => {
    const y = at * ROW;
    const left = x(Math.min(step.from, step.to));
    const width = step.from === step.to ? 0 : Math.max(1.5, Math.abs(x(step.to) - x(step.from)));
    const kind = step.kind ?? "base";
    const isLoss = step.gain !== null && step.gain < 0;
    const end = Math.max(x(step.from), x(step.to));
    const row = svg(
      "g",
      { "data-kind": kind },
      svg("text", { x: LABEL - 10, y: y + 18, "text-anchor": "end" }, step.name),
      svg("rect", {
        class: `bar ${step.kind === null ? "base" : isLoss ? "loss" : "gained"}`,
        fill: step.kind === null ? null : KIND_COLOURS[/** @type {Kind} */ (step.kind)],
        x: left,
        y: y + 5,
        width,
        height: ROW - 10,
        rx: 3,
      }),
      svg(
        "text",
        { class: "gain-value", x: end + 6, y: y + 18 },
        step.gain === null ? score(step.to) : score(step.gain, true),
      ),
    );
    const next = steps[at + 1];
    if (next) {
      const joint = x(next.from);
      row.append(svg("line", { class: "joint", x1: joint, x2: joint, y1: y + ROW - 5, y2: y + ROW + 5 }));
    }
    root.append(row);
    if (step.filter && step.count) {
      const words = `${step.count.toLocaleString("en")} →`;
      const count = svg("text", { x: WIDTH - 4, y: y + 18, "text-anchor": "end" }, words);
      const pad = svg("rect", { class: "pad", x: WIDTH - COUNT, y, width: COUNT, height: ROW });
      root.append(drawnDoor(store, step.filter, step.title, pad, count));
    } else if (step.count !== null) {
      root.append(svg("text", { class: "none", x: WIDTH - 4, y: y + 18, "text-anchor": "end" }, step.count));
    }
  });
  return root;
}

/** Confusions of classes, or kinds of detection errors, as bars from the same value.
 * @param {Model} model
 * @param {Store} store
 * @param {import("../../data/page_data.js").OtherErrors} errors
 * @returns {HTMLElement[]} */
function otherErrors(model, store, errors) {
  const base = errors.base ?? NaN;
  const ofElements = `Counts are ${model.unit}; click one to see the items.`;
  const most = Math.max(1e-9, ...errors.rows.map((row) => row.gain));
  const rows = errors.rows.filter((row) => row.count > 0);
  if (rows.length === 0) return [el("p", { class: "note" }, "No errors.")];
  return [
    el("p", { class: "note" }, `${errors.title}; ${errors.name} as predicted ${score(base)}`),
    el(
      "table",
      { id: "other-errors" },
      el(
        "tbody",
        {},
        rows.map((row) => {
          const items = row.classes ? itemsConfused(model, row.classes) : [];
          const count = row.count.toLocaleString("en");
          const bar = svg("svg", { class: "gain-bar", viewBox: "0 0 120 12", "aria-hidden": "true" });
          bar.append(svg("rect", { width: Math.max(1, (row.gain / most) * 120), height: 12, rx: 3 }));
          return el(
            "tr",
            { "data-error": row.name },
            el("th", { scope: "row", title: row.words }, el("bdi", { class: "name" }, row.name)),
            el("td", { class: "wide" }, bar),
            el("td", {}, score(row.gain, true)),
            el("td", {}, items.length ? door(store, { items }, counted(items.length, "item"), count) : count),
          );
        }),
      ),
    ),
    el("p", { class: "note" }, errors.unit === "elements" ? ofElements : "Counts are errors."),
  ];
}

/** The items in which elements of a true class are predicted as another; without one of the two, none.
 * @param {Model} model
 * @param {[number | null, number | null]} classes
 * @returns {number[]} */
export function itemsConfused(model, [first, second]) {
  if (first === null || second === null) return [];
  const items = new Set();
  for (let row = 0; row < model.rowTrue.length; row++) {
    const [t, p] = [model.rowTrue[row], model.rowPred[row]];
    if (Number(model.true.classes?.[t]) === first && Number(model.pred.classes?.[p]) === second)
      items.add(model.rowItem[row]);
  }
  return [...items];
}
