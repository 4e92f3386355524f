// @ts-check
// Several runs under the rules that published numbers use: PQ and rank of each, as Python computed them, and whether
// any two change places.

import { choice, el, refill, tableCells, tableHead } from "../drawing/dom.js";
import { AVERAGES, averagesOf } from "../scoring/averages.js";
import { score, show } from "../scoring/exact.js";

/** @typedef {import("../data/page_data.js").RankingRow} RankingRow */

const SAME = "The ranking is the same under all of these rules.";

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model */
export function mountRanking(element, model) {
  if (model.comparison === null) return;
  const { ranking, systems } = model.comparison;
  if (ranking.problem !== null) {
    element.append(el("p", { class: "note wrap" }, ranking.problem));
    return;
  }
  const average = choice("average", averagesOf(model), AVERAGES);
  const verdict = el("p", { id: "ranking-verdict", class: "wrap" });
  const table = el("table", { id: "ranking-table" });
  const draw = () => {
    const { changes, rows } = ranking.by[average.value()];
    refill(verdict, changes ? changed(rows) : SAME);
    refill(table, head(systems), el("tbody", {}, rows.map((row) => tableRow(row, systems))));
  };
  average.select.addEventListener("change", draw);
  draw();
  const scroll = el("div", { class: "scroll" }, table);
  element.append(el("p", {}, average.label), verdict, scroll, el("p", { class: "note" }, ranking.words));
}

/** A heat map: metrics by systems, darker where a system ranks better.
 * @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model */
export function mountAcross(element, model) {
  const { across, systems } = model.comparison ?? {};
  if (!across || !systems) return;
  const names = systems.map((name) => el("bdi", { class: "name" }, name));
  const rows = across.rows.map((row) => {
    const cells = row.ranks.map((rank, at) => {
      const title = `${systems[at]}: ${row.values[at]}, rank ${rank} (${row.intervals[at]})`;
      const text = row.intervals[at] === `${rank}` ? `${rank}` : `${rank} (${row.intervals[at]})`;
      const cell = el("td", { class: "heat-cell", "data-run": systems[at], "data-rank": rank, title }, text);
      cell.style.setProperty("--heat", String(1 - (rank - 1) / Math.max(1, systems.length - 1)));
      return cell;
    });
    const agreement = tableCells([show(row.tau), row.stable]);
    return el("tr", {}, el("th", { scope: "row" }, row.metric), cells, agreement);
  });
  const head = tableHead(["metric", ...names, "τ", "stable"]);
  const table = el("table", { id: "across-table" }, head, el("tbody", {}, rows));
  element.append(el("div", { class: "scroll" }, table), el("p", { class: "note" }, across.words));
}

/** @param {string[]} systems */
function head(systems) {
  const head = tableHead([...systems.flatMap(() => ["PQ", "rank"])]);
  const names = systems.map((name) =>
    el("th", { scope: "colgroup", colspan: 2, class: "over-columns" }, el("bdi", { class: "name" }, name)),
  );
  const tall = (/** @type {string} */ word) => el("th", { scope: "col", rowspan: 2 }, word);
  head.prepend(el("tr", {}, tall("rule"), names, tall("τ"), tall("stable")));
  return head;
}

/** @param {RankingRow} row
 * @param {string[]} systems */
function tableRow(row, systems) {
  const cells = systems.flatMap((name, at) => [
    el("td", { "data-run": name, "data-cell": "value" }, score(row.values[at])),
    el("td", { "data-run": name, "data-cell": "rank" }, row.ranks[at] ?? "–"),
  ]);
  return el(
    "tr",
    { "data-rule": row.rule },
    el("th", { scope: "row" }, row.label),
    cells,
    el("td", { "data-cell": "tau" }, show(row.tau)),
    el("td", { "data-cell": "stable" }, show(row.stable)),
  );
}

/** The pairs of runs that change places, by rule.
 * @param {RankingRow[]} rows */
function changed(rows) {
  const changes = rows
    .filter((row) => row.changed.length)
    .map((row) => `${row.changed.map((pair) => pair.join(" and ")).join(", ")} under ${row.label}`);
  return `The ranking changes: compared with IoU > 0.5 (θ⁺), ${changes.join("; ")} change places.`;
}
