// @ts-check
// Formulas: trees of MathML, or LaTeX source where there is no tree.

import { append, el } from "./dom.js";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const TAGS = new Set(
  ("math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd " +
    "mstyle mpadded menclose").split(" "),
);

/** @typedef {[string, Record<string, string>, ...(string | Tree)[]]} Tree tag, attributes, children */

/** @param {import("../data/page_data.js").FormulaData} formula
 * @returns {Element} */
export function formulaOf(formula) {
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
