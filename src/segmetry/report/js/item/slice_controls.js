// @ts-check
// Which slice of a volume or frame of a video is shown: the axis, a slider, the depth.

import { choice, el } from "../drawing/dom.js";
import { depthOf } from "./cuts.js";

/** @typedef {import("./cuts.js").Axis} Axis */

const NAMES = ["first", "second", "third"];

/** @param {import("../data/label_planes.js").FlatHeader} header
 * @param {Axis[]} axes
 * @param {(axis: Axis, place: number | null) => void} onslice place null: the worst slice of another axis */
export function sliceControls(header, axes, onslice) {
  const word = header.kind === "labels" ? header.word : "slice";
  const range = /** @type {HTMLInputElement} */ (el("input", { type: "range", min: 0, step: 1, "aria-label": word }));
  const position = el("output", {});
  const names = Object.fromEntries(axes.map(({ axis }) => [axis, `${NAMES[axis]} axis`]));
  const listed = choice("cut along", axes.map(({ axis }) => String(axis)), names);
  let current = axes[0];
  const worst = el("button", { type: "button", onclick: () => onslice(current, null) }, `worst ${word}`);
  range.addEventListener("input", () => onslice(current, Number(range.value)));
  listed.select.addEventListener("change", () => {
    const asked = axes.find(({ axis }) => String(axis) === listed.value());
    if (asked) onslice(asked, null);
  });
  const element = el("div", { class: "slices" }, axes.length > 1 ? listed.label : null, range, position, worst);
  return {
    element,
    /** @param {Axis} axis
     * @param {number} place */
    show(axis, place) {
      current = axis;
      listed.select.value = String(axis.axis);
      range.max = String(axis.count - 1);
      range.value = String(place);
      position.textContent = written(header, axis, place, word);
    },
  };
}

/** @param {import("../data/label_planes.js").FlatHeader} header
 * @param {Axis} axis
 * @param {number} place
 * @param {string} word
 * @returns {string} */
function written(header, axis, place, word) {
  const depth = depthOf(header, axis, place);
  const stack = header.kind === "labels" ? header.stack : [];
  if (stack.length > 1) return `${word} [${places(depth, stack).join(", ")}]`;
  const unit = header.kind === "labels" && header.unit ? ` ${header.unit}` : "";
  const length = axis.thickness === null ? "" : ` · ${Number((depth * axis.thickness).toPrecision(4))}${unit}`;
  return `${word} ${depth + 1} of ${axis.total}${length}`;
}

/** The place of a plane along every axis that planes are counted along.
 * @param {number} plane
 * @param {number[]} stack
 * @returns {number[]} */
function places(plane, stack) {
  const at = [];
  let rest = plane;
  for (const length of [...stack].reverse()) {
    at.unshift(rest % length);
    rest = Math.floor(rest / length);
  }
  return at;
}

/** Which rows, columns and planes are not in the page, in words.
 * @param {import("../data/label_planes.js").FlatHeader} header
 * @returns {string} */
export function leftOut(header) {
  if (header.kind !== "labels") return "";
  const { step, stack, planes, word } = header;
  const thinned = step > 1 ? `One row and one column in ${step} are shown. ` : "";
  const total = stack.reduce((product, length) => product * length, 1);
  return thinned + (planes.length < total ? `${planes.length} of ${total} ${word}s are in this report.` : "");
}
