// @ts-check
// The overlaps of an item as a table: integers as the policy counts them, and which rows the rule matches.

import { el, tableHead } from "../drawing/dom.js";
import { show } from "../scoring/exact.js";
import { segmentName } from "../drawing/overlap_graph.js";
import { isLarge } from "./folding.js";

/** @typedef {import("../scoring/best_partners.js").Edge} Edge */

const MOST = 12;
const HEADS = ["true", "predicted", "shared", "missed", "spurious", "IoU", "matched"];

/** @param {import("../data/model.js").Item} item
 * @param {Edge[]} edges
 * @param {(edge: Edge | null) => void} onedge called with the row under the pointer
 * @param {(edge: Edge) => void} onpair called with the row whose IoU is pressed
 * @returns {HTMLElement} */
export function edgeTable(item, edges, onedge, onpair) {
  const body = el("tbody");
  const table = el("table", { class: "edges" }, tableHead(HEADS), body);
  const fill = (/** @type {Edge[]} */ list) => body.append(...list.map((edge) => row(item, edge, onedge, onpair)));
  const byShared = [...edges].sort((a, b) => Number(b.shared) - Number(a.shared));
  const sorted = [...byShared.filter((edge) => edge.matched), ...byShared.filter((edge) => !edge.matched)];
  const first = sorted.filter(isLarge).slice(0, MOST);
  fill(first);
  const rest = sorted.filter((edge) => !first.includes(edge));
  const more = el("button", { type: "button" }, `show ${rest.length} more overlaps`);
  more.onclick = () => {
    body.replaceChildren();
    fill(sorted);
    more.remove();
  };
  return el("div", { class: "edge-table" }, table, rest.length ? more : null, lonely(item, edges));
}

/** @param {import("../data/model.js").Item} item
 * @param {Edge} edge
 * @param {(edge: Edge | null) => void} onedge
 * @param {(edge: Edge) => void} onpair
 * @returns {HTMLElement} */
function row(item, edge, onedge, onpair) {
  const facts = { type: "button", class: "link", title: "picture of this pair", onclick: () => onpair(edge) };
  const numbers = [edge.shared, edge.missed, edge.spurious];
  const { classes: ours } = item.true;
  const { classes: theirs } = item.pred;
  const barred = ours && theirs && ours[edge.t] !== theirs[edge.p] ? "other class" : "excluded";
  const state = edge.matched ? "yes" : edge.allowed ? "no" : barred;
  return el(
    "tr",
    {
      "data-true": edge.t,
      "data-pred": edge.p,
      class: edge.matched ? "is-matched" : null,
      onpointerenter: () => onedge(edge),
      onpointerleave: () => onedge(null),
    },
    el("td", {}, segmentName(item, { side: "true", at: edge.t })),
    el("td", {}, segmentName(item, { side: "pred", at: edge.p })),
    numbers.map((count) => el("td", {}, String(count))),
    el("td", {}, el("button", facts, show(edge.iou))),
    el("td", {}, state),
  );
}

/** The segments that overlap nothing, in words.
 * @param {import("../data/model.js").Item} item
 * @param {Edge[]} edges
 * @returns {HTMLElement | null} */
function lonely(item, edges) {
  const words = /** @type {const} */ ([["true", "t"], ["pred", "p"]]).map(([side, end]) => {
    const touched = new Set(edges.map((edge) => edge[end]));
    const names = Array.from(item[side].size.keys())
      .filter((at) => !touched.has(at))
      .map((at) => segmentName(item, { side, at }));
    const shown = names.slice(0, 20).join(", ") + (names.length > 20 ? ` and ${names.length - 20} more` : "");
    return names.length ? `${side === "true" ? "true" : "predicted"} ${shown}` : null;
  });
  const shown = words.filter((word) => word !== null);
  return shown.length ? el("p", { class: "note lonely" }, `Without any overlap: ${shown.join("; ")}.`) : null;
}
