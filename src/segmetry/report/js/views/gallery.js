// @ts-check
// The items as tiles, the worst first, with what is wrong in words. A tile opens its item; arrow keys move from
// tile to tile.

import { errorsOf, hasOwnErrors, wrongIn } from "../data/errors.js";
import { errorsByItem, KINDS } from "../data/segment_kinds.js";
import { hasPictures, headerOf, spansOf } from "../data/label_planes.js";
import { kindsOf } from "../drawing/colours.js";
import { lanes, twoBars } from "../drawing/line_error.js";
import { counted, plural } from "../data/words.js";
import { moveByArrows } from "../drawing/arrow_keys.js";
import { el, refill } from "../drawing/dom.js";
import { OF_MAPS } from "../item/legend.js";
import { KIND_COLOURS, KIND_WORDS, swatches } from "../drawing/kind_colours.js";
import { paint } from "../drawing/panels.js";
import { whenReady } from "../data/source.js";
import { axesOf, cutOf } from "../item/cuts.js";
import { disagreement, errorCodes, errorPalette } from "../item/error_pixels.js";
import { greyOf, photographOf } from "../item/photograph.js";
import { valuesOf } from "../scoring/best_partners.js";
import { show } from "../scoring/exact.js";
import { headlineOf, inItsUnit, isAboutSegments, worstFirst } from "../scoring/headline.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {import("../scoring/rules.js").Rule} Rule */

/** @param {string} unit of the elements, in the plural */
const partnersOf = (unit) =>
  `Coloured where the two segments of ${unit === "elements" ? "an element" : `a ${unit.replace(/s$/, "")}`} are not ` +
  "partners.";
/** @param {import("../data/model.js").Model} model */
const noteOf = (model) =>
  `${isAboutSegments(model) ? partnersOf(model.unit) : "Coloured where it is wrong."} Click a tile, or press j, to ` +
  "open it.";
const MORE = 24;
/** Thumbnails that are drawn even if they are not visible yet, so that the page can be printed. */
const AT_ONCE = 12;
const SIDE = 160;
const OVER_PHOTOGRAPH = 0.75;

/** @param {HTMLElement} element
 * @param {import("../data/model.js").Model} model
 * @param {import("../store.js").Store} store */
