// @ts-check
// The live controls: which rule aligns, with which threshold; which run is shown.

import { el, refill } from "./drawing/dom.js";
import { isAboutSegments } from "./scoring/headline.js";
import { parseFraction } from "./scoring/exact.js";
import { entered, isKnown, isShare, parametersOf } from "./scoring/rules.js";

/** @typedef {import("./data/model.js").Model} Model */
/** @typedef {import("./store.js").Store} Store */

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
const WANTED = /** @type {Record<string, string[]>} */ ({ iou: ["γ"], dice: ["γ"], tversky: ["γ", "α", "β"] });

/** @param {HTMLElement} element
 * @param {Model[]} models
 * @param {Store} store */
export function mountControls(element, models, store) {
  const runs = models.length > 1 ? runChoice(models, store) : null;
  const rule = ruleChoice(models, store);
  element.append(...(runs ? [runs.element] : []), ...rule.elements);
  const draw = () => {
    runs?.draw();
    rule.draw();
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("run") || changed.has("rule")) draw();
  });
}

/** Which run the views show.
 * @param {Model[]} models
 * @param {Store} store */
function runChoice(models, store) {
  const select = /** @type {HTMLSelectElement} */ (el("select", { id: "run" }));
  models.forEach((run, at) => select.append(el("option", { value: at }, run.name)));
  select.addEventListener("change", () => store.set({ run: Number(select.value) }));
  const draw = () => {
    select.value = String(store.get().run);
  };
  return { element: el("label", {}, "run ", select), draw };
}

/** Which rule aligns: one of the run, or one whose threshold is entered.
 * @param {Model[]} models
 * @param {Store} store */
function ruleChoice(models, store) {
  const select = /** @type {HTMLSelectElement} */ (el("select", { id: "rule", "aria-label": "alignment rule" }));
  const boxes = ["γ", "α", "β"].map((name) => numberBox(name, name === "γ" ? "1/2" : "1"));
  const [gamma, alpha, beta] = boxes.map((box) => box.input);
  const note = el("output", { class: "note", for: "rule" });
  const label = el("label", {}, "rule ", select);
  /** @type {Model | null} */
  let listed = null;
  const change = () => {
    const model = models[store.get().run];
    const [kind, strict] = ENTERED[select.value] ?? ["", true];
    for (const box of boxes) box.label.hidden = !(WANTED[kind] ?? []).includes(box.name);
    const values = boxes.map((box) => parseFraction(box.input.value));
    for (const [at, box] of boxes.entries()) {
      box.input.setAttribute("aria-invalid", String(at === 0 ? !isShare(values[0], strict) : values[at] === null));
    }
    const rule = kind
      ? entered({ kind, strict, gamma: gamma.value, alpha: alpha.value, beta: beta.value })
      : model.rule(select.value);
    const canBeUsed = rule !== null && isKnown(rule, model);
    note.classList.toggle("problem", !canBeUsed);
    refill(note, rule === null ? WRITTEN : canBeUsed ? remark(rule, model) : BEYOND);
    if (canBeUsed) store.set({ rule });
  };
  select.addEventListener("change", change);
  for (const box of boxes) box.input.addEventListener("input", change);
  /** Show the rule of the store, which the address or another view may have chosen. */
  const draw = () => {
    const { rule, run } = store.get();
    const model = models[run];
    // Classes of elements, detections, turns and tags are not matched by a rule.
    const isMatched = isAboutSegments(model);
    for (const part of [label, ...boxes.map((box) => box.label), note]) part.classList.toggle("unused", !isMatched);
    if (listed !== model) {
      listed = model;
      refill(select, model.rules.map(({ name, label }) => el("option", { value: name }, label)));
      for (const [value, [, , label]] of Object.entries(ENTERED)) select.append(el("option", { value }, label));
    }
    const parameters = model.rules.some(({ name }) => name === rule.name) ? null : parametersOf(rule.name);
    const isTyping = boxes.some(({ input }) => input === document.activeElement);
    if (parameters === null) select.value = rule.name;
    else if (!isTyping) {
      select.value = parameters.kind + (parameters.strict ? "" : "_at_least");
      [gamma.value, alpha.value, beta.value] = [parameters.gamma, parameters.alpha, parameters.beta];
    }
    for (const box of boxes) box.label.hidden = !(WANTED[parameters?.kind ?? ""] ?? []).includes(box.name);
    note.classList.remove("problem");
    refill(note, remark(rule, model));
  };
  return { elements: [label, ...boxes.map((box) => box.label), note], draw };
}

/** @param {string} name
 * @param {string} value */
function numberBox(name, value) {
  const input = /** @type {HTMLInputElement} */ (
    el("input", { type: "text", inputmode: "decimal", size: 6, value, spellcheck: "false", "aria-label": name })
  );
  return { name, input, label: el("label", { hidden: true }, `${name} `, input) };
}

/** @param {import("./scoring/rules.js").Rule} rule
 * @param {Model} model
 * @returns {string} */
function remark(rule, model) {
  if (rule.oneToOne) return "";
  return model.settings.resolve === "keep"
    ? "not always one-to-one: segments may have several partners (kept)"
    : "not always one-to-one: items in which a segment has several partners are not scored";
}
