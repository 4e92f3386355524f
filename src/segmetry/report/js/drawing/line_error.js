// @ts-check
// One error of a line: two bars around it, or the lanes of the speakers.

import { DISTINCT } from "./colours.js";
import { errorColour, hatching, isHatched } from "./error_colours.js";

/** @typedef {import("../data/errors.js").RunError} RunError */

const [TRUTH, PREDICTION] = ["#ffffff", "#4db8ff"];
const AROUND = 6;
const SECONDS = 5;

/** Two bars around an error of a line.
 * @param {CanvasRenderingContext2D} context
 * @param {{ n: number, true: [number, number][], pred: [number, number][] }} spans
 * @param {RunError} error
 * @param {number} side
 * @returns {boolean} */
export function bars(context, spans, error, side) {
  const own = [...error.true.map((at) => spans.true[at]), ...error.pred.map((at) => spans.pred[at])].flat();
  const places = own.length ? own : [...error.span];
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const lengths = spans.true.map(([start, stop]) => stop - start);
  const room = Math.max(2, (AROUND / 2) * (spans.n / Math.max(1, lengths.length)));
  const [from, to] = [Math.max(0, low - room), Math.min(spans.n, high + room)];
  const x = (/** @type {number} */ at) => ((at - from) / Math.max(1, to - from)) * side;
  const tall = side * 0.26;
  for (const [word, top, colour] of /** @type {const} */ ([["true", 0.18, TRUTH], ["pred", 0.56, PREDICTION]])) {
    const wanted = new Set(error[word]);
    spans[word].forEach(([start, stop], at) => {
      if (stop <= from || start >= to) return;
      context.fillStyle = wanted.has(at) ? errorColour(error.kind) : at % 2 ? "#6d7480" : "#59606b";
      context.fillRect(x(start), side * top, x(stop) - x(start), tall);
      context.strokeStyle = colour;
      context.lineWidth = Math.max(1.4, side / 90);
      context.strokeRect(x(start), side * top, x(stop) - x(start), tall);
    });
  }
  if (!own.length) {
    context.fillStyle = errorColour(error.kind);
    for (const place of error.span) context.fillRect(x(place) - side / 60, side * 0.1, side / 30, side * 0.82);
  }
  return true;
}

/** The lanes of the speakers around an error.
 * @param {CanvasRenderingContext2D} context
 * @param {import("../data/page_data.js").LanesHeader} header
 * @param {RunError | null} error null for the whole line
 * @param {number} width
 * @param {number} [height]
 * @param {RunError[]} [strip] errors between both sides
 * @returns {boolean} */
export function lanes(context, { tick, turns, names, shape }, error, width, height = width, strip = error ? [error]
  : []) {
  const [low, high] = error ? error.span : [0, shape[0] * tick];
  const [from, to] = [Math.max(0, low - (error ? SECONDS : 0)), high + (error ? SECONDS : 0)];
  const x = (/** @type {number} */ at) => ((at - from) / Math.max(1e-9, to - from)) * width;
  const rows = names[0].length + names[1].length + 1;
  const tall = height / (rows + 0.5);
  context.fillStyle = "#2d3138";
  context.fillRect(0, tall * (names[0].length + 0.2), width, tall * 0.9);
  for (const one of strip) {
    context.fillStyle = isHatched(one.kind) ? hatching(context, errorColour(one.kind)) : errorColour(one.kind);
    context.fillRect(x(one.span[0]), tall * (names[0].length + 0.2), Math.max(1, x(one.span[1]) - x(one.span[0])),
      tall * 0.9);
  }
  for (const at of [0, 1]) {
    const first = at === 0 ? 0 : names[0].length + 1.3;
    for (const [start, stop, lane] of turns[at]) {
      if (stop * tick <= from || start * tick >= to) continue;
      context.fillStyle = DISTINCT[lane % DISTINCT.length];
      context.fillRect(x(start * tick), tall * (first + lane + 0.15), x(stop * tick) - x(start * tick), tall * 0.7);
    }
  }
  return true;
}
