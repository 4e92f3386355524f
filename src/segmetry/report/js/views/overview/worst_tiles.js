// @ts-check
// The worst items as tiles, with what is wrong with each in words.

import { el } from "../../drawing/dom.js";
import { thumbnail, wordsFor } from "../gallery.js";
import { inItsUnit, worstFirst } from "../../scoring/headline.js";

/** @typedef {import("../../data/model.js").Model} Model */
/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../scoring/headline.js").Headline} Headline */

const LONGEST = 16;
const LONGEST_IN_TILE = 80;

/** A name that fits: the end of a long one, which tells files apart.
 * @param {string} name
 * @param {number} [most] letters
 * @returns {string} */
export function shortName(name, most = LONGEST) {
  return name.length <= most ? name : `…${name.slice(1 - most)}`;
}

/** @param {Model} model
 * @param {Store} store
 * @param {Headline} headline
 * @param {number} most
 * @returns {HTMLElement} */
export function worstTiles(model, store, headline, most) {
  const { rule, selected } = store.get();
  const order = worstFirst(model, { rule, selected }, headline).slice(0, most);
  const wrong = wordsFor(model, rule);
  const hasPictures = order.some((at) => model.maps[at]);
  const tiles = order.map((at) => {
    const item = model.items[at];
    const picture = el("span", { class: "thumb" });
    const button = el(
      "button",
      { type: "button", class: "worst-tile", "data-item": at, onclick: () => store.set({ item: at }) },
      hasPictures ? picture : null,
      el(
        "span",
        { class: "row" },
        el(
          "span",
          { class: "end-of-name", title: item.name.slice(0, 200) },
          el("bdi", { class: "name" }, shortName(item.name, LONGEST_IN_TILE)),
        ),
        el("span", { title: headline.name }, inItsUnit(model, headline.items[at])),
      ),
      el("span", { class: "wrong" }, wrong(at)),
    );
    if (hasPictures && model.maps[at]) setTimeout(() => thumbnail(picture, item, rule));
    return button;
  });
  return el("div", { class: hasPictures ? "worst-tiles" : "worst-tiles plain", id: "worst-items" }, tiles);
}
