// @ts-check
// The live controls: which rule aligns, with which threshold; which run is shown.

import { el, refill } from "./drawing/dom.js";
import { parseFraction } from "./scoring/exact.js";
import { dice, iou, isShare, tversky } from "./scoring/rules.js";

const WRITTEN = "enter thresholds as 0.75 or 3/4, with γ in [0, 1], for ≥ in (0, 1]";
/** Rules with a threshold that is entered: the name of the rule, whether the sign is >, the label. */
const ENTERED = /** @type {Record<string, [string, boolean, string]>} */ ({
  iou: ["iou", true, "IoU > γ"],
  iou_at_least: ["iou", false, "IoU ≥ γ"],
  dice: ["dice", true, "Dice > γ"],
  dice_at_least: ["dice", false, "Dice ≥ γ"],
  tversky: ["tversky", true, "Tversky(α, β) > γ"],
  tversky_at_least: ["tversky", false, "Tversky(α, β) ≥ γ"],
});
const BEYOND = "not one-to-one: the report of such a large run contains only the pairs aligned by θ&";

/** @param {HTMLElement} element
 * @param {import("./data/model.js").Model} model
 * @param {import("./store.js").Store} store */
export function mountControls(element, model, store) {
  const select = /** @type {HTMLSelectElement} */ (el("select", { id: "rule", "aria-label": "alignment rule" }));
  for (const rule of model.rules) select.append(el("option", { value: rule.name }, rule.label));
  for (const [value, [, , label]] of Object.entries(ENTERED)) select.append(el("option", { value }, label));
  const boxes = ["γ", "α", "β"].map((name) => numberBox(name, name === "γ" ? "1/2" : "1"));
  const note = el("output", { class: "note", for: "rule" });
  const change = () => {
    const [kind, strict] = ENTERED[select.value] ?? ["", true];
    const wanted = { iou: ["γ"], dice: ["γ"], tversky: ["γ", "α", "β"] }[kind] ?? [];
    for (const box of boxes) box.label.hidden = !wanted.includes(box.name);
    const values = boxes.map((box) => parseFraction(box.input.value));
    const rule = chosen(select.value, values, model);
    for (const [at, box] of boxes.entries()) {
      box.input.setAttribute("aria-invalid", String(at === 0 ? !isShare(values[0], strict) : values[at] === null));
    }
    const isKnown = rule !== null && (rule.oneToOne || !model.pairsOnly || model.rules.includes(rule));
    refill(note, rule === null ? WRITTEN : isKnown ? remark(rule, model) : BEYOND);
    if (isKnown) store.set({ rule });
  };
  const { name } = store.get().rule;
  select.value = model.rules.some((rule) => rule.name === name) ? name : model.settings.rule;
  select.addEventListener("change", change);
  for (const box of boxes) box.input.addEventListener("input", change);
  if (model.runs.length > 1) element.append(runChoice(model, store));
  element.append(el("label", {}, "rule ", select), ...boxes.map((box) => box.label), note);
  change();
  store.subscribe(({ rule }, changed) => {
    if (changed.has("rule") && model.rules.includes(rule)) select.value = rule.name;
  });
}

/** Which run the views show.
 * @param {import("./data/model.js").Model} model
 * @param {import("./store.js").Store} store */
function runChoice(model, store) {
  const select = /** @type {HTMLSelectElement} */ (el("select", { id: "run" }));
  model.runs.forEach((run, at) => select.append(el("option", { value: at }, run.name)));
  select.value = String(store.get().run);
  select.addEventListener("change", () => store.set({ run: Number(select.value), item: null, selected: null }));
  return el("label", {}, "run ", select);
}

/** @param {string} name
 * @param {string} value */
function numberBox(name, value) {
  const input = /** @type {HTMLInputElement} */ (
    el("input", { type: "text", inputmode: "decimal", size: 6, value, spellcheck: "false", "aria-label": name })
  );
  return { name, input, label: el("label", { hidden: true }, `${name} `, input) };
}

/** The rule set by the controls; null where a threshold is not a number.
 * @param {string} name
 * @param {(import("./scoring/exact.js").Fraction | null)[]} values γ, α, β
 * @param {import("./data/model.js").Model} model
 * @returns {import("./scoring/rules.js").Rule | null} */
function chosen(name, [gamma, alpha, beta], model) {
  if (!(name in ENTERED)) return model.rule(name);
  const [kind, strict] = ENTERED[name];
  if (!isShare(gamma, strict)) return null;
  if (kind === "iou") return iou(gamma, strict);
  if (kind === "dice") return dice(gamma, strict);
  return alpha === null || beta === null ? null : tversky(alpha, beta, gamma, strict);
}

/** @param {import("./scoring/rules.js").Rule} rule
 * @param {import("./data/model.js").Model} model
 * @returns {string} */
function remark(rule, model) {
  if (rule.oneToOne) return "one-to-one on disjoint segments";
  return model.settings.resolve === "keep"
    ? "not always one-to-one: segments may have several partners (kept)"
    : "not always one-to-one: items in which a segment has several partners are not scored";
}
