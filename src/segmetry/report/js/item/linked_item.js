// @ts-check
// The pictures, the graph and the table of one item, linked: a segment that is pointed at, or has the focus, is shown
// in all of them together with what it overlaps. Arrow keys walk through the graph.

import { counted } from "../data/words.js";
import { moveByArrows } from "../drawing/arrow_keys.js";
import { el, refill } from "../drawing/dom.js";
import { edgeTable } from "./overlap_table.js";
import { show } from "../scoring/exact.js";
import { drawGraph, neighbourhood, segmentName } from "../drawing/overlap_graph.js";
import { drawPair, pairLegend, pairWords } from "../drawing/pair_picture.js";
import { classTable } from "./class_table.js";
import { mountOwnErrors } from "./own_errors.js";
import { mountPictures } from "./pictures.js";
import { isMarked, mountMarkedText } from "./marked_text.js";
import { errorList } from "./error_list.js";
import { isLarge } from "./folding.js";
import { mountLine } from "./line_view.js";
import { choices } from "./picture_controls.js";
import { segmentColours } from "../drawing/colours.js";
import { headerOf } from "../data/label_planes.js";
import { hasOwnErrors } from "../data/errors.js";
import { edgesOf, valuesOf } from "../scoring/best_partners.js";

/** @typedef {import("../drawing/panels.js").Segment} Segment */
/** @typedef {import("../scoring/best_partners.js").Edge} Edge */
/** @typedef {import("../scoring/best_partners.js").Values} Values */
/** @typedef {Record<"pictures" | "errors" | "graph" | "description" | "pair" | "table", HTMLElement>} Places */

const HINT = "Point at a segment, or move through the graph with the arrow keys; click to keep it.";
const FEW =
  "The report of such a large run contains only the overlaps of pairs aligned by θ&, and all overlaps of " +
  "items with pictures.";
const PART = "Only the neighbourhood of one segment; choose another in a picture or here.";

/** @param {import("../data/model.js").Item} item
 * @param {import("../store.js").Store} store
 * @param {HTMLElement} element
 * @returns {{ redraw: () => void, press: (key: string) => boolean }} what draws the item again under the rule of the
 *   store; what a key means in its pictures */
