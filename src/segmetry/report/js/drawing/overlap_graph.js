// @ts-check
// The bipartite graph of an item: true segments on the left, predicted ones on the right, an edge for every overlap.
// An edge is as wide as what the two share, solid where they are matched and dashed where not. Of a large item only
// the neighbourhood of one segment is drawn: what it overlaps, and what that overlaps.

import { svg } from "./dom.js";

/** @typedef {import("./panels.js").Segment} Segment */
/** @typedef {import("../scoring/best_partners.js").Edge} Edge */
/** @typedef {{ true: number[], pred: number[], edges: Edge[], whole: boolean }} Neighbourhood positions of segments */

const MOST = 24;
const [WIDTH, ROW, TOP, NODE, WIDEST] = [440, 26, 26, 16, 14];
const [LEFT, RIGHT] = [150, WIDTH - 150];

/** The part that is drawn: a small item completely, else two steps from a segment.
 * @param {import("../data/model.js").Item} item
 * @param {Edge[]} edges
 * @param {Segment | null} from
 * @returns {Neighbourhood} */
export function neighbourhood(item, edges, from) {
  const [nTrue, nPred] = [item.true.size.length, item.pred.size.length];
  const whole = Math.max(nTrue, nPred) <= MOST;
  if (whole || from === null) {
    const [allTrue, allPred] = [nTrue, nPred].map((count) => [...Array(Math.min(count, MOST)).keys()]);
    return arranged(item, { true: allTrue, pred: allPred, edges: within(edges, allTrue, allPred), whole });
  }
  const own = from.side === "true" ? "t" : "p";
  const other = own === "t" ? "p" : "t";
  const first = strongest(edges.filter((edge) => edge[own] === from.at), other);
  const second = strongest(edges.filter((edge) => first.includes(edge[other]) && edge[own] !== from.at), own);
  const mine = [from.at, ...second].slice(0, MOST);
  const [ours, theirs] = own === "t" ? [mine, first] : [first, mine];
  return arranged(item, { true: ours, pred: theirs, edges: within(edges, ours, theirs), whole: false });
}

/** The segments at one end of some edges, those that share most first.
 * @param {Edge[]} edges
 * @param {"t" | "p"} end
 * @returns {number[]} */
function strongest(edges, end) {
  const sorted = [...edges].sort((a, b) => Number(b.shared) - Number(a.shared));
  return [...new Set(sorted.map((edge) => edge[end]))].slice(0, MOST);
}

/** @param {Edge[]} edges
 * @param {number[]} ours
 * @param {number[]} theirs
 * @returns {Edge[]} */
function within(edges, ours, theirs) {
  const [left, right] = [new Set(ours), new Set(theirs)];
  return edges.filter((edge) => left.has(edge.t) && right.has(edge.p));
}

/** True segments by decreasing size; predicted ones next to those they share most with, so that few edges cross.
 * @param {import("../data/model.js").Item} item
 * @param {Neighbourhood} part
 * @returns {Neighbourhood} */
function arranged(item, part) {
  const ours = [...part.true].sort((a, b) => Number(item.true.size[b]) - Number(item.true.size[a]) || a - b);
  const place = new Map(ours.map((at, index) => [at, index]));
  const middle = new Map(part.pred.map((at) => {
    const mine = part.edges.filter((edge) => edge.p === at);
    const total = mine.reduce((sum, edge) => sum + Number(edge.shared), 0);
    const weighed = mine.reduce((sum, edge) => sum + Number(edge.shared) * (place.get(edge.t) ?? 0), 0);
    return [at, total ? weighed / total : ours.length];
  }));
  const theirs = [...part.pred].sort((a, b) => ((middle.get(a) ?? 0) - (middle.get(b) ?? 0) || a - b));
  return { ...part, true: ours, pred: theirs };
}

/** The name of a segment: its class, if there are classes, and its id.
 * @param {import("../data/model.js").Item} item
 * @param {Segment} segment
 * @returns {string} */
export function segmentName(item, { side, at }) {
  const code = item[side].classes?.[at];
  const name = code === undefined || code === null ? "" : `${item.model.classNames?.[Number(code)] ?? ""} `;
  return `${name}${item[side].ids[at]}`;
}

/** What is written on a segment: its class, or its id where there are no classes.
 * @param {import("../data/model.js").Item} item
 * @param {Segment} segment
 * @returns {string} */
export function shortName(item, { side, at }) {
  const code = item[side].classes?.[at];
  const name = code === undefined || code === null ? null : item.model.classNames?.[Number(code)];
  return short(name ?? String(item[side].ids[at]));
}

/** @param {string} text
 * @returns {string} */
function short(text) {
  const letters = Array.from(text);
  return letters.length > 18 ? `${letters.slice(0, 17).join("")}…` : text;
}

