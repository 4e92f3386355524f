// @ts-check
// Every error of a run, as Python has listed them, the costliest first; and which of them are asked for.

import { unpack } from "./source.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {{ owner: Model, fate?: string, at: number, item: number, error: string, address: string,
 *   kind: string, what: string, of: string, as: string,
 *   size: number, cost: number, true: readonly number[], pred: readonly number[], span: readonly number[] }} RunError
 * `address` is the item and the error: what a link names; `of` its class, `as` the predicted one; `fate` what
 * becomes of it in another run */
/** @typedef {"kind" | "of" | "as" | "fate" | "bin" | "column" | "label" | "verdict"} Asked */
/** @typedef {{ [name in Asked]?: string | undefined } &
 *   { [name in "size" | "cost"]?: [number, number] | undefined }} Only */

/** @type {WeakMap<Model, RunError[]>} */
const known = new WeakMap();

/** The errors of a run, which were unpacked before anything was shown.
 * @param {Model} model
 * @returns {RunError[]} */
export function errorsOf(model) {
  return known.get(model) ?? [];
}

/** Unpack the errors of a run.
 * @param {Model} model */
export async function readErrors(model) {
  const { errors } = model.data;
  if (errors.problem === null) known.set(model, await unpacked(model, errors));
}

/** @param {Model} model
 * @param {import("./page_data.js").ErrorsData} errors
 * @returns {Promise<RunError[]>} */
async function unpacked(model, errors) {
  const text = new TextDecoder().decode(await unpack(errors.packed));
  const columns = /** @type {import("./page_data.js").ErrorColumns} */ (JSON.parse(text));
  return columns.item.map((item, at) => ({
    owner: model,
    at,
    item,
    error: columns.error[at],
    address: `${model.data.items[item]}:${columns.error[at]}`,
    kind: errors.kinds[columns.kind[at]],
    what: columns.whats[columns.what[at]],
    of: columns.classes[columns.of_class[at]],
    as: columns.classes[columns.as_class[at]],
    size: columns.size[at],
    cost: columns.cost[at],
    true: columns.true[at],
    pred: columns.pred[at],
    span: columns.span[at],
  }));
}

/** What becomes of an error from the first run to another, as Python numbers it.
 * @type {readonly string[]} */
export const FATES = ["fixed", "changed", "remaining", "new"];

/** The errors of the first run and those that are new in another, each with what becomes of it; of both runs together
 * those of the first.
 * @param {Model} model
 * @param {string} name of the other run
 * @returns {RunError[] | null} null where the two are not compared */
export function errorsAgainst({ runs, fates }, name) {
  const other = runs.findIndex((run) => run.name === name);
  const known = fates.find(({ run }) => run === other);
  if (!known) return null;
  const fated = (/** @type {Model} */ run, /** @type {string} */ digits) =>
    errorsOf(run).flatMap((error, at) => (FATES[Number(digits[at])] ? [{ ...error, fate: FATES[Number(digits[at])] }]
      : []));
  const gained = fated(runs[other], known.after).filter(({ fate }) => fate === "new");
  return [...fated(runs[0], known.before), ...gained].sort((a, b) => b.cost - a.cost);
}

/** Whether the errors of a run are others than those of aligned segments.
 * @param {Model} model
 * @returns {boolean} */
export function hasOwnErrors({ data: { errors } }) {
  return errors.problem === null && !errors.kinds.includes("split");
}

/** The errors of each kind and class, of class maps of each pair of classes, together; the costliest first.
 * @param {RunError[]} errors
 * @returns {{ name: string, kind: string, of: string, count: number, cost: number }[]} */
export function costsOfErrors(errors) {
  /** @type {Map<string, { name: string, kind: string, of: string, count: number, cost: number }>} */
  const rows = new Map();
  for (const { kind, of, what, cost } of errors) {
    const name = kind === "confused" ? what : of && kind !== "lost" ? `${of} ${kind}` : kind;
    const row = rows.get(name) ?? { name, kind, of, count: 0, cost: 0 };
    rows.set(name, { ...row, count: row.count + 1, cost: row.cost + cost });
  }
  return [...rows.values()].sort((a, b) => b.cost - a.cost);
}

/** What is wrong in an item, in words: the numbers of its errors of each kind.
 * @param {Model} model
 * @returns {(item: number) => string} */
export function wrongIn(model) {
  /** @type {Map<number, Map<string, number>>} */
  const counts = new Map();
  for (const { item, kind } of errorsOf(model)) {
    const own = counts.get(item) ?? new Map();
    counts.set(item, own.set(kind, (own.get(kind) ?? 0) + 1));
  }
  return (item) =>
    [...(counts.get(item) ?? [])].map(([kind, count]) => `${count} ${kind}`).join(", ") || "nothing wrong";
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
      (only.as === undefined || error.as === only.as) &&
      (only.fate === undefined || error.fate === only.fate) &&
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
