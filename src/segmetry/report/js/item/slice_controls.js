// @ts-check
// Which slice of a volume or frame of a video is shown: the axis, a slider, the depth.

import { choice, el, refill } from "../drawing/dom.js";
import { nextLost, planeCurve } from "../drawing/plane_curve.js";
import { depthOf } from "./cuts.js";

/** @typedef {import("./cuts.js").Axis} Axis */

const NAMES = ["first", "second", "third"];
const KEYS = { ",": -1, ".": 1 };
const FRAME = 160;

/** What the cuts along an axis are called: as the position of the volume in space says, else by its number.
 * @param {import("../data/label_planes.js").FlatHeader} header
 * @param {Axis} axis
 * @returns {string} */
export function nameOf(header, { axis }) {
  return (header.kind === "labels" && header.names[axis]) || `${NAMES[axis]} axis`;
}

/** @param {import("../data/label_planes.js").FlatHeader} header
 * @param {Axis[]} axes
 * @param {(axis: Axis, place: number | null) => void} onslice place null: the worst slice of another axis */
export function sliceControls(header, axes, onslice) {
  const word = header.kind === "labels" ? header.word : "slice";
  const range = /** @type {HTMLInputElement} */ (el("input", { type: "range", min: 0, step: 1, "aria-label": word }));
  const position = el("output", {});
  const names = Object.fromEntries(axes.map((axis) => [axis.axis, nameOf(header, axis)]));
  const listed = choice("cut along", axes.map(({ axis }) => String(axis)), names);
  let [current, at] = [axes[0], 0];
  const go = (/** @type {number | null} */ place) => onslice(current, place);
  const worst = el("button", { type: "button", onclick: () => go(null) }, `worst ${word}`);
  const isVideo = word === "frame";
  const play = el("button", { type: "button", onclick: () => turn() }, "play");
  let timer = 0;
  const turn = () => {
    timer = timer ? (clearInterval(timer), 0) : setInterval(() => {
      if (play.isConnected) go((at + 1) % current.count);
      else timer = (clearInterval(timer), 0);
    }, FRAME);
    play.textContent = timer ? "stop" : "play";
  };
  range.addEventListener("input", () => go(Number(range.value)));
  listed.select.addEventListener("change", () => {
    const asked = axes.find(({ axis }) => String(axis) === listed.value());
    if (asked) onslice(asked, null);
  });
  const curve = el("div", { class: "plane-curve" });
  const keys = isVideo ? ", . one frame, space plays, n the next frame with an object under J 0.5" : ", . one slice";
  const controls = el("div", { class: "slices" }, axes.length > 1 ? listed.label : null, range, position, worst,
    isVideo ? play : null);
  return {
    element: el("div", {}, curve, controls, el("p", { class: "note" }, `Keys: ${keys}.`)),
    /** @param {Axis} axis
     * @param {number} place */
    show(axis, place) {
      [current, at] = [axis, place];
      listed.select.value = String(axis.axis);
      range.max = String(axis.count - 1);
      range.value = String(place);
      position.textContent = written(header, axis, place, word);
      const drawn = planeCurve(header, axis, place);
      if (drawn) drawn.addEventListener("click", ({ clientX }) => {
        const { left, width } = drawn.getBoundingClientRect();
        go(Math.min(axis.count - 1, Math.max(0, Math.floor(((clientX - left) / width) * axis.count))));
      });
      refill(curve, drawn);
    },
    /** @param {string} key
     * @returns {boolean} whether it means something here */
    press(key) {
      if (key in KEYS) go(Math.min(current.count - 1, Math.max(0, at + KEYS[/** @type {","} */ (key)])));
      else if (key === " " && isVideo) turn();
      else if (key === "n" && isVideo) go(nextLost(header, at) ?? at);
      else return false;
      return true;
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
