// @ts-check
// The three averages of a data set by name, as segmetry.statistics.averages defines them.

/** @typedef {import("../data/page_data.js").PageAverage} Average */
/** @typedef {import("./scores.js").Score} Score */
/** @typedef {{ by_item: Record<string, Score>, by_class: Record<string, Score> | null,
 *   pooled: Record<string, Score> }} Row the averages of every score */

/** @type {Record<Average, string>} */
export const AVERAGES = { by_item: "by item", by_class: "by class", pooled: "pooled" };

/** The averages of a run: that of the protocol's headline first, else that of the data set; by class only with classes.
 * @param {{ classNames: string[] | null, settings: { headline_average: Average | null } }} model
 * @returns {Average[]} */
export function averagesOf(model) {
  /** @type {Average[]} */
  const known = model.classNames === null ? ["pooled", "by_item"] : ["by_class", "by_item", "pooled"];
  const headline = known.filter((average) => average === model.settings.headline_average);
  return [...headline, ...known.filter((average) => !headline.includes(average))];
}
