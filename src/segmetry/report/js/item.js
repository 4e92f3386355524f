// @ts-check
// View 7: one item. Pictures, the graph of its overlaps and their table, linked: what is pointed at in one is shown in
// all. Keys: j and k walk through the items, worst first; arrows walk through the segments of the graph.

import { el, refill } from "./dom.js";
import { show } from "./exact.js";
import { edgeTable } from "./edges.js";
import { drawGraph, neighbourhood, segmentName } from "./graph.js";
import { shownItem, worstFirst } from "./order.js";
import { mountPictures } from "./pictures.js";
import { headerOf } from "./pixels.js";
import { summarise } from "./summary.js";
import { edgesOf, valuesOf } from "./values.js";

/** @typedef {import("./panels.js").Segment} Segment */
/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./store.js").Store} Store */

const HINT = "Point at a segment, or walk through the graph with the arrow keys; a click keeps it.";

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {Store} store */
export function mountItem(element, model, store) {
  const [head, pictures, graph, told, table] = ["item-head", "pictures", "graph-box", "told", "table-box"].map((name) => el("div", { class: name }));
  told.setAttribute("aria-live", "polite");
  element.append(head, el("div", { class: "item-body" }, pictures, el("div", { class: "graph-side" }, graph, told)), table);
  /** @type {{ redraw: () => void, index: number } | null} */
  let open = null;
  const draw = (/** @type {Set<string>} */ changed) => {
    const index = shownItem(model, store.get());
    if (index === null) return refill(head, "No item to show.");
    if (open?.index !== index || changed.has("item")) {
      refill(pictures);
      open = { index, redraw: openItem(model, store, index, { pictures, graph, told, table }) };
    }
    open.redraw();
    refill(head, headOf(model, store, index));
    element.dataset.item = String(index);
  };
  draw(new Set());
  store.subscribe((_, changed) => {
    if (["rule", "item", "selected"].some((key) => changed.has(key))) draw(changed);
  });
  document.onkeydown = (event) => walk(event, model, store);
}

/** @param {KeyboardEvent} event
 * @param {Model} model
 * @param {Store} store */
function walk(event, model, store) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "j") step(model, store, 1);
  if (event.key === "k") step(model, store, -1);
}

/** Open the next item in the order of their quality.
 * @param {Model} model
 * @param {Store} store
 * @param {number} by */
function step(model, store, by) {
  const order = worstFirst(model, store.get());
  const at = order.indexOf(shownItem(model, store.get()) ?? -1);
  const next = order[Math.min(Math.max(at + by, 0), order.length - 1)];
  if (next !== undefined) store.set({ item: next });
}

/** @param {Model} model
 * @param {Store} store
 * @param {number} index
 * @returns {HTMLElement[]} */
function headOf(model, store, index) {
  const state = store.get();
  const order = worstFirst(model, state);
  const place = order.indexOf(index);
  const { items } = summarise(model, state.rule);
  const item = model.items[index];
  const button = (/** @type {string} */ label, /** @type {number} */ by, /** @type {string} */ key) =>
    el("button", { type: "button", title: `key ${key}`, "data-step": by, disabled: order[place + by] === undefined, onclick: () => step(model, store, by) }, label);
  const size = item.shape ? item.shape.join(" × ") : item.n_elements;
  const facts = [
    `PQ ${show(items.pq[index])} = SQ ${show(items.sq[index])} × RQ ${show(items.rq[index])}`,
    `${show(items.n_matched[index], true)} matched, ${show(items.n_missed[index], true)} missed, ${show(items.n_spurious[index], true)} spurious`,
    `${size} elements`,
    place < 0 ? "not among the selected items" : `${place + 1} of ${order.length}, worst first`,
  ];
  return [
    el("h3", { class: "item-name", dir: "auto" }, item.name),
    el("p", { class: "facts" }, facts.map((fact) => el("span", {}, fact))),
    el("nav", { "aria-label": "items" }, button("← worse", -1, "k"), button("better →", 1, "j")),
  ];
}

/** @param {Model} model
 * @param {Store} store
 * @param {number} index
 * @param {Record<"pictures" | "graph" | "told" | "table", HTMLElement>} places
 * @returns {() => void} what draws the item again under the rule of the store */
