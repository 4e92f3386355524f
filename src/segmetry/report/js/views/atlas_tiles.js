// @ts-check
// The tiles of the atlas, row by row; a picture is drawn when it is nearly seen.

import { onlyOf, onlyText, points } from "../data/errors.js";
import { verdictsOf } from "../data/verdicts.js";
import { counted } from "../data/words.js";
import { moveByArrows } from "../drawing/arrow_keys.js";
import { el } from "../drawing/dom.js";
import { swatchOf } from "../drawing/error_colours.js";
import { drawError, isStripOf } from "../drawing/error_picture.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

const IN_A_ROW = 9;
export const AT_ONCE = 120;
const SIDE = 208;
/** Milliseconds between tiles that nobody has seen yet. */
const IDLE = 30;

/** @param {Store} store
 * @param {RunError[]} list
 * @param {(error: RunError) => { name: string, only: import("../data/errors.js").Only, swatch?: boolean,
 *   words?: string }} rowOf the row of an error, and what asks for all of it
 * @param {boolean} isOpen
 * @param {number} room
 * @param {() => void} more
 * @returns {HTMLElement[]} */
export function groups(store, list, rowOf, isOpen, room, more) {
  /** @type {Map<string, RunError[]>} */
  const rows = new Map();
  for (const error of list) {
    const { name } = rowOf(error);
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
    const [{ kind }] = errors;
    const { only, swatch, words = "" } = rowOf(errors[0]);
    const together = errors.reduce((sum, { cost }) => sum + cost, 0);
    const asked = () => store.set({ only: onlyText({ ...onlyOf(store.get().only), ...only }) });
    const all = !isAll && errors.length > shown.length
      ? el("button", { type: "button", class: "link", onclick: asked }, `all ${errors.length.toLocaleString("en")} →`)
      : null;
    const counts = `${counted(errors.length, "error")}${words} · single costs together ${points(together)}`;
    const head = el("div", { class: "atlas-head" }, el("h3", {}, swatch ? swatchOf(kind) : null, ` ${name}`),
      el("span", { class: "note" }, counts), all);
    drawn.push(el("div", { class: "atlas-row", "data-row": name }, head,
      el("div", { class: "atlas" }, shown.map((error) => tile(store, error)))));
    if (isAll && errors.length > shown.length) drawn.push(el("button",
      { type: "button", id: "more-errors", onclick: more },
        `show ${Math.min(AT_ONCE, errors.length - shown.length)} more`));
  }
  if (!list.length) drawn.push(el("p", { class: "note" }, "No errors here."));
  return drawn;
}

/** @param {Store} store
 * @param {RunError} error
 * @returns {HTMLElement} */
function tile(store, error) {
  const item = error.owner.items[error.item];
  const run = error.owner.runs.indexOf(error.owner);
  const verdict = verdictsOf(error.owner).get(error.address);
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas",
    { role: "img", "aria-label": `${error.kind}: ${error.what}` }));
  const badge = verdict ? el("span", { class: "verdict", "data-verdict": verdict }, verdict === "label" ? "label"
    : verdict === "unclear" ? "?" : "real") : null;
  const button = el(
    "button",
    { type: "button", class: isStripOf(error) ? "error-tile wide" : "error-tile", tabindex: -1,
      "data-error": error.address, "data-run": run, "data-kind": error.kind,
      onclick: () => store.set({ run, error: error.address }) },
    el("span", { class: "thumb" }, canvas, badge),
    el("b", {}, points(error.cost)),
    el("span", {}, el("bdi", {}, error.what)),
    el("span", { class: "note" }, el("bdi", {}, item.name)),
  );
  seen.observe(button);
  drawers.set(button, async () => {
    const isDrawn = await drawError(canvas, item, error, SIDE, store.get().inColour, otherRun(error, store));
    if (isDrawn) canvas.dataset.drawn = "";
    else canvas.replaceWith(el("span", { class: "plain" }, error.kind));
  });
  return button;
}

/** The other of the two runs whose errors are compared, whose prediction is drawn as well.
 * @param {RunError} error
 * @param {Store} store
 * @returns {Model | null} */
export function otherRun({ owner }, store) {
  const against = owner.runs.find(({ name }) => name === store.get().against) ?? null;
  return against === owner ? owner.runs[0] : against;
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
  for (const target of document.querySelectorAll(".error-tile:not(:has(canvas[data-drawn]))")) {
    seen.unobserve(target);
    drawers.get(target)?.();
  }
}

/** Draw them one after the other while nothing else is to be done, so that paper has them at once. */
export function drawIdly() {
  const target = document.querySelector("[data-open] .error-tile:not(:has(canvas[data-drawn])):not([data-asked])");
  if (!(target instanceof HTMLElement)) return;
  target.dataset.asked = "";
  seen.unobserve(target);
  drawers.get(target)?.();
  setTimeout(drawIdly, IDLE);
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
