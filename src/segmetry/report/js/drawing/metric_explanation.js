// @ts-check
// Explain a metric from its declaration: summary, formula, notes, papers.

import { el } from "./dom.js";
import { formulaOf } from "./formula.js";

/** @typedef {import("./formula.js").Tree | string} Formula MathML, or LaTeX where none was drawn */
/** @typedef {{ key: string, symbol: Formula, family: string, formula: Formula, summary: string, notes: string,
 *   bounds: (number | null)[], better: "higher" | "lower" | "neither", averages: string[],
 *   citation: { short: string, full: string }[], is_count: boolean, of_tally: boolean }} Declaration */

/** An address at the end of a reference. */
const ADDRESS = /^(.*?)(https?:[/][/](?:doi[.]org|arxiv[.]org)[/]\S+)$/;

/** The whole declaration.
 * @param {Declaration} metric
 * @returns {HTMLElement} */
export function explanation(metric) {
  const [low, high] = metric.bounds.map((bound, at) => (bound === null ? ["−∞", "∞"][at] : `${bound}`));
  const better = metric.better === "neither" ? "neither end is better" : `${metric.better} is better`;
  return el(
    "div",
    { class: "explanation" },
    el("p", {}, metric.summary),
    el("div", { class: "formula" }, formulaOf(metric.formula)),
    el("p", { class: "note" }, `From ${low} to ${high}; ${better}. Over items: ${metric.averages.join(", ")}.`),
    metric.notes ? el("p", { class: "note" }, metric.notes) : null,
    metric.citation.map((paper) => el("p", { class: "note cite" }, reference(paper.full))),
  );
}

/** A reference whose DOI is a link; nothing is requested unless it is clicked.
 * @param {string} text
 * @returns {(Node | string)[]} */
function reference(text) {
  const parts = ADDRESS.exec(text);
  if (parts === null) return [text];
  const link = { href: parts[2], rel: "noreferrer noopener", target: "_blank" };
  return [parts[1], el("a", link, parts[2])];
}