function openItem(model, store, index, places) {
  const item = model.items[index];
  /** @type {Segment | null} */
  let pinned = null;
  /** @type {import("./values.js").Edge[]} */
  let edges = [];
  /** @type {import("./values.js").Values} */
  let values;
  const onsegment = (/** @type {Segment | null} */ segment, /** @type {boolean} */ pressed) => {
    if (pressed && (segment?.at !== pinned?.at || segment?.side !== pinned?.side)) {
      pinned = segment;
      if (!neighbourhood(item, edges, pinned).whole) regraph();
    }
    highlight(segment ?? pinned);
  };
  const shownPictures = mountPictures(places.pictures, item, onsegment);
  if (!shownPictures && headerOf(item) === null) places.pictures.append(el("p", { class: "note" }, whyNone(model)));
  const regraph = () => {
    const had = places.graph.contains(document.activeElement);
    const found = neighbourhood(item, edges, pinned ?? lead(item, values));
    refill(places.graph, drawGraph(item, found, values, onsegment), found.whole ? null : el("p", { class: "note" }, "The neighbourhood of one segment; choose another in a picture or here."));
    rove(places.graph, pinned, had);
  };
  const highlight = (/** @type {Segment | null} */ segment) => {
    const near = segment ? edges.filter((edge) => (segment.side === "true" ? edge.t : edge.p) === segment.at) : [];
    const other = near.map((edge) => (segment?.side === "true" ? edge.p : edge.t));
    const framed = segment && (segment.side === "true" ? { true: [segment.at], pred: other } : { true: other, pred: [segment.at] });
    shownPictures?.frame(framed);
    mark(places, segment, near);
    refill(places.told, segment ? sentence(item, segment, near, values) : HINT);
  };
  const onedge = (/** @type {import("./values.js").Edge | null} */ edge) => {
    shownPictures?.frame(edge && { true: [edge.t], pred: [edge.p] });
    mark(places, null, edge ? [edge] : []);
  };
  return () => {
    const { rule } = store.get();
    edges = edgesOf(item, rule);
    values = valuesOf(item, rule, edges);
    shownPictures?.draw(values, rule);
    regraph();
    const few = "Only the pairs that θ& aligns are in the report of a run of so many overlaps.";
    refill(places.table, edgeTable(item, edges, onedge), item.model.pairsOnly ? el("p", { class: "note" }, few) : null);
    highlight(pinned);
  };
}

/** @param {Model} model
 * @returns {string} */
function whyNone(model) {
  return model.data.maps_problem ? `No pictures of this item: ${model.data.maps_problem}.` : "There is no picture of segments of this kind.";
}

/** The segment a large item opens with: the largest missed one, else the one with the lowest value.
 * @param {import("./model.js").Item} item
 * @param {import("./values.js").Values} values
 * @returns {Segment | null} */
function lead(item, { true: side }) {
  const shown = Array.from(side.value.keys()).filter((at) => side.shown[at]);
  shown.sort((a, b) => Number(side.matched[a] >= 0) - Number(side.matched[b] >= 0) || Number(item.true.size[b]) - Number(item.true.size[a]));
  return shown.length ? { side: "true", at: shown[0] } : null;
}

/** Mark nodes, edges and rows of some overlaps.
 * @param {{ graph: HTMLElement, table: HTMLElement }} places
 * @param {Segment | null} segment
 * @param {import("./values.js").Edge[]} near */
function mark(places, segment, near) {
  const pairs = new Set(near.map((edge) => `${edge.t} ${edge.p}`));
  for (const found of [...places.graph.querySelectorAll(".edge"), ...places.table.querySelectorAll("tr[data-true]")]) {
    const { true: t, pred: p } = /** @type {HTMLElement} */ (found).dataset;
    found.classList.toggle("is-near", pairs.has(`${t} ${p}`));
  }
  for (const node of places.graph.querySelectorAll(".node")) {
    const { side, at } = /** @type {HTMLElement} */ (node).dataset;
    const isNear = near.some((edge) => (side === "true" ? edge.t : edge.p) === Number(at));
    node.classList.toggle("is-near", isNear || (segment?.side === side && segment?.at === Number(at)));
  }
  places.graph.classList.toggle("has-near", segment !== null || near.length > 0);
}

/** @param {import("./model.js").Item} item
 * @param {Segment} segment
 * @param {import("./values.js").Edge[]} near
 * @param {import("./values.js").Values} values
 * @returns {string} */
function sentence(item, segment, near, values) {
  const { side, at } = segment;
  const other = side === "true" ? "pred" : "true";
  const words = `${side === "true" ? "True" : "Predicted"} ${segmentName(item, segment)}: ${item[side].size[at]} elements`;
  const partner = near.find((edge) => edge.matched);
  if (!values[side].shown[at]) return `${words}, not counted under this policy.`;
  if (!partner) return `${words}, ${side === "true" ? "missed" : "spurious"}; best IoU ${show(values[side].value[at])}.`;
  const name = segmentName(item, { side: other, at: side === "true" ? partner.p : partner.t });
  return `${words}, matched with ${name} (IoU ${show(partner.iou)}); overlaps ${near.length} in all.`;
}

/** One node of the graph takes the focus; arrows move it.
 * @param {HTMLElement} graph
 * @param {Segment | null} pinned
 * @param {boolean} had whether the focus was in the graph */
function rove(graph, pinned, had) {
  const nodes = /** @type {SVGElement[]} */ ([...graph.querySelectorAll(".node")]);
  const current = nodes.find((node) => node.dataset.side === pinned?.side && node.dataset.at === String(pinned?.at)) ?? nodes[0];
  current?.setAttribute("tabindex", "0");
  if (had) current?.focus();
  graph.onkeydown = (event) => {
    const from = nodes.findIndex((node) => node === document.activeElement);
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    const across = event.key === "ArrowRight" ? "pred" : event.key === "ArrowLeft" ? "true" : null;
    const side = nodes[from]?.dataset.side;
    const to = across && across !== side ? nodes.find((node) => node.dataset.side === across && node.classList.contains("is-near")) : by ? nodes[from + by] : null;
    if (from < 0 || !to) return;
    event.preventDefault();
    nodes.forEach((node) => node.setAttribute("tabindex", node === to ? "0" : "-1"));
    to.focus();
  };
}
