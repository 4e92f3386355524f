// @ts-check
// View 3: precision and recall of every item (or true segment) with its partners; the position of a dot shows
// the kind of error.
// A rectangle drawn with the pointer, or the name of a corner, selects items for all other views.

import { unitPlot } from "../drawing/chart.js";
import { paintDensity } from "../drawing/density.js";
import { el, refill, svg } from "../drawing/dom.js";
import { fixed } from "../scoring/exact.js";
import { mountItems } from "./item_table.js";
import { CORNERS, itemPoints, segmentPoints } from "../scoring/scatter_points.js";

/** @typedef {import("../scoring/scatter_points.js").Point} Point */
/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box in units of recall and precision */

const SIZE = { width: 560, height: 520 };
const NEAR = 8;
/** More points than this are drawn as a density. */
const MANY = 2000;
const COLOURS = { good: "--good", "over-segmentation": "--over", "under-segmentation": "--under", bad: "--bad" };
const WORDS = {
  good: "of the true and of the predicted area",
  "over-segmentation": "precise but incomplete: more is missed than shared",
  "under-segmentation": "complete but not precise: more is spurious than shared",
  bad: "neither",
};

/** What the corners are called: shares of area, not a judgement of an item.
 * @type {Record<string, string>} */
const NAMES = {
  good: "more than half shared",
  "over-segmentation": "over-segmentation",
  "under-segmentation": "under-segmentation",
  bad: "less than half shared",
};

/** @type {Record<string, [number, number, string]>} */
const PLACES = {
  good: [0.98, 0.95, "end"],
  "over-segmentation": [0.02, 0.95, "start"],
  "under-segmentation": [0.98, 0.03, "end"],
  bad: [0.02, 0.03, "start"],
};

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountScatter(element, model, store) {
  let ofItems = false;
  let points = ofItems ? itemPoints(model) : segmentPoints(model);
  const [xLabel, yLabel] = ["recall", "precision"].map((word) => `${word} (${model.unit})`);
  const plot = unitPlot({ ...SIZE, xLabel, yLabel, label: "Precision and recall" });
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { "aria-hidden": "true" }));
  const brush = svg("rect", { class: "brush", visibility: "hidden" });
  const near = el("output", { class: "note near", "aria-live": "polite" });
  const legend = el("div", { class: "corners", role: "group", "aria-label": "corners" });
  const status = el("p", { class: "note", "aria-live": "polite" });
  for (const [corner, [across, up, anchor]] of Object.entries(PLACES)) {
    plot.root.append(svg("text", { x: plot.x(across), y: plot.y(up), "text-anchor": anchor }, NAMES[corner]));
  }
  plot.root.append(
    svg("line", { class: "divide", x1: plot.x(0.5), x2: plot.x(0.5), y1: plot.y(0), y2: plot.y(1) }),
    svg("line", { class: "divide", x1: plot.x(0), x2: plot.x(1), y1: plot.y(0.5), y2: plot.y(0.5) }),
    brush,
  );
  const stage = el("div", { class: "stage" }, canvas, plot.root);
  const toggle = el("button", { type: "button", onclick: () => change(!ofItems) });
  const forget = () => store.set({ filter: null });
  const clear = el("button", { type: "button", onclick: forget }, "select all items again");
  const list = el("div", { class: "items" });
  element.append(
    el(
      "div",
      { class: "beside" },
      el("figure", { class: "plot" }, stage),
      el("div", {}, legend, status, clear, toggle, near),
    ),
    list,
  );
  mountItems(list, model, store);

  /** @param {boolean} wanted */
  function change(wanted) {
    ofItems = wanted;
    points = ofItems ? itemPoints(model) : segmentPoints(model);
    draw();
  }

  /** @param {(point: Point) => boolean} wanted */
  function select(wanted) {
    const items = [...new Set(points.filter(wanted).map((point) => point.item))];
    store.set({ filter: items.length ? { items } : null });
  }

  function draw() {
    const { selected } = store.get();
    paint(canvas, plot, points, selected);
    const counts = CORNERS.map((corner) => points.filter((point) => point.corner === corner).length);
    refill(
      legend,
      CORNERS.map((corner, at) =>
        el(
          "button",
          {
            type: "button",
            class: `corner ${corner}`,
            "data-corner": corner,
            onclick: () => select((point) => point.corner === corner),
          },
          el("b", {}, counts[at]),
          ` ${NAMES[corner]}`,
          el("span", { class: "note" }, WORDS[/** @type {"bad"} */ (corner)]),
        ),
      ),
    );
    const noun = ofItems ? "item" : "true segment";
    const what =
      selected === null
        ? "Drag a rectangle, or choose a corner, to select items."
        : `${selected.size} of ${model.nItems} items selected.`;
    refill(status, `One dot per ${noun}, ${points.length} in total. ${what}`);
    clear.hidden = selected === null;
    refill(toggle, ofItems ? "one dot per true segment" : "one dot per item");
  }

  /** @param {Box} box */
  const brushed = ({ left, right, top, bottom }) =>
    select(({ recall, precision }) => recall >= left && recall <= right && precision >= bottom && precision <= top);
  /** @param {number} x
   * @param {number} y
   * @param {boolean} clicked */
  const pointed = (x, y, clicked) => {
    const point = nearest(plot, points, x, y);
    plot.root.classList.toggle("pointing", point !== null);
    refill(near, point === null ? "" : describe(model, point));
    if (point && clicked) store.set({ item: point.item });
  };
  listen(plot, brush, brushed, pointed);
  draw();
  document.addEventListener("theme", draw);
  store.subscribe((_, changed) => {
    if (changed.has("selected")) draw();
  });
}

