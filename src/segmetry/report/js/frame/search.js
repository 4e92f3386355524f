// @ts-check
// Search over items, classes and ids of segments: / or Ctrl K begins, arrows choose, Enter opens.

import { plural } from "../data/words.js";
import { el, refill } from "../drawing/dom.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */
/** @typedef {{ kind: string, name: string, patch: Partial<import("../store.js").State> }} Hit */

const MOST = 8;

/** @param {HTMLElement} element
 * @param {Model[]} models
 * @param {Store} store */
export function mountSearch(element, models, store) {
  const list = el("ul", { id: "hits", role: "listbox", "aria-label": "found", hidden: true });
  const input = /** @type {HTMLInputElement} */ (
    el("input", {
      type: "text",
      id: "search",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      placeholder: `Search ${plural(models[0].words.item)}, classes, ids  /`,
      "aria-label": `search ${plural(models[0].words.item)}, classes and ids of segments`,
      "aria-expanded": "false",
      "aria-controls": "hits",
    })
  );
  element.append(el("div", { class: "search" }, input, list));
  /** @type {Hit[]} */
  let hits = [];
  let at = 0;
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  /** @param {Hit | undefined} hit */
  const take = (hit) => {
    if (!hit) return;
    input.value = "";
    close();
    input.blur();
    store.set(hit.patch);
  };
  const draw = () => {
    refill(
      list,
      hits.map((hit, index) => {
        const facts = { role: "option", id: `hit-${index}`, "aria-selected": String(index === at) };
        const row = el("li", facts, el("span", { class: "note" }, hit.kind), el("bdi", { class: "name" }, hit.name));
        // Before the box loses the focus, which closes the list.
        row.addEventListener("mousedown", (event) => {
          event.preventDefault();
          take(hit);
        });
        return row;
      }),
      hits.length ? null : el("li", { role: "option", "aria-selected": "false", class: "note" }, "nothing found"),
    );
    list.hidden = input.value.trim() === "";
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (hits.length) input.setAttribute("aria-activedescendant", `hit-${at}`);
    else input.removeAttribute("aria-activedescendant");
  };
  input.addEventListener("input", () => {
    [hits, at] = [search(models[store.get().run], input.value.trim()), 0];
    draw();
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (event.key === "Escape") {
      input.value = "";
      close();
      input.blur();
    } else if (event.key === "Enter") take(hits[at]);
    else if (by && hits.length) {
      event.preventDefault();
      at = (at + by + hits.length) % hits.length;
      draw();
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
    const isAsked = (event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isAsked || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/** What a text may mean: items and classes whose names contain it, beginnings first; a segment of this id; all items
 * whose names contain it.
 * @param {Model} model
 * @param {string} text
 * @returns {Hit[]} */
function search(model, text) {
  if (!text) return [];
  const items = matches(model.items.map((item) => item.name), text);
  const classes = matches(model.classNames ?? [], text);
  /** @type {Hit[]} */
  const hits = items.slice(0, MOST).map((item) => ({
    kind: model.words.item,
    name: model.items[item].name,
    patch: { item, view: "items" },
  }));
  for (const code of classes.slice(0, MOST)) {
    const name = model.classNames?.[code] ?? "";
    const kind = `${plural(model.words.item)} with class`;
    hits.push({ kind, name, patch: { filter: { classes: [name] }, view: "items" } });
  }
  for (const word of /** @type {const} */ (["true", "pred"])) {
    const item = itemOfId(model[word], text);
    if (item === null) continue;
    const kind = word === "true" ? `true segment ${text} in` : `predicted segment ${text} in`;
    hits.push({ kind, name: model.items[item].name, patch: { item, view: "items" } });
  }
  if (items.length > 1) {
    const kind = `all ${items.length} ${plural(model.words.item)} named`;
    hits.push({ kind, name: text, patch: { filter: { text }, view: "items" } });
  }
  return hits;
}

/** Indices of the names that contain a text, those that begin with it first.
 * @param {string[]} names
 * @param {string} text
 * @returns {number[]} */
function matches(names, text) {
  const wanted = text.toLowerCase();
  /** @type {number[]} */
  const first = [];
  /** @type {number[]} */
  const later = [];
  names.forEach((name, at) => {
    const place = name.toLowerCase().indexOf(wanted);
    if (place >= 0) (place === 0 ? first : later).push(at);
  });
  return first.concat(later);
}

/** The first item with a segment of an id.
 * @param {import("../data/model.js").Side} side
 * @param {string} text
 * @returns {number | null} */
function itemOfId(side, text) {
  if (!/^\d{1,20}$/.test(text)) return null;
  const { ids } = side;
  const isWide = ids instanceof BigInt64Array || ids instanceof BigUint64Array;
  const at = isWide ? ids.indexOf(BigInt(text)) : ids.indexOf(Number(text));
  return at < 0 || String(ids[at]) !== text ? null : side.item[at];
}
