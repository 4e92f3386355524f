// @ts-check
// Additional pairs by kind of error, a few of each, with the elements that both segments share, and those that are
// missed or spurious, in three colours and in numbers.

import { headerOf } from "../data/label_planes.js";
import { el, refill } from "../drawing/dom.js";
import { drawPair, pairLegend, pairWords } from "../drawing/pair_picture.js";
import { KINDS } from "../scoring/additional_pairs.js";
import { show } from "../scoring/exact.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../scoring/additional_pairs.js").AlignedPair} AlignedPair */

const OF_A_KIND = 4;

/** @param {HTMLElement} place
 * @param {Model} model
 * @param {import("../store.js").Store} store
 * @param {AlignedPair[]} extra */
export function fillPairGallery(place, model, store, extra) {
  const drawn = extra.filter((pair) => headerOf(model.items[pair.item]) !== null);
  if (drawn.length === 0) return refill(place);
  const rows = Object.keys(KINDS).flatMap((kind) => {
    const pairs = drawn.filter((pair) => pair.kind === kind).sort((a, b) => b.iou - a.iou);
    const tiles = pairs.slice(0, OF_A_KIND).map((pair) => tile(model, store, pair));
    return tiles.length ? [el("h4", {}, `${kind}: ${pairs.length}`), el("div", { class: "tiles" }, tiles)] : [];
  });
  refill(place, el("h3", {}, "Additional pairs by kind"), pairLegend(), rows);
}

/** @param {Model} model
 * @param {import("../store.js").Store} store
 * @param {AlignedPair} pair */
function tile(model, store, pair) {
  const item = model.items[pair.item];
  const picture = el("span", { class: "thumb" });
  const { index } = item;
  const [t, p] = [pair.t - Number(model.true.start[index]), pair.p - Number(model.pred.start[index])];
  setTimeout(() => drawPair(picture, item, { ...pair, t, p }));
  return el(
    "button",
    { type: "button", class: "tile", "data-pair": "", onclick: () => store.set({ item: pair.item }) },
    picture,
    el("span", { class: "name", dir: "auto", title: item.name.slice(0, 200) }, item.name),
    el("span", { class: "row" }, `IoU ${show(pair.iou)}`),
    el("span", { class: "counts" }, pairWords(pair)),
  );
}
