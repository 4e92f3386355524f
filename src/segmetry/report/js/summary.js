// @ts-check
// From the alignment of a run to its numbers: of every item, mean over items, pooled, per class and per group of
// classes, as segmetry.aggregate.summary computes them.

import { alignRun, CLASH, isAlone } from "./align.js";
import { fsum } from "./exact.js";
import { COUNTS, meanOf, scores, TALLY_KEYS, undefinedScores } from "./scores.js";

/** @typedef {import("./model.js").Model} Model */
/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {import("./scores.js").Score} Score */
/** @typedef {import("./scores.js").Tally} Tally */
/** @typedef {{ mean: Record<string, Score>, pooled: Record<string, Score> }} Row */
/** @typedef {{ code: number, name: string, tally: Tally, iou: Float64Array, nItems: number } & Row} ClassRow */
/** @typedef {{ items: Record<string, Float64Array>, whole: Row, tally: Tally, iou: Float64Array,
 *   classes: ClassRow[], groups: ({ name: string } & Row)[], nItems: number, clashes: Set<number> }} Summary
 * `items` has a column of every score, NaN where it is undefined (or the item left out); `iou` are those of all pairs */

/** @type {WeakMap<Model, Map<string, Summary>>} */
const known = new WeakMap();

/** The numbers of a run under a rule; of some of its items only, if `only` names them.
 * @param {Model} model
 * @param {Rule} rule
 * @param {Set<number> | null} [only]
 * @returns {Summary} */
export function summarise(model, rule, only = null) {
  if (only !== null) return compute(model, rule, only);
  const found = known.get(model) ?? new Map();
  known.set(model, found);
  const before = found.get(rule.name) ?? compute(model, rule, null);
  found.set(rule.name, before);
  if (found.size > 8) found.delete(found.keys().next().value);
  return before;
}

/** The tally of one item.
 * @param {import("./align.js").RunAlignment} alignment
 * @param {number} item
 * @returns {Tally} */
function itemTally({ start, iou, excess, missed, spurious }, item) {
  const [from, to] = [start[item], start[item + 1]];
  return {
    n: to - from,
    missed: missed[item],
    spurious: spurious[item],
    total: fsum(iou.subarray(from, to)),
    excess: fsum(excess.subarray(from, to)),
  };
}

/** @param {Model} model
 * @param {Rule} rule
 * @param {Set<number> | null} only
 * @returns {Summary} */
function compute(model, rule, only) {
  const alignment = alignRun(model, rule);
  const items = Object.fromEntries(TALLY_KEYS.map((key) => [key, new Float64Array(model.nItems).fill(NaN)]));
  const listed = only === null ? model.items.keys() : [...only].sort((a, b) => a - b);
  const tally = { n: 0, missed: 0, spurious: 0, total: 0, excess: 0 };
  let nItems = 0;
  for (const item of listed) {
    nItems++;
    const one = itemTally(alignment, item);
    tally.n += one.n;
    tally.missed += one.missed;
    tally.spurious += one.spurious;
    if (alignment.clashes.has(item)) continue;
    const found = scores(one, rule.alpha);
    for (const key of TALLY_KEYS) items[key][item] = found[key].value;
  }
  const kept = pairsOf(alignment, only);
  const iou = Float64Array.from(kept, (at) => alignment.iou[at]);
  tally.total = fsum(iou);
  tally.excess = fsum(kept.map((at) => alignment.excess[at]));
  const clashes = new Set([...alignment.clashes].filter((item) => only === null || only.has(item)));
  if (clashes.size) {
    const none = undefinedScores(CLASH);
    return { items, whole: { mean: none, pooled: none }, tally, iou, classes: [], groups: [], nItems, clashes };
  }
  const instead = model.settings.undefined;
  const mean = Object.fromEntries(
    TALLY_KEYS.map((key) => [key, meanOf(pickItems(items[key], only), instead, "undefined in every item")]),
  );
  const classes = model.classNames === null ? [] : classRows(model, alignment, kept, only);
  const groups = model.classNames === null ? [] : groupRows(model, classes);
  const pooled = model.classNames === null ? scores(tally, rule.alpha) : groups[groups.length - 1].pooled;
  return { items, whole: { mean, pooled }, tally, iou, classes, groups, nItems, clashes };
}

/** @param {Float64Array} column
 * @param {Set<number> | null} only
 * @returns {Iterable<number>} */
function pickItems(column, only) {
  return only === null ? column : Array.from(only, (item) => column[item]);
}

/** The positions of the pairs of some items.
 * @param {import("./align.js").RunAlignment} alignment
 * @param {Set<number> | null} only
 * @returns {number[]} */
function pairsOf(alignment, only) {
  const found = [];
  for (let item = 0; item + 1 < alignment.start.length; item++) {
    if (only !== null && !only.has(item)) continue;
    for (let at = alignment.start[item]; at < alignment.start[item + 1]; at++) found.push(at);
  }
  return found;
}

/** One row per class that occurs: the mean goes over the items in which it does.
 * @param {Model} model
 * @param {import("./align.js").RunAlignment} alignment
 * @param {number[]} kept
 * @param {Set<number> | null} only
 * @returns {ClassRow[]} */
