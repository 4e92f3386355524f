// @ts-check
// The controls of the large picture. What is chosen is kept for the next item.

import { choice, el, signButton } from "../drawing/dom.js";
import { layersOf } from "./layers.js";

/** @typedef {import("./layers.js").Layer} Layer */
/** @typedef {import("../drawing/colours.js").Mode} Mode */
/** @typedef {{ layer: Layer, mode: Mode, opacity: number, true: boolean, pred: boolean, labels: boolean,
 *   split: number, inColour: boolean, other: number | null }} Choices the layer, its colours and its opacity; outlines
 *   and names; the place of the line between two runs; whether the photograph keeps its colours; the other run */

/** @type {Choices} */
export const choices = {
  layer: "errors",
  mode: "kind",
  opacity: 0.65,
  true: true,
  pred: true,
  labels: true,
  split: 0.5,
  inColour: false,
  other: null,
};

const MODES = { kind: "error kind", class: "class", segment: "segment" };

/** @param {import("../data/model.js").Item} item
 * @param {boolean} hasPhotograph
 * @param {{ draw: () => void, look: () => void, zoomBy: (factor: number) => void, whole: () => void,
 *   content: () => void }} on `draw` after another layer, colour or run; `look` where only lines and opacity change */
export function pictureControls(item, hasPhotograph, on) {
  const { model } = item;
  const shown = layersOf(model).filter((layer) => layer !== "photograph" || hasPhotograph);
  if (!shown.includes(choices.layer)) choices.layer = "errors";
  const layer = choice("show", shown);
  const modes = Object.keys(MODES).filter((mode) => mode !== "class" || model.classNames !== null);
  if (!modes.includes(choices.mode)) choices.mode = "kind";
  const mode = choice("colour by", modes, MODES);
  const runs = model.runs.map((_, at) => String(at)).filter((at) => model.runs[Number(at)] !== model);
  const names = Object.fromEntries(runs.map((at) => [at, model.runs[Number(at)].name]));
  const other = choice("swipe against", ["", ...runs], { "": "no other run", ...names });
  const split = slider("position of the line between the runs", choices.split, (value) => {
    choices.split = value;
    on.look();
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
  const show = () => {
    layer.select.value = choices.layer;
    mode.select.value = choices.mode;
    other.select.value = choices.other === null ? "" : String(choices.other);
    split.label.hidden = choices.other === null;
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

/** @param {string} name
 * @param {number} value
 * @param {(value: number) => void} onvalue */
function slider(name, value, onvalue) {
  const facts = { type: "range", min: 0, max: 1, step: 0.01, value, "aria-label": name };
  const input = /** @type {HTMLInputElement} */ (el("input", facts));
  input.addEventListener("input", () => onvalue(Number(input.value)));
  return { input, label: el("label", { class: "swipe" }, "◀ ", input, " ▶") };
}