export function openItem(item, store, element) {
  const isLine = item.kind === "spans";
  const marked = isMarked(item);
  const hasPartners = item.model.data.agrees_by === null && item.kind !== "intervals" && !marked;
  const places = placesIn(element, isLine && !marked, hasPartners);
  /** @type {Segment | null} */
  let pinned = null;
  /** @type {Edge[]} */
  let edges = [];
  /** @type {Values} */
  let values;
  /** @type {Segment | null} */
  let pointed = null;
  let isFolded = true;
  const shownEdges = () => (isFolded ? edges.filter(isLarge) : edges);
  /** @param {Segment | null} segment
   * @param {boolean} pressed */
  const onsegment = (segment, pressed) => {
    if (!hasPartners) return;
    if (!pressed && segment?.at === pointed?.at && segment?.side === pointed?.side) return;
    pointed = segment;
    if (pressed && (segment?.at !== pinned?.at || segment?.side !== pinned?.side)) {
      pinned = segment;
      showPair(segment && bestOf(edges, segment));
      if (!neighbourhood(item, edges, pinned).whole) regraph();
    }
    highlight(segment ?? pinned);
  };
  const pictures = mountPictures(places.pictures, item, store, { segment: onsegment, draw: () => redraw() });
  const line = isLine && !marked ? mountLine(places.pictures, item, store) : null;
  if (marked) mountMarkedText(places.pictures, places.pair, item, store);
  const own = el("div", { class: "own-errors" });
  mountOwnErrors(places.pictures, own, item, store);
  if (!pictures && headerOf(item) === null) {
    places.pictures.append(el("p", { class: "note" }, `No pictures of this item: ${item.model.whyNoPictures}.`));
  }
  const regraph = () => {
    const had = places.graph.contains(document.activeElement);
    const shown = shownEdges();
    const part = neighbourhood(item, shown, pinned ?? lead(item, values));
    const note = part.whole ? null : el("p", { class: "note" }, PART);
    const colours = segmentColours(item, values, store.get().rule, isLine ? "segment" : choices.mode);
    const rest = edges.length - shown.length;
    const small = `show ${counted(rest, "overlap")} below 2 %`;
    const more = el("button", { type: "button", class: "unfold", onclick: unfold }, small);
    refill(places.graph, drawGraph(item, part, values, colours, onsegment), note, rest ? more : null);
    rove(places.graph, pinned, had);
  };
  const unfold = () => {
    isFolded = false;
    regraph();
    highlight(pinned);
  };
  /** @param {Segment | null} segment */
  const highlight = (segment) => {
    const own = segment?.side === "pred" ? "p" : "t";
    const other = own === "t" ? "p" : "t";
    const near = shownEdges().filter((edge) => edge[own] === segment?.at);
    const partners = near.map((edge) => edge[other]);
    const mine = segment ? [segment.at] : [];
    const framed = own === "t" ? { true: mine, pred: partners } : { true: partners, pred: mine };
    pictures?.frame(segment && framed);
    mark(places, segment, near);
    refill(places.description, segment ? sentence(item, segment, near, values) : HINT);
  };
  /** @param {Edge | null} edge */
  const onedge = (edge) => {
    pictures?.frame(edge && { true: [edge.t], pred: [edge.p] });
    mark(places, null, edge ? [edge] : []);
  };
  /** Draw a pair: that of a row, or the segment that is kept with its best partner.
   * @param {Edge | null} edge */
  const showPair = (edge) => {
    if (edge === null || headerOf(item) === null) return refill(places.pair);
    const picture = el("div", { class: "thumb" });
    const ours = segmentName(item, { side: "true", at: edge.t });
    const theirs = segmentName(item, { side: "pred", at: edge.p });
    const words = `True ${ours} and predicted ${theirs}: IoU ${show(edge.iou)}; ${pairWords(edge)}`;
    refill(places.pair, el("figure", {}, picture, el("figcaption", { class: "note" }, words)), pairLegend());
    drawPair(picture, item, edge);
  };
  /** @param {Segment} segment */
  const goTo = async (segment) => {
    await pictures?.goTo(segment);
    line?.goTo(segment);
    onsegment(segment, true);
  };
  const redraw = () => {
    const { rule } = store.get();
    edges = edgesOf(item, rule);
    values = valuesOf(item, rule, edges);
    pictures?.draw(values, rule);
    line?.draw();
    if (hasPartners) regraph();
    refill(places.errors, hasOwnErrors(item.model) ? null : errorList(item, rule, goTo), own);
    // Of an item with pictures all rows are there, whatever the size of the run: its maps need them.
    const note = item.model.pairsOnly && headerOf(item) === null ? el("p", { class: "note" }, FEW) : null;
    const onpair = (/** @type {Edge} */ edge) => {
      showPair(edge);
      places.pair.scrollIntoView({ block: "nearest" });
    };
    if (hasPartners) refill(places.table, edgeTable(item, edges, onedge, onpair), note);
    pointed = null;
    if (hasPartners) highlight(pinned);
    else if (!marked) refill(places.pair, classTable(item));
  };
  return { redraw, press: (key) => pictures?.press(key) ?? false };
}

/** Pictures on the left, what is wrong on the right; a line is as wide as the page, and its graph is folded. Without
 * partners there are no overlaps of segments to show.
 * @param {HTMLElement} element
 * @param {boolean} isLine
 * @param {boolean} hasPartners
 * @returns {Places} */
function placesIn(element, isLine, hasPartners) {
  const names = ["pictures", "errors-box", "graph-box", "description", "pair-box", "table-box"];
  const [pictures, errors, graph, description, pair, table] = names.map((name) => el("div", { class: name }));
  description.setAttribute("aria-live", "polite");
  const drawn = el("details", { class: "graph-fold", open: !isLine }, el("summary", {}, "Overlaps as a graph"), graph);
  const listed = el("details", { open: true }, el("summary", {}, "Overlaps as a table"), table);
  element.classList.toggle("is-line", isLine);
  const overlaps = hasPartners ? [description, pair, drawn] : [pair];
  element.append(pictures, el("div", { class: "graph-side" }, errors, ...overlaps), hasPartners ? listed : "");
  return { pictures, errors, graph, description, pair, table };
}

