// @ts-check
// Alignment rules as conjunctions of clauses, each a disjunction of inequalities a·s > b·m + c·p (or ≥) over integers:
// the same form as in segmetry.alignments.rules.local, so every decision is exact. Python states those of the run; a
// rule whose threshold is entered is made here, and known by the name that Python gives it, such as iou(above=3/4).

import { compare, fraction, parseFraction, written } from "./exact.js";

/** @typedef {import("./exact.js").Fraction} Fraction */
/** @typedef {import("./exact.js").Count} Count */
/** @typedef {{ shared: bigint, missed: bigint, spurious: bigint, strict: boolean }} Inequality */
/** @typedef {{ name: string, label: string, clauses: Inequality[][] | null, oneToOne: boolean, alpha: Fraction,
 *   attained: boolean }} Rule
 * `clauses` is null for a rule that depends on more than one pair: Python has computed which rows it chose; `alpha` is
 * the greatest lower bound of the IoU of its pairs, `attained` whether a pair may have that IoU. */
/** @typedef {{ kind: string, strict: boolean, gamma: string, alpha: string, beta: string }} Parameters */
/** @typedef {import("../data/model.js").Model} Model */

const ZERO = fraction(0);
const ONE = fraction(1);
const NAME = /^(iou|dice|tversky)\((?:alpha=([\d./]+),beta=([\d./]+),)?(above|at_least)=([\d./]+)\)$/;

/** The Tversky index above γ, or at least γ: s·(1−γ) > γ·(α·p + β·m). IoU is that of α = β = 1, Dice of 1/2.
 * @param {string} kind
 * @param {Fraction} alpha
 * @param {Fraction} beta
 * @param {Fraction} gamma
 * @param {boolean} strict
 * @returns {Rule} */
function withThreshold(kind, alpha, beta, gamma, strict) {
  const { top: g, bottom: h } = gamma;
  const [shared, missed] = [(h - g) * alpha.bottom * beta.bottom, g * beta.top * alpha.bottom];
  const spurious = g * alpha.top * beta.bottom;
  const [a, b, limit] = [alpha, beta, gamma].map(written);
  const option = `${strict ? "above" : "at_least"}=${limit}`;
  const name = kind === "tversky" ? `tversky(alpha=${a},beta=${b},${option})` : `${kind}(${option})`;
  const label = { iou: "IoU", dice: "Dice" }[kind] ?? `Tversky(${a}, ${b})`;
  // The IoU is least where all that is not shared is of the side that costs less: s·(1−γ) = γ·w·(1 − s).
  const cheaper = missed < spurious ? missed : spurious;
  const bound = shared + cheaper === 0n ? ZERO : fraction(cheaper, shared + cheaper);
  const clauses = [[{ shared, missed, spurious, strict }]];
  const attained = !strict && bound.top > 0n;
  const words = `${label} ${strict ? ">" : "≥"} ${limit}`;
  const rule = { name, label: words, clauses, oneToOne: false, alpha: bound, attained };
  // On disjoint segments a local rule is one-to-one exactly if it rejects (1, 1, 0) and (1, 0, 1).
  rule.oneToOne = !accepts(rule, 1, 1, 0) && !accepts(rule, 1, 0, 1);
  return rule;
}

/** A rule as Python declares it in the data of the page.
 * @param {import("../data/page_data.js").RuleData} data
 * @returns {Rule} */
export function ruleOf(data) {
  const clauses = data.clauses?.map((clause) =>
    clause.map(([shared, missed, spurious, strict]) => ({
      shared: BigInt(shared),
      missed: BigInt(missed),
      spurious: BigInt(spurious),
      strict,
    })),
  );
  const alpha = parseFraction(data.alpha) ?? ZERO;
  const { name, label, one_to_one: oneToOne, attained } = data;
  return { name, label, clauses: clauses ?? null, oneToOne, alpha, attained };
}

/** Whether a rule accepts a pair that shares s, misses m and adds p elements; exact, and never if they share nothing.
 * @param {Rule} rule
 * @param {Count} s
 * @param {Count} m
 * @param {Count} p
 * @returns {boolean} */
export function accepts(rule, s, m, p) {
  return decider(rule, typeof s === "bigint" ? Infinity : Math.max(s, Number(m), Number(p)))(s, m, p);
}

/** The decision of a rule as a function, in doubles where every product of counts up to `widest` is exact.
 * @param {Rule} rule
 * @param {number} widest
 * @returns {(s: Count, m: Count, p: Count) => boolean} */
export function decider(rule, widest) {
  const clauses = rule.clauses ?? [];
  const factors = clauses.flat().flatMap((inequality) => [inequality.shared, inequality.missed, inequality.spurious]);
  const largest = factors.reduce((most, factor) => (factor > most ? factor : most), 0n);
  if (Number(largest) * (2 * widest + 1) < 2 ** 53) return inDoubles(clauses);
  return (s, m, p) => {
    const [shared, missed, spurious] = [BigInt(s), BigInt(m), BigInt(p)];
    return (
      shared > 0n &&
      clauses.every((clause) =>
        clause.some((inequality) => {
          const gap = inequality.shared * shared - (inequality.missed * missed + inequality.spurious * spurious);
          return inequality.strict ? gap > 0n : gap >= 0n;
        }),
      )
    );
  };
}

/** The decision of some clauses on Numbers, in loops that a browser runs fast.
 * @param {Inequality[][]} clauses
 * @returns {(s: Count, m: Count, p: Count) => boolean} */
function inDoubles(clauses) {
  // Integers: a > b is a - b > 0, and a ≥ b is a - b > -1.
  const small = clauses.map((clause) =>
    clause.map(({ shared, missed, spurious, strict }) => [...[shared, missed, spurious].map(Number), strict ? 0 : -1]),
  );
  return (shared, missed, spurious) => {
    const [s, m, p] = [Number(shared), Number(missed), Number(spurious)];
    if (!(s > 0)) return false;
    for (const clause of small) {
      let holds = false;
      for (const [a, b, c, least] of clause) holds ||= a * s - (b * m + c * p) > least;
      if (!holds) return false;
    }
    return true;
  };
}

/** Whether a threshold is in [0, 1], or in (0, 1] where a pair may have this weight itself.
 * @param {Fraction | null} value
 * @param {boolean} strict
 * @returns {value is Fraction} */
export function isShare(value, strict) {
  return value !== null && compare(value, ZERO) >= (strict ? 0 : 1) && compare(value, ONE) <= 0;
}

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
  if (kind === "iou") return withThreshold(kind, ONE, ONE, gamma, strict);
  if (kind === "dice") return withThreshold(kind, fraction(1, 2), fraction(1, 2), gamma, strict);
  return alpha === null || beta === null ? null : withThreshold(kind, alpha, beta, gamma, strict);
}

/** A rule of a run, or one with a threshold, by its name; null where the run cannot be aligned by it.
 * @param {string} name
 * @param {Model} model
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
 * @param {Model} model
 * @returns {boolean} */
export function isKnown(rule, model) {
  return rule.oneToOne || !model.pairsOnly || model.rules.includes(rule);
}
