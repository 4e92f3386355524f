// @ts-check
// A table as text: CSV, Markdown and LaTeX, each with its caption and what to cite.

import { show } from "../scoring/exact.js";

/** @typedef {string | number} Cell numbers with all their digits; NaN is undefined */
/** @typedef {{ title: string, head: string[], rows: Cell[][] }} CopiedTable */
/** @typedef {{ caption: string, citations: string[] }} Source */

const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+\-−]?[\d,]*\.?\d+(?:e[+-]?\d+)?\s?%?$/i;
/** What LaTeX would not take as it is. */
const LATEX = /** @type {Record<string, string>} */ ({
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "θ⁺": "$\\theta^+$",
  "θ&": "$\\theta_\\&$",
  "−": "$-$",
  "–": "--",
  "≥": "$\\ge$",
  "≤": "$\\le$",
  "×": "$\\times$",
  "τ": "$\\tau$",
  "α": "$\\alpha$",
  "γ": "$\\gamma$",
  "→": "$\\to$",
  "∞": "$\\infty$",
  ">": "$>$",
  "<": "$<$",
});

/** Comma-separated values: captions and citations are lines that begin with #, text that a spreadsheet would run as a
 * formula is quoted, undefined is an empty cell.
 * @param {CopiedTable[]} tables
 * @param {Source} source
 * @returns {string} */
export function csvText(tables, { caption, citations }) {
  const notes = [caption, ...citations].map((line) => `# ${oneLine(line)}`);
  const blocks = tables.map(({ title, head, rows }) => {
    const lines = [head, ...rows].map((row) => row.map(csvCell).join(","));
    return (tables.length > 1 ? [`# ${oneLine(title)}`, ...lines] : lines).join("\n");
  });
  return `${[...notes, blocks.join("\n\n")].join("\n")}\n`;
}

/** @param {Cell} cell
 * @returns {string} */
function csvCell(cell) {
  if (typeof cell === "number") return Number.isNaN(cell) ? "" : String(cell);
  if (cell === "–") return "";
  const plain = isNumber(cell) ? cell.replace("−", "-").replaceAll(",", "") : cell;
  const safe = FORMULA.test(plain) && !isNumber(cell) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Tables of Markdown, numbers to the right.
 * @param {CopiedTable[]} tables
 * @param {Source} source
 * @returns {string} */
export function markdownText(tables, { caption, citations }) {
  const blocks = tables.map(({ title, head, rows }) => {
    const rule = head.map((_, at) => (isNumeric(rows, at) ? "--:" : ":--"));
    const lines = [head, rule, ...rows].map((row, place) => {
      return `| ${row.map((cell) => (place === 1 ? String(cell) : markdownCell(cell))).join(" | ")} |`;
    });
    return [...(tables.length > 1 ? [`**${markdownCell(title)}**`, ""] : []), ...lines].join("\n");
  });
  const below = [`*${markdownCell(caption)}*`, ...citations.map((line) => `> ${markdownCell(line)}`)];
  return `${[...blocks, ...below].join("\n\n")}\n`;
}

/** @param {Cell} cell
 * @returns {string} */
function markdownCell(cell) {
  return oneLine(written(cell)).replace(/[\\|`*_[\]<>]/g, (letter) => `\\${letter}`);
}

/** Tables of LaTeX with the rules of the package booktabs; what to cite is a comment.
 * @param {CopiedTable[]} tables
 * @param {Source} source
 * @returns {string} */
export function latexText(tables, { caption, citations }) {
  const blocks = tables.map(({ title, head, rows }) => {
    const line = (/** @type {Cell[]} */ row) => `    ${row.map(latexCell).join(" & ")} \\\\`;
    const words = tables.length > 1 ? `${title}. ${caption}` : caption;
    return [
      "\\begin{table}",
      "  \\centering",
      `  \\caption{${latexCell(words)}}`,
      `  \\begin{tabular}{${head.map((_, at) => (isNumeric(rows, at) ? "r" : "l")).join("")}}`,
      "    \\toprule",
      line(head),
      "    \\midrule",
      ...rows.map(line),
      "    \\bottomrule",
      "  \\end{tabular}",
      "\\end{table}",
    ].join("\n");
  });
  const notes = ["% \\usepackage{booktabs}", ...citations.map((cited) => `% ${oneLine(cited)}`)];
  return `${[...notes, ...blocks].join("\n")}\n`;
}

/** @param {Cell} cell
 * @returns {string} */
function latexCell(cell) {
  const special = /θ⁺|θ&|[\\~^−–≥≤×ταγ→∞<>]|[&%$#_{}]/g;
  return oneLine(written(cell)).replace(special, (letters) => LATEX[letters] ?? `\\${letters}`);
}

/** @param {Cell} cell
 * @returns {string} */
function written(cell) {
  return typeof cell === "number" ? show(cell, Number.isInteger(cell)) : cell;
}

/** @param {string} text
 * @returns {boolean} */
function isNumber(text) {
  return NUMBER.test(text.trim());
}

/** @param {Cell[][]} rows
 * @param {number} column
 * @returns {boolean} */
function isNumeric(rows, column) {
  const cells = rows.map((row) => row[column]).filter((cell) => cell !== "" && cell !== "–" && cell !== undefined);
  return cells.length > 0 && cells.every((cell) => typeof cell === "number" || isNumber(cell));
}

/** @param {string} text
 * @returns {string} */
function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
