// @ts-check
// Can I trust it: a checklist in words.

import { counted, plural } from "../../data/words.js";
import { el } from "../../drawing/dom.js";
import { score } from "../../scoring/exact.js";
import { alignRun } from "../../scoring/align.js";
import { summarise } from "../../scoring/summary.js";
import { door, pageDoor } from "./doors.js";
import { inItsUnit, isAboutSegments, isLive } from "../../scoring/headline.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../scoring/headline.js").Headline} Headline */
/** @typedef {import("../../drawing/dom.js").Child} Child */
/** @typedef {{ name: string, isGood: boolean, words: (Child | Child[])[] }} Check */

/** Fewer segments than this say little about a class or a size. */
export const FEW = 30;
const SHOWN = 3;

/** @param {Model} model
 * @param {Store} store
 * @param {Headline} headline
 * @returns {HTMLElement} */
export function trustList(model, store, headline) {
  const checks = [
    certainty(model, headline),
    ruleMatters(model),
    onePixel(model, store),
    unmatched(model, store),
    fewByClass(model, store),
    fewBySize(model),
    inputs(model, store),
  ];
  return el(
    "ul",
    { id: "trust-list" },
    checks
      .filter((check) => check !== null)
      .map(({ name, isGood, words }) =>
        el(
          "li",
          { "data-check": name, class: isGood ? "fine" : "warn" },
          el("span", { class: "check-mark", "aria-label": isGood ? "fine" : "take care" }, isGood ? "✓" : "!"),
          el("span", {}, words.flat()),
        ),
      ),
  );
}

/** @param {Model} model
 * @param {Headline} headline
 * @returns {Check} */
function certainty(model, headline) {
  const { low, high, detectable, problem, value } = model.data.overview.headline;
  if (low === null || high === null || value === null) {
    return { name: "interval", isGood: false, words: [`No interval: ${problem ?? headline.problem}.`] };
  }
  const half = Math.max(high - value, value - low);
  const text = (/** @type {number} */ one) => inItsUnit(model, one, low, high);
  const words = [el("b", {}, `± ${text(half)}`), ` from resampling ${counted(model.nItems, model.words.item)}`];
  const seen =
    detectable === null ? "." : `; differences from a fixed number under ${text(detectable)} may be chance.`;
  return { name: "interval", isGood: half < 0.05, words: [...words, seen] };
}

/** What the other of θ⁺ and θ& would say.
 * @param {Model} model
 * @returns {Check | null} */
function ruleMatters(model) {
  if (!isLive(model)) return null;
  const { key, average, low, high } = model.data.overview.headline;
  const own = model.rule(model.settings.rule);
  const other = model.rules.find((rule) => rule.name !== own.name && ["theta_and", "theta_plus"].includes(rule.name));
  if (!other) return null;
  const [first, second] = [own, other].map((rule) => summarise(model, rule));
  if (first.clashes.size || second.clashes.size) return null;
  const [mine, theirs] = [first, second].map(
    (summary) => (summary.whole[average] ?? summary.whole.pooled)[key].value,
  );
  if (Number.isNaN(mine) || Number.isNaN(theirs)) return null;
  const more = alignRun(model, other).rows.length - alignRun(model, own).rows.length;
  const paired = model.data.intervals?.differences[other.name];
  const isLittle = Math.abs(theirs - mine) <= 0.01 || (paired !== undefined && paired.low <= 0 && paired.high >= 0);
  const ends = paired ? ` (${score(paired.low, true)} to ${score(paired.high, true)})` : "";
  const pairs =
    more === 0
      ? "the same pairs"
      : `${Math.abs(more)} ${more > 0 ? "more" : "fewer"} ${Math.abs(more) === 1 ? "pair" : "pairs"}`;
  return {
    name: "rule",
    isGood: isLittle,
    words: [
      `The matching rule matters ${isLittle ? "little" : "much"}: `,
      el("b", {}, inItsUnit(model, theirs, low, high)),
      ` under ${other.label} (${pairs}), a difference of ${score(theirs - mine, true)}${ends}.`,
    ],
  };
}

/** @param {Model} model
 * @param {Store} store
 * @returns {Check | null} */
function onePixel(model, store) {
  const { sensitivity } = model.data;
  if (sensitivity === null) return null;
  const { average } = model.data.overview.headline;
  const place = ["by_item", "by_class", "pooled"].indexOf(average);
  const rule = sensitivity.rules.some(([name]) => name === model.settings.rule)
    ? model.settings.rule
    : sensitivity.rules[0][0];
  const changes = Object.entries(sensitivity.values.pq?.[rule] ?? {}).flatMap(([, cells]) => {
    const change = cells[0][3 + place];
    return typeof change === "number" ? [change] : [];
  });
  if (changes.length === 0) return null;
  const [least, most] = [Math.min(...changes), Math.max(...changes)];
  return {
    name: "pixel",
    isGood: Math.max(-least, most) < 0.05,
    words: [
      "One pixel of boundary: ",
      el("b", {}, `${score(least, true)} to ${score(most, true)}`),
      " PQ ",
      pageDoor(store, "trust", "see moves"),
      ".",
    ],
  };
}

