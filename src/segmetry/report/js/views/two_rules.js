// @ts-check
// View 5: the pairs that θ& aligns and θ⁺ does not, their IoUs in (1/3, 1/2], the kinds of error, and which of them are
// false hits, for any π.

import { bars } from "../drawing/chart.js";
import { el, readings, refill, tableCells, tableHead } from "../drawing/dom.js";
import { fixed, pValue, plus, ratio, show } from "../scoring/exact.js";
import { byClass, disagreement, KINDS, quartiles, widePairs } from "../scoring/additional_pairs.js";
import { fractionInput } from "./fraction_input.js";
import { fillPairGallery } from "./pair_gallery.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../scoring/additional_pairs.js").AlignedPair} AlignedPair */

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
  const classes = el("div", { class: "scroll" });
  const list = el("div", { class: "scroll" });
  const sought = /** @type {HTMLInputElement} */ (
    el("input", { type: "search", placeholder: "item, class, kind or id", "aria-label": "search additional pairs" })
  );
  const gallery = el("div", { id: "pair-gallery" });
  let count = SHOWN;
  element.append(
    el(
      "div",
      { class: "cards three" },
      card("Additional pairs", numbers, picture),
      card("Kinds of error of matched pairs", kinds),
      card("False hits", el("p", { class: "note" }, FALSE_HIT), input.label, hits),
    ),
    classes,
    gallery,
    el("p", {}, sought),
    list,
  );
  sought.addEventListener("input", () => {
    count = SHOWN;
    draw();
  });
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
      "sizes of additional pairs: quartiles": sizes(model, extra),
      ...(selected === null ? testsOf(model) : {}),
    }));
    refill(picture, narrow(extra), el("figcaption", { class: "note" }, "IoU of additional pairs, from 1/3 to 1/2"));
    refill(kinds, kindsTable(pairs, model.unit));
    refill(classes, classTable(model, extra, selected));
    refill(hits, readings({
      "false hits": result.hits.size,
      "share of θ& pairs ": show(ratio(result.hits.size, pairs.length)),
      [`of fewer than 1,024 ${model.unit}`]: [...result.hits].filter((pair) => pair.isSmall).length,
      "sizes: quartiles": sizes(model, [...result.hits]),
    }));
    fillPairGallery(gallery, model, store, found(model, extra, sought.value));
    const more = () => {
      count += 10 * SHOWN;
      draw();
    };
    refill(list, pairsTable(model, store, found(model, extra, sought.value), result.hits, count, more));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("pi") || changed.has("selected")) draw();
  });
}

/** The tests over all items, as the command line prints them.
 * @param {Model} model
 * @returns {Record<string, string>} */
function testsOf(model) {
  const tests = model.data.two_rules;
  if (tests === null) return {};
  const named = {
    "p of the KS distance of IoUs": tests.ks_p,
    "p of the correlation": tests.correlation_p,
    "p of the KS distance of classes": tests.class_ks_p,
  };
  const known = Object.entries(named).flatMap(([name, p]) => (p === null ? [] : [[name, pValue(p)]]));
  const classes = tests.class_ks === null ? {} : { "KS distance of classes": show(tests.class_ks) };
  return { ...classes, ...Object.fromEntries(known) };
}

/** The pairs whose item, class, kind or ids contain all words that are sought.
 * @param {Model} model
 * @param {AlignedPair[]} extra
 * @param {string} text */
function found(model, extra, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return extra.filter((pair) => {
    const about = [
      model.items[pair.item].name,
      model.classNames?.[Number(model.true.classes?.[pair.t])] ?? "",
      pair.kind,
      pair.isSmall ? "small" : "",
      String(model.true.ids[pair.t]),
      String(model.pred.ids[pair.p]),
    ].map((part) => String(part).toLowerCase());
    return words.every((word) => about.some((part) => part.includes(word)));
  });
}

/** @param {string} heading
 * @param {...HTMLElement} content */
function card(heading, ...content) {
  return el("article", { class: "card" }, el("h3", {}, heading), content);
}

/** Count by bins: bin k contains 1/3 + k/60 < IoU ≤ 1/3 + (k+1)/60, decided on integers.
 * @param {AlignedPair[]} extra */
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

/** @param {AlignedPair[]} pairs
 * @param {string} unit */
function kindsTable(pairs, unit) {
  /** @param {string} name
   * @param {string} words
   * @param {(pair: AlignedPair) => boolean} wanted */
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

/** The quartiles of the sizes of the true segments of some pairs.
 * @param {Model} model
 * @param {AlignedPair[]} pairs */
function sizes(model, pairs) {
  const found = quartiles(pairs.map((pair) => Number(model.true.size[pair.t])));
  return found?.map((size) => Number(fixed(size, 0)).toLocaleString("en")).join(" ") ?? show(null);
}

/** The additional pairs of every class that has some.
 * @param {Model} model
 * @param {AlignedPair[]} extra
 * @param {Set<number> | null} selected */
function classTable(model, extra, selected) {
  const rows = byClass(model, extra, selected);
  if (rows.length === 0) return [];
  const names = ["class", "additional", "true", "share of the class's true", "share of all additional"];
  const body = rows.map(({ name, added, total }) =>
    el("tr", { "data-class": name }, el("th", { scope: "row" }, el("bdi", {}, name)), tableCells([
      String(added),
      String(total),
      show(ratio(added, total)),
      show(ratio(added, extra.length)),
    ])),
  );
  return [
    el("h3", {}, "Additional pairs by class"),
    el("table", { id: "additional-classes" }, tableHead(names), el("tbody", {}, body)),
  ];
}

/** The additional pairs, false hits first, then by increasing IoU.
 * @param {Model} model
 * @param {import("../store.js").Store} store
 * @param {AlignedPair[]} extra
 * @param {Set<AlignedPair>} hits
 * @param {number} count of rows that are shown
 * @param {() => void} more */
function pairsTable(model, store, extra, hits, count, more) {
  if (!extra.length) return el("p", { class: "note" }, "No pair of this kind that only one of the rules aligns.");
  const sorted = [...extra].sort((a, b) => Number(hits.has(b)) - Number(hits.has(a)) || a.iou - b.iou);
  const names = ["item", "true", "pred", "shared", "missed", "spurious", "IoU", "kind", "false hit"];
  const rows = sorted.slice(0, count).map((pair) => {
    const name = el("bdi", {}, model.items[pair.item].name);
    const follow = () => store.set({ item: pair.item });
    const open = el("button", { type: "button", class: "link name", onclick: follow }, name);
    const ids = [model.true.ids[pair.t], model.pred.ids[pair.p]];
    const counts = [...ids, pair.shared, pair.missed, pair.spurious].map(String);
    return el("tr", {}, tableCells([open, ...counts, show(pair.iou), pair.kind, hits.has(pair) ? "yes" : ""]));
  });
  return [
    el("table", { id: "additional" }, tableHead(names), el("tbody", {}, rows)),
    extra.length > count
      ? el("button", { type: "button", onclick: more }, `show more of the other ${extra.length - count}`)
      : null,
  ];
}
