// @ts-check
// Explain a metric from its declaration: summary, formula (MathML, or LaTeX where there is none), notes, papers.

import { append, el } from "./dom.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const TAGS = new Set(
  ("math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd " +
    "mstyle mpadded menclose").split(" "),
);

/** @typedef {[string, Record<string, string>, ...(string | Tree)[]]} Tree tag, attributes, children */
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

/** @param {import("../data/page_data.js").FormulaData} formula
 * @returns {Element} */
function formulaOf(formula) {
  return typeof formula === "string" ? el("code", {}, formula) : mathElement(/** @type {Tree} */ (formula));
}

/** @param {Tree} tree
 * @returns {Element} */
function mathElement([tag, attributes, ...children]) {
  const element = document.createElementNS(MATHML, TAGS.has(tag) ? tag : "mrow");
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  append(
    element,
    children.map((child) => (typeof child === "string" ? child : mathElement(child))),
  );
  return element;
}
