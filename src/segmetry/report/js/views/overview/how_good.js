// @ts-check
// How good: the headline with its interval, what it is made of, and how it spreads over the items.

import { counted, plural } from "../../data/words.js";
import { el, svg } from "../../drawing/dom.js";
import { fixed, scoreTick, show } from "../../scoring/exact.js";
import { summarise } from "../../scoring/summary.js";
import { drawnDoor, pageDoor } from "./doors.js";
import { inItsUnit, isAboutSegments } from "../../scoring/headline.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../scoring/headline.js").Headline} Headline */

const WIDTH = 300;
const BINS = 20;

/** @param {Model} model
 * @param {Store} store
 * @param {Headline} headline
 * @returns {HTMLElement[]} */
export function howGood(model, store, headline) {
  const { name, averaged, protocol, value, low, high, problem, others } = headline;
  const isKnown = low !== null && high !== null;
  const text = (/** @type {number | null} */ one) => inItsUnit(model, one, low, high);
  const conventions = others.map((other) => `${other.name} ${inItsUnit(model, other.value)}`).join(", ");
  const parts = [
    el(
      "p",
      { class: "headline-number" },
      el("span", { class: "value", id: "headline-value" }, text(value)),
      el(
        "span",
        { class: "about note" },
        el("b", {}, name),
        headline.isLowerBetter ? ", lower is better" : "",
        el("br"),
        protocol ? `${protocol}, ${averaged}` : averaged,
        el("br"),
        el("span", { id: "headline-interval" }, isKnown ? `95 %: ${text(low)} to ${text(high)}` : (problem ?? "")),
      ),
    ),
    isKnown && !Number.isNaN(value) && high > low ? zoomedInterval(value, low, high, headline.percent) : null,
    numbersOf(model, store, headline),
    others.length ? el("p", { class: "note conventions" }, `${name} ${conventions}`) : null,
    document.getElementById("thresholds")
      ? el("p", { class: "note" }, pageDoor(store, "thresholds", "scores over IoU thresholds"))
      : null,
    ...spread(model, store, headline),
  ];
  return /** @type {HTMLElement[]} */ (parts.filter((part) => part !== null));
}

/** The interval on an axis that is only a little longer than it.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 * @param {boolean} percent */
function zoomedInterval(value, low, high, percent) {
  if (percent) [value, low, high] = [100 * value, 100 * low, 100 * high];
  const margin = 0.35 * (high - low);
  const [from, to] = [Math.min(low, value) - margin, Math.max(high, value) + margin];
  const x = (/** @type {number} */ at) => 6 + ((at - from) / (to - from)) * (WIDTH - 12);
  const digits = to - from < 0.05 ? 3 : to - from > 5 ? 0 : 2;
  const ticks = [from + margin / 2, to - margin / 2].map((at) => Number(at.toFixed(digits)));
  const label = `95 % interval from ${show(low)} to ${show(high)}`;
  return svg(
    "svg",
    { class: "zoomed", viewBox: `0 0 ${WIDTH} 30`, role: "img", "aria-label": label },
    svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: 8, y2: 8 }),
    svg("line", { class: "range", x1: x(low), x2: x(high), y1: 8, y2: 8 }),
    svg("circle", { class: "dot", cx: x(value), cy: 8, r: 5 }),
    ticks.map((at) => svg("line", { class: "tick", x1: x(at), x2: x(at), y1: 4, y2: 12 })),
    ticks.map((at) => svg("text", { x: x(at), y: 27, "text-anchor": "middle" }, at)),
  );
}

/** Found, right and outline of segments; the other numbers of the protocol elsewhere.
 * @param {Model} model
 * @param {Store} store
 * @param {Headline} headline */
function numbersOf(model, store, { key, percent }) {
  const own = key === "pq" || key === "segment_accuracy" ? segmentNumbers(model, store) : [];
  const rows = own.map((row) => ({ ...row, percent }));
  const { beside } = model.data.overview.headline;
  const isShown = (/** @type {string} */ key) => (model.isLine ? !["sq", "rq"].includes(key) : rows.length === 0);
  const first = beside.filter((row) => row.value !== null && isShown(row.key));
  const others = first.map((row) => ({ ...row, value: row.value ?? NaN, words: "", title: row.summary }));
  const listed = model.isLine ? [...others, ...rows].slice(0, 6) : [...rows, ...others].slice(0, 7);
  if (listed.length === 0) return null;
  return el(
    "table",
    { id: "headline-parts" },
    el(
      "tbody",
      {},
      listed.map((row) =>
        el(
          "tr",
          { "data-part": row.name, title: row.title },
          el("th", { scope: "row" }, row.name),
          el("td", {}, row.percent && !Number.isNaN(row.value) ? fixed(100 * row.value, 1) : show(row.value)),
          el("td", { class: "note" }, row.words),
        ),
      ),
    ),
  );
}

