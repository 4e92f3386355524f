// @ts-check
// The tiles of the atlas, row by row; a picture is drawn when it is nearly seen.

import { onlyText, points } from "../data/errors.js";
import { counted } from "../data/words.js";
import { moveByArrows } from "../drawing/arrow_keys.js";
import { el } from "../drawing/dom.js";
import { swatchOf } from "../drawing/error_colours.js";
import { drawError } from "../drawing/error_picture.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

const IN_A_ROW = 9;
export const AT_ONCE = 120;
const SIDE = 208;

/** @param {Model} model
 * @param {Store} store
 * @param {RunError[]} list
 * @param {(error: RunError) => string} nameOf
 * @param {boolean} isOpen
 * @param {Map<string, string>} verdicts
 * @param {number} room
 * @param {() => void} more
 * @returns {HTMLElement[]} */
export function groups(model, store, list, nameOf, isOpen, verdicts, room, more) {
  /** @type {Map<string, RunError[]>} */
  const rows = new Map();
  for (const error of list) {
    const name = nameOf(error);
    const row = rows.get(name) ?? [];
    row.push(error);
    rows.set(name, row);
  }
  let left = room;
  const drawn = [];
  for (const [name, errors] of rows) {
    if (left <= 0) break;
    const isAll = isOpen && rows.size === 1;
    const shown = errors.slice(0, isAll ? left : Math.min(left, IN_A_ROW));
    left -= shown.length;
    const [{ kind, of }] = errors;
    const together = errors.reduce((sum, { cost }) => sum + cost, 0);
    const asked = name === kind ? { kind } : { kind, of };
    const isRow = name === kind || name.endsWith(`· ${kind}`);
    const all = !isAll && errors.length > shown.length && isRow
      ? el("button", { type: "button", class: "link", onclick: () => store.set({ only: onlyText(asked) }) },
        `all ${errors.length.toLocaleString("en")} →`)
      : null;
    const head = el("div", { class: "atlas-head" }, el("h3", {}, isRow ? swatchOf(kind) : null, ` ${name}`),
      el("span", { class: "note" }, `${counted(errors.length, "error")} · single costs together ${points(together)}`),
        all);
    drawn.push(el("div", { class: "atlas-row", "data-row": name }, head,
      el("div", { class: "atlas" }, shown.map((error) => tile(model, store, error, verdicts.get(error.address))))));
    if (isAll && errors.length > shown.length) drawn.push(el("button",
      { type: "button", id: "more-errors", onclick: more },
        `show ${Math.min(AT_ONCE, errors.length - shown.length)} more`));
  }
  if (!list.length) drawn.push(el("p", { class: "note" }, "No errors here."));
  return drawn;
}

/** @param {Model} model
 * @param {Store} store
 * @param {RunError} error
 * @param {string | undefined} verdict
 * @returns {HTMLElement} */
function tile(model, store, error, verdict) {
  const item = model.items[error.item];
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas",
    { role: "img", "aria-label": `${error.kind}: ${error.what}` }));
  const badge = verdict ? el("span", { class: "verdict", "data-verdict": verdict }, verdict === "label" ? "label"
    : verdict === "unclear" ? "?" : "real") : null;
  const button = el(
    "button",
    { type: "button", class: "error-tile", tabindex: -1, "data-error": error.address, "data-kind": error.kind,
      onclick: () => store.set({ error: error.address }) },
    el("span", { class: "thumb" }, canvas, badge),
    el("b", {}, points(error.cost)),
    el("span", {}, el("bdi", {}, error.what)),
    el("span", { class: "note" }, el("bdi", {}, item.name)),
  );
  seen.observe(button);
  drawers.set(button, async () => {
    if (await drawError(canvas, item, error, SIDE, store.get().inColour)) canvas.dataset.drawn = "";
    else canvas.replaceWith(el("span", { class: "plain" }, error.kind));
  });
  return button;
}

/** @type {WeakMap<Element, () => void>} */
const drawers = new WeakMap();
const seen = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      drawers.get(target)?.();
    }
  },
  { rootMargin: "600px" },
);

/** Draw the tiles that are not seen yet, for paper. */
export function drawTiles() {
  for (const target of document.querySelectorAll(".error-tile")) {
    seen.unobserve(target);
    if (!target.querySelector("canvas[data-drawn]")) drawers.get(target)?.();
  }
}

/** One tile takes the focus; arrows move it.
 * @param {HTMLElement} place
 * @param {string | undefined} had */
export function rove(place, had) {
  const list = /** @type {HTMLElement[]} */ ([...place.querySelectorAll(".error-tile")]);
  const current = list.find((tile) => tile.dataset.error === had);
  moveByArrows(place, list, current ?? list[0], (from, key) => {
    const columns = list.filter((tile) => tile.offsetTop === list[0].offsetTop).length;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[key] ?? 0;
    return by ? list[from + by] : undefined;
  });
  current?.focus({ preventScroll: true });
}