export function mountGallery(element, model, store) {
  const tiles = el("div", { class: "tiles", role: "group", "aria-label": `${plural(model.words.item)}, worst first` });
  const more = el("div", { class: "gallery-more" });
  const note = hasPictures(model) ? noteOf(model) : `No pictures: ${model.whyNoPictures}.`;
  const key = model.data.agrees_by ? swatches(OF_MAPS)
    : isAboutSegments(model) ? swatches(KINDS.map((kind) => [KIND_COLOURS[kind], KIND_WORDS[kind]])) : "";
  element.append(el("p", { class: "note", id: "gallery-note" }, note), key, tiles, more);
  let count = MORE;
  const draw = () => {
    const state = store.get();
    const headline = headlineOf(model, { rule: state.rule, selected: null });
    const order = worstFirst(model, state, headline);
    const isMatched = isAboutSegments(model);
    const matched = isMatched ? summarise(model, state.rule).items.n_matched : null;
    const shown = order.slice(0, count);
    const had = /** @type {HTMLElement | null} */ (tiles.querySelector(":focus"))?.dataset.item;
    const wrong = wordsFor(model, state.rule);
    const facts = (/** @type {number} */ index) => ({
      value: `${headline.name} ${inItsUnit(model, headline.items[index])}`,
      matched: matched ? `${show(matched[index], true)} matched` : "",
      wrong: wrong(index),
    });
    refill(tiles, shown.map((index, place) => tile(model, store, index, facts(index), place < AT_ONCE)));
    if (had) /** @type {HTMLElement | null} */ (tiles.querySelector(`[data-item="${had}"]`))?.focus();
    rove(tiles);
    const rest = order.length - shown.length;
    const button = el("button", { type: "button", onclick: showMore }, `show ${Math.min(MORE, rest)} more`);
    const whole = `${counted(order.length, model.words.item)}${state.selected ? " that are selected" : ""}`;
    const words = `${shown.length} of ${whole}.`;
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
    if (changed.has("item") && state.item !== null) current(tiles, state.item);
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
 * @param {{ value: string, matched: string, wrong: string }} facts
 * @param {boolean} atOnce
 * @returns {HTMLElement} */
function tile(model, store, index, { value, matched, wrong }, atOnce) {
  const item = model.items[index];
  const picture = el("span", { class: "thumb" });
  const button = el(
    "button",
    {
      type: "button",
      class: "tile",
      tabindex: -1,
      "data-item": index,
      "aria-current": String(store.get().item === index),
      onclick: () => store.set({ item: index }),
    },
    picture,
    el("span", { class: "name", dir: "auto", title: item.name.slice(0, 200) }, item.name),
    el("span", { class: "row" }, el("span", { class: "value" }, value), matched),
    el("span", { class: "counts" }, wrong),
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

/** What is wrong in an item, in words: as Python lists its errors, or under a rule of the page.
 * @param {import("../data/model.js").Model} model
 * @param {Rule} rule
 * @returns {(item: number) => string} */
export function wordsFor(model, rule) {
  if (!isAboutSegments(model)) return hasOwnErrors(model) ? wrongIn(model) : () => "";
  const errors = errorsByItem(model, rule);
  return (item) => wrongWords(errors, item);
}

/** The numbers of errors of an item in words.
 * @param {ReturnType<typeof errorsByItem>} errors
 * @param {number} index
 * @returns {string} */
function wrongWords(errors, index) {
  const words = KINDS.filter((kind) => kind !== "boundary" && errors[kind][index] > 0);
  if (words.length) return words.map((kind) => `${errors[kind][index]} ${KIND_WORDS[kind]}`).join(", ");
  return errors.boundary[index] > 0 ? "all found, loose boundaries" : "nothing wrong";
}

/** What is wrong in an item, over its photograph, every few elements only.
 * @param {HTMLElement} place
 * @param {Item} item
 * @param {Rule} rule */
export async function thumbnail(place, item, rule) {
  await whenReady(item);
  const header = headerOf(item);
  if (!header) return;
  const label = "what is wrong";
  const isOwn = (/** @type {import("../data/errors.js").RunError} */ error) => error.item === item.index;
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas", { role: "img", "aria-label": label }));
  if (header.kind === "lanes") {
    [canvas.width, canvas.height] = [2 * SIDE, SIDE];
    const context = canvas.getContext("2d");
    if (context) lanes(context, header, null, canvas.width, canvas.height, errorsOf(item.model).filter(isOwn));
    return refill(place, canvas);
  }
  if (header.kind === "spans") {
    twoBars(canvas, await spansOf(item), errorsOf(item.model).filter(isOwn));
    return refill(place, canvas);
  }
  const values = valuesOf(item, rule);
  const cut = await cutOf(item, axesOf(header)[0] ?? null, header.kind === "labels" ? header.first : 0, values);
  if (!cut) return;
  const column = item.model.data.agrees_by;
  const codes = column ? disagreement(cut, item, column) : errorCodes(cut, values, kindsOf(item, rule));
  const small = thinned(codes, cut.rows, cut.columns);
  const photograph = await photographOf(item, cut.key);
  paint(canvas, small.codes, errorPalette(photograph !== null), small.columns);
  if (canvas.height === 1) canvas.classList.add("line");
  if (photograph) layUnder(canvas, photograph);
  refill(place, canvas);
}

/** @param {HTMLCanvasElement} canvas
 * @param {HTMLImageElement} photograph */
function layUnder(canvas, photograph) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const masks = /** @type {HTMLCanvasElement} */ (el("canvas", { width: canvas.width, height: canvas.height }));
  masks.getContext("2d")?.drawImage(canvas, 0, 0);
  context.drawImage(greyOf(photograph), 0, 0, canvas.width, canvas.height);
  context.globalAlpha = OVER_PHOTOGRAPH;
  context.drawImage(masks, 0, 0);
}

/** The middle element of every square of elements: at most 160 along each side.
 * @param {Uint32Array} codes
 * @param {number} rows
 * @param {number} columns
 * @returns {{ codes: Uint32Array, columns: number }} */
function thinned(codes, rows, columns) {
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

/** One tile takes the focus; arrows move it.
 * @param {HTMLElement} tiles */
function rove(tiles) {
  const list = /** @type {HTMLElement[]} */ ([...tiles.querySelectorAll(".tile")]);
  const first = list.find((tile) => tile.getAttribute("aria-current") === "true") ?? list[0];
  moveByArrows(tiles, list, first, (from, key) => {
    const columns = list.filter((tile) => tile.offsetTop === list[0].offsetTop).length;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[key] ?? 0;
    return by ? list[from + by] : undefined;
  });
}
