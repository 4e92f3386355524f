// @ts-check
// One sentence about a run, in words, from its numbers. Pure: numbers in, parts of a sentence out.

import { plural } from "../../data/words.js";

/** @typedef {import("../../store.js").Filter} Filter */
/** @typedef {{ text: string, strong?: boolean, filter?: Filter, only?: string }} Part a piece of a sentence; with a
 * filter, a door to the items; with what is asked for, one to the errors */
/** @typedef {{ kind: string, words: string, gain: number, errors: number, shown: boolean }} Cost
 * an error of a kind, in the plural; whether its number says something */
/** @typedef {{ name: string, limit: string, pq: number | null, segments: number }} Size */
/** @typedef {{ nTrue: number, nPred: number, matched: number, sq: number, isExact: boolean, noun: string,
 *   some: string | null, costs: Cost[], sizes: Size[] }} SegmentFacts
 * counts of segments; the mean IoU of pairs, and whether all pairs are equal; what the segments are called; which items
 * ("13 of 400 items"), null for all; costs, the largest first; sizes from small to large */

const LEAST_GAIN = 0.005;
const LEAST_APART = 0.1;
const FEW = 20;

/** @param {SegmentFacts} facts
 * @returns {Part[]} */
export function segmentSentence(facts) {
  const where = facts.some === null ? [] : [{ text: `In ${facts.some}: ` }];
  return capital([...where, ...found(facts), ...costliest(facts), ...bySize(facts), { text: "." }]);
}

/** @param {SegmentFacts} facts
 * @returns {Part[]} */
function found({ nTrue, nPred, matched, sq, isExact, noun }) {
  if (nTrue === 0 && nPred === 0) return [{ text: `nothing to compare: there are no ${plural(noun)} on either side` }];
  if (nTrue === 0) {
    return [{ text: `the truth has no ${plural(noun)}; ${counted(nPred, noun)} ${verb(nPred)} predicted` }];
  }
  if (nPred === 0) return [{ text: `predicts nothing; all ${counted(nTrue, noun)} are missed` }];
  if (matched === 0) return [{ text: "finds " }, strong("none"), { text: ` of the ${counted(nTrue, noun)}` }];
  const isAll = matched === nTrue;
  const share = isAll
    ? [strong(nTrue === 1 ? `the one ${noun}` : `all ${nTrue} ${plural(noun)}`)]
    : [strong(percent(matched, nTrue))];
  const rest = isAll ? [] : [{ text: ` of the ${plural(noun)}` }];
  const one = matched === 1 ? "it" : isAll ? "each" : "them";
  if (isExact) return [{ text: "finds " }, ...share, ...rest, { text: ` and draws ${one} exactly` }];
  const mean = matched === 1 ? "an" : "a mean";
  return [
    { text: "finds " },
    ...share,
    ...rest,
    { text: ` and draws ${one} at ${mean} IoU of ` },
    strong(sq.toFixed(2)),
  ];
}

/** @param {SegmentFacts} facts
 * @returns {Part[]} */
function costliest({ costs, matched, nTrue }) {
  const most = costs.filter((cost) => cost.gain >= LEAST_GAIN && cost.errors > 0).slice(0, 2);
  if (most.length === 0 || matched + nTrue === 0) return [];
  const named = most.map(({ kind, words, errors, shown }) => [
    { text: words, strong: true, filter: { kinds: [kind] } },
    ...(shown ? [{ text: ` (${errors})` }] : []),
  ]);
  const second = named[1] ? [{ text: " and " }, ...named[1]] : [];
  return [{ text: ". What costs most: " }, ...named[0], ...second];
}

/** @param {SegmentFacts} facts
 * @returns {Part[]} */
function bySize({ sizes, noun }) {
  const known = sizes.filter((size) => size.segments >= FEW && size.pq !== null);
  const [first, last] = [known[0], known[known.length - 1]];
  if (known.length < 2 || first.pq === null || last.pq === null) return [];
  if (Math.abs(last.pq - first.pq) < LEAST_APART) return [];
  const [low, high] = [first.pq, last.pq].map((value) => value.toFixed(2));
  const words = `; ${first.name} ${plural(noun)} (${first.limit}) reach PQ ${low} against ${high}`;
  return [{ text: `${words} for ${last.name} ones` }];
}

