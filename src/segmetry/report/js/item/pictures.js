// @ts-check
// The pictures of one item: a large one with what is chosen, and small ones of every layer.

import { headerOf } from "../data/label_planes.js";
import { segmentColours } from "../drawing/colours.js";
import { el, refill } from "../drawing/dom.js";
import { frame, veilOf } from "../drawing/panels.js";
import { valuesOf } from "../scoring/best_partners.js";
import { axesOf, contentBox, cutOf, depthOf, worstCut } from "./cuts.js";
import { largePicture } from "./large_picture.js";
import { labelPlaces, layersOf, outlinesOf, paintLayer, sideOf } from "./layers.js";
import { legendOf } from "./legend.js";
import { photographOf, whyNoPhotograph } from "./photograph.js";
import { choices, pictureControls, readLook, withoutHidden } from "./picture_controls.js";
import { leftOut, sliceControls } from "./slice_controls.js";
import { shortName } from "../drawing/overlap_graph.js";

/** @typedef {import("../drawing/panels.js").Segment} Segment */
/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {import("../scoring/best_partners.js").Values} Values */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {import("./cuts.js").Cut} Cut */
/** @typedef {import("./cuts.js").Axis} Axis */
/** @typedef {{ true: number[], pred: number[] }} Framed positions of segments */

/** Pictures with functions that draw under a rule, frame segments, and go to one.
 * @param {HTMLElement} element
 * @param {Item} item
 * @param {import("../store.js").Store} store
 * @param {{ segment: (segment: Segment | null, pressed: boolean) => void, draw: () => void }} on
 * @returns {{ draw: (values: Values, rule: Rule) => Promise<void>, frame: (framed: Framed | null) => void,
 *   goTo: (segment: Segment) => Promise<void>, press: (key: string) => boolean } | null} null where there are none */
