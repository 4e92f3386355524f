// @ts-check
// View 1: the verdict. PQ = SQ × RQ under every rule of the run, mean over items and pooled.

import { el, refill } from "./dom.js";
import { show } from "./exact.js";
import { summarise } from "./summary.js";

/** @param {HTMLElement} element
 * @param {import("./model.js").Model} model
 * @param {import("./store.js").Store} store */
export function mountVerdict(element, model, store) {
  const draw = () => {
    const { rule } = store.get();
    const rules = model.rules.some((one) => one.name === rule.name) ? model.rules : [...model.rules, rule];
    refill(element, el("div", { class: "cards" }, rules.map((one) => card(model, one))));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule")) draw();
  });
}

/** @param {import("./model.js").Model} model
 * @param {import("./rules.js").Rule} rule */
function card(model, rule) {
  const { whole } = summarise(model, rule);
  const line = (/** @type {"mean" | "pooled"} */ word) =>
    el(
      "p",
      { "data-aggregate": word },
      `${word} `,
      ["pq", "sq", "rq"].map((key) => el("span", { "data-key": key }, show(whole[word][key].value))),
    );
  return el("article", { class: "card", "data-rule": rule.name }, el("h3", {}, rule.label), line("mean"), line("pooled"));
}
