// @ts-check
// The costliest errors of one item, each a link to its picture; and the lanes of the speakers of a recording.

import { errorsOf, points } from "../data/errors.js";
import { headerOf } from "../data/label_planes.js";
import { el, refill } from "../drawing/dom.js";
import { swatchOf } from "../drawing/error_colours.js";
import { lanes } from "../drawing/line_error.js";

const MOST = 8;
const [WIDTH, HEIGHT] = [1200, 28];

/** @param {HTMLElement} pictures where lanes are drawn
 * @param {HTMLElement} element
 * @param {import("../data/model.js").Item} item
 * @param {import("../store.js").Store} store */
export function mountOwnErrors(pictures, element, item, store) {
  const errors = errorsOf(item.model).filter((error) => error.item === item.index);
  const header = headerOf(item);
  if (header?.kind === "lanes") {
    const [first, second] = header.names.map((names) => names.join(", "));
    const label = `turns of ${first} above, errors between, turns of ${second} below`;
    const facts = { class: "lanes", role: "img", "aria-label": label };
    const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", facts));
    [canvas.width, canvas.height] = [WIDTH, HEIGHT * (header.names[0].length + header.names[1].length + 1.5)];
    const context = canvas.getContext("2d");
    if (context) lanes(context, header, null, canvas.width, canvas.height, errors);
    const words = `Truth: ${first}. Between both: what is wrong. Prediction: ${second}.`;
    refill(pictures, canvas, el("p", { class: "note" }, words));
  }
  if (!errors.length) return;
  const entries = errors.slice(0, MOST).map((error) => {
    const open = () => store.set({ item: null, error: error.address, view: "errors" });
    const words = [swatchOf(error.kind), el("bdi", {}, error.what), ` ${points(error.cost)}`];
    return el("li", {}, el("button", { type: "button", class: "link", onclick: open }, ...words));
  });
  const rest = errors.length > MOST ? el("p", { class: "note" }, `${errors.length - MOST} further errors.`) : null;
  refill(element, el("h3", {}, "What costs most here"), el("ul", { class: "error-costs" }, entries), rest);
}
