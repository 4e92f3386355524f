// @ts-check
// What the items and segments of a run are called: streams and documents, recordings and turns.

/** The plural of a word.
 * @param {string} noun
 * @returns {string} */
export function plural(noun) {
  if (noun.endsWith("series")) return noun;
  return noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** A number with its noun.
 * @param {number} count
 * @param {string} noun
 * @returns {string} */
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural(noun)}`;
}

/** A word at the beginning of a heading.
 * @param {string} word
 * @returns {string} */
export function capital(word) {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
