// @ts-check
// One error as a square picture: the part of its item around it, the photograph in grey, truth white, prediction
// blue,
// the error filled with the colour of its kind; of a line two bars, of turns the lanes of the speakers.

import { headerOf, masksOf, paintMasks, planeOf, spansOf } from "../data/label_planes.js";
import { whenReady } from "../data/source.js";
import { photographOf } from "../item/photograph.js";
import { drawScene } from "./error_scene.js";
import { bars, lanes, words } from "./line_error.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {import("./error_scene.js").Box} Box */
/** @typedef {import("./error_scene.js").Scene} Scene */

const GROUND = "#3b3f47";

/** @param {HTMLCanvasElement} canvas
 * @param {Item} item
 * @param {RunError} error
 * @param {number} side in pixels of the canvas
 * @param {boolean} [inColour] the photograph keeps its colours
 * @param {import("../data/model.js").Model | null} [other] another run, whose prediction is outlined too
 * @returns {Promise<boolean>} whether the page has a picture of it */
export async function drawError(canvas, item, error, side, inColour = false, other = null) {
  await whenReady(item);
  const header = headerOf(item);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!header || !context) return false;
  const isStrip = isStripOf(error);
  [canvas.width, canvas.height] = [isStrip ? 3 * side : side, side];
  canvas.classList.toggle("strip", isStrip);
  context.fillStyle = GROUND;
  context.fillRect(0, 0, canvas.width, side);
  if (header.kind === "spans" && header.words) return words(context, header.words, error, side);
  if (header.kind === "spans") return bars(context, await spansOf(item), error, side);
  if (header.kind === "lanes") return lanes(context, header, error, side);
  if (header.kind === "masks" || !isStrip) {
    const scene = header.kind === "masks" ? await ofMasks(item, header, error)
      : await ofLabels(item, header, error, placeOf(header, error));
    if (!scene) return false;
    if (other) scene.other = await otherPrediction(other, item, header, error, scene);
    drawScene(context, scene, await photographOf(item, scene.key), error.kind, side, inColour);
    return true;
  }
  const [from, to] = error.span;
  const part = document.createElement("canvas");
  part.width = part.height = side;
  const own = part.getContext("2d", { willReadFrequently: true });
  for (const [at, frame] of [from, Math.floor((from + to - 1) / 2), to - 1].entries()) {
    const scene = await ofLabels(item, header, error, nearest(header.planes, frame));
    if (!own || !scene) continue;
    own.fillStyle = GROUND;
    own.fillRect(0, 0, side, side);
    drawScene(own, scene, await photographOf(item, scene.key), error.kind, side, inColour);
    context.drawImage(part, at * side, 0);
  }
  return true;
}

/** What another run predicts where an error is: its segments that share more than a tenth of the error's elements.
 * @param {import("../data/model.js").Model} other
 * @param {Item} item
 * @param {import("../data/label_planes.js").FlatHeader} header
 * @param {RunError} error
 * @param {Scene} scene
 * @returns {Promise<Uint32Array | null>} */
async function otherPrediction(other, item, header, error, scene) {
  const at = other.data.items.indexOf(item.model.data.items[item.index]);
  const its = at < 0 ? null : headerOf(other.items[at]);
  if (!its || its.kind !== header.kind || its.rows !== header.rows || its.columns !== header.columns) return null;
  const codes = its.kind === "labels"
    ? (await planeOf(other.items[at], header.kind === "labels" ? placeOf(header, error) : 0)).pred
    : paintMasks((await masksOf(other.items[at])).pred, other.items[at].pred.ids.keys(), its.rows, its.columns);
  /** @type {Map<number, number>} */
  const shared = new Map();
  let all = 0;
  scene.true.forEach((code, place) => {
    if (!code && !scene.pred[place]) return;
    all++;
    if (codes[place]) shared.set(codes[place], (shared.get(codes[place]) ?? 0) + 1);
  });
  return codes.map((code) => ((shared.get(code) ?? 0) > all / 10 ? code : 0));
}

/** Whether an error is shown as a strip of frames: the first, the middle and the last one of a stretch of a video.
 * @param {RunError} error
 * @returns {boolean} */
export function isStripOf({ kind }) {
  return kind === "lost";
}

/** The plane of an error: the one in which its segment is largest, or that of a part.
 * @param {import("../data/page_data.js").LabelsHeader} header
 * @param {RunError} error
 * @returns {number} */
