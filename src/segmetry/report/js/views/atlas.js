// @ts-check
// Every error as a tile, the costliest first: rows by kind, class, size or a column about the items; a table of
// classes
// and kinds as the table of contents, and a plot in which errors are selected by dragging. What is chosen is in the
// address. A tile opens the error; 1, 2 and 3 say what it is.

import { binOf, chosen, errorsAgainst, errorsOf, labelOf, onlyOf, onlyText, points, sizeBins } from "../data/errors.js";
import { forget, judge, VERDICTS, verdictsCsv, verdictsOf } from "../data/verdicts.js";
import { capital, counted } from "../data/words.js";
import { contactSheet, saveAs } from "../copying/contact_sheet.js";
import { el, refill } from "../drawing/dom.js";
import { contents, mark } from "./atlas_contents.js";
import { changes, FATE_SIGNS, fateCards, fateWords, runSwitch, SHOWN_FATES } from "./atlas_fates.js";
import { AT_ONCE, drawIdly, groups, rove } from "./atlas_tiles.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

const SORTS = ["cost", "size", "item"];

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {Store} store */
export function mountAtlas(element, model, store) {
  const { errors: facts } = model.data;
  if (facts.problem !== null) {
    element.append(el("p", { class: "note wrap" }, `No list of single errors: ${facts.problem}.`));
    return;
  }
  const places = Object.fromEntries(
    ["sentence", "triage", "contents", "controls", "tiles"].map((name) =>
      [name, el("div", { class: `atlas-${name}` })]),
  );
  element.append(...Object.values(places));
  const rowsBy = ["kind", "class × kind", "size", ...Object.keys(model.data.groups)];
  let room = AT_ONCE;
  const own = errorsOf(model);
  const draw = () => {
    const state = store.get();
    const verdicts = verdictsOf(model);
    const only = onlyOf(state.only);
    const compared = state.against ? errorsAgainst(model, state.against) : null;
    const errors = compared ?? own;
    const bins = sizeBins(errors);
    const list = chosen(model, errors, only, state.selected, ({ address }) => verdicts.get(address) ?? null);
    if (state.sort === "size") list.sort((a, b) => b.size - a.size);
    if (state.sort === "item") list.sort((a, b) => a.item - b.item);
    const rows = rowsBy.includes(state.rows) ? state.rows : rowsBy[0];
    refill(places.sentence, runSwitch(model, store),
      ...(compared ? changes(model, state.against, compared, list) : sentence(model, facts, errors, list, state)));
    refill(places.triage, ...triage(model, store, list, draw));
    refill(places.controls, ...controls(store, compared ? [] : rowsBy, rows, facts.n > own.length));
    if (compared) list.sort((a, b) => SHOWN_FATES.indexOf(a.fate ?? "") - SHOWN_FATES.indexOf(b.fate ?? ""));
    const rowOf = (/** @type {RunError} */ error) => {
      const { kind, of, fate } = error;
      const bin = binOf(bins, error.size);
      if (fate) {
        const words = fateWords(model, state.against, fate);
        return { name: `${FATE_SIGNS[fate]} ${fate}`, only: { fate }, words };
      }
      if (rows === "kind") return { name: kind, only: { kind }, swatch: true };
      if (rows === "size") return { name: `${bin} ${model.unit}`, only: { bin } };
      if (rows === "class × kind") return { name: `${of ? `${of} · ` : ""}${kind}`, only: { kind, of }, swatch: true };
      return { name: `${rows}: ${labelOf(model, rows, error)}`,
        only: { column: rows, label: labelOf(model, rows, error) } };
    };
    const had = /** @type {HTMLElement | null} */ (places.tiles.querySelector(":focus"))?.dataset.error;
    refill(places.tiles, ...groups(store, list, rowOf, state.only !== "", room, more));
    rove(places.tiles, had);
    setTimeout(drawIdly, 300);
  };
  const more = () => {
    room += AT_ONCE;
    draw();
  };
  const contain = () => {
    const compared = errorsAgainst(model, store.get().against);
    refill(places.contents, ...(compared ? fateCards(store, compared) : contents(model, store, facts, own)));
    places.contents.classList.toggle("fates", compared !== null);
    mark(places.contents, store.get().only);
  };
  contain();
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("only") || changed.has("rows") || changed.has("sort")) room = AT_ONCE;
    if (changed.has("against")) contain();
    if (["only", "rows", "sort", "selected", "judged", "against"].some((key) => changed.has(key))) draw();
    if (changed.has("only")) mark(places.contents, store.get().only);
  });
  element.addEventListener("keydown", (event) => {
    const address = /** @type {HTMLElement} */ (event.target).dataset.error;
    const verdict = VERDICTS.find(([key]) => key === event.key)?.[1];
    if (!address || !verdict || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const owner = model.runs[Number(/** @type {HTMLElement} */ (event.target).dataset.run)];
    judge(owner, address, verdict);
    store.set({ judged: store.get().judged + 1 });
    const tiles = /** @type {HTMLElement[]} */ ([...places.tiles.querySelectorAll(".error-tile")]);
    const next = tiles[tiles.findIndex((tile) => tile.dataset.error === address) + 1];
    next?.focus();
  });
  element.dataset.drawn = String(own.length);
}

