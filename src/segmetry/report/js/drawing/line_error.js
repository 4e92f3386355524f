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

/** The words around an error of a sentence, the true place underlined in white, the predicted one in blue.
 * @param {CanvasRenderingContext2D} context
 * @param {readonly string[]} all
 * @param {RunError} error
 * @param {number} side
 * @returns {boolean} */
export function words(context, all, error, side) {
  const [low, high] = [Math.min(...error.span), Math.max(...error.span)];
  const isEntity = error.span.length === 4;
  const size = side / (all[low]?.length > 24 ? 16 : 11);
  const [room, right] = [size * 0.35, side - size / 2];
  context.font = `${size}px system-ui, sans-serif`;
  context.textBaseline = "alphabetic";
  const lineHeight = size * 1.75;
  const from = Math.max(0, low - (isEntity ? AROUND : 2));
  let [x, y] = [size / 2, size * 1.5];
  for (let at = from; at < Math.min(all.length, high + AROUND) && y < side; at++) {
    const text = all[at].length > 40 ? `${all[at].slice(0, 38)}…` : all[at];
    const width = context.measureText(text).width;
    if (!isEntity && at === low && at > from) {
      context.fillStyle = errorColour(error.kind);
      y += x > size ? lineHeight * 0.4 : -lineHeight * 0.6;
      context.fillRect(size / 2, y, side - size, 3);
      [x, y] = [size / 2, y + lineHeight];
    } else if (x + width > right && x > size) [x, y] = [size / 2, y + lineHeight];
    const isWithin = (/** @type {number} */ first) => isEntity && at >= error.span[first] && at < error.span[first + 1];
    const [isTrue, isPred] = [isWithin(0) && error.kind !== "spurious", isWithin(2) && error.kind !== "missed"];
    if (isTrue || isPred) {
      context.fillStyle = isHatched(error.kind) ? hatching(context, errorColour(error.kind)) : errorColour(error.kind);
      context.globalAlpha = 0.55;
      context.fillRect(x - room / 2, y - size, width + room, size * 1.3);
      context.globalAlpha = 1;
      context.fillStyle = TRUTH;
      if (isTrue) context.fillRect(x, y + size * 0.18, width, 2);
      context.fillStyle = PREDICTION;
      if (isPred) context.fillRect(x, y + size * 0.34, width, 2);
    }
    context.fillStyle = isTrue || isPred || !isEntity ? "#ffffff" : "#b9bec8";
    context.fillText(text, x, y, right - size / 2);
    x += width + room;
    if (!isEntity) [x, y] = [size / 2, y + lineHeight];
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

/** A whole line small: truth above, prediction below; a segment with an error has its colour, a boundary that only one
 * side has is a line, solid where it is missed and dashed where it is invented.
 * @param {HTMLCanvasElement} canvas
 * @param {{ n: number, true: [number, number][], pred: [number, number][] }} spans
 * @param {RunError[]} errors */
export function twoBars(canvas, spans, errors) {
  const [width, height] = [320, 112];
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.fillStyle = "#f4f5f7";
  context.fillRect(0, 0, width, height);
  const x = (/** @type {number} */ at) => (at / Math.max(1, spans.n)) * width;
  const cuts = (/** @type {"true" | "pred"} */ word) => new Set(spans[word].flat());
  for (const [word, other, top] of /** @type {const} */ ([["true", "pred", 12], ["pred", "true", 62]])) {
    const place = word === "true" ? 0 : 2;
    const starts = new Map(spans[word].map(([start], at) => [start, at]));
    const wrong = new Map(errors.flatMap((error) => [
      ...error[word].map((at) => /** @type {[number | undefined, string]} */ ([at, error.kind])),
      ...(error.span.length === 4 && error.kind !== (word === "true" ? "spurious" : "missed")
        ? [/** @type {[number | undefined, string]} */ ([starts.get(error.span[place]), error.kind])] : []),
    ]));
    const isNext = (/** @type {[number, number]} */ [start], /** @type {number} */ at) =>
      start === (spans[word][at - 1]?.[1] ?? 0);
    const isWhole = spans[word].length > 0 && spans[word].every(isNext);
    spans[word].forEach(([start, stop], at) => {
      const kind = isWhole ? undefined : wrong.get(at);
      context.fillStyle = kind === undefined ? (at % 2 ? "#9cc7e4" : "#4c97c8")
        : isHatched(kind) ? hatching(context, errorColour(kind)) : errorColour(kind);
      context.fillRect(x(start), top, Math.max(1, x(stop) - x(start) - 1), 38);
    });
    if (!isWhole) continue;
    const theirs = cuts(other);
    context.setLineDash(word === "pred" ? [5, 3] : []);
    context.strokeStyle = errorColour(word === "true" ? "missed" : "spurious");
    context.lineWidth = 4;
    for (const at of cuts(word)) {
      if (theirs.has(at)) continue;
      context.beginPath();
      context.moveTo(x(at), top - 8);
      context.lineTo(x(at), top + 46);
      context.stroke();
    }
  }
  context.setLineDash([]);
}
