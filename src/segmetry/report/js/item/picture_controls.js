// @ts-check
// The controls of the large picture. What is chosen is kept for the next item.

import { choice, el, signButton } from "../drawing/dom.js";
import { layersOf } from "./layers.js";

/** @typedef {import("./layers.js").Layer} Layer */
/** @typedef {import("../drawing/colours.js").Mode} Mode */
/** @typedef {{ layer: Layer, mode: Mode, opacity: number, true: boolean, pred: boolean, labels: boolean,
 *   split: number, inColour: boolean, other: number | null, isBeside: boolean, hidden: string[] }} Choices
 * the layer, its colours and its opacity; outlines and names; the place of the line between two runs; whether the
 * photograph keeps its colours; the other run, and whether it is shown beside this one; classes that are not drawn */

const PLAIN = { layer: "errors", mode: "kind", opacity: 0.65, true: true, pred: true, labels: true, split: 0.5,
  inColour: false, other: null, isBeside: false, hidden: [] };

/** What is chosen now; it is kept for the next item.
 * @type {Choices} */
export const choices = /** @type {Choices} */ ({ ...PLAIN });

/** The choices that are not the usual ones, for the address.
 * @returns {string} */
function lookText() {
  const changed = Object.entries(choices).filter(([name, value]) =>
    String(value) !== String(PLAIN[/** @type {keyof typeof PLAIN} */ (name)]));
  return changed.length ? JSON.stringify(Object.fromEntries(changed)) : "";
}

/** Take the choices of an address; what is none is passed over.
 * @param {string} look
 * @param {import("../data/model.js").Model} model */
export function readLook(look, model) {
  /** @type {Record<string, unknown>} */
  let stated = {};
  try {
    stated = look ? JSON.parse(look) : {};
  } catch {
    stated = {};
  }
  const known = Object.entries(PLAIN).map(([name, plain]) => {
    const value = stated[name];
    const isKind = name === "other" ? typeof value === "number" && model.runs[value] !== undefined
      : Array.isArray(plain) ? Array.isArray(value) && value.every((one) => typeof one === "string")
        : typeof value === typeof plain;
    return [name, isKind ? value : plain];
  });
  Object.assign(choices, Object.fromEntries(known));
  if (choices.other !== null && model.runs[choices.other] === model) choices.other = null;
}

const MODES = { kind: "error kind", class: "class", segment: "segment" };

/** @param {import("../data/model.js").Item} item
 * @param {boolean} hasPhotograph
 * @param {import("../store.js").Store} store
 * @param {{ draw: () => void, look: () => void, zoomBy: (factor: number) => void, whole: () => void,
 *   content: () => void }} told `draw` after another layer, colour or run; `look` where only lines and opacity
 *   change */
