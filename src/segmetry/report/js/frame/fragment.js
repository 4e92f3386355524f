// @ts-check
// The state of the page as the fragment of its address, so that a link shows the same, and Back goes back:
// another page, run, filter or item is a step of the browser's history, what is moved continuously (thresholds,
// slices, walking through items) is not.

import { ruleNamed } from "../scoring/rules.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").State} State */
/** @typedef {import("../store.js").Filter} Filter */

const LISTS = /** @type {const} */ ({ class: "classes", size: "sizes", kind: "kinds" });
const GROUP = "by.";
const CHOICES = /** @type {const} */ (["only", "rows", "sort", "against", "look", "conf"]);
const PLAIN = { only: "", rows: "kind", sort: "cost", against: "", look: "", conf: "" };

/** @param {State} state
 * @param {Model[]} models
 * @returns {string} with its # */
export function fragmentOf(state, models) {
  const model = models[state.run];
  const written = new URLSearchParams({ view: state.view });
  if (state.run > 0) written.set("run", model.name);
  if (state.rule.name !== model.settings.rule) written.set("rule", state.rule.name);
  if (state.item !== null) written.set("item", model.items[state.item].name);
  if (state.axis !== null) written.set("axis", String(state.axis));
  if (state.slice !== null) written.set("slice", String(state.slice));
  if (state.error !== null) written.set("error", state.error);
  for (const name of CHOICES) if (state[name] !== PLAIN[name]) written.set(name, state[name]);
  if (state.filter !== null) writeFilter(written, state.filter);
  return `#${written}`;
}

/** @param {URLSearchParams} written
 * @param {Filter} filter */
function writeFilter(written, filter) {
  if (filter.text) written.set("text", filter.text);
  for (const [word, key] of Object.entries(LISTS)) for (const name of filter[key] ?? []) written.append(word, name);
  for (const name of filter.confused ?? []) written.append("confused", name);
  if (filter.score) written.set("score", filter.score.join("-"));
  for (const [column, labels] of Object.entries(filter.groups ?? {})) {
    for (const label of labels) written.append(GROUP + column, label);
  }
  if (filter.items) written.set("items", ranges(filter.items));
}

/** What a fragment says,
  with the defaults for what it does not say; what makes no sense in this report is passed over.
 * @param {string} fragment
 * @param {Model[]} models
 * @param {string[]} views
 * @returns {Omit<State, "pi" | "t" | "selected" | "judged" | "inColour">} */
export function stateOf(fragment, models, views) {
  const written = new URLSearchParams(fragment.replace(/^#/, ""));
  const run = Math.max(0, models.findIndex((model) => model.name === written.get("run")));
  const model = models[run];
  const view = written.get("view") ?? "";
  const item = model.items.findIndex(({ name }) => name === written.get("item"));
  return {
    view: views.includes(view) ? view : written.has("error") ? "errors" : views[0],
    run,
    rule: ruleNamed(written.get("rule") ?? "", model) ?? model.rule(model.settings.rule),
    item: item < 0 ? null : item,
    axis: wholeNumber(written.get("axis")),
    slice: wholeNumber(written.get("slice")),
    filter: readFilter(written, model.nItems),
    error: written.get("error"),
    .../** @type {typeof PLAIN} */ (
      Object.fromEntries(CHOICES.map((name) => [name, written.get(name) ?? PLAIN[name]]))),
  };
}

/** @param {URLSearchParams} written
 * @param {number} nItems
 * @returns {Filter | null} */
function readFilter(written, nItems) {
  /** @type {Filter} */
  const filter = {};
  const text = written.get("text");
  if (text) filter.text = text;
  for (const [word, key] of Object.entries(LISTS)) {
    if (written.has(word)) filter[key] = written.getAll(word);
  }
  const [first, second] = written.getAll("confused");
  if (second !== undefined) filter.confused = [first, second];
  const score = /^(\d(?:\.\d+)?)-(\d(?:\.\d+)?)$/.exec(written.get("score") ?? "");
  if (score) filter.score = [Number(score[1]), Number(score[2])];
  for (const key of new Set(written.keys())) {
    if (key.startsWith(GROUP)) (filter.groups ??= {})[key.slice(GROUP.length)] = written.getAll(key);
  }
  const items = written.get("items");
  if (items !== null) filter.items = indices(items, nItems);
  return Object.keys(filter).length ? filter : null;
}

/** @param {string | null} text
 * @returns {number | null} */
function wholeNumber(text) {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Rising indices as 0-3,7.
 * @param {number[]} items
 * @returns {string} */
function ranges(items) {
  /** @type {[number, number][]} */
  const parts = [];
  for (const item of [...items].sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && last[1] + 1 === item) last[1] = item;
    else parts.push([item, item]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** @param {string} text
 * @param {number} nItems
 * @returns {number[]} */
function indices(text, nItems) {
  return text.split(",").flatMap((part) => {
    const [first, last = first] = part.split("-").map((word) => wholeNumber(word) ?? nItems);
    const end = Math.min(last, nItems - 1);
    return Array.from({ length: Math.max(0, end - first + 1) }, (_, at) => first + at);
  });
}

/** Let the address follow the state.
 * @param {import("../store.js").Store} store
 * @param {Model[]} models
 * @param {string[]} views */
export function followAddress(store, models, views) {
  let before = store.get();
  store.subscribe((state) => {
    const fragment = fragmentOf(state, models);
    const isOpened = (state.item === null) !== (before.item === null)
      || (state.error === null) !== (before.error === null);
    const isStep = isOpened || state.view !== before.view || state.run !== before.run
      || state.filter !== before.filter;
    before = state;
    if (fragment === location.hash) return;
    if (isStep) history.pushState(null, "", fragment);
    else history.replaceState(null, "", fragment);
  });
  addEventListener("popstate", () => {
    const state = stateOf(location.hash, models, views);
    // Written anew, a filter that says the same is not a change.
    const isSame = JSON.stringify(state.filter) === JSON.stringify(store.get().filter);
    store.set(isSame ? { ...state, filter: store.get().filter } : state);
  });
}
