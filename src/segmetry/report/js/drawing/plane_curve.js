// @ts-check
// What is wrong along a volume, or how well the objects of a video are followed over its frames: the slider's curve.

import { DISTINCT } from "./colours.js";
import { svg } from "./dom.js";
import { wrongAlong } from "../item/cuts.js";

/** @typedef {import("../data/label_planes.js").FlatHeader} FlatHeader */
/** @typedef {import("../data/page_data.js").ObjectCurve} ObjectCurve */

const [WIDTH, HEIGHT] = [600, 64];
const LEAST = 0.5;

/** J of an object in every frame; 1 where neither side has it.
 * @param {ObjectCurve} object
 * @returns {number[]} */
export function jOf({ shared, union }) {
  return union.map((either, at) => (either > 0 ? shared[at] / either : 1));
}

/** The next frame in which an object has a J under 0.5, after the stretch that one is in.
 * @param {FlatHeader} header
 * @param {number} from
 * @returns {number | null} */
export function nextLost(header, from) {
  if (header.kind !== "labels" || !header.objects.length) return null;
  const curves = header.objects.map(jOf);
  const isLost = curves[0].map((_, at) => curves.some((curve) => curve[at] < LEAST));
  const starts = isLost.flatMap((lost, at) => (lost && !isLost[at - 1] ? [at] : []));
  return starts.find((at) => at > from) ?? starts[0] ?? null;
}

/** @param {FlatHeader} header
 * @param {import("../item/cuts.js").Axis} axis
 * @param {number} place
 * @returns {SVGElement | null} */
export function planeCurve(header, axis, place) {
  if (header.kind !== "labels" || !header.wrong) return null;
  const wrong = wrongAlong(header, axis);
  const x = (/** @type {number} */ at) => ((at + 0.5) / wrong.length) * WIDTH;
  const isVideo = header.objects.length > 0;
  const most = Math.max(1, ...wrong);
  const label = isVideo ? "J of every object over the frames" : `wrong elements of every ${header.word}`;
  const facts = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label };
  return svg("svg", { ...facts, class: "curve-slider", "data-points": wrong.length },
    isVideo ? frames(header.objects, x) : svg("path", { class: "wrong-area", d: areaOf(wrong, x, most) }),
    svg("line", { class: "cursor", x1: x(place), x2: x(place), y1: 0, y2: HEIGHT }));
}

/** The curves of the objects, with the stretches under 0.5 shaded.
 * @param {readonly ObjectCurve[]} objects
 * @param {(at: number) => number} x
 * @returns {SVGElement[]} */
export function frames(objects, x) {
  const half = (x(1) - x(0)) / 2;
  return objects.flatMap((object, number) => {
    const values = jOf(object);
    const shades = values.flatMap((value, at) => value < LEAST
      ? [svg("rect", { class: "lost", x: x(at) - half, y: 0, width: 2 * half, height: HEIGHT })] : []);
    const points = values.map((value, at) => `${x(at).toFixed(1)},${(2 + (1 - value) * (HEIGHT - 4)).toFixed(1)}`);
    const line = svg("polyline", { class: "j-line", points: points.join(" "),
      stroke: DISTINCT[number % DISTINCT.length] }, svg("title", {}, `object ${object.name}`));
    return [...shades, line];
  });
}

/** @param {readonly number[]} wrong
 * @param {(at: number) => number} x
 * @param {number} most
 * @returns {string} */
function areaOf(wrong, x, most) {
  const y = (/** @type {number} */ count) => HEIGHT - (count / most) * (HEIGHT - 4);
  const points = wrong.map((count, at) => `L${x(at).toFixed(1)} ${y(count).toFixed(1)}`);
  return `M0 ${HEIGHT}${points.join("")}L${WIDTH} ${HEIGHT}Z`;
}