/** A share with two digits, or with three in per cent.
 * @param {number} value
 * @param {boolean} [isPercent] */
function short(value, isPercent) {
  return isPercent ? (100 * value).toFixed(1) : value.toFixed(2);
}

/** About classes of elements, or detections: the headline, and what costs most.
 * @param {{ name: string, value: number, percent?: boolean,
 *   beside: { name: string, value: number | null, percent?: boolean }[],
 *   errors: import("../../data/page_data.js").OtherErrors }} facts
 * @returns {Part[]} */
export function otherSentence({ name, value, percent, beside, errors }) {
  const first = Number.isNaN(value)
    ? [{ text: `${name} is undefined` }]
    : [{ text: `${name} is ` }, strong(short(value, percent))];
  const named = beside.filter((row) => row.value !== null).slice(0, 1);
  const valueOf = (/** @type {(typeof named)[number]} */ row) => short(/** @type {number} */ (row.value), row.percent);
  const second = named.map((row) => ({ text: `, ${row.name} ${valueOf(row)}` }));
  const most = errors.rows.filter((row) => row.gain >= LEAST_GAIN && row.count > 0).slice(0, 2);
  if (most.length === 0) return [...first, ...second, { text: "." }];
  const words = most.flatMap((row, at) => [
    ...(at ? [{ text: " and " }] : []),
    strong(row.name),
    { text: ` (${short(row.gain, percent)})` },
  ]);
  return [...first, ...second, { text: `. What costs most ${errors.name}: ` }, ...words, { text: "." }];
}

/** About lines: the headline and the protocol's other numbers, in words.
 * @param {{ name: string, value: number, isLowerBetter: boolean, nItems: number, noun: string,
 *   percent?: boolean, beside: { name: string, value: number | null, percent?: boolean }[] }} facts
 * @returns {Part[]} */
export function lineSentence({ name, value, percent, isLowerBetter, nItems, noun, beside }) {
  const over = nItems === 1 ? "" : ` over ${nItems} ${plural(noun)}`;
  const better = isLowerBetter ? " (lower is better)" : "";
  const shown = Number.isNaN(value)
    ? [{ text: `${name} is undefined` }]
    : [{ text: `${name} ` }, strong(short(value, percent))];
  const others = beside
    .filter((row) => row.value !== null)
    .slice(0, 3)
    .flatMap((row) => [{ text: `, ${row.name} ` }, strong(short(/** @type {number} */ (row.value), row.percent))]);
  return capital([...shown, { text: `${better}${over}` }, ...others]);
}

/** What costs most of errors that are not those of matched segments.
 * @param {{ name: string, cost: string, only: string }[]} costs the largest first
 * @returns {Part[]} */
export function ownErrorsSentence(costs) {
  if (costs.length === 0) return [{ text: "." }];
  const named = costs.slice(0, 2).flatMap(({ name, cost, only }, at) => [
    ...(at ? [{ text: " and " }] : []),
    { text: name, strong: true, only },
    { text: ` (${cost})` },
  ]);
  return [{ text: ". What costs most: " }, ...named, { text: "." }];
}

/** Several sentences one after the other.
 * @param {...Part[]} sentences
 * @returns {Part[]} */
export function joined(...sentences) {
  return sentences.flatMap((parts, at) => (at ? [{ text: " " }, ...parts] : parts));
}

/** A share that is never rounded to all or none.
 * @param {number} part
 * @param {number} whole
 * @returns {string} */
export function percent(part, whole) {
  const rounded = Math.round((100 * part) / whole);
  if (rounded === 100 && part < whole) return "over 99 %";
  if (rounded === 0 && part > 0) return "under 1 %";
  return `${rounded} %`;
}

/** @param {string} text
 * @returns {Part} */
function strong(text) {
  return { text, strong: true };
}

/** @param {number} count
 * @param {string} noun */
function counted(count, noun) {
  return count === 1 ? `${count} ${noun}` : `${count} ${plural(noun)}`;
}

/** @param {number} count */
function verb(count) {
  return count === 1 ? "is" : "are";
}

/** @param {Part[]} parts
 * @returns {Part[]} */
function capital([first, ...rest]) {
  return [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...rest];
}
