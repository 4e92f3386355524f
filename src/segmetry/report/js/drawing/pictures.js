// @ts-check
// The pictures of one item, with a slider through the slices of a volume or the frames of a video.

import { css, mapColour } from "./colours.js";
import { el, refill } from "./dom.js";
import { toNumber, written } from "../scoring/exact.js";
import { headerOf, masksOf, planeOf } from "../data/label_planes.js";
import { codesFor, drawPanel, frame, KINDS, makePanel } from "./panels.js";

/** @typedef {import("./panels.js").Segment} Segment */
/** @typedef {import("../scoring/best_partners.js").Values} Values */
/** @typedef {import("../scoring/rules.js").Rule} Rule */

const COVERED = "Dotted lines: edges of masks that are covered by others. Pointing at a segment frames its whole mask.";

/** Pictures with functions that frame segments and draw under a rule.
 * @param {HTMLElement} element
 * @param {import("../data/model.js").Item} item
 * @param {(segment: Segment | null, pressed: boolean) => void} onsegment
 * @returns {{ draw: (values: Values, rule: Rule) => Promise<void>,
 *   frame: (framed: { true: number[], pred: number[] } | null) => void } | null} null where the page has none */
export function mountPictures(element, item, onsegment) {
  const header = headerOf(item);
  if (!header || header.kind === "spans") return null;
  const { rows, columns } = header;
  const made = KINDS.map((kind) => makePanel(kind, header, onsegment));
  const legend = el("div", { class: "legend" });
  const planes = header.kind === "labels" ? header : null;
  let place = planes?.first ?? 0;
  /** @type {[Values, Rule] | null} */
  let drawn = null;
  /** @type {{ true: number[], pred: number[] } | null} */
  let framed = null;
  const reframe = () => made.forEach(({ panel }) => frame(panel, framed && framed[panel.kind.side], columns));
  /** @param {Values} values
   * @param {Rule} rule */
  const draw = async (values, rule) => {
    drawn = [values, rule];
    const asked = place;
    const plane = header.kind === "labels" ? await planeOf(item, asked) : null;
    const masks = header.kind === "masks" ? await masksOf(item) : null;
    // While the elements were unpacked another slice, rule or item may have been chosen.
    if (asked !== place || drawn[0] !== values || !legend.isConnected) return;
    for (const { panel } of made) {
      const side = values[panel.kind.side];
      const codes = codesFor(panel.kind, plane, masks, side, rows, columns);
      drawPanel(panel, codes, side, rule.alpha, columns, masks && masks[panel.kind.side]);
    }
    refill(legend, legendOf(rule), masks ? el("p", { class: "note" }, COVERED) : null);
    reframe();
    element.dataset.drawn = `${item.index} ${asked} ${rule.name}`;
  };
  const slider = planes && sliderOf(planes, (to) => {
    place = to;
    if (drawn) draw(...drawn);
  });
  element.append(el("div", { class: "panels" }, made.map(({ figure }) => figure)), slider ?? "", legend);
  const omitted = planes && leftOut(planes);
  if (omitted) element.append(el("p", { class: "note" }, omitted));
  return {
    draw,
    frame(wanted) {
      framed = wanted;
      reframe();
    },
  };
}

/** Which rows, columns and planes are not in the page, in words.
 * @param {import("../data/label_planes.js").LabelsHeader} header
 * @returns {string} */
function leftOut({ step, stack, planes, word }) {
  const thinned = step > 1 ? `One row and one column in ${step} are shown. ` : "";
  const total = countPlanes(stack);
  return thinned + (planes.length < total ? `${planes.length} of ${total} ${word}s are in this report.` : "");
}

/** @param {number[]} stack
 * @returns {number} */
function countPlanes(stack) {
  return stack.reduce((product, length) => product * length, 1);
}

/** @param {import("../data/label_planes.js").LabelsHeader} header
 * @param {(place: number) => void} onplace
 * @returns {HTMLElement | null} */
function sliderOf({ planes, word, stack, first }, onplace) {
  if (planes.length < 2) return null;
  const position = el("output", {});
  const range = /** @type {HTMLInputElement} */ (
    el("input", { type: "range", min: 0, max: planes.length - 1, step: 1, value: first, "aria-label": word })
  );
  const tell = (/** @type {number} */ place) => {
    const at = [];
    let rest = planes[place];
    for (const length of [...stack].reverse()) {
      at.unshift(rest % length);
      rest = Math.floor(rest / length);
    }
    const total = countPlanes(stack);
    position.textContent = stack.length === 1 ? `${word} ${at[0] + 1} of ${total}` : `${word} [${at.join(", ")}]`;
  };
  range.addEventListener("input", () => {
    tell(Number(range.value));
    onplace(Number(range.value));
  });
  tell(first);
  return el("label", { class: "slices" }, range, position);
}

/** The legend of the maps: a bar from 0 over α to 1.
 * @param {Rule} rule
 * @returns {HTMLElement[]} */
function legendOf({ alpha, attained, label }) {
  const at = toNumber(alpha);
  /** @type {[number[], number][]} */
  const stops = [
    [mapColour(0, false, alpha), 0],
    [mapColour(at, false, alpha), at],
    [mapColour(at, true, alpha), at],
    [mapColour(1, true, alpha), 1],
  ];
  const words = attained
    ? `brown to orange below ${written(alpha)}, light to dark blue from there`
    : `brown to orange up to ${written(alpha)}, light to dark blue above`;
  const from = attained ? "at or above" : "above";
  const bar = el("span", { class: "ramp", role: "img", "aria-label": words });
  const shown = (at > 0 ? stops : stops.slice(2)).map(([colour, share]) => `${css(colour)} ${share * 100}%`);
  bar.style.background = `linear-gradient(to right, ${shown.join(", ")})`;
  const mark = el("span", { class: "mark" }, alpha.top > 0n ? `α = ${written(alpha)}` : "");
  mark.style.left = `${at * 100}%`;
  return [
    el("p", { class: "note" }, "Truth and prediction: a pair has one colour, segments without a partner are dark. "),
    el("p", { class: "note" }, `Maps: IoU of the best partner; blue is ${from} the lower bound of ${label}.`),
    el("div", { class: "scale" }, el("span", {}, "0"), el("span", { class: "track" }, bar, mark), el("span", {}, "1")),
  ];
}
