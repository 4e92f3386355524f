// @ts-check
// Every error of a run, as Python has listed them, the costliest first; and which of them are asked for.

import { unpack } from "./source.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{ at: number, item: number, error: string, address: string, kind: string, what: string, of: string,
 *   size: number, cost: number, true: readonly number[], pred: readonly number[], span: readonly number[] }} RunError
 * `address` is the item and the error: what a link names; `of` its class */
/** @typedef {{ [name in "kind" | "of" | "bin" | "column" | "label" | "verdict"]?: string | undefined } &
 *   { [name in "size" | "cost"]?: [number, number] | undefined }} Only */

/** @type {WeakMap<Model, Promise<RunError[]>>} */
const known = new WeakMap();

/** @param {Model} model
 * @returns {Promise<RunError[]>} */
export function errorsOf(model) {
  const { errors } = model.data;
  if (errors.problem !== null) return Promise.resolve([]);
  const found = known.get(model) ?? read(model, errors);
  known.set(model, found);
  return found;
}

/** @param {Model} model
 * @param {import("./page_data.js").ErrorsData} errors
 * @returns {Promise<RunError[]>} */
async function read(model, errors) {
  const text = new TextDecoder().decode(await unpack(errors.packed));
  const columns = /** @type {import("./page_data.js").ErrorColumns} */ (JSON.parse(text));
  return columns.item.map((item, at) => ({
    at,
    item,
    error: columns.error[at],
    address: `${model.data.items[item]}:${columns.error[at]}`,
    kind: errors.kinds[columns.kind[at]],
    what: columns.whats[columns.what[at]],
    of: columns.classes[columns.of_class[at]],
    size: columns.size[at],
    cost: columns.cost[at],
    true: columns.true[at],
    pred: columns.pred[at],
    span: columns.span[at],
  }));
}

/** The thirds of the sizes: their edges, and names that state them.
 * @param {RunError[]} errors
 * @returns {{ edges: number[], names: string[] }} */
export function sizeBins(errors) {
  const sizes = errors.map(({ size }) => size).sort((a, b) => a - b);
  const [low, high] = [1 / 3, 2 / 3].map((share) => sizes[Math.floor(share * sizes.length)] ?? 0);
  const text = (/** @type {number} */ size) => size.toLocaleString("en");
  return { edges: [low, high], names: [`under ${text(low)}`, `${text(low)} to ${text(high)}`, `from ${text(high)}`] };
}

/** @param {{ edges: number[], names: string[] }} bins
 * @param {number} size
 * @returns {string} */
export function binOf({ edges, names }, size) {
  return names[size < edges[0] ? 0 : size < edges[1] ? 1 : 2];
}

/** Points with as many digits as tell them apart.
 * @param {number} cost
 * @returns {string} */
export function points(cost) {
  const size = Math.abs(cost);
  const digits = size >= 10 ? 1 : size >= 0.01 || size === 0 ? 2 : 4;
  return `${cost > 0 ? "−" : cost < 0 ? "+" : ""}${size.toFixed(digits)}`;
}

/** What a text such as kind:missed|of:car asks for.
 * @param {string} text
 * @returns {Only} */
export function onlyOf(text) {
  /** @type {Record<string, unknown>} */
  const only = {};
  for (const part of text.split("|")) {
    const cut = part.indexOf(":");
    if (cut < 0) continue;
    const [name, value] = [part.slice(0, cut), part.slice(cut + 1)];
    only[name] = name === "size" || name === "cost" ? value.split("~").map(Number) : value;
  }
  return only;
}

/** @param {Only} only
 * @returns {string} */
export function onlyText(only) {
  const written = Object.entries(only).filter(([, value]) => value !== undefined);
  return written.map(([name, value]) => `${name}:${Array.isArray(value) ? value.join("~") : value}`).join("|");
}

/** @param {Model} model
 * @param {RunError[]} errors
 * @param {Only} only
 * @param {Set<number> | null} selected items that pass the filter
 * @param {(error: RunError) => string | null} verdictOf
 * @returns {RunError[]} */
export function chosen(model, errors, only, selected, verdictOf) {
  const bins = sizeBins(errors);
  const within = (/** @type {[number, number] | undefined} */ range, /** @type {number} */ value) =>
    range === undefined || (value >= range[0] && value <= range[1]);
  return errors.filter(
    (error) =>
      (selected === null || selected.has(error.item)) &&
      (only.kind === undefined || error.kind === only.kind) &&
      (only.of === undefined || error.of === only.of) &&
      (only.bin === undefined || binOf(bins, error.size) === only.bin) &&
      (only.column === undefined || labelOf(model, only.column, error) === only.label) &&
      (only.verdict === undefined || (verdictOf(error) ?? "none") === only.verdict) &&
      within(only.size, error.size) &&
      within(only.cost, error.cost),
  );
}

/** @param {Model} model
 * @param {string} column
 * @param {RunError} error
 * @returns {string} */
export function labelOf(model, column, error) {
  return model.data.groups[column]?.[error.item] ?? "–";
}
