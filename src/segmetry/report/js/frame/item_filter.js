// @ts-check
// Which items of a run pass a filter.

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Filter} Filter */

/** The items that pass; null where there is no filter.
 * @param {Model} model
 * @param {Filter | null} filter
 * @returns {Set<number> | null} */
export function passing(model, filter) {
  if (filter === null) return null;
  const tests = testsOf(model, filter);
  return new Set([...model.items.keys()].filter((item) => tests.every((test) => test(item))));
}

/** @param {Model} model
 * @param {Filter} filter
 * @returns {((item: number) => boolean)[]} */
function testsOf(model, { text, items, classes }) {
  const tests = [];
  if (text) {
    const wanted = text.toLowerCase();
    tests.push((/** @type {number} */ item) => model.items[item].name.toLowerCase().includes(wanted));
  }
  if (items) {
    const picked = new Set(items);
    tests.push((/** @type {number} */ item) => picked.has(item));
  }
  if (classes) {
    const there = itemsWithSegments(model, new Set(classes));
    tests.push((/** @type {number} */ item) => there.has(item));
  }
  return tests;
}

/** The items with a true or predicted segment of some classes.
 * @param {Model} model
 * @param {Set<string>} names
 * @returns {Set<number>} */
function itemsWithSegments(model, names) {
  const codes = new Set((model.classNames ?? []).flatMap((name, code) => (names.has(name) ? [code] : [])));
  /** @type {Set<number>} */
  const items = new Set();
  for (const side of [model.true, model.pred]) {
    side.item.forEach((item, at) => {
      if (codes.has(Number(side.classes?.[at]))) items.add(item);
    });
  }
  return items;
}
