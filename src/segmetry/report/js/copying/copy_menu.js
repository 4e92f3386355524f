// @ts-check
// The menu beside the heading of every view: its tables as CSV, Markdown or LaTeX, its drawings as SVG or PNG, with a
// caption and what to cite.

import { copy, el, refill } from "../drawing/dom.js";
import { drawingsIn, pngOf, svgText } from "./saved_picture.js";
import { csvText, latexText, markdownText } from "./table_texts.js";
import { tablesIn } from "./tables_in_view.js";

/** @typedef {import("../data/model.js").Model} Model */
/** @typedef {import("../store.js").Store} Store */

const TEXTS = /** @type {const} */ ([
  ["CSV", csvText, "csv"],
  ["Markdown", markdownText, null],
  ["LaTeX", latexText, null],
]);

/** Add the menu to the heading of every section.
 * @param {HTMLElement} main
 * @param {Model[]} models
 * @param {Store} store */
export function mountCopyMenus(main, models, store) {
  for (const heading of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll("section > h2"))) {
    const words = heading.textContent ?? "";
    const section = /** @type {HTMLElement} */ (heading.parentElement);
    const list = el("div", { class: "copy-list" });
    const menu = /** @type {HTMLDetailsElement} */ (
      el("details", { class: "copy" }, el("summary", { "aria-label": `copy ${words}` }, "Copy"), list)
    );
    menu.addEventListener("toggle", () => {
      if (menu.open) refill(list, entries(section, words, sourceOf(words, section, models[store.get().run], store)));
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary")?.focus();
      event.stopPropagation();
    });
    const row = el("div", { class: "heading-row" });
    heading.replaceWith(row);
    row.append(heading, menu);
  }
  document.addEventListener("click", (event) => {
    for (const menu of /** @type {NodeListOf<HTMLDetailsElement>} */ (main.querySelectorAll("details.copy[open]"))) {
      if (!menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
    }
  });
}

/** @param {HTMLElement} section
 * @param {string} heading
 * @param {import("./table_texts.js").Source} source
 * @returns {HTMLElement[]} */
function entries(section, heading, source) {
  const tables = tablesIn(section, heading);
  const drawings = drawingsIn(section);
  const note = el("output", { class: "note" });
  const name = fileName(heading);
  const of = tables.length > 1 ? `${tables.length} tables` : "table";
  const texts = tables.length === 0 ? [] : TEXTS.map(([format, write, ending]) => {
    const act = async () => {
      const text = write(tables, source);
      if (ending) save(new Blob([text], { type: "text/csv;charset=utf-8" }), `${name}.${ending}`);
      else await copy(text);
      refill(note, ending ? `saved ${name}.${ending}` : "copied");
    };
    return el("button", { type: "button", onclick: act, "data-format": format }, `${of} as ${format}`);
  });
  const pictures = drawings.flatMap((drawing, at) => {
    const file = drawings.length > 1 ? `${name}-${at + 1}` : name;
    const words = drawings.length > 1 ? drawing.name : "picture";
    const png = async () => {
      save(await pngOf(drawing, source.caption, source.citations), `${file}.png`);
      refill(note, `saved ${file}.png`);
    };
    const { element } = drawing;
    const svg = () => {
      if (!(element instanceof SVGSVGElement)) return;
      save(new Blob([svgText(element, source.caption, source.citations)], { type: "image/svg+xml" }), `${file}.svg`);
      refill(note, `saved ${file}.svg`);
    };
    const first = el("button", { type: "button", onclick: svg, "data-format": "SVG" }, `${words} as SVG`);
    const second = el("button", { type: "button", onclick: png, "data-format": "PNG" }, `${words} as PNG`);
    return element instanceof SVGSVGElement ? [first, second] : [second];
  });
  if (texts.length + pictures.length === 0) refill(note, "This view has no table and no picture.");
  return [...texts, ...pictures, note];
}

/** What a copy says about itself.
 * @param {string} heading
 * @param {HTMLElement} section
 * @param {Model} model
 * @param {Store} store
 * @returns {import("./table_texts.js").Source} */
function sourceOf(heading, section, model, store) {
  const { rule, selected } = store.get();
  const items = selected === null ? `${model.nItems} items` : `${selected.size} of ${model.nItems} items`;
  const caption = `${heading}. ${model.name}: ${items}, ${rule.label}; segmetry ${model.run.segmetry}.`;
  const words = new Set((section.textContent ?? "").toLowerCase().match(/[a-z][a-z0-9_]*/g));
  const cited = model.metrics.filter(({ key }) => words.has(key)).flatMap(({ citation }) => citation);
  return { caption, citations: [...new Set(cited.map(({ full }) => full))] };
}

/** @param {string} heading
 * @returns {string} */
function fileName(heading) {
  return heading.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "view";
}

/** @param {Blob} blob
 * @param {string} name */
function save(blob, name) {
  const address = URL.createObjectURL(blob);
  /** @type {HTMLAnchorElement} */ (el("a", { href: address, download: name })).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
