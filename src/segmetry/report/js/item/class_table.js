// @ts-check
// The classes of one item of class maps, or the objects of a video, worst first.

import { el, tableHead } from "../drawing/dom.js";
import { classSums } from "../scoring/class_sums.js";
import { score } from "../scoring/exact.js";

/** @param {import("../data/model.js").Item} item
 * @returns {HTMLElement | null} null where there are no classes */
export function classTable(item) {
  const { model } = item;
  const { agrees_by: column } = model.data;
  if (column === null) return null;
  const rows = classSums(model, [item.index], column).classes.map(({ label, iou, true: ours, pred: theirs }) => {
    const name = column === "classes" ? (model.classNames?.[Number(label)] ?? label) : label;
    return el("tr", { "data-class": name }, el("th", { scope: "row" }, el("bdi", {}, name)), el("td", {}, score(iou)),
      el("td", {}, ours.toLocaleString("en")), el("td", {}, theirs.toLocaleString("en")));
  });
  const [what, heading] = column === "classes" ? ["class", "Classes here"] : ["object", "Objects"];
  return el("div", {}, el("h3", {}, `${heading}, worst first`),
    el("table", { id: "item-classes" }, tableHead([what, "IoU", `true ${item.unit}`, "predicted"]),
      el("tbody", {}, rows)));
}