function placeOf({ planes, peaks, first }, error) {
  if (planes.length < 2) return 0;
  if (isPartOf(error) && error.span.length) return nearest(planes, error.span[1]);
  const [[t = -1], [p = -1]] = [error.true, error.pred];
  return peaks?.[t < 0 ? 1 : 0]?.[t < 0 ? p : t] ?? first;
}

/** @param {RunError} error */
function isPartOf({ kind, error, span }) {
  return kind === "confused" || (error.startsWith("c") && span.length !== 2);
}

/** @param {Item} item
 * @param {import("../data/page_data.js").LabelsHeader} header
 * @param {RunError} error
 * @param {number} place
 * @returns {Promise<Scene | null>} */
async function ofLabels(item, header, error, place) {
  const { rows, columns, step, tall } = header;
  const isPart = isPartOf(error);
  const [[t = -1], [p = -1]] = [error.true, error.pred];
  const key = header.planes.length < 2 ? "" : `${header.axis ?? 0}:${header.planes[place]}`;
  const plane = await planeOf(item, place);
  const wanted = { true: new Set(error.true.map((at) => at + 1)), pred: new Set(error.pred.map((at) => at + 1)) };
  const keep = (/** @type {"true" | "pred"} */ side) =>
    plane[side].map((code) => (wanted[side].has(code) ? code : 0));
  const sides = { true: keep("true"), pred: keep("pred") };
  const [, , ...stated] = error.span;
  const given = isPart && stated.length === 4 ? stated.map((edge) => Math.floor(edge / step)) : null;
  const inside = (/** @type {number} */ at) => {
    if (!given) return true;
    const [row, column] = [Math.floor(at / columns), at % columns];
    return row >= given[0] && row <= given[2] && column >= given[1] && column <= given[3];
  };
  const isWrong = isPart
    ? (/** @type {number} */ at) =>
        inside(at) && plane.true[at] === (t < 0 ? 0 : t + 1) && plane.pred[at] === (p < 0 ? 0 : p + 1)
    : wrongOf(error.kind, sides);
  const box = given ? { top: given[0], left: given[1], bottom: given[2], right: given[3] } : boxOf(sides, columns,
    isPart ? isWrong : null);
  return box && { rows, columns, tall, ...sides, isWrong, box, step, key };
}

/** @param {Item} item
 * @param {import("../data/page_data.js").MasksHeader} header
 * @param {RunError} error
 * @returns {Promise<Scene | null>} */
async function ofMasks(item, header, error) {
  const { rows, columns, places } = header;
  const masks = await masksOf(item);
  const { errors } = item.model.data;
  const byPlace = errors.problem === null && errors.by_place ? places : null;
  const side = (/** @type {"true" | "pred"} */ word) => {
    const chosen = error[word].map((place) => (byPlace ? byPlace[word][place] : place)).filter((at) => at >= 0);
    return paintMasks(masks[word], chosen, rows, columns);
  };
  const sides = { true: side("true"), pred: side("pred") };
  const box = boxOf(sides, columns, null);
  return box && { rows, columns, tall: 1, ...sides, isWrong: wrongOf(error.kind, sides), box, step: 1, key: "" };
}

/** @param {string} kind
 * @param {{ true: Uint32Array, pred: Uint32Array }} sides
 * @returns {(at: number) => boolean} */
function wrongOf(kind, { true: t, pred: p }) {
  if (["spurious", "merge", "background", "duplicate", "both", "classification"].includes(kind)) return (at) =>
    p[at] > 0;
  if (["boundary", "localisation", "lost"].includes(kind)) return (at) => t[at] > 0 !== p[at] > 0;
  return (at) => t[at] > 0;
}

/** @param {{ true: Uint32Array, pred: Uint32Array }} sides
 * @param {number} columns
 * @param {((at: number) => boolean) | null} isWrong
 * @returns {Box | null} */
function boxOf({ true: t, pred: p }, columns, isWrong) {
  const box = { top: Infinity, left: Infinity, bottom: -1, right: -1 };
  for (let at = 0; at < t.length; at++) {
    if (isWrong ? !isWrong(at) : !t[at] && !p[at]) continue;
    const [row, column] = [Math.floor(at / columns), at % columns];
    if (row < box.top) box.top = row;
    if (row > box.bottom) box.bottom = row;
    if (column < box.left) box.left = column;
    if (column > box.right) box.right = column;
  }
  return box.bottom < 0 ? null : box;
}

/** @param {readonly number[]} places
 * @param {number} wanted
 * @returns {number} */
function nearest(places, wanted) {
  let best = 0;
  places.forEach((place, at) => {
    if (Math.abs(place - wanted) < Math.abs(places[best] - wanted)) best = at;
  });
  return best;
}