/** @param {Model} model
 * @param {Store} store
 * @returns {Check | null} */
function unmatched(model, store) {
  if (!isAboutSegments(model)) return null;
  const rule = model.rule(model.settings.rule);
  const { start } = alignRun(model, rule);
  const { item } = model.words;
  const [truth, pred] = [model.true.start, model.pred.start];
  const items = [...model.items.keys()].filter(
    (at) => start[at] === start[at + 1] && (truth[at] !== truth[at + 1] || pred[at] !== pred[at + 1]),
  );
  if (items.length === 0) return { name: "unmatched", isGood: true, words: [`Every ${item} has a match.`] };
  const have = `${counted(items.length, item)} ${items.length === 1 ? "has" : "have"}`;
  const words = [door(store, { items }, "show them", have), " no match at all (SQ undefined)."];
  return { name: "unmatched", isGood: false, words };
}

/** @param {Model} model
 * @param {Store} store
 * @returns {Check | null} */
function fewByClass(model, store) {
  if (model.classNames === null || !isAboutSegments(model)) return null;
  const segments = plural(model.words.segment);
  const counts = segmentsByClass(model);
  const few = model.classNames.filter((_, code) => counts[code] > 0 && counts[code] < FEW);
  if (few.length === 0)
    return { name: "classes", isGood: true, words: [`Every class has ${FEW} true ${segments} or more.`] };
  const names = few
    .slice(0, SHOWN)
    .flatMap((name, at) => [
      at ? ", " : "",
      door(store, { classes: [name] }, `${plural(model.words.item)} with ${name}`, el("bdi", { class: "name" }, name)),
    ]);
  const more = few.length > SHOWN ? ` and ${few.length - SHOWN} more` : "";
  const noun = few.length === 1 ? "1 class has" : `${few.length} classes have`;
  return { name: "classes", isGood: false, words: [`${noun} fewer than ${FEW} true ${segments}: `, names, `${more}.`] };
}

/** The number of true segments of every class.
 * @param {Model} model
 * @returns {number[]} */
export function segmentsByClass(model) {
  const counts = new Array(model.classNames?.length ?? 0).fill(0);
  for (const code of model.true.classes ?? []) counts[Number(code)]++;
  return counts;
}

/** @param {Model} model
 * @returns {Check | null} */
function fewBySize(model) {
  const sizes = isAboutSegments(model) ? sizesOf(model) : null;
  if (sizes === null) return null;
  const few = sizes.filter((size) => size.segments > 0 && size.segments < FEW);
  if (few.length === 0) return null;
  const listed = few.map((size) => `${size.segments} ${size.name} (${size.limit})`).join(", ");
  return {
    name: "sizes",
    isGood: false,
    words: ["Only ", el("b", {}, listed), " true segments: too few to judge that size."],
  };
}

/** The sizes of the error analysis: what each means and how many true segments it has; null where sizes are not areas.
 * @param {Model} model
 * @returns {{ name: string, limit: string, segments: number, pq: number | null }[] | null} */
export function sizesOf(model) {
  const { budget } = model.data;
  if (budget.problem !== null || model.unit !== "pixels") return null;
  const { size_edges: edges, by_size: parts } = budget;
  const counts = new Array(edges.length + 1).fill(0);
  for (const size of model.true.size) counts[edges.filter((edge) => Number(size) >= edge).length]++;
  return ["small", "medium", "large"].map((name, at) => ({
    name,
    limit: limitOf(edges, at),
    segments: counts[at],
    pq: parts.find((part) => part.name === name)?.pq ?? null,
  }));
}

/** @param {number[]} edges
 * @param {number} at */
export function limitOf(edges, at) {
  const written = (/** @type {number} */ edge) =>
    Number.isInteger(Math.sqrt(edge)) ? `${Math.sqrt(edge)}²` : `${edge}`;
  if (at === 0) return `< ${written(edges[0])} px`;
  if (at === edges.length) return `≥ ${written(edges[at - 1])} px`;
  return `${written(edges[at - 1])} to ${written(edges[at])} px`;
}

/** @param {Model} model
 * @param {Store} store
 * @returns {Check} */
function inputs({ run }, store) {
  const { state, words } = run.checked;
  const [files, their] = run.n_inputs === 1 ? ["1 input file", "its"] : [`${run.n_inputs} input files`, "their"];
  const said = {
    unchanged: `${files} unchanged since scoring: ${their} fingerprints were checked for this report`,
    scored: `${files} with fingerprints ${words}`,
    changed: `Inputs are not what was scored: ${words}`,
    stated: `Fingerprints of ${files} ${words}`,
    none: "The run keeps no fingerprints of files",
  }[state];
  const short = run.content === null ? [] : ["; content ", el("code", {}, ends(run.content))];
  return {
    name: "inputs",
    isGood: state === "unchanged" || state === "scored",
    words: [said, ...short, " ", pageDoor(store, "method", "method")],
  };
}

/** @param {string} digest */
function ends(digest) {
  return `${digest.slice(0, 4)}…${digest.slice(-4)}`;
}