function classRows(model, alignment, kept, only) {
  const names = model.classNames ?? [];
  /** @type {{ item: number, pair: number, missed: number, spurious: number }[][]} */
  const events = names.map(() => []);
  const trueClass = model.true.classes ?? [];
  const predClass = model.pred.classes ?? [];
  for (const at of kept) {
    const row = alignment.rows[at];
    const code = Number(trueClass[model.rowTrue[row]]);
    events[code].push({ item: model.rowItem[row], pair: at, missed: 0, spurious: 0 });
  }
  /** @param {import("./model.js").Side} side
   * @param {Uint8Array} matched
   * @param {import("./model.js").Column | never[]} codes
   * @param {"missed" | "spurious"} word */
  const addAlone = (side, matched, codes, word) => {
    for (let at = 0; at < matched.length; at++) {
      if (!isAlone(side, matched, at) || (only !== null && !only.has(side.item[at]))) continue;
      events[Number(codes[at])].push({ item: side.item[at], pair: -1, missed: 0, spurious: 0, [word]: 1 });
    }
  };
  addAlone(model.true, alignment.matchedTrue, trueClass, "missed");
  addAlone(model.pred, alignment.matchedPred, predClass, "spurious");
  const rows = events.map((list, code) => classRow(model, alignment, names[code], code, list));
  return rows.filter((row) => row.nItems > 0);
}

/** @param {Model} model
 * @param {import("./align.js").RunAlignment} alignment
 * @param {string} name
 * @param {number} code
 * @param {{ item: number, pair: number, missed: number, spurious: number }[]} events
 * @returns {ClassRow} */
function classRow(model, alignment, name, code, events) {
  events.sort((a, b) => a.item - b.item);
  /** @type {Record<string, number[]>} */
  const values = Object.fromEntries(TALLY_KEYS.map((key) => [key, []]));
  const all = tallyOf(alignment, events);
  let nItems = 0;
  for (let from = 0; from < events.length; ) {
    let to = from;
    while (to < events.length && events[to].item === events[from].item) to++;
    const found = scores(tallyOf(alignment, events.slice(from, to)), alignment.rule.alpha);
    for (const key of TALLY_KEYS) values[key].push(found[key].value);
    nItems++;
    from = to;
  }
  const reason = "undefined in every item in which it occurs";
  const mean = Object.fromEntries(
    TALLY_KEYS.map((key) => [key, meanOf(values[key], model.settings.undefined, reason)]),
  );
  const iou = Float64Array.from(
    events.filter((event) => event.pair >= 0),
    (event) => alignment.iou[event.pair],
  );
  return { code, name, tally: all, iou, nItems, mean, pooled: scores(all, alignment.rule.alpha) };
}

/** @param {import("./align.js").RunAlignment} alignment
 * @param {{ pair: number, missed: number, spurious: number }[]} events
 * @returns {Tally} */
function tallyOf(alignment, events) {
  const pairs = events.filter((event) => event.pair >= 0);
  return {
    n: pairs.length,
    missed: events.reduce((sum, event) => sum + event.missed, 0),
    spurious: events.reduce((sum, event) => sum + event.spurious, 0),
    total: fsum(pairs.map((event) => alignment.iou[event.pair])),
    excess: fsum(pairs.map((event) => alignment.excess[event.pair])),
  };
}

/** The groups of classes the run names, and all classes last: means over the classes that occur; counts are summed.
 * @param {Model} model
 * @param {ClassRow[]} classes
 * @returns {({ name: string } & Row)[]} */
function groupRows(model, classes) {
  const { groups, undefined: user, policy } = model.settings;
  const instead = user ?? policy.undefined;
  /** @type {[string, ClassRow[]][]} */
  const members = Object.entries(groups).map(([name, codes]) => [
    name,
    classes.filter((row) => /** @type {number[]} */ (codes).includes(row.code)),
  ]);
  return [...members, /** @type {[string, ClassRow[]]} */ (["all", classes])].map(([name, rows]) => {
    const reason = "no class of this group occurs";
    /** @param {"mean" | "pooled"} word
     * @param {string} key */
    const over = (word, key) => meanOf(rows.map((row) => row[word][key].value), instead, reason);
    const pooled = Object.fromEntries(
      TALLY_KEYS.map((key) => [key, COUNTS.has(key) ? summed(rows, key) : over("pooled", key)]),
    );
    const mean = Object.fromEntries(
      TALLY_KEYS.filter((key) => !COUNTS.has(key)).map((key) => [key, over("mean", key)]),
    );
    return { name, mean, pooled };
  });
}

/** A count over some classes; a sum of IoUs is rounded once, from the pairs themselves.
 * @param {ClassRow[]} rows
 * @param {string} key
 * @returns {Score} */
function summed(rows, key) {
  const value = key === "sum_iou"
    ? fsum(rows.flatMap((row) => [...row.iou]))
    : rows.reduce((sum, row) => sum + row.pooled[key].value, 0);
  return { value, numerator: value, denominator: 1 };
}
