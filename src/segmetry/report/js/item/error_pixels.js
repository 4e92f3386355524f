// @ts-check
// Every element by what is wrong there. An element is right where its true and its predicted segment are partners;
// else it has the kind of error of its true segment, or of its predicted one where the true one has a partner, and
// between two matched segments it is a loose boundary.

import { KINDS } from "../data/segment_kinds.js";
import { rgb } from "../drawing/colours.js";
import { EXACT, KIND_COLOURS } from "../drawing/kind_colours.js";

/** @typedef {import("../data/segment_kinds.js").Kind} Kind */
/** @typedef {Record<"true" | "pred", (Kind | "matched" | null)[]>} ItemKinds */

/** The colours for `errorCodes`: those of the kinds, and a pale one for what is right; none over a photograph.
 * @param {boolean} overPhotograph
 * @returns {(number[] | null)[]} */
export function errorPalette(overPhotograph) {
  return [...KINDS.map((kind) => rgb(KIND_COLOURS[kind])), overPhotograph ? null : rgb(EXACT)];
}

/** Of every element 0 outside, the number of its kind of error, one more than there are where it is right, two more in
 * the void.
 * @param {import("../data/label_planes.js").Plane} plane
 * @param {import("../scoring/best_partners.js").Values} values
 * @param {ItemKinds} kinds
 * @returns {Uint32Array} */
export function errorCodes(plane, values, kinds) {
  const [nTrue, nPred] = [kinds.true.length, kinds.pred.length];
  const own = { true: severe(kinds.true), pred: severe(kinds.pred) };
  const expected = Int32Array.from([0, ...values.true.partner], (partner, code) => (code === 0 ? 0 : partner + 1));
  const boundary = KINDS.indexOf("boundary") + 1;
  const right = KINDS.length + 1;
  const ignored = { true: values.true.shown, pred: values.pred.shown };
  const codes = new Uint32Array(plane.true.length);
  for (let at = 0; at < codes.length; at++) {
    const [t, p] = [plane.true[at], plane.pred[at]];
    if (t > nTrue || p > nPred) codes[at] = right + 1;
    else if (t === 0 && p === 0) continue;
    else if (t > 0 && expected[t] > 0 && expected[t] === p) codes[at] = right;
    else if (t > 0 && !ignored.true[t - 1]) continue;
    else codes[at] = (t > 0 && own.true[t - 1]) || (p > 0 && own.pred[p - 1]) || edge(t, p, boundary, ignored.pred);
  }
  return codes;
}

/** The same of a map whose elements are right where both sides agree in a column: classes, or ids of objects.
 * @param {import("../data/label_planes.js").Plane} plane
 * @param {import("../data/model.js").Item} item
 * @param {"classes" | "ids"} column
 * @returns {Uint32Array} */
export function disagreement(plane, item, column) {
  const [truth, pred] = [item.true, item.pred].map((side) => ["", ...Array.from(side[column] ?? [], String)]);
  const [missed, spurious, confused] = ["missed", "spurious", "class"].map((kind) =>
    KINDS.indexOf(/** @type {Kind} */ (kind)) + 1);
  return plane.true.map((t, at) => {
    const p = plane.pred[at];
    if (t >= truth.length || p >= pred.length) return KINDS.length + 2;
    if (truth[t] === pred[p]) return t ? KINDS.length + 1 : 0;
    return !p ? missed : !t ? spurious : confused;
  });
}

/** @param {number} t
 * @param {number} p
 * @param {number} boundary
 * @param {Uint8Array} shown */
function edge(t, p, boundary, shown) {
  return t === 0 && p > 0 && !shown[p - 1] ? 0 : boundary;
}

/** The number of the kind of every segment that is in error as a whole, else 0.
 * @param {(Kind | "matched" | null)[]} kinds
 * @returns {Uint8Array} */
function severe(kinds) {
  return Uint8Array.from(kinds, (kind) =>
    kind === null || kind === "matched" || kind === "boundary" ? 0 : KINDS.indexOf(kind) + 1,
  );
}
