// @ts-check
// The difference of two runs in every class, with its interval, the largest loss first.

import { differenceBar, differencePlace, reachOf, ticksBetween } from "../../drawing/chart.js";
import { choice, el, refill, svg, tableHead } from "../../drawing/dom.js";
import { pValue, score, scoreEnds, scoreTick } from "../../scoring/exact.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../data/page_data.js").ClassDifferenceData} ClassDifference */

const WIDTH = 260;
const SHOWN = 40;

/** @param {Model} model
 * @returns {boolean} */
export function hasClassDifferences(model) {
  return (model.comparison?.classes.length ?? 0) > 1;
}

/** @param {HTMLElement} element
 * @param {Model} model */
export function mountClassDifferences(element, model) {
  if (model.comparison === null) return;
  const { classes, headline } = model.comparison;
  const pairs = [...new Set(classes.map((row) => JSON.stringify([row.first, row.second])))];
  const words = Object.fromEntries(pairs.map((pair) => [pair, JSON.parse(pair).join(" → ")]));
  const chosen = choice("from → to", pairs, words);
  const table = el("table", { id: "class-differences" });
  const sign = headline.better === "lower" ? -1 : 1;
  const draw = () => {
    const [first, second] = JSON.parse(chosen.value());
    const rows = classes.filter((row) => row.first === first && row.second === second);
    rows.sort((a, b) => sign * ((a.difference ?? 0) - (b.difference ?? 0)));
    refill(table, tableOf(rows.slice(0, SHOWN), first, second, sign));
  };
  chosen.select.addEventListener("change", draw);
  draw();
  const all = classes.length / pairs.length;
  const part = all > SHOWN ? `, ${SHOWN} of ${all} classes` : "";
  const note =
    `${model.data.overview.headline.name} of each class over all items, with 95 % intervals; the largest loss ` +
    `first${part}. p is corrected by Holm over the pairs of runs, not over the classes.`;
  element.append(
    el("p", {}, pairs.length > 1 ? chosen.label : words[pairs[0]]),
    el("div", { class: "scroll" }, table),
    el("p", { class: "note" }, note),
  );
}

/** @param {ClassDifference[]} rows
 * @param {string} first
 * @param {string} second
 * @param {number} sign */
function tableOf(rows, first, second, sign) {
  const reach = reachOf(rows);
  const x = (/** @type {number} */ value) => differencePlace(value, reach, WIDTH);
  const ticks = ticksBetween(0, reach).slice(1, 3);
  const axis = svg("svg", { viewBox: `0 0 ${WIDTH} 14`, width: WIDTH, height: 14, "aria-hidden": "true" });
  for (const tick of [...ticks.map((at) => -at), 0, ...ticks]) {
    const text = `${tick > 0 ? "+" : ""}${scoreTick(tick)}`;
    axis.append(svg("text", { class: "tick", x: x(tick), y: 11, "text-anchor": "middle" }, text));
  }
  const names = [first, second].map((name) => el("bdi", { class: "name" }, name));
  const head = ["class", names[0], names[1], "difference", "95 %", axis, "p (Holm)"];
  return [
    tableHead(head),
    el(
      "tbody",
      {},
      rows.map((row) => {
        const isSure = row.low !== null && row.high !== null && (row.low > 0 || row.high < 0);
        const word = !isSure ? "" : sign * (row.difference ?? 0) > 0 ? " better" : " worse";
        return el(
          "tr",
          { "data-class": row.name },
          el("th", { scope: "row" }, el("bdi", { class: "name" }, row.name)),
          el("td", {}, score(row.first_value)),
          el("td", {}, score(row.second_value)),
          el("td", { "data-cell": "difference" }, score(row.difference, true)),
          el("td", {}, scoreEnds(row.low, row.high)),
          el("td", {}, differenceBar(row, reach, WIDTH, word)),
          el("td", {}, pValue(row.p_holm)),
        );
      }),
    ),
  ];
}
