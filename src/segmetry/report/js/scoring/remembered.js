// @ts-check
// Results that several views need under one rule.

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./rules.js").Rule} Rule */

/** The results under the last rules: a slider that goes back and forth finds them, and memory stays bounded. */
const KEPT = 8;

/** A function of a run and a rule that keeps its last results for every run.
 * @template T
 * @param {(model: Model, rule: Rule) => T} compute
 * @returns {(model: Model, rule: Rule) => T} */
export function remembered(compute) {
  /** @type {WeakMap<Model, Map<string, T>>} */
  const known = new WeakMap();
  return (model, rule) => {
    const results = known.get(model) ?? new Map();
    known.set(model, results);
    const result = results.get(rule.name) ?? compute(model, rule);
    results.set(rule.name, result);
    if (results.size > KEPT) results.delete(results.keys().next().value);
    return result;
  };
}
