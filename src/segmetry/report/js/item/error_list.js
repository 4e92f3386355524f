// @ts-check
// What is wrong in an item: its segments in error, the largest first. One that is pressed is shown in the pictures.

import { KINDS } from "../data/segment_kinds.js";
import { kindsOf } from "../drawing/colours.js";
import { el } from "../drawing/dom.js";
import { KIND_COLOURS, KIND_WORDS, swatch } from "../drawing/kind_colours.js";
import { segmentName } from "../drawing/overlap_graph.js";

/** @typedef {import("../drawing/panels.js").Segment} Segment */
/** @typedef {import("../data/segment_kinds.js").Kind} Kind */

const MOST = 6;

/** @param {import("../data/model.js").Item} item
 * @param {import("../scoring/rules.js").Rule} rule
 * @param {(segment: Segment) => void} onsegment
 * @returns {HTMLElement} */
export function errorList(item, rule, onsegment) {
  const kinds = kindsOf(item, rule);
  const found = /** @type {const} */ (["true", "pred"]).flatMap((side) =>
    kinds[side].flatMap((kind, at) =>
      kind === null || kind === "matched" || kind === "boundary" || isOther(side, kind) ? [] : [{ side, at, kind }],
    ),
  );
  const size = (/** @type {Segment} */ { side, at }) => Number(item[side].size[at]);
  found.sort((a, b) => size(b) - size(a));
  const list = el("ul", { class: "error-list" });
  const fill = (/** @type {typeof found} */ part) => {
    list.append(...part.map((error) => entry(item, error, error.kind, onsegment)));
  };
  fill(found.slice(0, MOST));
  const rest = found.slice(MOST);
  const more = el("button", { type: "button" }, `show ${rest.length} more`);
  more.onclick = () => {
    fill(rest);
    more.remove();
  };
  const none = el("p", { class: "note" }, "Every segment has its partner.");
  const words = [el("h3", {}, "What is wrong"), el("p", {}, wordsOf(item, kinds))];
  return el("div", { class: "errors" }, words, found.length ? list : none, rest.length ? more : null);
}

/** A pair of a wrong class, and a split or a merge, is listed once: on the side on which it is counted.
 * @param {"true" | "pred"} side
 * @param {Kind} kind
 * @returns {boolean} */
function isOther(side, kind) {
  return side === "pred" ? kind === "class" || kind === "split" : kind === "merge";
}

/** The numbers of errors of an item in words.
 * @param {import("../data/model.js").Item} item
 * @param {ReturnType<typeof kindsOf>} kinds
 * @returns {string} */
function wordsOf(item, kinds) {
  const count = (/** @type {Kind} */ kind) =>
    /** @type {const} */ (["true", "pred"]).reduce((sum, side) => {
      return sum + (isOther(side, kind) ? 0 : kinds[side].filter((own) => own === kind).length);
    }, 0);
  const words = KINDS.filter((kind) => kind !== "boundary" && count(kind) > 0);
  const total = `${item.true.size.length} true and ${item.pred.size.length} predicted segments`;
  const numbers = words.map((kind) => `${count(kind)} ${KIND_WORDS[kind]}`).join(", ");
  return words.length ? `${total}: ${numbers}.` : `${total}.`;
}

/** @param {import("../data/model.js").Item} item
 * @param {Segment} segment
 * @param {Kind} kind
 * @param {(segment: Segment) => void} onsegment
 * @returns {HTMLElement} */
function entry(item, segment, kind, onsegment) {
  const { side, at } = segment;
  const size = `${Number(item[side].size[at]).toLocaleString("en")} ${item.unit}`;
  const words = [el("b", {}, KIND_WORDS[kind]), " ", el("bdi", {}, segmentName(item, segment)), `, ${size}`];
  const facts = { type: "button", class: "link", "data-side": side, "data-at": at, onclick: () => onsegment(segment) };
  return el("li", {}, swatch(KIND_COLOURS[kind]), el("button", facts, ...words));
}
