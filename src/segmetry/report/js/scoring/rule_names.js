// @ts-check
// Rules with a threshold by the name that Python gives them, such as iou(above=3/4).

import { parseFraction } from "./exact.js";
import { dice, iou, isShare, tversky } from "./rules.js";

/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {{ kind: string, strict: boolean, gamma: string, alpha: string, beta: string }} Parameters */

const NAME = /^(iou|dice|tversky)\((?:alpha=([\d./]+),beta=([\d./]+),)?(above|at_least)=([\d./]+)\)$/;

/** The parts of a name; null where it is not of a rule with a threshold.
 * @param {string} name
 * @returns {Parameters | null} */
export function parametersOf(name) {
  const parts = NAME.exec(name);
  if (parts === null || (parts[1] === "tversky") !== (parts[2] !== undefined)) return null;
  const [, kind, alpha = "1", beta = "1", sign, gamma] = parts;
  return { kind, strict: sign === "above", gamma, alpha, beta };
}

/** The rule of some parameters; null where a threshold is not a number, or not one that a rule can have.
 * @param {Parameters} parameters
 * @returns {Rule | null} */
export function entered({ kind, strict, ...texts }) {
  const [gamma, alpha, beta] = [texts.gamma, texts.alpha, texts.beta].map((text) => parseFraction(text));
  if (!isShare(gamma, strict)) return null;
  if (kind === "iou") return iou(gamma, strict);
  if (kind === "dice") return dice(gamma, strict);
  return alpha === null || beta === null ? null : tversky(alpha, beta, gamma, strict);
}

/** A rule of a run, or one with a threshold, by its name; null where the run cannot be aligned by it.
 * @param {string} name
 * @param {import("../data/model.js").Model} model
 * @returns {Rule | null} */
export function ruleNamed(name, model) {
  const known = model.rules.find((rule) => rule.name === name);
  if (known) return known;
  const parameters = parametersOf(name);
  const rule = parameters && entered(parameters);
  return rule && isKnown(rule, model) ? rule : null;
}

/** Whether the page has the overlaps that a rule needs.
 * @param {Rule} rule
 * @param {import("../data/model.js").Model} model
 * @returns {boolean} */
export function isKnown(rule, model) {
  return rule.oneToOne || !model.pairsOnly || model.rules.includes(rule);
}
