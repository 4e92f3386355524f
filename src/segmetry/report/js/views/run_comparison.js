// @ts-check
// View 9: several runs on the same items: the value of each with its interval, and paired differences, as Python
// compares them; under another rule than Python's the values alone, computed here.

import { differenceBar, reachOf, ticksBetween } from "../drawing/chart.js";
import { choice, el, refill, svg, tableCells, tableHead } from "../drawing/dom.js";
import { AVERAGES, averagesOf } from "../scoring/averages.js";
import { pValue, score, scoreEnds, scoreTick } from "../scoring/exact.js";
import { inItsUnit } from "../scoring/headline.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../data/page_data.js").RunValue} Value */
/** @typedef {import("../data/page_data.js").DifferenceData} Difference */
/** @typedef {import("../scoring/averages.js").Average} Average */

const WIDTH = 640;
const NAME = 150;
const UNKNOWN = "Intervals and differences are available under θ⁺, θ& and the rule of the runs.";

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountRuns(element, model, store) {
  const { comparison } = model;
  if (comparison === null) return;
  const key = choice("metric", comparison.keys);
  const average = choice("average", averagesOf(model), AVERAGES);
  const picture = el("figure", { class: "plot" });
  const table = el("table", { id: "differences" });
  const note = el("p", { class: "note" });
  element.append(el("p", {}, key.label, " ", average.label), picture, el("div", { class: "scroll" }, table), note);
  const draw = () => {
    const { rule } = store.get();
    const stored = comparison.by_rule[rule.name] ?? null;
    const over = /** @type {Average} */ (average.value());
    const values = model.runs.map((run) => valueOf(run, rule, stored, key.value(), over));
    refill(picture, dots(model, values, `${key.value().toUpperCase()} ${AVERAGES[over]}`));
    const wanted = (/** @type {Difference} */ row) => row.key === key.value() && row.average === average.value();
    const rows = (stored?.differences ?? []).filter(wanted);
    refill(table, rows.length ? differences(rows) : null);
    refill(note, stored ? comparison.words : UNKNOWN);
  };
  for (const control of [key, average]) control.select.addEventListener("change", draw);
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule")) draw();
  });
}

/** @param {Model} run
 * @param {import("../scoring/rules.js").Rule} rule
 * @param {import("../data/page_data.js").RuleComparison | null} stored
 * @param {string} key
 * @param {Average} average
 * @returns {Value} */
function valueOf(run, rule, stored, key, average) {
  const known = stored?.values[run.name][key]?.[average];
  if (known) return known;
  const value = summarise(run, rule).whole[average]?.[key]?.value ?? NaN;
  return { value: Number.isNaN(value) ? null : value, low: null, high: null };
}

/** The headline of every run under a rule.
 * @param {Model} model
 * @param {import("../scoring/rules.js").Rule} rule
 * @returns {SVGElement} */
export function headlineDots(model, rule) {
  const { comparison } = model;
  const { key, average } = comparison?.headline ?? { key: "pq", average: "pooled" };
  const stored = comparison?.by_rule[rule.name] ?? null;
  const { name } = model.data.overview.headline;
  return dots(
    model,
    model.runs.map((run) => valueOf(run, rule, stored, key, /** @type {Average} */ (average))),
    name,
    (value) => inItsUnit(model, value),
  );
}

/** One line per run above a common axis: a dot, its interval, and the value.
 * @param {Model} model
 * @param {Value[]} values
 * @param {string} name
 * @param {(value: number | null) => string} text */
function dots(model, values, name, text = score) {
  const ends = values.flatMap(({ value, low, high }) => [value, low, high]).filter((end) => end !== null);
  const [least, most] = ends.length ? [Math.min(...ends), Math.max(...ends)] : [0, 1];
  const margin = (most - least) * 0.1 || 0.01;
  const [low, high] = [least - margin, most + margin];
  const x = (/** @type {number} */ value) => NAME + ((value - low) / (high - low)) * (WIDTH - 70 - NAME);
  const bottom = 30 * values.length + 6;
  const label = "Value of every run with its interval";
  const root = svg("svg", { class: "dots", viewBox: `0 0 ${WIDTH} ${bottom + 34}`, role: "img", "aria-label": label });
  for (const tick of ticksBetween(low, high)) {
    root.append(
      svg("line", { class: "grid", x1: x(tick), x2: x(tick), y1: 4, y2: bottom }),
      svg("text", { class: "tick", x: x(tick), y: bottom + 14, "text-anchor": "middle" }, scoreTick(tick)),
    );
  }
  const middle = (NAME + WIDTH - 70) / 2;
  root.append(svg("text", { class: "axis-label", x: middle, y: bottom + 31, "text-anchor": "middle" }, name));
  values.forEach(({ value, low, high }, at) => {
    const y = 20 + 30 * at;
    const { name: run } = model.runs[at];
    const isKnown = low !== null && high !== null;
    const interval = isKnown ? `, 95 % ${text(low)} to ${text(high)}` : "";
    root.append(
      svg(
        "g",
        { "data-run": run },
        svg("title", {}, `${run}: ${text(value)}${interval}`),
        svg("text", { x: 0, y: y + 4 }, cut(run)),
        svg("line", { class: "axis", x1: NAME, x2: WIDTH - 70, y1: y, y2: y }),
        isKnown ? svg("line", { class: "range", x1: x(low), x2: x(high), y1: y, y2: y }) : null,
        value === null ? null : svg("circle", { class: "dot", cx: x(value), cy: y, r: 5 }),
        svg("text", { class: "value", x: WIDTH - 60, y: y + 4 }, text(value)),
      ),
    );
  });
  return root;
}

/** @param {string} name */
function cut(name) {
  return name.length > 22 ? `${name.slice(0, 21)}…` : name;
}

/** One row per pair of runs: the difference with its interval about 0, the test, and the items won and lost.
 * @param {Difference[]} rows */
function differences(rows) {
  const reach = reachOf(rows);
  const names = ["from", "to", "difference", "95 %", "", "p", "p (Holm)", "items won", "tied", "lost", "detect"];
  return [
    tableHead(names),
    el(
      "tbody",
      {},
      rows.map((row) =>
        el(
          "tr",
          { "data-first": row.first, "data-second": row.second },
          tableCells([row.first, row.second].map((name) => el("bdi", { class: "name" }, name))),
          el("td", { "data-cell": "difference" }, score(row.difference, true)),
          el("td", { "data-cell": "interval" }, scoreEnds(row.low, row.high)),
          el("td", {}, differenceBar(row, reach, 150)),
          tableCells([pValue(row.p), pValue(row.p_holm), row.won, row.tied, row.lost]),
          el("td", { "data-cell": "detect" }, score(row.detectable)),
        ),
      ),
    ),
  ];
}
