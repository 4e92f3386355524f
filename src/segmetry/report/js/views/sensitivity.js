// @ts-check
// Scores after all predicted segments grow, shrink or move by one pixel, as Python computed them: of all segments, and
// the change by size.

import { choice, el, refill, svg, tableHead } from "../drawing/dom.js";
import { AVERAGES, averagesOf } from "../scoring/averages.js";
import { score } from "../scoring/exact.js";

/** @typedef {import("../scoring/averages.js").Average} Average */
/** @typedef {import("../data/page_data.js").SensitivityData} SensitivityData */

const BASE = "base";
const WIDTH = 140;
const SYMBOLS = /** @type {Record<string, string>} */ ({ pq: "PQ", sq: "SQ", rq: "RQ", precision: "P", recall: "R" });
const WORDS =
  "Every predicted segment grows, shrinks or moves by one pixel and is scored again. Where scores change by more " +
  "than two systems differ, a common shift of outlines could explain the difference; a paired comparison can still " +
  "find it real. Columns of sizes show the change for segments of that size, in the row “as predicted” the score " +
  "itself. The controls at the top do not change it.";

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model */
export function mountSensitivity(element, model) {
  const sensitivity = model.data.sensitivity;
  if (sensitivity === null) return;
  const key = choice("score", sensitivity.keys);
  const average = choice("average", averagesOf(model), AVERAGES);
  const table = el("table", { id: "sensitivity-table" });
  const draw = () => refill(table, ...tableOf(sensitivity, key.value(), /** @type {Average} */ (average.value())));
  for (const control of [key, average]) control.select.addEventListener("change", draw);
  draw();
  element.append(
    el("p", { class: "note" }, WORDS),
    el("p", {}, key.label, " ", average.label),
    el("div", { class: "scroll" }, table),
  );
}

/** One row per move and rule below the scores as they are.
 * @param {SensitivityData} sensitivity
 * @param {string} key
 * @param {Average} average */
function tableOf(sensitivity, key, average) {
  const value = Object.keys(AVERAGES).indexOf(average);
  const change = value + Object.keys(AVERAGES).length;
  const of = sensitivity.values[key];
  const moves = Object.entries(sensitivity.moves);
  const changes = moves.flatMap(([move]) =>
    sensitivity.rules.map(([rule]) => Math.abs(of[rule][move][0][change] ?? 0)),
  );
  const reach = Math.max(...changes);
  const rows = [[BASE, "as predicted"], ...moves].flatMap(([move, words]) =>
    sensitivity.rules.map(([rule, label], at) => {
      const [all, ...sizes] = of[rule][move];
      const isBase = move === BASE;
      const name = words;
      return el(
        "tr",
        { "data-row": `${move} ${rule}`, class: at === 0 ? "first" : null },
        el("th", { scope: "row", title: isBase ? null : move }, at === 0 ? name : ""),
        el("td", {}, label),
        el("td", { "data-cell": "value" }, score(all[value])),
        el("td", {}, isBase ? null : changeBar(all[change], reach, `${name}, ${label}`)),
        el("td", { "data-cell": "change" }, isBase ? "" : score(all[change], true)),
        sizes.map((cells, size) => {
          const text = isBase ? score(cells[value]) : score(cells[change], true);
          return el("td", { "data-cell": sensitivity.sizes[size] }, text);
        }),
      );
    }),
  );
  return [tableHead(["move", "rule", SYMBOLS[key], "", "change", ...sensitivity.sizes]), el("tbody", {}, rows)];
}

/** A bar to the left of the middle for what is lost, to the right for what is gained.
 * @param {number | null} change
 * @param {number} reach the largest change of all
 * @param {string} name */
function changeBar(change, reach, name) {
  const label = `${name}: ${score(change, true)}`;
  const box = { viewBox: `0 0 ${WIDTH} 16`, width: WIDTH, height: 16, role: "img", "aria-label": label };
  const root = svg("svg", { class: "gain", ...box }, svg("title", {}, label));
  root.append(svg("line", { class: "divide", x1: WIDTH / 2, x2: WIDTH / 2, y1: 0, y2: 16 }));
  if (change) {
    const width = Math.max(1, ((Math.abs(change) / reach) * WIDTH) / 2);
    const x = WIDTH / 2 - (change < 0 ? width : 0);
    root.append(svg("rect", { class: change < 0 ? "loss" : null, x, y: 3, width, height: 10 }));
  }
  return root;
}
