// @ts-check
// View 5: the pairs that θ& aligns and θ⁺ does not, their IoUs in (1/3, 1/2], the kinds of error, and which of them are
// false hits, for any π.

import { bars } from "../drawing/chart.js";
import { el, readings, refill, tableCells, tableHead } from "../drawing/dom.js";
import { plus, ratio, show } from "../scoring/exact.js";
import { disagreement, KINDS, widePairs } from "../scoring/additional_pairs.js";
import { fractionInput } from "./fraction_input.js";

/** @typedef {import("../data/model.js").Model} Model */

const SHOWN = 12;
const BINS = 10;
const FALSE_HIT =
  "A pair is a false hit if its prediction shares at least π times as much with another true segment, and at least " +
  "π times as much of its own true segment is missed.";

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("../store.js").Store} store */
export function mountDisagree(element, model, store) {
  const all = widePairs(model);
  const input = fractionInput("pi", "π", "π", [50, 100], (pi) => pi.top > 0n, (pi) => store.set({ pi }));
  const numbers = el("dl", { class: "facts readings" });
  const hits = el("dl", { class: "facts readings" });
  const picture = el("figure", {});
  const kinds = el("table", { id: "kinds" });
  const list = el("div", { class: "scroll" });
  element.append(
    el(
      "div",
      { class: "cards three" },
      card("Additional pairs", numbers, picture),
      card("Kinds of error of matched pairs", kinds),
      card("False hits", el("p", { class: "note" }, FALSE_HIT), input.label, hits),
    ),
    list,
  );
  const draw = () => {
    const { pi, selected } = store.get();
    const pairs = selected === null ? all : all.filter((pair) => selected.has(pair.item));
    const result = disagreement(model, pairs, pi, selected);
    input.show(pi);
    const extra = pairs.filter((pair) => pair.isAdditional);
    refill(numbers, readings({
      "IoU > 0.5 (θ⁺) pairs": pairs.length - extra.length,
      "majority overlap (θ&) pairs": pairs.length,
      additional: extra.length,
      "share of θ& pairs": show(ratio(extra.length, pairs.length)),
      "KS distance of IoUs": show(result.distance),
      "correlation with true segments per item": show(result.correlation),
    }));
    refill(picture, narrow(extra), el("figcaption", { class: "note" }, "IoU of additional pairs, from 1/3 to 1/2"));
    refill(kinds, kindsTable(pairs, model.unit));
    refill(hits, readings({
      "false hits": result.hits.size,
      "share of θ& pairs ": show(ratio(result.hits.size, pairs.length)),
      [`of fewer than 1,024 ${model.unit}`]: [...result.hits].filter((pair) => pair.isSmall).length,
    }));
    refill(list, pairsTable(model, store, extra, result.hits));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("pi") || changed.has("selected")) draw();
  });
}

/** @param {string} heading
 * @param {...HTMLElement} content */
function card(heading, ...content) {
  return el("article", { class: "card" }, el("h3", {}, heading), content);
}

/** Count by bins: bin k contains 1/3 + k/60 < IoU ≤ 1/3 + (k+1)/60, decided on integers.
 * @param {import("../scoring/additional_pairs.js").AlignedPair[]} extra */
function narrow(extra) {
  const counts = new Array(BINS).fill(0);
  for (const pair of extra) {
    const [shared, union] = [BigInt(pair.shared), BigInt(plus(plus(pair.shared, pair.missed), pair.spurious))];
    const at = Array.from({ length: BINS }, (_, k) => k).find((k) => 60n * shared <= BigInt(21 + k) * union);
    counts[at ?? BINS - 1]++;
  }
  const edge = (/** @type {number} */ at) => show(1 / 3 + at / 60);
  const title = (/** @type {number} */ at) => `${edge(at)} to ${edge(at + 1)}: ${counts[at]} pairs`;
  return bars(counts, { width: 300, height: 80, label: "IoU of additional pairs", title });
}

/** @param {import("../scoring/additional_pairs.js").AlignedPair[]} pairs
 * @param {string} unit */
function kindsTable(pairs, unit) {
  /** @param {string} name
   * @param {string} words
   * @param {(pair: import("../scoring/additional_pairs.js").AlignedPair) => boolean} wanted */
  const row = (name, words, wanted) => {
    const chosen = pairs.filter(wanted);
    const extra = chosen.filter((pair) => pair.isAdditional).length;
    const heading = el("th", { scope: "row", title: words }, name);
    return el("tr", { "data-kind": name }, heading, tableCells([chosen.length - extra, extra]));
  };
  const rows = Object.entries(KINDS).map(([kind, words]) => row(kind, words, (pair) => pair.kind === kind));
  const small = row("small", `a true segment of fewer than 1,024 ${unit}`, (pair) => pair.isSmall);
  return [tableHead(["kind", "IoU > 0.5 (θ⁺)", "additional"]), el("tbody", {}, rows), el("tfoot", {}, small)];
}

/** The additional pairs, false hits first, then by increasing IoU.
 * @param {Model} model
 * @param {import("../store.js").Store} store
 * @param {import("../scoring/additional_pairs.js").AlignedPair[]} extra
 * @param {Set<import("../scoring/additional_pairs.js").AlignedPair>} hits */
function pairsTable(model, store, extra, hits) {
  if (!extra.length) return el("p", { class: "note" }, "The two rules align the same pairs.");
  const sorted = [...extra].sort((a, b) => Number(hits.has(b)) - Number(hits.has(a)) || a.iou - b.iou);
  const names = ["item", "true", "pred", "shared", "missed", "spurious", "IoU", "kind", "false hit"];
  const rows = sorted.slice(0, SHOWN).map((pair) => {
    const name = el("bdi", {}, model.items[pair.item].name);
    const follow = () => store.set({ item: pair.item });
    const open = el("button", { type: "button", class: "link name", onclick: follow }, name);
    const ids = [model.true.ids[pair.t], model.pred.ids[pair.p]];
    const counts = [...ids, pair.shared, pair.missed, pair.spurious].map(String);
    return el("tr", {}, tableCells([open, ...counts, show(pair.iou), pair.kind, hits.has(pair) ? "yes" : ""]));
  });
  return [
    el("table", { id: "additional" }, tableHead(names), el("tbody", {}, rows)),
    extra.length > SHOWN ? el("p", { class: "note" }, `and ${extra.length - SHOWN} more`) : null,
  ];
}
