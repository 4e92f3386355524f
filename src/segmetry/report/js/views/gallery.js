// @ts-check
// View 6: the items as tiles, the lowest PQ first. A tile opens its item; arrow keys move from tile to tile.

import { palette } from "../drawing/colours.js";
import { el, refill } from "../drawing/dom.js";
import { show } from "../scoring/exact.js";
import { shownItem, worstFirst } from "../scoring/worst_first.js";
import { paint } from "../drawing/panels.js";
import { hasPictures, headerOf, masksOf, paintMasks, planeOf, spansOf, whyNone } from "../data/label_planes.js";
import { whenReady } from "../data/source.js";
import { summarise } from "../scoring/summary.js";
import { paintOrder, valuesOf } from "../scoring/best_partners.js";

const NOTE =
  "Recall maps: true segments coloured by the IoU of their best partner, brown to orange up to α, blue above it.";
const MORE = 24;
/** Thumbnails that are drawn even if they are not visible yet, so that the page can be printed. */
const AT_ONCE = 12;
const SIDE = 160;

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountGallery(element, model, store) {
  const tiles = el("div", { class: "tiles", role: "group", "aria-label": "items, worst first" });
  const more = el("div", { class: "gallery-more" });
  const note = hasPictures(model) ? NOTE : `No recall maps: ${whyNone(model)}.`;
  element.append(el("p", { class: "note", id: "gallery-note" }, note), tiles, more);
  let count = MORE;
  const draw = () => {
    const state = store.get();
    const order = worstFirst(model, state);
    const { items } = summarise(model, state.rule);
    const shown = order.slice(0, count);
    const had = /** @type {HTMLElement | null} */ (tiles.querySelector(":focus"))?.dataset.item;
    refill(tiles, shown.map((index, place) => tile(model, store, index, items, place < AT_ONCE)));
    if (had) /** @type {HTMLElement | null} */ (tiles.querySelector(`[data-item="${had}"]`))?.focus();
    rove(tiles);
    const rest = order.length - shown.length;
    const button = el("button", { type: "button", onclick: showMore }, `show ${Math.min(MORE, rest)} more`);
    const words = `${shown.length} of ${order.length} items${state.selected ? " that are selected" : ""}.`;
    const isPart = hasPictures(model) && model.data.maps_problem;
    const problem = isPart ? ` ${model.data.maps_problem}.` : "";
    refill(more, rest > 0 ? button : null, el("span", { class: "note" }, words + problem));
  };
  const showMore = () => {
    count += MORE;
    draw();
  };
  draw();
  store.subscribe((state, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw();
    if (changed.has("item")) current(tiles, shownItem(model, state));
  });
}

/** @param {HTMLElement} tiles
 * @param {number | null} index */
function current(tiles, index) {
  for (const tile of /** @type {NodeListOf<HTMLElement>} */ (tiles.querySelectorAll(".tile"))) {
    tile.setAttribute("aria-current", String(tile.dataset.item === String(index)));
  }
}

/** @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store
 * @param {number} index
 * @param {Record<string, Float64Array>} items
 * @param {boolean} atOnce
 * @returns {HTMLElement} */
function tile(model, store, index, items, atOnce) {
  const item = model.items[index];
  const counts = ["matched", "missed", "spurious"].map((word) => `${show(items[`n_${word}`][index], true)} ${word}`);
  const picture = el("span", { class: "thumb" });
  const button = el(
    "button",
    {
      type: "button",
      class: "tile",
      tabindex: -1,
      "data-item": index,
      "aria-current": String(shownItem(model, store.get()) === index),
      onclick: () => {
        store.set({ item: index });
        document.getElementById("item")?.scrollIntoView();
      },
    },
    picture,
    el("span", { class: "name", dir: "auto", title: item.name.slice(0, 200) }, item.name),
    el("span", { class: "row" }, el("span", { class: "value" }, `PQ ${show(items.pq[index])}`), counts[0]),
    el("span", { class: "counts" }, counts.slice(1).join(" · ")),
  );
  const draw = () => thumbnail(picture, item, store.get().rule);
  if (atOnce) setTimeout(draw);
  else whenSeen(button, draw);
  return button;
}

