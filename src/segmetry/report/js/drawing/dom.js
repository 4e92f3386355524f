// @ts-check
// Create elements. Text is inserted as text nodes, never as markup, so names may contain any characters.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined | (() => void)>} Attributes */
/** @typedef {Node | string | number | null | undefined} Child */

/** An element; attributes that begin with "on" are listeners, null and false leave an attribute out.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement} */
export function el(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (fill(document.createElement(tag), attributes, children));
}

/** An element of SVG.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement} */
export function svg(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (fill(document.createElementNS(SVG, tag), attributes, children));
}

/** @param {Element} element
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 * @returns {Element} */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** @param {Element} element
 * @param {(Child | Child[])[]} children */
export function append(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
  }
}

/** Replace what is in an element.
 * @param {Element} element
 * @param {...(Child | Child[])} children */
export function refill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** The head of a table.
 * @param {(Child | Child[])[]} names
 * @returns {HTMLElement} */
export function tableHead(names) {
  return el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name))));
}

/** Cells of a row.
 * @param {(Child | Child[])[]} contents
 * @returns {HTMLElement[]} */
export function tableCells(contents) {
  return contents.map((content) => el("td", {}, content));
}

/** A button with a sign that is said in words.
 * @param {string} sign
 * @param {string} title
 * @param {() => void} onclick
 * @returns {HTMLElement} */
export function signButton(sign, title, onclick) {
  return el("button", { type: "button", title, "aria-label": title, onclick }, sign);
}

/** Names and values one below the other; a value is found in tests and by scripts under its name.
 * @param {Record<string, Child>} values
 * @returns {HTMLElement[]} */
export function readings(values) {
  return Object.entries(values).flatMap(([name, value]) => [
    el("dt", {}, name),
    el("dd", { "data-reading": name.trim() }, value),
  ]);
}

/** A choice of words with its label.
 * @param {string} name
 * @param {string[]} options
 * @param {Record<string, string>} [labels] what is shown for an option, if not the option itself */
export function choice(name, options, labels = {}) {
  const select = /** @type {HTMLSelectElement} */ (el("select", { "aria-label": name }));
  for (const option of options) select.append(el("option", { value: option }, labels[option] ?? option));
  return { select, label: el("label", {}, `${name} `, select), value: () => select.value };
}

/** Text that is copied to the clipboard, also where a page from a file may not use the modern way.
 * @param {string} text
 * @returns {Promise<void>} */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = /** @type {HTMLTextAreaElement} */ (el("textarea", { class: "off-screen" }));
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}