/** @param {import("../data/model.js").Model} model
 * @param {Point} point
 * @returns {(Node | string)[]} */
function describe(model, point) {
  const segment = point.segment === null ? "" : `, true segment ${model.true.ids[point.segment]}`;
  const counts = `shared ${point.shared}, missed ${point.missed}, spurious ${point.spurious}`;
  return [
    el("bdi", { class: "name" }, model.items[point.item].name),
    `${segment}: recall ${fixed(point.recall, 3)}, precision ${fixed(point.precision, 3)} (${counts})`,
  ];
}

/** @param {import("../drawing/chart.js").Plot} plot
 * @param {Point[]} points
 * @param {number} x
 * @param {number} y
 * @returns {Point | null} */
function nearest(plot, points, x, y) {
  let [best, least] = [/** @type {Point | null} */ (null), NEAR * NEAR];
  for (const point of points) {
    const [dx, dy] = [plot.x(point.recall) - x, plot.y(point.precision) - y];
    if (dx * dx + dy * dy <= least) [best, least] = [point, dx * dx + dy * dy];
  }
  return best;
}

/** @param {HTMLCanvasElement} canvas
 * @param {import("../drawing/chart.js").Plot} plot
 * @param {Point[]} points
 * @param {Set<number> | null} selected */
function paint(canvas, plot, points, selected) {
  const scale = 2;
  canvas.width = SIZE.width * scale;
  canvas.height = SIZE.height * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const colours = Object.fromEntries(
    Object.entries(COLOURS).map(([corner, name]) => [corner, style.getPropertyValue(name)]),
  );
  if (points.length > MANY) {
    const placed = points.map(({ recall, precision, corner, item }) => ({
      x: plot.x(recall),
      y: plot.y(precision),
      colour: colours[corner],
      isFaint: selected !== null && !selected.has(item),
    }));
    return paintDensity(context, placed);
  }
  const radius = points.length > 500 ? 2.5 : 4.5;
  for (const point of points) {
    context.globalAlpha = selected === null || selected.has(point.item) ? 0.65 : 0.08;
    context.fillStyle = colours[point.corner];
    context.beginPath();
    context.arc(plot.x(point.recall), plot.y(point.precision), radius, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Dragging draws a rectangle, moving points at dots.
 * @param {import("../drawing/chart.js").Plot} plot
 * @param {SVGElement} brush
 * @param {(box: Box) => void} done
 * @param {(x: number, y: number, clicked: boolean) => void} move */
function listen(plot, brush, done, move) {
  /** @type {[number, number] | null} */
  let from = null;
  /** @param {MouseEvent} event
   * @returns {[number, number]} */
  const place = (event) => {
    const box = plot.root.getBoundingClientRect();
    const scale = SIZE.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  plot.root.addEventListener("pointerdown", (event) => {
    from = place(event);
    plot.root.setPointerCapture(/** @type {PointerEvent} */ (event).pointerId);
  });
  plot.root.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (from === null) return move(x, y, false);
    const [left, top] = [Math.min(x, from[0]), Math.min(y, from[1])];
    const size = { width: Math.abs(x - from[0]), height: Math.abs(y - from[1]) };
    const shape = { x: left, y: top, ...size, visibility: "visible" };
    for (const [name, value] of Object.entries(shape)) brush.setAttribute(name, String(value));
  });
  plot.root.addEventListener("pointerup", (event) => {
    const [x, y] = place(event);
    brush.setAttribute("visibility", "hidden");
    if (from !== null && Math.hypot(x - from[0], y - from[1]) > 4) {
      const across = (/** @type {number} */ value) => (value - plot.left) / plot.width;
      const up = (/** @type {number} */ value) => 1 - (value - plot.top) / plot.height;
      done({
        left: across(Math.min(x, from[0])),
        right: across(Math.max(x, from[0])),
        top: up(Math.min(y, from[1])),
        bottom: up(Math.max(y, from[1])),
      });
    } else move(x, y, true);
    from = null;
  });
}
