// @ts-check
// View 5: what θ& aligns and θ⁺ does not: additional pairs, their IoUs in (1/3, 1/2], what is wrong with them, and which
// of them are false hits, for any π.

import { bars } from "./chart.js";
import { el, refill } from "./dom.js";
import { compare, fraction, parseFraction, ratio, show, toNumber, written } from "./exact.js";
import { additional, disagreement, KINDS } from "./additional.js";

/** @typedef {import("./model.js").Model} Model */

const SHOWN = 12;
const BINS = 10;

/** @param {HTMLElement} element
 * @param {Model} model
 * @param {import("./store.js").Store} store */
export function mountDisagree(element, model, store) {
  const all = additional(model);
  const slider = /** @type {HTMLInputElement} */ (el("input", { type: "range", min: 50, max: 100, step: 1, id: "pi", "aria-label": "π in hundredths" }));
  const box = /** @type {HTMLInputElement} */ (el("input", { type: "text", size: 6, "aria-label": "π" }));
  slider.addEventListener("input", () => store.set({ pi: fraction(Number(slider.value), 100) }));
  box.addEventListener("input", () => {
    const pi = parseFraction(box.value);
    const isGood = pi !== null && pi.top > 0n && compare(pi, fraction(1)) <= 0;
    box.setAttribute("aria-invalid", String(!isGood));
    if (isGood) store.set({ pi });
  });
  const numbers = el("dl", { class: "facts readings" });
  const hits = el("dl", { class: "facts readings" });
  const picture = el("figure", {});
  const kinds = el("table", { id: "kinds" });
  const list = el("div", { class: "scroll" });
  element.append(
    el("div", { class: "cards three" }, el("article", { class: "card" }, el("h3", {}, "Additional pairs"), numbers, picture), el("article", { class: "card" }, el("h3", {}, "What is wrong with matched pairs"), kinds), el("article", { class: "card" }, el("h3", {}, "False hits"), el("p", { class: "note" }, "A pair is a false hit if its prediction shares at least π times as much with another true segment, and misses at least π times as much of its own."), el("label", {}, "π ", slider, " ", box), hits)),
    list,
  );
  const draw = () => {
    const { pi, selected } = store.get();
    const pairs = selected === null ? all.pairs : all.pairs.filter((pair) => selected.has(pair.item));
    const found = disagreement(model, all, pairs, pi, selected);
    slider.value = String(Math.round(toNumber(pi) * 100));
    if (document.activeElement !== box) box.value = written(pi);
    const extra = pairs.filter((pair) => pair.isAdditional);
    refill(numbers, readings({
      "θ⁺ pairs": pairs.length - extra.length,
      "θ& pairs": pairs.length,
      additional: extra.length,
      "share of θ& pairs": show(ratio(extra.length, pairs.length)),
      "KS distance of IoUs": show(found.distance),
      "correlation with true segments per item": show(found.correlation),
    }));
    refill(picture, narrow(extra), el("figcaption", { class: "note" }, "IoU of additional pairs, from 1/3 to 1/2"));
    refill(kinds, kindsTable(pairs));
    refill(hits, readings({
      "false hits": found.hits.size,
      "share of θ& pairs ": show(ratio(found.hits.size, pairs.length)),
      "of fewer than 1,024 elements": [...found.hits].filter((pair) => pair.isSmall).length,
    }));
    refill(list, pairsTable(model, store, extra, found.hits));
  };
  draw();
  store.subscribe((_, changed) => {
    if (changed.has("pi") || changed.has("selected")) draw();
  });
}

/** @param {Record<string, number | string>} values */
function readings(values) {
  return Object.entries(values).flatMap(([name, value]) => [el("dt", {}, name), el("dd", { "data-reading": name.trim() }, value)]);
}

/** Bin k holds 1/3 + k/60 < IoU ≤ 1/3 + (k+1)/60, decided on integers.
 * @param {import("./additional.js").AlignedPair[]} extra */
function narrow(extra) {
  const counts = new Array(BINS).fill(0);
  for (const pair of extra) {
    const [shared, union] = [BigInt(pair.shared), BigInt(pair.shared + pair.missed + pair.spurious)];
    const at = Array.from({ length: BINS }, (_, k) => k).find((k) => 60n * shared <= BigInt(21 + k) * union);
    counts[at ?? BINS - 1]++;
  }
  const title = (/** @type {number} */ at) => `${show(1 / 3 + at / 60)} to ${show(1 / 3 + (at + 1) / 60)}: ${counts[at]} pairs`;
  return bars(counts, { width: 300, height: 80, label: "IoU of additional pairs", title });
}

/** @param {import("./additional.js").AlignedPair[]} pairs */
function kindsTable(pairs) {
  const rows = Object.entries(KINDS).map(([kind, words]) => {
    const count = (/** @type {boolean} */ extra) => pairs.filter((pair) => pair.kind === kind && pair.isAdditional === extra).length;
    return el("tr", { "data-kind": kind }, el("th", { scope: "row", title: words }, kind), el("td", {}, count(false)), el("td", {}, count(true)));
  });
  const small = (/** @type {boolean} */ extra) => pairs.filter((pair) => pair.isSmall && pair.isAdditional === extra).length;
  return [
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "kind"), el("th", { scope: "col" }, "θ⁺"), el("th", { scope: "col" }, "additional"))),
    el("tbody", {}, rows),
    el("tfoot", {}, el("tr", { "data-kind": "small" }, el("th", { scope: "row", title: "a true segment of fewer than 1,024 elements" }, "small"), el("td", {}, small(false)), el("td", {}, small(true)))),
  ];
}

/** The additional pairs, false hits first, then by rising IoU.
 * @param {Model} model
 * @param {import("./store.js").Store} store
 * @param {import("./additional.js").AlignedPair[]} extra
 * @param {Set<import("./additional.js").AlignedPair>} hits */
function pairsTable(model, store, extra, hits) {
  if (!extra.length) return el("p", { class: "note" }, "The two rules align the same pairs.");
  const sorted = [...extra].sort((a, b) => Number(hits.has(b)) - Number(hits.has(a)) || a.iou - b.iou);
  const names = ["item", "true", "pred", "shared", "missed", "spurious", "IoU", "kind", "false hit"];
  const rows = sorted.slice(0, SHOWN).map((pair) =>
    el(
      "tr",
      {},
      el("td", {}, el("button", { type: "button", class: "link name", onclick: () => store.set({ item: pair.item }) }, el("bdi", {}, model.items[pair.item].name))),
      [model.true.ids[pair.t], model.pred.ids[pair.p], pair.shared, pair.missed, pair.spurious].map((cell) => el("td", {}, String(cell))),
      [show(pair.iou), pair.kind, hits.has(pair) ? "yes" : ""].map((cell) => el("td", {}, cell)),
    ),
  );
  return [
    el("table", { id: "additional" }, el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, rows)),
    extra.length > SHOWN ? el("p", { class: "note" }, `and ${extra.length - SHOWN} more`) : null,
  ];
}