export function mountPictures(element, item, store, on) {
  const known = headerOf(item);
  if (!known || known.kind === "spans" || known.kind === "lanes") return null;
  /** @type {import("../data/label_planes.js").FlatHeader} */
  const header = known;
  const hasPhotograph = item.model.data.photos[item.index] !== undefined || item.index in item.model.data.scans;
  const axes = axesOf(header);
  /** @type {{ values: Values, rule: Rule } | null} */
  let asked = null;
  /** @type {Cut | null} */
  let cut = null;
  /** @type {Framed | null} */
  let framed = null;
  let axis = axes.find((one) => one.axis === store.get().axis) ?? axes[0] ?? null;
  let place = placeOf(store.get().slice);

  /** @param {number | null} depth
   * @returns {number} */
  function placeOf(depth) {
    if (!axis || header.kind !== "labels") return 0;
    if (depth === null) return worstCut(header, axis);
    const all = Array.from({ length: axis.count }, (_, at) => at);
    const distance = (/** @type {number} */ at) => Math.abs(depthOf(header, /** @type {Axis} */ (axis), at) - depth);
    return all.reduce((best, at) => (distance(at) < distance(best) ? at : best), 0);
  }

  const large = largePicture(
    {
      point: (column, row, pressed) => on.segment(segmentAt(column, row, sideOf(choices.layer)), pressed),
      leave: () => on.segment(null, false),
      wheel(steps) {
        if (!axis) return false;
        slice(axis, Math.min(Math.max(place + steps, 0), axis.count - 1));
        return true;
      },
    },
    "large picture: wheel, + and − zoom, arrow keys move it",
  );
  readLook(store.get().look, item.model);
  const controls = pictureControls(item, hasPhotograph, store, {
    draw: on.draw,
    look: () => large.look(choices),
    zoomBy: large.zoomBy,
    whole: large.showWhole,
    content: large.showContent,
  });
  const slices = axes.length ? sliceControls(header, axes, slice) : null;
  const small = layersOf(item.model).filter((layer) => layer !== "photograph").map((layer) => smallPicture(layer));
  const legend = el("div", { class: "legend" });
  const names = el("div", { class: "run-names" });
  const notes = [whyNoPhotograph(item), leftOut(header)].filter(Boolean).join(" ");
  element.append(
    controls.element,
    el("div", { class: "large-frame" }, large.canvas, controls.zoom, names),
    slices?.element ?? "",
    el("div", { class: "panels" }, small.map(({ figure }) => figure)),
    legend,
    el("p", { class: "note" }, notes),
  );

  /** @param {Axis} next
   * @param {number | null} to */
  async function slice(next, to) {
    const isOther = next !== axis;
    axis = next;
    place = to ?? worstCut(header, next);
    store.set({ axis: axis === axes[0] ? null : axis.axis, slice: depthOf(header, axis, place) });
    if (asked) await draw(asked.values, asked.rule);
    if (isOther) large.showContent();
  }

  /** @param {import("./layers.js").Layer} layer */
  function smallPicture(layer) {
    const facts = { role: "img", "aria-label": layer, "data-panel": layer };
    const picture = /** @type {HTMLCanvasElement} */ (el("canvas", facts));
    const over = /** @type {HTMLCanvasElement} */ (el("canvas", { class: "frame", "aria-hidden": "true" }));
    const stack = el("div", { class: "stack" }, picture, over);
    const tell = (/** @type {PointerEvent} */ event) => {
      if (!cut) return;
      const box = over.getBoundingClientRect();
      const column = Math.floor(((event.clientX - box.left) / box.width) * cut.columns);
      const row = Math.floor(((event.clientY - box.top) / box.height) * cut.rows);
      on.segment(segmentAt(column, row, sideOf(layer)), false);
    };
    stack.addEventListener("pointermove", tell);
    stack.addEventListener("pointerleave", () => on.segment(null, false));
    const button = el("button", { type: "button", class: "link", onclick: () => controls.choose(layer) }, layer);
    stack.addEventListener("click", () => controls.choose(layer));
    const figure = el("figure", {}, el("figcaption", {}, button), stack);
    return { layer, picture, over, stack, figure };
  }

  /** @param {number} column
   * @param {number} row
   * @param {"true" | "pred"} side that is looked at first
   * @returns {Segment | null} */
  function segmentAt(column, row, side) {
    if (!cut) return null;
    const at = row * cut.columns + column;
    const other = side === "true" ? "pred" : "true";
    for (const word of choices.layer === "errors" ? /** @type {const} */ ([side, other]) : [side]) {
      const code = cut[word][at] ?? 0;
      if (code > 0 && code <= item[word].size.length) return { side: word, at: code - 1 };
    }
    return null;
  }

  /** @param {Item} shown
   * @param {Cut} whole
   * @param {Values} values
   * @param {Rule} rule
   * @returns {Promise<import("./large_picture.js").Content>} */
  async function contentOf(shown, whole, values, rule) {
    const shownCut = withoutHidden(whole, shown);
    const fill = /** @type {HTMLCanvasElement} */ (el("canvas"));
    const colours = segmentColours(shown, values, rule, choices.mode);
    paintLayer(fill, choices.layer, shown, shownCut, values, rule, colours, { striped: isStriped(), dotted: false });
    const { rows, columns, tall } = shownCut;
    const side = sideOf(choices.layer);
    const labels = labelPlaces(shownCut[side], columns, shown[side].size.length).map(({ at, ...where }) => {
      return { ...where, text: shortName(shown, { side, at }) };
    });
    const photograph = await photographOf(shown, shownCut.key);
    return { rows, columns, tall, fill, photograph, outlines: outlinesOf(shownCut, values), labels };
  }

  /** The same place of the other run, if it has the item.
   * @param {Rule} rule
   * @returns {Promise<import("./large_picture.js").Content | null>} */
  async function contentOfOther(rule) {
    const model = choices.other === null ? null : item.model.runs[choices.other];
    const at = model ? model.data.items.indexOf(item.model.data.items[item.index]) : -1;
    if (!model || at < 0) return null;
    const values = valuesOf(model.items[at], rule);
    const itsCut = await cutOf(model.items[at], axis, place, values);
    if (!itsCut || itsCut.rows !== cut?.rows || itsCut.columns !== cut.columns) return null;
    return contentOf(model.items[at], itsCut, values, rule);
  }

  /** @param {Values} values
   * @param {Rule} rule */
  async function draw(values, rule) {
    asked = { values, rule };
    const wanted = { axis, place };
    const next = await cutOf(item, axis, place, values);
    // While the elements were unpacked another slice, rule or item may have been chosen.
    const isOld = () => wanted.axis !== axis || wanted.place !== place || asked?.values !== values;
    if (!next || isOld() || !legend.isConnected) return;
    const isFirst = cut === null;
    cut = next;
    const content = await contentOf(item, cut, values, rule);
    const other = await contentOfOther(rule);
    if (isOld() || !legend.isConnected) return;
    large.show(other ? [content, other] : [content], choices, () => cut && contentBox(cut));
    if (isFirst && axes.length) large.showContent();
    const shownRuns = other && choices.other !== null ? [item.model, item.model.runs[choices.other]] : [];
    refill(names, shownRuns.map((run) => el("bdi", {}, run.name)));
    const colours = segmentColours(item, values, rule, choices.mode);
    for (const { layer, picture, over, stack, figure } of small) {
      paintLayer(picture, layer, item, cut, values, rule, colours, { striped: isStriped(), dotted: true });
      [over.width, over.height] = [cut.columns, cut.rows];
      const height = cut.rows === 1 ? Math.max(1, cut.columns / 12) : cut.rows * cut.tall;
      stack.style.setProperty("--ratio", `${cut.columns} / ${height}`);
      figure.classList.toggle("is-chosen", layer === choices.layer);
    }
    refill(legend, legendOf(choices.layer, choices.mode, item, rule, cut.masks !== null));
    if (axis) slices?.show(axis, place);
    reframe();
    element.dataset.drawn = `${item.index} ${place} ${rule.name}`;
    element.dataset.layer = choices.layer;
  }

  function reframe() {
    if (!cut) return;
    for (const { layer, over } of small) {
      const side = sideOf(layer);
      frame(over, cut[side], framed && framed[side], cut.columns, cut.masks && cut.masks[side]);
    }
    large.veil(framed && veilOf(cut, framed));
  }

  return {
    draw,
    press: (key) => slices?.press(key) ?? false,
    frame(next) {
      framed = next;
      reframe();
    },
    async goTo({ side, at }) {
      const peaks = header.kind === "labels" ? header.peaks?.[side === "true" ? 0 : 1] : null;
      if (axis && peaks) await slice(axes[0], peaks[at]);
      if (!cut) return;
      const isWanted = (/** @type {number} */ t, /** @type {number} */ p) => (side === "true" ? t : p) === at + 1;
      large.zoomTo(contentBox(cut, isWanted));
    },
  };
}

/** @returns {boolean} */
function isStriped() {
  return choices.mode === "segment";
}
