// @ts-check
// View 7: one item with its pictures, the graph of its overlaps and their table. The keys j and k move through the
// items, worst first.

import { el, refill } from "../drawing/dom.js";
import { show } from "../scoring/exact.js";
import { openItem } from "./linked_item.js";
import { shownItem, worstFirst } from "../scoring/worst_first.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {Store} store */
export function mountItem(element, model, store) {
  const names = ["item-head", "pictures", "graph-box", "description", "table-box"];
  const [head, pictures, graph, description, table] = names.map((name) => el("div", { class: name }));
  description.setAttribute("aria-live", "polite");
  const beside = el("div", { class: "graph-side" }, graph, description);
  element.append(head, el("div", { class: "item-body" }, pictures, beside), table);
  /** @type {{ redraw: () => void, index: number } | null} */
  let open = null;
  const draw = () => {
    const index = shownItem(model, store.get());
    if (index === null) return refill(head, "No item to show.");
    if (open?.index !== index) {
      refill(pictures);
      open = { index, redraw: openItem(model.items[index], store, { pictures, graph, description, table }) };
    }
    open.redraw();
    refill(head, headOf(model, store, index));
    element.dataset.item = String(index);
  };
  draw();
  store.subscribe((_, changed) => {
    if (["rule", "item", "selected"].some((key) => changed.has(key))) draw();
  });
  document.onkeydown = (event) => walk(event, model, store);
}

/** @param {KeyboardEvent} event
 * @param {Model} model
 * @param {Store} store */
function walk(event, model, store) {
  const { tagName } = /** @type {HTMLElement} */ (event.target);
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(tagName);
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
  const counts = ["matched", "missed", "spurious"].map((word) => `${show(items[`n_${word}`][index], true)} ${word}`);
  // A mean of products over classes is not the product of the means.
  const [first, second] = model.settings.average === "segments" ? ["=", "×"] : ["·", "·"];
  const facts = [
    `PQ ${show(items.pq[index])} ${first} SQ ${show(items.sq[index])} ${second} RQ ${show(items.rq[index])}`,
    counts.join(", "),
    `${item.shape ? item.shape.join(" × ") : item.n_elements} ${item.unit}`,
    place < 0 ? "not among the selected items" : `${place + 1} of ${order.length}, worst first`,
  ];
  const button = (/** @type {string} */ label, /** @type {number} */ by, /** @type {string} */ title) =>
    el(
      "button",
      {
        type: "button",
        title,
        "data-step": by,
        disabled: order[place + by] === undefined,
        onclick: () => step(model, store, by),
      },
      label,
    );
  return [
    el("h3", { class: "item-name", dir: "auto" }, item.name),
    el("p", { class: "item-facts" }, facts.map((fact) => el("span", {}, fact))),
    el("nav", { "aria-label": "items" }, button("← worse", -1, "key k"), button("better →", 1, "key j")),
  ];
}
