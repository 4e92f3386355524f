// @ts-check
// PQ, SQ and RQ under every rule of the run, in every average, with intervals and counts.

import { el, refill, svg } from "../drawing/dom.js";
import { AVERAGES, averagesOf } from "../scoring/averages.js";
import { score } from "../scoring/exact.js";
import { summarise } from "../scoring/summary.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../scoring/rules.js").Rule} Rule */
/** @typedef {{ low: number, high: number } | null} Interval */

const KEYS = ["pq", "sq", "rq"];

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountVerdict(element, model, store) {
  const cards = el("div", { class: "cards" });
  element.append(cards);
  const draw = () => {
    const { rule, selected } = store.get();
    const rules = model.rules.some((shown) => shown.name === rule.name) ? model.rules : [rule, ...model.rules];
    refill(cards, rules.map((shown) => card(model, shown, selected, shown.name === rule.name)));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw();
  });
}

/** @param {Model} model
 * @param {Rule} rule
 * @param {Set<number> | null} selected
 * @param {boolean} live */
function card(model, rule, selected, live) {
  const summary = summarise(model, rule, selected);
  const attributes = { class: live ? "card live" : "card", "data-rule": rule.name };
  const heading = el("h3", {}, rule.label, live ? el("span", { class: "tag" }, "shown below") : null);
  if (summary.clashes.size) {
    const first = model.items[[...summary.clashes][0]].name;
    const where = `${summary.clashes.size} of ${summary.nItems} items`;
    const words = `Not one-to-one in ${where}: a segment has several partners, first in `;
    const problem = el("p", { class: "problem" }, words, el("bdi", { class: "name" }, first));
    return el("article", attributes, heading, problem);
  }
  const intervals = selected === null ? (model.data.intervals?.by_rule[rule.name] ?? null) : null;
  return el(
    "article",
    attributes,
    heading,
    averagesOf(model).map((average) => line(model, summary, average, intervals)),
    el("p", { class: "counts" }, countsOf(summary)),
    notes(model, summary, intervals, selected),
  );
}

/** @param {Model} model
 * @param {import("../scoring/summary.js").Summary} summary
 * @param {import("../scoring/averages.js").Average} average
 * @param {import("../data/page_data.js").RuleIntervals | null} intervals */
function line(model, summary, average, intervals) {
  const row = summary.whole[average] ?? summary.whole.pooled;
  // A mean of products is not the product of the means.
  const isOne = summary.nItems === 1 && model.settings.average === "segments";
  const isProduct = average === "pooled" || (average === "by_item" && isOne);
  const [first, second] = isProduct ? ["=", "×"] : ["·", "·"];
  /** @type {Interval} */
  const interval = intervals?.scores.pq?.[average] ?? null;
  return el(
    "div",
    { class: "headline", "data-aggregate": average },
    el("span", { class: "word" }, AVERAGES[average]),
    KEYS.map((key, at) => [
      at === 0 ? null : el("span", { class: "sign" }, at === 1 ? first : second),
      el(
        "span",
        { class: at === 0 ? "number first" : "number" },
        el("span", { class: "label" }, key.toUpperCase()),
        el("span", { "data-key": key, title: row[key].undefined ?? null }, score(row[key].value)),
      ),
    ]).flat(),
    interval ? whisker(row.pq.value, interval, average) : null,
  );
}

/** The interval of PQ as digits and as a line on [0, 1].
 * @param {number} value
 * @param {{ low: number, high: number }} interval
 * @param {string} word */
function whisker(value, { low, high }, word) {
  const at = (/** @type {number} */ x) => 4 + 152 * x;
  return el(
    "span",
    { class: "whisker" },
    svg(
      "svg",
      { viewBox: "0 0 160 14", width: 160, height: 14, role: "img", "aria-label": "95 % interval" },
      svg("line", { class: "axis", x1: at(0), x2: at(1), y1: 7, y2: 7 }),
      svg("line", { class: "range", x1: at(low), x2: at(high), y1: 7, y2: 7 }),
      svg("circle", { class: "dot", cx: at(value), cy: 7, r: 4 }),
    ),
    el("span", { class: "note", "data-interval": word }, `95 % ${score(low)} to ${score(high)}`),
  );
}

/** @param {import("../scoring/summary.js").Summary} summary */
function countsOf({ tally }) {
  const words = { n: "matched", missed: "missed", spurious: "spurious" };
  return Object.entries(words).map(([key, word]) =>
    el("span", { "data-count": word }, el("b", {}, tally[/** @type {"n"} */ (key)]), ` ${word} `),
  );
}

/** @param {Model} model
 * @param {import("../scoring/summary.js").Summary} summary
 * @param {import("../data/page_data.js").RuleIntervals | null} intervals
 * @param {Set<number> | null} selected */
function notes(model, summary, intervals, selected) {
  const said = [];
  const noun = model.nItems === 1 ? "item" : "items";
  const { nItems } = summary;
  said.push(selected === null ? `${nItems} ${noun}` : `${nItems} of ${model.nItems} ${noun}, as selected`);
  for (const key of KEYS) {
    const lacking = nItems - (summary.whole.by_item[key].denominator ?? 0);
    if (lacking > 0) said.push(`${key.toUpperCase()} undefined in ${lacking}`);
  }
  if (intervals === null) said.push("intervals are available for all items under θ⁺, θ& and the rule of the run");
  if (intervals?.reason) said.push(`no interval: ${intervals.reason}`);
  return el("p", { class: "note" }, said.join("; "));
}
