// @ts-check
// What a reader says of errors: real, the label is wrong, unclear. Kept in the browser under the content of the run.

/** @typedef {import("./model.js").Model} Model */
/** @typedef {"real" | "label" | "unclear"} Verdict */

export const VERDICTS = /** @type {const} */ ([
  ["1", "real", "a real error"],
  ["2", "label", "the label is wrong"],
  ["3", "unclear", "unclear: leave it out"],
]);

/** @type {WeakMap<Model, Map<string, Verdict>>} */
const known = new WeakMap();

/** @param {Model} model
 * @returns {Map<string, Verdict>} by address */
export function verdictsOf(model) {
  const found = known.get(model) ?? read(model);
  known.set(model, found);
  return found;
}

/** @param {Model} model
 * @returns {string} */
function key(model) {
  return `segmetry-verdicts-${model.data.run.content ?? model.name}`;
}

/** @param {Model} model
 * @returns {Map<string, Verdict>} */
function read(model) {
  try {
    return new Map(JSON.parse(localStorage.getItem(key(model)) ?? "[]"));
  } catch {
    return new Map(); // no storage for files, or something else was kept there
  }
}

/** Say it of an error; what is said again is taken back.
 * @param {Model} model
 * @param {string} address
 * @param {Verdict} verdict */
export function judge(model, address, verdict) {
  const verdicts = verdictsOf(model);
  if (verdicts.get(address) === verdict) verdicts.delete(address);
  else verdicts.set(address, verdict);
  keep(model);
}

/** @param {Model} model */
export function forget(model) {
  verdictsOf(model).clear();
  keep(model);
}

/** @param {Model} model */
function keep(model) {
  try {
    localStorage.setItem(key(model), JSON.stringify([...verdictsOf(model)]));
  } catch {
    // Without storage they last as long as the page.
  }
}

/** The file that `segmetry score --verdicts` reads.
 * @param {Model} model
 * @returns {string} */
export function verdictsCsv(model) {
  const quoted = (/** @type {string} */ text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = [...verdictsOf(model)].map(([address, verdict]) => {
    const cut = address.lastIndexOf(":");
    return [address.slice(0, cut), address.slice(cut + 1), verdict].map(quoted).join(",");
  });
  return `${["item,error,verdict", ...rows].join("\n")}\n`;
}
