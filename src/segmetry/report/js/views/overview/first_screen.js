// @ts-check
// The first screen: how good, where it fails, can I trust it; which classes, and the worst items.

import { ownCosts, ownCostsByKind } from "./costs_by_kind.js";
import { KIND_NAMES } from "../../data/segment_kinds.js";
import { counted, plural } from "../../data/words.js";
import { el, refill } from "../../drawing/dom.js";
import { summarise } from "../../scoring/summary.js";
import { classErrors, classScores, heatLevel } from "./class_errors.js";
import { door, pageDoor } from "./doors.js";
import { headlineOf, isAboutSegments } from "../../scoring/headline.js";
import { howGood } from "./how_good.js";
import { joined, lineSentence, otherSentence, ownErrorsSentence, segmentSentence } from "./sentence.js";
import { sizesOf, trustList } from "./trust_list.js";
import { headlineDots } from "../run_comparison.js";
import { twoBest, versus } from "./versus.js";
import { whereItFails } from "./where_it_fails.js";
import { worstTiles } from "./worst_tiles.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../scoring/headline.js").Headline} Headline */

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {Store} store */
export function mountOverview(element, model, store) {
  const sentence = el("p", { id: "run-sentence" });
  const [good, fails, trust, classes, worst] = [
    card("how-good", "How good"),
    card("where-it-fails", "Where it fails"),
    card("can-i-trust-it", "Can I trust it"),
    card("which-classes", classHeading(model)),
    card("worst", worstHeading(model)),
  ];
  const heat = isAboutSegments(model) ? classErrors(model, store) : classScores(model, store);
  const isHot = heat.length > 0;
  const hasWorst = model.nItems > 1 || Object.keys(model.maps).length > 0;
  const plotted = protocolPlot(model, store);
  const plot = card("protocol-plot", "As the field draws it");
  // What is narrow stands below the number; a table with a column for each kind of error is as wide as the screen.
  const isWide = isHot && isAboutSegments(model) && heatLevel(model) === "class" && plotted === null;
  const narrow = [isHot && !isAboutSegments(model) ? classes.element : null, plotted ? plot.element : null];
  const wide = isHot && isAboutSegments(model) ? classes.element : null;
  const below = [wide, hasWorst ? worst.element : null].filter((one) => one !== null);
  const grid = el("div", { class: "first-screen" });
  refill(grid, el("div", { class: "left" }, good.element, narrow),
    el("div", { class: "right" }, fails.element, trust.element, isWide ? [] : below),
    isWide ? el("div", { class: "below" }, below) : null);
  if (plotted) refill(plot.body, plotted);
  if (model.comparison !== null) element.append(comparisonFirst(model, store));
  element.append(sentence, grid);
  refill(classes.body, heat);
  refill(fails.body, whereItFails(model, store));
  const draw = () => {
    const headline = headlineOf(model, store.get());
    refill(sentence, sentenceOf(model, store, headline));
    refill(good.body, howGood(model, store, headline));
    refill(trust.body, trustList(model, store, headline));
    const { rule, selected } = store.get();
    const isOwn = selected === null && rule.name === model.settings.rule;
    const own = `Of all ${plural(model.words.item)} under ${model.rule(model.settings.rule).label}: `;
    for (const { element: fixed, note } of [fails, trust, classes, ...(headline.isLive ? [] : [good])]) {
      fixed.classList.toggle("unchanged", !isOwn);
      refill(note, isOwn ? "" : `${own}the filter and the rule do not change this.`);
    }
    if (hasWorst) refill(worst.body, worstTiles(model, store, headline, 8));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw();
  });
}

/** Several runs: which is better, all of them with their intervals, and two of them item by item.
 * @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement} */
function comparisonFirst(model, store) {
  const { comparison } = model;
  const sentence = el("p", { id: "comparison-sentence" });
  const [values, items] = [el("div", { class: "body" }), el("div", { class: "versus" })];
  const draw = () => {
    const { rule } = store.get();
    refill(
      sentence,
      comparison?.by_rule[rule.name]?.sentence ?? "Differences are known under θ⁺, θ& and the rule of the runs.",
    );
    refill(values, headlineDots(model, rule));
    refill(items, versus(model, store, ...twoBest(model)));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("rule") || changed.has("selected")) draw();
  });
  return el(
    "div",
    { id: "comparison-first" },
    sentence,
    el("div", { class: "card comparison-card" }, values, items),
    el("h3", { class: "of-run" }, "One run: ", el("bdi", { class: "name" }, model.name)),
  );
}

