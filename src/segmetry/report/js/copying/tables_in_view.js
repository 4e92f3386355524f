// @ts-check
// The tables of a view as they are shown, or whole where a view shows a table page by page.

/** @typedef {import("./table_texts.js").CopiedTable} CopiedTable */

/** @type {WeakMap<HTMLElement, () => Pick<CopiedTable, "head" | "rows">>} */
const whole = new WeakMap();

/** Say what a table contains that shows only a part of it.
 * @param {HTMLElement} table
 * @param {() => Pick<CopiedTable, "head" | "rows">} content */
export function provideWhole(table, content) {
  whole.set(table, content);
}

/** The tables of a view that are visible and have rows.
 * @param {HTMLElement} view
 * @param {string} heading
 * @returns {CopiedTable[]} */
export function tablesIn(view, heading) {
  const tables = /** @type {HTMLTableElement[]} */ ([...view.querySelectorAll("table")]);
  return tables
    .filter((table) => table.checkVisibility() && table.closest("dialog, figure.panel") === null)
    .map((table) => ({ title: titleOf(table, heading), ...(whole.get(table)?.() ?? shownIn(table)) }))
    .filter(({ rows }) => rows.length > 0);
}

/** The nearest words above a table.
 * @param {HTMLTableElement} table
 * @param {string} heading
 * @returns {string} */
function titleOf(table, heading) {
  const caption = table.caption?.innerText;
  if (caption) return caption;
  const before = [...(table.closest("section")?.querySelectorAll("h2, h3, h4") ?? [])].filter(
    (title) => title.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return /** @type {HTMLElement | undefined} */ (before.at(-1))?.innerText || heading;
}

/** @param {HTMLTableElement} table
 * @returns {Pick<CopiedTable, "head" | "rows">} */
function shownIn(table) {
  const head = [...(table.tHead?.rows ?? [])].at(-1);
  const body = [...table.rows].filter((row) => row.parentElement !== table.tHead && row.checkVisibility());
  const rows = body.map((row) => [...row.cells].flatMap(textsOf));
  const names = head ? [...head.cells].flatMap(textsOf) : [];
  const width = Math.max(names.length, ...rows.map((row) => row.length), 0);
  const kept = Array.from({ length: width }, (_, at) => at).filter((at) => rows.some((row) => (row[at] ?? "") !== ""));
  return { head: kept.map((at) => names[at] ?? ""), rows: rows.map((row) => kept.map((at) => row[at] ?? "")) };
}

/** The text of a cell, without its drawings; a cell over several columns is followed by empty ones.
 * @param {HTMLTableCellElement} cell
 * @returns {string[]} */
function textsOf(cell) {
  const copy = /** @type {HTMLElement} */ (cell.cloneNode(true));
  for (const drawing of copy.querySelectorAll("svg, canvas, [aria-hidden=true], details, .copy")) drawing.remove();
  const text = cell.dataset.value ?? (copy.textContent ?? "").replace(/\s+/g, " ").trim();
  return [text, ...new Array(Math.max(0, cell.colSpan - 1)).fill("")];
}
