// @ts-check
// The filter: a panel of choices, and a chip that says how many items pass and takes the filter away.

import { KIND_NAMES, KINDS, segmentKinds } from "../data/segment_kinds.js";
import { plural } from "../data/words.js";
import { el, refill } from "../drawing/dom.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").Filter} Filter */
/** @typedef {"classes" | "sizes" | "kinds"} List */

/** @param {HTMLElement} element
 * @param {Model[]} models
 * @param {Store} store */
export function mountFilter(element, models, store) {
  const chip = el("button", { type: "button", id: "chip", onclick: () => store.set({ filter: null }) });
  const summary = el("summary", {}, "Filter");
  const body = el("div", { class: "panel", role: "group", "aria-label": "filter" });
  const panel = /** @type {HTMLDetailsElement} */ (el("details", { id: "filter" }, summary, body));
  element.append(panel, chip);
  const draw = () => {
    const { filter, selected, run } = store.get();
    chip.hidden = filter === null;
    if (filter === null) return;
    const count = `${selected?.size.toLocaleString("en")} of ${models[run].nItems.toLocaleString("en")}`;
    const words = filterWords(filter).join(" · ");
    const noun = plural(models[run].words.item);
    const label = `${count} ${noun} pass the filter (${words}); show all ${noun}`;
    chip.setAttribute("aria-label", label);
    chip.title = words;
    refill(chip, el("b", {}, count), el("span", { class: "words" }, words), el("span", {}, "✕"));
  };
  const fill = () => refill(body, fields(models[store.get().run], store));
  panel.addEventListener("toggle", () => panel.open && fill());
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Node && target.isConnected && !panel.contains(target)) panel.open = false;
  });
  panel.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !panel.open) return;
    panel.open = false;
    summary.focus();
  });
  draw();
  store.subscribe((_, changed) => {
    if (!["filter", "selected", "run", "rule"].some((key) => changed.has(key))) return;
    draw();
    if (panel.open && !body.contains(document.activeElement)) fill();
  });
}

/** @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement[]} */
function fields(model, store) {
  const { rule, filter } = store.get();
  const { isComplete } = segmentKinds(model, rule);
  const kinds = KINDS.filter((kind) => isComplete || ["missed", "spurious", "boundary"].includes(kind));
  /** @param {List} key
   * @param {string} legend
   * @param {string[]} names
   * @param {(name: string) => string} [label] */
  const list = (key, legend, names, label = (name) => name) =>
    boxes(legend, names, label, filter?.[key] ?? [], (chosen) => change(store, key, chosen.length ? chosen : null));
  return [
    list("kinds", "error", kinds, (kind) => KIND_NAMES[/** @type {"class"} */ (kind)][0]),
    list("sizes", `size in ${model.unit}`, model.data.sizes.names, (name) => sizeWords(model, name)),
    model.classNames === null ? null : list("classes", "class", model.classNames),
    scoreRange(store),
    ...Object.entries(model.data.groups).map(([column, labels]) => groupBoxes(column, labels, store)),
  ].filter((field) => field !== null);
}

/** @param {Model} model
 * @param {string} name
 * @returns {string} */
function sizeWords({ data: { sizes } }, name) {
  const at = sizes.names.indexOf(name);
  const [low, high] = [sizes.edges[at - 1], sizes.edges[at]].map((edge) => edge?.toLocaleString("en"));
  if (/[<≥–]/.test(name)) return name;
  return `${name} (${low ? (high ? `${low} to ${high}` : `from ${low}`) : `below ${high}`})`;
}

/** @param {Store} store
 * @param {keyof Filter} key
 * @param {unknown} value null takes this part of the filter away */
function change(store, key, value) {
  const { [key]: _, ...rest } = store.get().filter ?? {};
  const filter = /** @type {Filter} */ (value === null ? rest : { ...rest, [key]: value });
  store.set({ filter: Object.keys(filter).length ? filter : null });
}

/** @param {string} legend
 * @param {string[]} names
 * @param {(name: string) => string} label
 * @param {string[]} chosen
 * @param {(chosen: string[]) => void} changed
 * @returns {HTMLElement} */
function boxes(legend, names, label, chosen, changed) {
  const inputs = names.map((name) => {
    const box = { type: "checkbox", value: name, checked: chosen.includes(name) };
    return /** @type {HTMLInputElement} */ (el("input", box));
  });
  const listen = () => changed(names.filter((_, at) => inputs[at].checked));
  for (const input of inputs) input.addEventListener("change", listen);
  const rows = inputs.map((input, at) => el("label", {}, input, el("bdi", { class: "name" }, label(names[at]))));
  return el("fieldset", {}, el("legend", {}, legend), el("div", { class: "choices" }, rows));
}

/** @param {string} column
 * @param {string[]} labels of all items
 * @param {Store} store */
function groupBoxes(column, labels, store) {
  const names = [...new Set(labels)].sort();
  const { [column]: chosen = [], ...others } = store.get().filter?.groups ?? {};
  return boxes(column, names, (name) => name, chosen, (now) => {
    const groups = now.length ? { ...others, [column]: now } : others;
    change(store, "groups", Object.keys(groups).length ? groups : null);
  });
}

/** The least and the greatest PQ.
 * @param {Store} store */
function scoreRange(store) {
  const score = store.get().filter?.score ?? [0, 1];
  const [low, high] = score.map((value, at) => {
    const facts = { type: "number", min: 0, max: 1, step: 0.05, value, "aria-label": at ? "greatest PQ" : "least PQ" };
    return /** @type {HTMLInputElement} */ (el("input", facts));
  });
  const listen = () => {
    const range = [Number(low.value || 0), Number(high.value || 1)];
    const isGood = range.every((value) => value >= 0 && value <= 1) && range[0] <= range[1];
    for (const input of [low, high]) input.setAttribute("aria-invalid", String(!isGood));
    if (isGood) change(store, "score", range[0] === 0 && range[1] === 1 ? null : range);
  };
  for (const input of [low, high]) input.addEventListener("change", listen);
  return el("fieldset", {}, el("legend", {}, "PQ of the item"), el("p", {}, low, " to ", high));
}

/** A filter in words, for the chip.
 * @param {Filter} filter
 * @returns {string[]} */
export function filterWords(filter) {
  const { text, classes, sizes, kinds, confused, score, groups, items } = filter;
  return [
    text ? `name contains “${text.slice(0, 40)}”` : "",
    either(kinds),
    either(sizes),
    either(classes),
    confused ? `${confused[0].slice(0, 40)} predicted as ${confused[1].slice(0, 40)}` : "",
    score ? `PQ ${score[0]} to ${score[1]}` : "",
    ...Object.entries(groups ?? {}).map(([column, labels]) => `${column.slice(0, 40)}: ${either(labels)}`),
    items ? "picked items" : "",
  ].filter((words) => words !== "");
}

/** @param {string[] | undefined} names
 * @returns {string} */
function either(names = []) {
  const shown = names.slice(0, 3).map((name) => name.slice(0, 40));
  return shown.join(" or ") + (names.length > 3 ? ` or ${names.length - 3} more` : "");
}