/** @param {Model} model
 * @param {import("../data/page_data.js").ErrorsData} facts
 * @param {RunError[]} errors
 * @param {RunError[]} list
 * @param {import("../store.js").State} state
 * @returns {(HTMLElement | null)[]} */
function sentence(model, facts, errors, list, state) {
  const [first] = list;
  const some = state.only || state.selected ? `${list.length.toLocaleString("en")} of ` : "";
  const words = `${some}${counted(facts.n, "error")}`;
  const costs = `points of ${facts.headline} if it alone is fixed`;
  const worst = first
    ? [". The costliest: ", el("b", {}, first.what), ` in ${model.items[first.item].name}, `,
      el("b", {}, points(first.cost)), ` ${costs}.`]
    : ["."];
  const least = errors.length < facts.n ? ` The page has the ${errors.length.toLocaleString("en")} costliest.` : "";
  const note = facts.note ? `${capital(facts.note)}.` : "";
  const adding = "Costs are those of single errors; they do not add up to the gain of a kind.";
  return [el("p", { class: "lead" }, words, ...worst),
    el("p", { class: "note" }, [note, adding, least].join(" ").trim())];
}

/** @param {Model} model
 * @param {Store} store
 * @param {RunError[]} list
 * @param {() => void} redraw
 * @returns {(HTMLElement | null)[]} */
function triage(model, store, list, redraw) {
  const verdicts = verdictsOf(model);
  const count = (/** @type {string} */ wanted) =>
    [...verdicts.values()].filter((verdict) => verdict === wanted).length;
  const next = list.find(({ address }) => !verdicts.has(address));
  const judging = el(
    "button", { type: "button", id: "judge", onclick: () => next && store.set({ error: next.address }) },
    "judge the next costliest",
  );
  const sheet = (/** @type {"svg" | "pdf"} */ kind) =>
    el("button", { type: "button", "data-sheet": kind, onclick: () => contactSheet(model, list, kind) },
      `contact sheet (${kind.toUpperCase()})`);
  const buttons = el("div", { class: "buttons" }, next ? judging : null, sheet("svg"), sheet("pdf"));
  if (!verdicts.size) return [el("p", { class: "note" },
    "Keys on a tile: 1 a real error, 2 the label is wrong, 3 unclear."), buttons];
  const save = () => saveAs("verdicts.csv", new Blob([verdictsCsv(model)], { type: "text/csv" }));
  const forgetting = () => {
    forget(model);
    store.set({ judged: store.get().judged + 1 });
    redraw();
  };
  buttons.append(
    el("button", { type: "button", id: "verdicts-csv", onclick: save }, "verdicts.csv"),
    el("button", { type: "button", id: "forget", onclick: forgetting }, "forget all"),
  );
  const others = model.data.errors.problem === null ? model.data.errors.n - verdicts.size : 0;
  const words = [
    "Of ", el("b", {}, counted(verdicts.size, "error")), " judged, ", el("b", {}, String(count("label"))),
    ` ${count("label") === 1 ? "is an error" : "are errors"} of the labels, ${count("unclear")} unclear; ` +
      `the other ${others.toLocaleString("en")} were not looked at.`,
  ];
  const how =
    "The score without them, with its interval: segmetry score … --verdicts verdicts.csv. Kept in this browser.";
  return [el("div", { class: "card judged", role: "status" }, el("p", {}, ...words), el("p", { class: "note" }, how),
    buttons)];
}

/** @param {Store} store
 * @param {string[]} rowsBy
 * @param {string} rows
 * @param {boolean} isPart
 * @returns {HTMLElement[]} */
function controls(store, rowsBy, rows, isPart) {
  const { sort, only } = store.get();
  const verdict = onlyOf(only).verdict ?? "";
  const group = (/** @type {string} */ name, /** @type {[string, string][]} */ choices, /** @type {string} */ current,
    /** @type {(value: string) => void} */ choose) =>
    el("div", { class: "segmented", role: "group", "aria-label": name }, el("span", { class: "note" }, name),
      ...choices.map(([value, text]) =>
        el("button", { type: "button", "aria-pressed": String(value === current), onclick: () => choose(value) },
          text)));
  const same = (/** @type {string[]} */ list) => list.map((text) => /** @type {[string, string]} */ ([text, text]));
  const judged = /** @type {[string, string][]} */ ([["", "all"], ["none", "not judged"], ["label", "label wrong"]]);
  return [
    ...(rowsBy.length ? [group("rows", same(rowsBy), rows, (value) => store.set({ rows: value }))] : []),
    group("sort", same(SORTS), sort, (value) => store.set({ sort: value })),
    group("show", judged, verdict, (value) =>
      store.set({ only: onlyText({ ...onlyOf(only), verdict: value || undefined }) })),
    ...(only ? [el("button", { type: "button", id: "show-all", onclick: () => store.set({ only: "" }) },
      `show all${isPart ? " of the page" : ""}`)] : []),
  ];
}
