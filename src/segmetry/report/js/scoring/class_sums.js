// @ts-check
// Elements by true and predicted class, or object, of some items: sums of the counts that the page has.

import { parts } from "./align.js";
import { plus, ratio } from "./exact.js";

/** @typedef {import("./exact.js").Count} Count */
/** @typedef {{ label: string, true: Count, pred: Count, both: Count, iou: number, dice: number }} ClassSum */

export const NOTHING = "";

/** The sums of some items: of every class, and of every true and predicted class together.
 * @param {import("../data/model.js").Model} model
 * @param {Iterable<number>} items
 * @param {"classes" | "ids"} column
 * @returns {{ classes: ClassSum[], cells: Map<string, Map<string, Count>> }} NOTHING is outside of all classes */
export function classSums(model, items, column) {
  /** @type {Map<string, { true: Count, pred: Count, both: Count }>} */
  const sums = new Map();
  /** @type {Map<string, Map<string, Count>>} */
  const cells = new Map();
  /** @param {string} label
   * @param {"true" | "pred" | "both"} name
   * @param {Count} count */
  const add = (label, name, count) => {
    const own = sums.get(label) ?? { true: 0, pred: 0, both: 0 };
    sums.set(label, { ...own, [name]: plus(own[name], count) });
  };
  const cell = (/** @type {string} */ first, /** @type {string} */ second, /** @type {Count} */ count) => {
    const row = cells.get(first) ?? new Map();
    cells.set(first, row.set(second, plus(row.get(second) ?? 0, count)));
  };
  const names = { true: model.true[column], pred: model.pred[column] };
  for (const item of items) {
    for (const word of /** @type {const} */ (["true", "pred"])) {
      const side = model[word];
      for (let at = Number(side.start[item]); at < Number(side.start[item + 1]); at++) {
        const label = String(names[word]?.[at]);
        add(label, word, side.counted[at]);
        if (!Number(side.outside[at])) continue;
        cell(word === "true" ? label : NOTHING, word === "true" ? NOTHING : label, side.outside[at]);
      }
    }
    for (let row = Number(model.rowStart[item]); row < Number(model.rowStart[item + 1]); row++) {
      const [first, second] = [String(names.true?.[model.rowTrue[row]]), String(names.pred?.[model.rowPred[row]])];
      const [shared] = parts(model, row);
      if (first === second) add(first, "both", shared);
      cell(first, second, shared);
    }
  }
  const classes = [...sums].map(([label, { true: ours, pred: theirs, both }]) => {
    const all = plus(ours, theirs);
    const iou = ratio(both, typeof all === "bigint" ? all - BigInt(both) : all - Number(both));
    return { label, true: ours, pred: theirs, both, iou, dice: ratio(plus(both, both), all) };
  });
  return { classes: classes.sort((a, b) => a.iou - b.iou), cells };
}
