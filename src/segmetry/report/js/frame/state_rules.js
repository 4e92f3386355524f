// @ts-check
// What follows from the choices of the user: the items that pass the filter, and what stays when another run is shown.

import { ruleNamed } from "../scoring/rule_names.js";
import { dependsOnRule, passing } from "./item_filter.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").State} State */

/** A function that completes a state: another run shows the same items, named by the same names.
 * @param {Model[]} models
 * @returns {(next: State, before: State, patch: Partial<State>) => State} */
export function completion(models) {
  return (next, before, patch) => {
    const model = models[next.run];
    let { item, filter, rule } = next;
    if (next.run !== before.run) {
      const translated = translation(models[before.run], model);
      if (item !== null && !("item" in patch)) item = translated(item) ?? null;
      if (filter?.items && !("filter" in patch)) {
        filter = { ...filter, items: filter.items.flatMap((at) => translated(at) ?? []) };
      }
      if (!("rule" in patch)) rule = ruleNamed(rule.name, model) ?? model.rule(model.settings.rule);
    }
    const isSameRule = rule === before.rule || !dependsOnRule(filter);
    const isSame = filter === before.filter && next.run === before.run && isSameRule;
    const selected = isSame ? before.selected : passing(model, rule, filter);
    return { ...next, item, filter, rule, selected };
  };
}

/** From the index of an item to that of the item of the same name in another run.
 * @param {Model} from
 * @param {Model} to
 * @returns {(item: number) => number | undefined} */
function translation(from, to) {
  const places = new Map(to.items.map((item, at) => [item.name, at]));
  return (item) => places.get(from.items[item].name);
}
