// @ts-check
// A sentence with its entities marked: what is right, missed, invented, of the wrong type or with wrong edges.

import { errorsOf } from "../data/errors.js";
import { headerOf, spansOf } from "../data/label_planes.js";
import { el, refill, tableHead } from "../drawing/dom.js";
import { errorColour, isHatched } from "../drawing/error_colours.js";

/** @typedef {import("../data/model.js").Item} Item */
/** @typedef {{ from: number, to: number, words: string, kind: string | null, address: string | null }} Mark */

/** Whether the words of an item and the classes of its segments are known, so that they are marked in its text.
 * @param {Item} item
 * @returns {boolean} */
export function isMarked(item) {
  const header = headerOf(item);
  return header?.kind === "spans" && header.words !== null && item.true.classes !== null;
}

/** @param {HTMLElement} place
 * @param {HTMLElement} beside
 * @param {Item} item
 * @param {import("../store.js").Store} store */
export async function mountMarkedText(place, beside, item, store) {
  const header = headerOf(item);
  const { true: truth, pred } = await spansOf(item);
  const names = item.model.classNames ?? [];
  const nameOf = (/** @type {"true" | "pred"} */ side, /** @type {number} */ at) =>
    names[Number(item[side].classes?.[at])] ?? "";
  const theirs = new Set(pred.map(([from, to], at) => `${from} ${to} ${nameOf("pred", at)}`));
  /** @type {Mark[]} */
  const marks = truth.flatMap(([from, to], at) => {
    const words = nameOf("true", at);
    return theirs.has(`${from} ${to} ${words}`) ? [{ from, to, words, kind: null, address: null }] : [];
  });
  for (const { item: index, kind, what, span, address } of errorsOf(item.model)) {
    if (index !== item.index || span.length !== 4) continue;
    const [from, to] = [Math.min(span[0], span[2]), Math.max(span[1], span[3])];
    marks.push({ from, to, words: what, kind, address });
  }
  marks.sort((a, b) => a.from - b.from || b.to - a.to);
  const tokens = (header?.kind === "spans" && header.words) || [];
  /** @type {(Node | string)[]} */
  const parts = [];
  let done = 0;
  for (const { from, to, words, kind, address } of marks) {
    if (from > done) parts.push(`${tokens.slice(done, from).join(" ")} `);
    const text = tokens.slice(Math.max(from, done), to).join(" ");
    const label = el("span", { class: "mark-label" }, words);
    const attributes = { class: kind && isHatched(kind) ? "marked hatched" : "marked", "data-kind": kind ?? "right" };
    const inner = [el("span", { class: "marked-words" }, text), label];
    const mark = address === null ? el("span", attributes, inner)
      : el("button", { type: "button", ...attributes, onclick: () =>
        store.set({ item: null, error: address, view: "errors" }) }, inner);
    mark.style.setProperty("--kind", kind ? errorColour(kind) : "var(--good)");
    parts.push(mark, " ");
    done = Math.max(done, to);
  }
  parts.push(tokens.slice(done).join(" "));
  refill(place, el("p", { class: "marked-text" }, parts));
  refill(beside, byType(truth.map((_, at) => nameOf("true", at)), pred.map((_, at) => nameOf("pred", at)),
    marks.flatMap(({ kind, words }) => (kind === null ? [words] : []))));
  place.dataset.drawn = String(item.index);
}

/** How many entities of each type are found, and how many that are predicted are right.
 * @param {string[]} truth
 * @param {string[]} pred
 * @param {string[]} right
 * @returns {HTMLElement} */
function byType(truth, pred, right) {
  const count = (/** @type {string[]} */ list, /** @type {string} */ name) =>
    list.filter((one) => one === name).length;
  const types = [...new Set([...truth, ...pred])].sort();
  const rows = types.map((name) => el("tr", { "data-type": name }, el("th", { scope: "row" }, el("bdi", {}, name)),
    el("td", {}, `${count(right, name)} of ${count(truth, name)}`),
    el("td", {}, `${count(right, name)} of ${count(pred, name)}`)));
  return el("div", {}, el("h3", {}, "By type"),
    el("table", {}, tableHead(["type", "found", "right"]), el("tbody", {}, rows)));
}
