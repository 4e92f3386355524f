// @ts-check
// The last results of what several views need, and is expensive to compute.

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("./rules.js").Rule} Rule */

/** The results under the last rules: a slider that goes back and forth finds them, and memory stays bounded. */
const KEPT = 8;

/** Keep the last results by key: a function that takes a key and what computes its result.
 * @template T
 * @param {number} most
 * @returns {(key: string, compute: () => T) => T} */
export function cached(most) {
  /** @type {Map<string, T>} */
  const known = new Map();
  return (key, compute) => {
    const result = known.has(key) ? /** @type {T} */ (known.get(key)) : compute();
    known.set(key, result);
    if (known.size > most) known.delete(/** @type {string} */ (known.keys().next().value));
    return result;
  };
}

/** A function of a run and a rule that keeps its last results for every run.
 * @template T
 * @param {(model: Model, rule: Rule) => T} compute
 * @returns {(model: Model, rule: Rule) => T} */
export function remembered(compute) {
  /** @type {WeakMap<Model, (name: string, compute: () => T) => T>} */
  const known = new WeakMap();
  return (model, rule) => {
    const results = known.get(model) ?? cached(KEPT);
    known.set(model, results);
    return results(rule.name, () => compute(model, rule));
  };
}
