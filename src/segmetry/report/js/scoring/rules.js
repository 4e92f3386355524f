// @ts-check
// Alignment rules as conjunctions of clauses, each a disjunction of inequalities a·s > b·m + c·p (or ≥) over integers:
// the same form as in segmetry.alignments.rules.local, so every decision is exact.

import { compare, fraction, parseFraction, written } from "./exact.js";

/** @typedef {import("./exact.js").Fraction} Fraction */
/** @typedef {import("./exact.js").Count} Count */
/** @typedef {{ shared: bigint, missed: bigint, spurious: bigint, strict: boolean }} Inequality */
/** @typedef {{ name: string, label: string, clauses: Inequality[][] | null, oneToOne: boolean, alpha: Fraction,
 *   attained: boolean }} Rule
 * `clauses` is null for a rule that depends on more than one pair: Python has computed which rows it chose; `alpha` is
 * the greatest lower bound of the IoU of its pairs, `attained` whether a pair may have that IoU. */

const ZERO = fraction(0);
const ONE = fraction(1);

/** @param {Fraction} a
 * @param {Fraction} b
 * @returns {Fraction} */
function times(a, b) {
  return fraction(a.top * b.top, a.bottom * b.bottom);
}

/** @param {Fraction} a
 * @returns {Fraction} */
function oneLess(a) {
  return fraction(a.bottom - a.top, a.bottom);
}

/** An inequality with its denominators cleared, with > or ≥.
 * @param {Fraction} shared
 * @param {Fraction} missed
 * @param {Fraction} spurious
 * @param {boolean} strict
 * @returns {Inequality} */
function inequality(shared, missed, spurious, strict) {
  const scale = shared.bottom * missed.bottom * spurious.bottom;
  const parts = [shared, missed, spurious].map((part) => (part.top * scale) / part.bottom);
  return { shared: parts[0], missed: parts[1], spurious: parts[2], strict };
}

/** How a threshold is written: as an option, and as a sign.
 * @param {Fraction} gamma
 * @param {boolean} strict
 * @returns {[string, string]} */
function limit(gamma, strict) {
  return [`${strict ? "above" : "at_least"}=${written(gamma)}`, `${strict ? ">" : "≥"} ${written(gamma)}`];
}

/** IoU > γ, or ≥ γ: s > γ·(s+m+p).
 * @param {Fraction} gamma
 * @param {boolean} strict
 * @returns {Rule} */
export function iou(gamma, strict) {
  const [option, sign] = limit(gamma, strict);
  return local(`iou(${option})`, `IoU ${sign}`, [[inequality(oneLess(gamma), gamma, gamma, strict)]]);
}

/** Dice > γ, or ≥ γ: 2s > γ·(2s+m+p).
 * @param {Fraction} gamma
 * @param {boolean} strict
 * @returns {Rule} */
export function dice(gamma, strict) {
  const [option, sign] = limit(gamma, strict);
  const rest = times(fraction(2), oneLess(gamma));
  return local(`dice(${option})`, `Dice ${sign}`, [[inequality(rest, gamma, gamma, strict)]]);
}

/** The Tversky index above γ, or at least γ: s·(1-γ) > γ·(α·p + β·m).
 * @param {Fraction} alpha
 * @param {Fraction} beta
 * @param {Fraction} gamma
 * @param {boolean} strict
 * @returns {Rule} */
export function tversky(alpha, beta, gamma, strict) {
  const [option, sign] = limit(gamma, strict);
  const [a, b] = [alpha, beta].map(written);
  const clause = inequality(oneLess(gamma), times(gamma, beta), times(gamma, alpha), strict);
  return local(`tversky(alpha=${a},beta=${b},${option})`, `Tversky(${a}, ${b}) ${sign}`, [[clause]]);
}

/** @param {string} name
 * @param {string} label
 * @param {Inequality[][]} clauses
 * @returns {Rule} */
function local(name, label, clauses) {
  const rule = { name, label, clauses, oneToOne: false, alpha: ZERO, attained: false };
  // On disjoint segments a local rule is one-to-one exactly if it rejects (1, 1, 0) and (1, 0, 1).
  rule.oneToOne = !accepts(rule, 1, 1, 0) && !accepts(rule, 1, 0, 1);
  const lowest = lowestPoints(clauses);
  if (lowest.length) rule.alpha = iouOf(lowest[0]);
  // If a rule accepts any point between two corners of the least IoU, it accepts all of them.
  rule.attained = lowest.some((a) => lowest.some((b) => accepts(rule, ...between(a, b))));
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

/** @typedef {[bigint, bigint, bigint]} Point shared, missed and spurious elements, up to a factor */

/** The corners at which the IoU of the accepted pairs is least. Inequalities are homogeneous, so pairs may be scaled to
 * s + m + p = 1; the accepted ones form polygons there and the IoU, which is then s, is least at a corner.
 * @param {Inequality[][]} clauses
 * @returns {Point[]} */
function lowestPoints(clauses) {
  /** @type {Point[]} */
  let lowest = [];
  for (const choice of product(clauses)) {
    /** @type {bigint[][]} */
    const sides = choice.map((inequality) => [inequality.shared, -inequality.missed, -inequality.spurious]);
    sides.push([1n, 0n, 0n], [0n, 1n, 0n], [0n, 0n, 1n]);
    for (const corner of corners(sides)) {
      const order = lowest.length ? compare(iouOf(corner), iouOf(lowest[0])) : -1;
      if (order < 0) lowest = [corner];
      else if (order === 0) lowest.push(corner);
    }
  }
  return lowest;
}

/** @param {Point} point
 * @returns {Fraction} */
function iouOf([s, m, p]) {
  return fraction(s, s + m + p);
}

/** A point between two others (one of them, if they are the same).
 * @param {Point} first
 * @param {Point} second
 * @returns {Point} */
function between([s, m, p], [t, n, q]) {
  return [s + t, m + n, p + q];
}

/** Every corner of {a·s + b·m + c·p ≥ 0 for all sides} in the triangle s + m + p = 1.
 * @param {bigint[][]} sides
 * @returns {Point[]} */
function corners(sides) {
  /** @type {Point[]} */
  const points = [];
  for (let i = 0; i < sides.length; i++) {
    for (let j = i + 1; j < sides.length; j++) {
      const [[a, b, c], [d, e, f]] = [sides[i], sides[j]];
      /** @type {Point} */
      let point = [b * f - c * e, c * d - a * f, a * e - b * d];
      const total = point[0] + point[1] + point[2];
      if (total === 0n) continue;
      if (total < 0n) point = [-point[0], -point[1], -point[2]];
      const [s, m, p] = point;
      if (sides.every(([x, y, z]) => x * s + y * m + z * p >= 0n)) points.push(point);
    }
  }
  return points;
}

/** @template T
 * @param {T[][]} lists
 * @returns {T[][]} */
function product(lists) {
  /** @type {T[][]} */
  const none = [[]];
  return lists.reduce((heads, list) => heads.flatMap((head) => list.map((item) => [...head, item])), none);
}

/** Whether a threshold is in [0, 1], or in (0, 1] where a pair may have this weight itself.
 * @param {Fraction | null} value
 * @param {boolean} strict
 * @returns {value is Fraction} */
export function isShare(value, strict) {
  return value !== null && compare(value, ZERO) >= (strict ? 0 : 1) && compare(value, ONE) <= 0;
}