export function pictureControls(item, hasPhotograph, store, told) {
  const { model } = item;
  const keep = () => store.set({ look: lookText() });
  const on = { ...told, draw: () => (keep(), told.draw()), look: () => (keep(), told.look()) };
  const shown = layersOf(model).filter((layer) => layer !== "photograph" || hasPhotograph);
  if (!shown.includes(choices.layer)) choices.layer = "errors";
  const layer = choice("show", shown);
  // Segments of class maps have no partner, so that none is of a kind of error as a whole.
  const modes = Object.keys(MODES).filter((mode) =>
    mode === "class" ? model.classNames !== null : mode !== "kind" || model.data.agrees_by === null);
  if (!modes.includes(choices.mode)) choices.mode = /** @type {Mode} */ (modes[0]);
  const mode = choice("colour by", modes, MODES);
  const runs = model.runs.map((_, at) => String(at)).filter((at) => model.runs[Number(at)] !== model);
  const names = Object.fromEntries(runs.map((at) => [at, model.runs[Number(at)].name]));
  const other = choice("swipe against", ["", ...runs], { "": "no other run", ...names });
  const split = slider("position of the line between the runs", choices.split, (value) => {
    choices.split = value;
    on.look();
  });
  const beside = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", checked: choices.isBeside }));
  beside.addEventListener("change", () => {
    choices.isBeside = beside.checked;
    show();
    on.draw();
  });
  const opacity = slider("opacity", choices.opacity, (value) => {
    choices.opacity = value;
    on.look();
  });
  const toggle = (/** @type {"true" | "pred" | "labels" | "inColour"} */ key, /** @type {string} */ word) => {
    const input = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", checked: choices[key] }));
    input.addEventListener("change", () => {
      choices[key] = input.checked;
      on.look();
    });
    return el("label", {}, input, ` ${word}`);
  };
  const besideLabel = el("label", {}, beside, " side by side");
  const show = () => {
    layer.select.value = choices.layer;
    mode.select.value = choices.mode;
    other.select.value = choices.other === null ? "" : String(choices.other);
    split.label.hidden = choices.other === null || choices.isBeside;
    besideLabel.hidden = choices.other === null;
    mode.label.hidden = !["truth", "prediction"].includes(choices.layer);
  };
  const chosen = () => {
    choices.layer = /** @type {Layer} */ (layer.value());
    choices.mode = /** @type {Mode} */ (mode.value());
    choices.other = other.value() === "" ? null : Number(other.value());
    show();
    on.draw();
  };
  for (const { select } of [layer, mode, other]) select.addEventListener("change", chosen);
  show();
  return {
    element: el(
      "div",
      { class: "picture-controls" },
      layer.label,
      mode.label,
      el("label", {}, "opacity ", opacity.input),
      toggle("true", "true outlines"),
      toggle("pred", "predicted outlines"),
      toggle("labels", "names"),
      hasPhotograph ? toggle("inColour", "photograph in colour") : null,
      runs.length ? other.label : null,
      runs.length ? split.label : null,
      runs.length ? besideLabel : null,
      classBoxes(item, on.draw),
    ),
    zoom: el(
      "div",
      { class: "zoom-buttons" },
      signButton("+", "zoom in (key +)", () => on.zoomBy(1.5)),
      signButton("−", "zoom out (key -)", () => on.zoomBy(1 / 1.5)),
      signButton("fit", "whole picture (key 0)", on.whole),
      signButton("crop", "crop to the segments (key c)", on.content),
    ),
    /** @param {Layer} next */
    choose(next) {
      choices.layer = next;
      show();
      on.draw();
    },
  };
}

/** Boxes for the classes of an item, which are drawn or not.
 * @param {import("../data/model.js").Item} item
 * @param {() => void} draw
 * @returns {HTMLElement | null} */
function classBoxes(item, draw) {
  const names = item.model.classNames ?? [];
  const codes = new Set([...(item.true.classes ?? []), ...(item.pred.classes ?? [])].map(Number));
  if (codes.size < 2) return null;
  const boxes = [...codes].sort((a, b) => a - b).map((code) => {
    const name = names[code] ?? "";
    const box = /** @type {HTMLInputElement} */ (
      el("input", { type: "checkbox", checked: !choices.hidden.includes(name) }));
    box.addEventListener("change", () => {
      choices.hidden = box.checked ? choices.hidden.filter((one) => one !== name) : [...choices.hidden, name];
      draw();
    });
    return el("label", {}, box, el("bdi", {}, ` ${name}`));
  });
  return el("details", { class: "class-boxes" }, el("summary", {}, "classes"), el("div", {}, boxes));
}

/** A plane without the segments of classes that are not drawn.
 * @param {import("./cuts.js").Cut} cut
 * @param {import("../data/model.js").Item} item
 * @returns {import("./cuts.js").Cut} */
export function withoutHidden(cut, item) {
  const codes = new Set(choices.hidden.map((name) => (item.model.classNames ?? []).indexOf(name)));
  if (!codes.size) return cut;
  const side = (/** @type {"true" | "pred"} */ word) => {
    const isHidden = [...(item[word].classes ?? [])].map((code) => codes.has(Number(code)));
    return cut[word].map((code) => (code && isHidden[code - 1] ? 0 : code));
  };
  return { ...cut, true: side("true"), pred: side("pred"), masks: null };
}

/** @param {string} name
 * @param {number} value
 * @param {(value: number) => void} onvalue */
function slider(name, value, onvalue) {
  const facts = { type: "range", min: 0, max: 1, step: 0.01, value, "aria-label": name };
  const input = /** @type {HTMLInputElement} */ (el("input", facts));
  input.addEventListener("input", () => onvalue(Number(input.value)));
  return { input, label: el("label", { class: "swipe" }, "◀ ", input, " ▶") };
}