/** The plot that a protocol is known by, which Python has drawn on its own page or below: scores over IoU thresholds,
 * or precision over recall.
 * @param {Model} model
 * @param {Store} store
 * @returns {HTMLElement | null} */
function protocolPlot(model, store) {
  const at = model.runs.indexOf(model);
  const [ofThresholds, ofRecall] = ["thresholds", "detections"].map((id) =>
    document.querySelectorAll(`#${id} > div > .plots`)[at]?.querySelector("img"),
  );
  const image = ofThresholds ?? ofRecall;
  if (!image) return null;
  const more = ofThresholds ? pageDoor(store, "thresholds", "numbers at every threshold") : "more curves below";
  return el("figure", { class: "protocol-plot" }, image.cloneNode(true), el("figcaption", { class: "note" }, more));
}

/** @param {Model} model */
function worstHeading({ nItems, words: { item }, data }) {
  return nItems > 1 ? `Worst ${plural(item)} by ${data.overview.headline.name}` : `The ${item}`;
}

/** @param {Model} model */
function classHeading(model) {
  if (!isAboutSegments(model)) return `${model.data.overview.headline.name} by class, worst first`;
  return heatLevel(model) === "size" ? "Which sizes, which errors" : "Which classes, which errors";
}

/** @param {string} id
 * @param {string} heading */
function card(id, heading) {
  const [body, note] = [el("div", { class: "body" }), el("p", { class: "note" })];
  const parts = [el("h3", {}, heading), note, body];
  return { element: el("article", { class: "card", id, "aria-label": heading }, parts), body, note };
}

/** @param {Model} model
 * @param {Store} store
 * @param {Headline} headline
 * @returns {(HTMLElement | string)[]} */
function sentenceOf(model, store, headline) {
  const { errors, headline: stored } = model.data.overview;
  const { beside } = stored;
  const { isLine } = model;
  const isOwn = !errors && !isAboutSegments(model);
  const named = isLine || isOwn ? beside.filter((row) => row.key !== "sq" && row.key !== "rq") : [];
  const nItems = isLine || isOwn ? model.nItems : 1;
  const first = lineSentence({ ...headline, beside: named, nItems, noun: model.words.item });
  const parts = errors
    ? otherSentence({ ...headline, beside, errors })
    : isOwn
      ? [...first, ...ownErrorsSentence(ownCosts(model))]
    : headline.key === "pq" && !isLine
      ? segmentSentence(segmentFacts(model, store))
      : joined([...first, { text: "." }], segmentSentence(segmentFacts(model, store)));
  return parts.map(({ text, strong, filter, only }) =>
    only !== undefined
      ? el("button", { type: "button", class: "door", "data-only": only, onclick: () =>
        store.set({ view: "errors", only }) }, el("b", {}, text))
      : filter ? door(store, filter, "show them", el("b", {}, text)) : strong ? el("b", {}, text) : text,
  );
}

/** @param {Model} model
 * @param {Store} store
 * @returns {import("./sentence.js").SegmentFacts} */
function segmentFacts(model, store) {
  const { rule, selected } = store.get();
  const { tally, whole } = summarise(model, rule, selected);
  const { budget } = model.data;
  const isOwn = selected === null && rule.name === model.settings.rule && isAboutSegments(model);
  return {
    nTrue: tally.n + tally.missed,
    nPred: tally.n + tally.spurious,
    matched: tally.n,
    sq: whole.pooled.sq.value,
    isExact: tally.n > 0 && tally.total === tally.n,
    noun: model.words.segment,
    some: selected === null ? null : `${selected.size} of ${counted(model.nItems, model.words.item)}`,
    costs: isOwn && budget.problem === null ? costsOf(model, budget) : [],
    sizes: isOwn ? (sizesOf(model) ?? []) : [],
  };
}

/** @param {Model} model
 * @param {import("../../data/page_data.js").BudgetData} budget
 * @returns {import("./sentence.js").Cost[]} */
function costsOf(model, budget) {
  if (model.data.overview.headline.key !== "pq") return ownCostsByKind(model);
  const { average } = model.data.overview.headline;
  const { segment } = model.words;
  const costs = budget.order.map((kind) => {
    const { gain_individually: gains, errors } = budget.kinds[kind];
    const called = KIND_NAMES[/** @type {import("../../data/segment_kinds.js").Kind} */ (kind)][errors === 1 ? 0 : 1];
    const words = called.replace(/segment(s?)$/, (_, many) => (many ? plural(segment) : segment));
    return { kind, words, gain: gains[average] ?? gains.pooled ?? 0, errors, shown: kind !== "boundary" };
  });
  return costs.sort((a, b) => b.gain - a.gain);
}
