// @ts-check
// One item over the present page: its pictures or bars, what is wrong in it, the graph of its overlaps and their table.
// Escape and ✕ close it, and the page is as it was. The keys j and k, and the arrows, go through the items.

import { choice, el, refill } from "../drawing/dom.js";
import { score, show } from "../scoring/exact.js";
import { openItem } from "./linked_item.js";
import { headlineOf, inItsUnit, isAboutSegments, worstFirst } from "../scoring/headline.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

/** @param {Model[]} models
 * @param {Store} store */
export function mountItemDialog(models, store) {
  const view = el("div", { class: "view" });
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { id: "item", "aria-labelledby": "item-name", tabindex: -1 }, view)
  );
  document.body.append(dialog);
  const head = el("div", { class: "item-head" });
  /** @type {{ redraw: () => void, press: (key: string) => boolean, index: number, model: Model } | null} */
  let open = null;
  /** @type {HTMLElement | null} */
  let opener = null;
  const close = () => store.set({ item: null, axis: null, slice: null });
  const leave = () => {
    if (dialog.open) dialog.close();
    document.documentElement.classList.remove("has-dialog");
    const last = open?.index;
    open = null;
    refill(view);
    delete view.dataset.item;
    if (opener?.isConnected) opener.focus({ preventScroll: true });
    else if (last !== undefined) /** @type {HTMLElement | null} */ (
      document.querySelector(`.tile[data-item="${last}"]`)
    )?.focus({ preventScroll: true });
  };
  const draw = () => {
    const { item, run } = store.get();
    if (item === null) {
      if (open) leave();
      return;
    }
    const model = models[run];
    if (!dialog.open) {
      opener = /** @type {HTMLElement | null} */ (document.activeElement);
      document.documentElement.classList.add("has-dialog");
      dialog.showModal();
      dialog.focus();
    }
    if (open?.index !== item || open.model !== model) {
      const body = el("div", { class: "item-body" });
      refill(view, head, body);
      dialog.scrollTop = 0;
      open = { index: item, model, ...openItem(model.items[item], store, body) };
    }
    open.redraw();
    refill(head, headOf(model, store, item, close));
    view.dataset.item = String(item);
  };
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  // The browser tells of a closed dialog later, when the next item may be open already.
  dialog.addEventListener("close", () => {
    if (!dialog.open) close();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && isOutside(dialog, event)) close();
  });
  dialog.addEventListener("keydown", (event) => {
    const { tagName } = /** @type {HTMLElement} */ (event.target);
    const isOwn = ["INPUT", "SELECT", "TEXTAREA"].includes(tagName) || (event.key === " " && tagName !== "DIALOG");
    if (!isOwn && !event.ctrlKey && !event.metaKey && !event.altKey && open?.press(event.key)) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => walk(event, dialog, models, store));
  store.subscribe((_, changed) => {
    if (["rule", "item", "selected", "run"].some((key) => changed.has(key))) draw();
  });
  draw();
}

/** @param {HTMLElement} dialog
 * @param {MouseEvent} event
 * @returns {boolean} */
function isOutside(dialog, { clientX, clientY }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
}

/** @param {KeyboardEvent} event
 * @param {HTMLDialogElement} dialog
 * @param {Model[]} models
 * @param {Store} store */
function walk(event, dialog, models, store) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName);
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const arrows = dialog.open && target === dialog ? { ArrowRight: 1, ArrowLeft: -1 } : {};
  const by = /** @type {Record<string, number>} */ ({ j: 1, k: -1, ...arrows })[event.key];
  if (by) step(models[store.get().run], store, by);
}

/** Open the next item in the order of their quality; the first if none is open.
 * @param {Model} model
 * @param {Store} store
 * @param {number} by */
function step(model, store, by) {
  const state = store.get();
  const order = worstFirst(model, state);
  const at = state.item === null ? (by > 0 ? -1 : order.length) : order.indexOf(state.item);
  const next = order[Math.min(Math.max(at + by, 0), order.length - 1)];
  if (next !== undefined) store.set({ item: next, axis: null, slice: null });
}

/** @param {Model} model
 * @param {Store} store
 * @param {number} index
 * @param {() => void} close
 * @returns {HTMLElement[]} */
function headOf(model, store, index, close) {
  const state = store.get();
  const headline = headlineOf(model, { rule: state.rule, selected: null });
  const order = worstFirst(model, state, headline);
  const place = order.indexOf(index);
  const { items } = summarise(model, state.rule);
  const item = model.items[index];
  const [matched, missed, spurious] = ["matched", "missed", "spurious"].map((word) => items[`n_${word}`][index]);
  const counts = { true: matched + missed, predicted: matched + spurious, matched };
  const counted = Object.entries(counts).map(([word, count]) => `${show(count, true)} ${word}`).join(", ");
  // A mean of products over classes is not the product of the means.
  const [first, second] = model.settings.average === "segments" ? ["=", "×"] : ["·", "·"];
  const id = model.data.items[index];
  const isMatched = isAboutSegments(model);
  const facts = [
    headline.key === "pq" && isMatched ? null : `${headline.name} ${inItsUnit(model, headline.items[index])}`,
    isMatched
      ? `PQ ${score(items.pq[index])} ${first} SQ ${score(items.sq[index])} ${second} RQ ${score(items.rq[index])}`
      : null,
    isMatched ? counted : null,
    item.name === id ? null : `id ${id}`,
    extentOf(item),
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
  const shown = facts.flatMap((fact) => (fact === null ? [] : [el("span", {}, fact)]));
  return [
    el("h2", { class: "item-name", id: "item-name", dir: "auto" }, item.name),
    el("p", { class: "item-facts" }, shown),
    el(
      "nav",
      { "aria-label": "items" },
      isMatched ? ruleChoice(model, store) : null,
      button("← worse", -1, "key k"),
      button("better →", 1, "key j"),
      el("button", { type: "button", "aria-label": "close", title: "key Escape", onclick: close }, "✕"),
    ),
  ];
}

/** How large an item is.
 * @param {import("../data/model.js").Item} item
 * @returns {string} */
function extentOf(item) {
  const header = item.model.maps[item.index];
  if (header?.kind === "lanes") return `${Number((header.shape[0] * header.tick).toFixed(1))} s`;
  return `${item.shape ? item.shape.join(" × ") : item.n_elements} ${item.unit}`;
}

/** The rules of the run: the controls of the page lie behind the item.
 * @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement} */
function ruleChoice(model, store) {
  const { rule } = store.get();
  const rules = model.rules.some(({ name }) => name === rule.name) ? model.rules : [...model.rules, rule];
  const labels = Object.fromEntries(rules.map(({ name, label }) => [name, label]));
  const { select, label } = choice("rule", rules.map(({ name }) => name), labels);
  select.value = rule.name;
  select.addEventListener("change", () => {
    const chosen = rules.find(({ name }) => name === select.value);
    if (chosen) store.set({ rule: chosen });
  });
  return label;
}