/** The overlap of a segment with its partner, or with the segment that fits best; null of one that overlaps nothing.
 * @param {Edge[]} edges
 * @param {Segment} segment
 * @returns {Edge | null} */
function bestOf(edges, { side, at }) {
  const own = edges.filter((edge) => (side === "true" ? edge.t : edge.p) === at);
  return own.sort((a, b) => Number(b.matched) - Number(a.matched) || b.iou - a.iou)[0] ?? null;
}

/** The segment a large item opens with: the largest true one that is missed, else the largest.
 * @param {import("../data/model.js").Item} item
 * @param {Values} values
 * @returns {Segment | null} */
function lead(item, { true: side }) {
  const shown = [...side.value.keys()].filter((at) => side.shown[at]);
  const missed = shown.filter((at) => side.matched[at] < 0);
  const sizes = item.true.size;
  const [first] = (missed.length ? missed : shown).sort((a, b) => Number(sizes[b]) - Number(sizes[a]));
  return first === undefined ? null : { side: "true", at: first };
}

/** Mark nodes, edges and rows of some overlaps.
 * @param {Places} places
 * @param {Segment | null} segment
 * @param {Edge[]} near */
function mark({ graph, table }, segment, near) {
  const pairs = new Set(near.map((edge) => `${edge.t} ${edge.p}`));
  for (const element of [...graph.querySelectorAll(".edge"), ...table.querySelectorAll("tr[data-true]")]) {
    const { true: t, pred: p } = /** @type {HTMLElement} */ (element).dataset;
    element.classList.toggle("is-near", pairs.has(`${t} ${p}`));
  }
  for (const node of graph.querySelectorAll(".node")) {
    const { side, at } = /** @type {HTMLElement} */ (node).dataset;
    const isNear = near.some((edge) => (side === "true" ? edge.t : edge.p) === Number(at));
    node.classList.toggle("is-near", isNear || (segment?.side === side && segment?.at === Number(at)));
  }
  graph.classList.toggle("has-near", segment !== null || near.length > 0);
}

/** @param {import("../data/model.js").Item} item
 * @param {Segment} segment
 * @param {Edge[]} near
 * @param {Values} values
 * @returns {string} */
function sentence(item, segment, near, values) {
  const { side, at } = segment;
  const isTrue = side === "true";
  const name = segmentName(item, segment);
  const words = `${isTrue ? "True" : "Predicted"} ${name}: ${item[side].size[at]} ${item.unit}`;
  const partner = near.find((edge) => edge.matched);
  if (!values[side].shown[at]) return `${words}, not counted under this policy.`;
  const best = show(values[side].value[at]);
  if (!partner) return `${words}, ${isTrue ? "missed" : "spurious"}; best IoU ${best}.`;
  const other = segmentName(item, isTrue ? { side: "pred", at: partner.p } : { side: "true", at: partner.t });
  return `${words}, matched with ${other} (IoU ${show(partner.iou)}); ${near.length} overlaps in total.`;
}

/** One node of the graph takes the focus; arrows move it, up and down along a side, left and right to a neighbour.
 * @param {HTMLElement} graph
 * @param {Segment | null} pinned
 * @param {boolean} had whether the focus was in the graph */
function rove(graph, pinned, had) {
  const nodes = /** @type {SVGElement[]} */ ([...graph.querySelectorAll(".node")]);
  const isPinned = (/** @type {SVGElement} */ { dataset }) =>
    dataset.side === pinned?.side && dataset.at === String(pinned?.at);
  const current = nodes.find(isPinned) ?? nodes[0];
  moveByArrows(graph, nodes, current, (from, key) => {
    const across = { ArrowRight: "pred", ArrowLeft: "true" }[key];
    const isNext = (/** @type {SVGElement} */ { dataset, classList }) =>
      dataset.side === across && classList.contains("is-near");
    const along = { ArrowDown: 1, ArrowUp: -1 }[key] ?? 0;
    if (across && across !== nodes[from].dataset.side) return nodes.find(isNext);
    return along ? nodes[from + along] : undefined;
  });
  if (had) current?.focus();
}
