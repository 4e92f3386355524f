// @ts-check
// A filter in words, for the chip.

/** @typedef {import("../store.js").Filter} Filter */

/** @param {Filter} filter
 * @returns {string[]} */
export function filterWords(filter) {
  const { text, classes, sizes, kinds, confused, score, groups, items } = filter;
  return [
    text ? `name contains “${text.slice(0, 40)}”` : "",
    either(kinds),
    either(sizes),
    either(classes),
    confused ? `${confused[0].slice(0, 40)} taken for ${confused[1].slice(0, 40)}` : "",
    score ? `PQ ${score[0]} to ${score[1]}` : "",
    ...Object.entries(groups ?? {}).map(([column, labels]) => `${column.slice(0, 40)}: ${either(labels)}`),
    items ? "picked items" : "",
  ].filter((words) => words !== "");
}

/** @param {string[] | undefined} names
 * @returns {string} */
function either(names = []) {
  const shown = names.slice(0, 3).map((name) => name.slice(0, 40));
  return shown.join(" or ") + (names.length > 3 ? ` or ${names.length - 3} more` : "");
}