/** @param {import("../data/model.js").Item} item
 * @param {Neighbourhood} part
 * @param {import("../scoring/best_partners.js").Values} values
 * @param {import("./colours.js").SegmentColours} colours
 * @param {(segment: Segment | null, pressed: boolean) => void} onsegment
 * @returns {SVGElement} */
export function drawGraph(item, part, values, colours, onsegment) {
  const height = TOP + Math.max(part.true.length, part.pred.length, 1) * ROW + 4;
  const y = (/** @type {number} */ index, /** @type {number} */ count) =>
    TOP + (index + 0.5) * ((height - TOP - 4) / Math.max(count, 1));
  const yTrue = new Map(part.true.map((at, index) => [at, y(index, part.true.length)]));
  const yPred = new Map(part.pred.map((at, index) => [at, y(index, part.pred.length)]));
  const most = Math.max(1, ...part.edges.map((edge) => Number(edge.shared)));
  const lines = [...part.edges]
    .sort((a, b) => Number(a.matched) - Number(b.matched))
    .map((edge) => drawEdge(item, edge, yTrue.get(edge.t) ?? 0, yPred.get(edge.p) ?? 0, most));
  const heights = { true: yTrue, pred: yPred };
  const nodes = /** @type {const} */ (["true", "pred"]).flatMap((side) =>
    part[side].map((at) => drawNode(item, { side, at }, heights[side].get(at) ?? 0, values, colours, onsegment)),
  );
  const heads = [
    svg("text", { x: LEFT, y: 14, class: "head", "text-anchor": "end" }, "true"),
    svg("text", { x: RIGHT, y: 14, class: "head" }, "predicted"),
  ];
  const label = "true segments on the left, predicted ones on the right, joined where they overlap";
  const facts = { viewBox: `0 0 ${WIDTH} ${height}`, class: "graph", role: "group", "aria-label": label };
  return svg("svg", facts, heads, lines, nodes);
}

/** @param {import("../data/model.js").Item} item
 * @param {Edge} edge
 * @param {number} from
 * @param {number} to
 * @param {number} most
 * @returns {SVGElement} */
function drawEdge(item, edge, from, to, most) {
  const width = Math.max(0.75, (Number(edge.shared) / most) * WIDEST);
  const [start, stop, bend] = [LEFT + NODE / 2 + 2, RIGHT - NODE / 2 - 2, (RIGHT - LEFT) / 2];
  const ours = segmentName(item, { side: "true", at: edge.t });
  const theirs = segmentName(item, { side: "pred", at: edge.p });
  const state = edge.matched ? "matched" : edge.allowed ? "not matched" : "excluded from matching";
  const attributes = {
    d: `M${start} ${from}C${start + bend / 2} ${from} ${stop - bend / 2} ${to} ${stop} ${to}`,
    class: edge.matched ? "edge matched" : edge.allowed ? "edge" : "edge barred",
    "stroke-width": width.toFixed(2),
    "stroke-dasharray": edge.matched ? null : `${Math.max(4, width)} ${Math.max(3, width * 0.6)}`,
    "data-true": edge.t,
    "data-pred": edge.p,
  };
  const words = `true ${ours}, predicted ${theirs}: ${edge.shared} shared, ${state}`;
  return svg("path", attributes, svg("title", {}, words));
}

/** @param {import("../data/model.js").Item} item
 * @param {Segment} segment
 * @param {number} y
 * @param {import("../scoring/best_partners.js").Values} values
 * @param {import("./colours.js").SegmentColours} colours
 * @param {(segment: Segment | null, pressed: boolean) => void} onsegment
 * @returns {SVGElement} */
function drawNode(item, segment, y, values, colours, onsegment) {
  const { side, at } = segment;
  const isTrue = side === "true";
  const x = isTrue ? LEFT : RIGHT;
  const name = segmentName(item, segment);
  const alone = values[side].shown[at] ? (isTrue ? "missed" : "spurious") : "not counted";
  const state = values[side].matched[at] >= 0 ? "matched" : alone;
  const fill = colours[side][at];
  const node = svg("g", {
    class: values[side].partner[at] < 0 ? "node alone" : "node",
    tabindex: -1,
    role: "button",
    "aria-label": `${isTrue ? "true" : "predicted"} segment ${name}, ${item[side].size[at]} ${item.unit}, ${state}`,
    "data-side": side,
    "data-at": at,
    onpointerenter: () => onsegment(segment, false),
    onpointerleave: () => onsegment(null, false),
    onclick: () => onsegment(segment, true),
    onfocus: () => onsegment(segment, true),
  });
  node.append(
    svg("rect", { x: x - NODE / 2, y: y - NODE / 2, width: NODE, height: NODE, rx: 3, fill }),
    svg("text", { x: x + (isTrue ? -NODE : NODE), y: y + 4, "text-anchor": isTrue ? "end" : "start" }, short(name)),
    svg("title", {}, `${name}: ${item[side].size[at]} ${item.unit}, ${state}`),
  );
  return node;
}