/** @param {Model} model
 * @param {Store} store */
function segmentNumbers(model, store) {
  const { rule, selected } = store.get();
  const summary = summarise(model, rule, selected);
  if (!isAboutSegments(model) || summary.clashes.size) return [];
  const { tally } = summary;
  const scores = summary.whole.pooled;
  /** @param {number} whole */
  const of = (whole) => `${tally.n.toLocaleString("en")} of ${whole.toLocaleString("en")}`;
  return [
    {
      name: "found (recall)",
      value: scores.recall.value,
      words: of(tally.n + tally.missed),
      title: `true ${plural(model.words.segment)} that have a partner`,
    },
    {
      name: "right (precision)",
      value: scores.precision.value,
      words: of(tally.n + tally.spurious),
      title: `predicted ${plural(model.words.segment)} that have a partner`,
    },
    { name: "outline (SQ)", value: scores.sq.value, words: "mean IoU", title: "mean IoU of the pairs" },
  ];
}

/** The headline of every item as a histogram; a bar filters.
 * @param {Model} model
 * @param {Store} store
 * @param {Headline} headline
 * @returns {(HTMLElement | SVGElement | null)[]} */
function spread(model, store, { items, name, key }) {
  const { selected } = store.get();
  /** @type {number[]} */
  const defined = [];
  let [least, most] = [Infinity, -Infinity];
  for (let at = 0; at < model.nItems; at++) {
    if ((selected !== null && !selected.has(at)) || Number.isNaN(items[at])) continue;
    defined.push(at);
    if (items[at] < least) least = items[at];
    if (items[at] > most) most = items[at];
  }
  if (defined.length < 3) return [];
  const [from, to] = least >= 0 && most <= 1 ? [0, 1] : [Math.min(0, least), Math.max(1e-9, most)];
  const place = (/** @type {number} */ value) => (value - from) / (to - from);
  const bins = defined.map((at) => Math.min(BINS - 1, Math.floor(place(items[at]) * BINS)));
  /** @type {number[][]} */
  const binned = Array.from({ length: BINS }, () => []);
  defined.forEach((item, at) => binned[bins[at]].push(item));
  const counts = binned.map((chosen) => chosen.length);
  const highest = Math.max(...counts);
  const [height, step] = [64, WIDTH / BINS];
  const label = `${name} of the ${plural(model.words.item)}`;
  const view = { class: "spread", viewBox: `0 0 ${WIDTH} ${height + 18}` };
  const root = svg("svg", { ...view, role: "group", "aria-label": label });
  counts.forEach((count, at) => {
    if (count === 0) return;
    const tall = Math.max(2, (count / highest) * height);
    const ends = [at, at + 1].map((edge) => scoreTick(Number((from + ((to - from) * edge) / BINS).toFixed(3))));
    const title = `${counted(count, model.words.item)} with ${name} ${ends[0]} to ${ends[1]}`;
    const box = { x: at * step + 0.5, y: height - tall, width: step - 1, height: tall };
    const bar = svg("rect", { ...box, "data-count": count });
    root.append(drawnDoor(store, { items: binned[at] }, title, bar));
  });
  root.append(
    svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: height + 0.5, y2: height + 0.5 }),
    svg("g", {}, [0, 0.5, 1].map((at) => {
      const anchor = at === 0 ? "start" : at === 1 ? "end" : "middle";
      const label = scoreTick(Number((from + (to - from) * at).toFixed(2)));
      return svg("text", { x: at * WIDTH, y: height + 15, "text-anchor": anchor }, label);
    })),
  );
  const undefinedOnes = (selected?.size ?? model.nItems) - defined.length;
  const words = `${name} per ${model.words.item} (click to filter)`;
  const exceptions = undefinedOnes ? `; undefined in ${undefinedOnes}` : "";
  return [el("p", { class: "note", "data-key": key }, words + exceptions), root];
}
