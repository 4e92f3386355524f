// @ts-check
// Explain a metric from its declaration: summary, formula, notes, papers.

import { el } from "./dom.js";
import { formulaOf } from "./formula.js";

/** An address at the end of a reference. */
const ADDRESS = /^(.*?)(https?:[/][/](?:doi[.]org|arxiv[.]org)[/]\S+)$/;

/** The whole declaration.
 * @param {import("../data/page_data.js").MetricData} metric
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
