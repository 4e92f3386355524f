// @ts-check
// Doors: counts and names that lead to the items and segments behind them.

import { el, svg } from "../../drawing/dom.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../store.js").Filter} Filter */
/** @typedef {import("../../drawing/dom.js").Child} Child */

/** Show the items that pass a filter.
 * @param {Store} store
 * @param {Filter} filter */
export function enter(store, filter) {
  store.set({ filter, view: "items" });
}

/** A button that leads to the items that pass a filter.
 * @param {Store} store
 * @param {Filter} filter
 * @param {string} title
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement} */
export function door(store, filter, title, ...children) {
  const attributes = { type: "button", class: "door", title, "data-door": JSON.stringify(filter) };
  return el("button", { ...attributes, onclick: () => enter(store, filter) }, ...children);
}

/** The same in a drawing.
 * @param {Store} store
 * @param {Filter} filter
 * @param {string} title
 * @param {...(Child | Child[])} children
 * @returns {SVGElement} */
export function drawnDoor(store, filter, title, ...children) {
  const go = () => enter(store, filter);
  const attributes = { class: "door", role: "button", tabindex: 0, "data-door": JSON.stringify(filter) };
  const group = svg("g", { ...attributes, "aria-label": title, onclick: go }, svg("title", {}, title), ...children);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    go();
  });
  return group;
}

/** A button that opens a page.
 * @param {Store} store
 * @param {string} view
 * @param {string} text
 * @returns {HTMLElement} */
export function pageDoor(store, view, text) {
  return el("button", { type: "button", class: "door", "data-page": view, onclick: () => store.set({ view }) }, text);
}

/** A button that opens an item where it is shown.
 * @param {Store} store
 * @param {number} item
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement} */
export function itemDoor(store, item, ...children) {
  const open = () => store.set({ item });
  return el("button", { type: "button", class: "door", "data-item": item, onclick: open }, ...children);
}