/** Call a function when an element becomes visible.
 * @param {HTMLElement} element
 * @param {() => void} action */
function whenSeen(element, action) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      action();
    },
    { rootMargin: "1000px" },
  );
  observer.observe(element);
}

/** The recall map of an item, every few elements only.
 * @param {HTMLElement} place
 * @param {import("../data/model.js").Item} item
 * @param {import("../scoring/rules.js").Rule} rule */
async function thumbnail(place, item, rule) {
  await whenReady(item);
  const header = headerOf(item);
  if (!header) return;
  const values = valuesOf(item, rule);
  const small =
    header.kind === "spans"
      ? await line(item)
      : thinned(await full(item, header, values), header.rows, header.columns);
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { role: "img", "aria-label": "recall map" }));
  paint(canvas, small.codes, palette(values.true, rule.alpha), small.columns);
  if (canvas.height === 1) canvas.classList.add("line");
  refill(place, canvas);
}

/** @param {import("../data/model.js").Item} item
 * @param {import("../data/label_planes.js").FlatHeader} header
 * @param {import("../scoring/best_partners.js").Values} values
 * @returns {Promise<Uint32Array>} */
async function full(item, header, values) {
  if (header.kind === "labels") return (await planeOf(item, header.first)).true;
  return paintMasks((await masksOf(item)).true, paintOrder(values.true), header.rows, header.columns);
}

/** The middle element of every square of elements: at most 160 along each side.
 * @param {Uint32Array} codes
 * @param {number} rows
 * @param {number} columns
 * @returns {{ codes: Uint32Array, columns: number }} */
export function thinned(codes, rows, columns) {
  const step = Math.ceil(Math.max(rows, columns) / SIDE);
  const [down, across] = [Math.ceil(rows / step), Math.ceil(columns / step)];
  const middles = new Uint32Array(down * across);
  const half = step >> 1;
  const middle = (/** @type {number} */ at, /** @type {number} */ length) => Math.min(at * step + half, length - 1);
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      middles[row * across + column] = codes[middle(row, rows) * columns + middle(column, columns)];
    }
  }
  return { codes: middles, columns: across };
}

/** The true spans of a line as one row.
 * @param {import("../data/model.js").Item} item
 * @returns {Promise<{ codes: Uint32Array, columns: number }>} */
async function line(item) {
  const { n, true: spans } = await spansOf(item);
  const codes = new Uint32Array(Math.max(1, Math.min(n, SIDE)));
  const scale = n / codes.length;
  let span = 0;
  codes.forEach((_, at) => {
    const element = Math.floor((at + 0.5) * scale);
    while (span < spans.length && spans[span][1] <= element) span++;
    if (span < spans.length && spans[span][0] <= element) codes[at] = span + 1;
  });
  return { codes, columns: codes.length };
}

/** One tile takes the focus; arrows move it.
 * @param {HTMLElement} tiles */
function rove(tiles) {
  const list = /** @type {HTMLElement[]} */ ([...tiles.querySelectorAll(".tile")]);
  const first = list.find((tile) => tile.getAttribute("aria-current") === "true") ?? list[0];
  first?.setAttribute("tabindex", "0");
  tiles.onkeydown = (event) => {
    const from = list.findIndex((tile) => tile === document.activeElement);
    const columns = list.filter((tile) => tile.offsetTop === list[0].offsetTop).length;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key] ?? 0;
    const to = list[from + by];
    if (from < 0 || !by || !to) return;
    event.preventDefault();
    list.forEach((tile) => tile.setAttribute("tabindex", tile === to ? "0" : "-1"));
    to.focus();
  };
}
