// @ts-check
// The costliest errors as one white page with captions, for the appendix of a paper: SVG or PDF.

import { points } from "../data/errors.js";
import { drawError } from "../drawing/error_picture.js";

/** @typedef {import("../data/errors.js").RunError} RunError */
/** @typedef {import("../data/model.js").Model} Model */

const FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const IMAGE = "/Type /XObject /Subtype /Image /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode";
const [COLUMNS, MOST, TILE, GAP, CAPTION, MARGIN, SIDE] = [6, 48, 80, 8, 26, 28, 240];

/** @param {string} name
 * @param {Blob} content */
export function saveAs(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {Model} model
 * @param {RunError[]} errors
 * @param {"svg" | "pdf"} kind */
export async function contactSheet(model, errors, kind) {
  const some = errors.slice(0, MOST);
  /** @type {(string | null)[]} */
  const pictures = [];
  for (const error of some) {
    const canvas = document.createElement("canvas");
    const isDrawn = await drawError(canvas, model.items[error.item], error, SIDE);
    pictures.push(isDrawn ? canvas.toDataURL("image/jpeg", 0.85) : null);
  }
  const { errors: facts } = model.data;
  const title = `${model.name}: the ${some.length} costliest of ${errors.length} errors`;
  const note = facts.problem === null ? `Points of ${facts.headline} if the error alone is fixed.` : "";
  const cells = some.map((error, at) => ({
    x: MARGIN + (at % COLUMNS) * (TILE + GAP),
    y: MARGIN + 30 + Math.floor(at / COLUMNS) * (TILE + CAPTION + GAP),
    lines: [`${points(error.cost)} ${error.kind}`, short(error.what), short(model.items[error.item].name)],
    picture: pictures[at],
  }));
  const width = 2 * MARGIN + COLUMNS * (TILE + GAP) - GAP;
  const height = MARGIN * 2 + 30 + Math.ceil(some.length / COLUMNS) * (TILE + CAPTION + GAP);
  const page = { width, height, title, note, cells };
  const name = `${model.name.replace(/\.segm$/, "").replace(/[^\w.-]+/g, "_")}-errors`;
  if (kind === "svg") saveAs(`${name}.svg`, new Blob([svgSheet(page)], { type: "image/svg+xml" }));
  else saveAs(`${name}.pdf`,
    new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (pdfSheet(page))], { type: "application/pdf" }));
}

/** @param {string} text
 * @returns {string} */
function short(text) {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

/** @typedef {{ width: number, height: number, title: string, note: string,
 *   cells: { x: number, y: number, lines: string[], picture: string | null }[] }} Sheet */

/** @param {Sheet} sheet
 * @returns {string} */
export function svgSheet({ width, height, title, note, cells }) {
  const safe = (/** @type {string} */ text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size,
    /** @type {string} */ words) =>
    `<text x="${x}" y="${y}" font-size="${size}" font-family="Helvetica, Arial, sans-serif">${safe(words)}</text>`;
  const parts = cells.flatMap(({ x, y, lines, picture }) => [
    `<${picture ? `image href="${picture}"` : 'rect fill="#dddddd"'} x="${x}" y="${y}" ` +
      `width="${TILE}" height="${TILE}"/>`,
    ...lines.map((line, at) => text(x, y + TILE + 8 + 8 * at, 7, line)),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(MARGIN, MARGIN, 12, title),
    text(MARGIN, MARGIN + 14, 8, note),
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** One page of a PDF with JPEG pictures and Helvetica.
 * @param {Sheet} sheet
 * @returns {Uint8Array} */
export function pdfSheet({ width, height, title, note, cells }) {
  const latin = (/** @type {string} */ text) => text.replace("−", "-").replace("…", "...").replace("×", "\u00d7");
  const words = (/** @type {string} */ text) =>
    [...latin(text)].map((sign) => (sign.charCodeAt(0) < 256 ? sign : "?")).join("").replace(/[\\()]/g, "\\$&");
  const text = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ size,
    /** @type {string} */ line) =>
    `BT /F ${size} Tf ${x} ${height - y} Td (${words(line)}) Tj ET`;
  const shown = cells.filter(({ picture }) => picture !== null);
  const content = [
    text(MARGIN, MARGIN, 12, title),
    text(MARGIN, MARGIN + 14, 8, note),
    ...shown.map(({ x, y }, at) => `q ${TILE} 0 0 ${TILE} ${x} ${height - y - TILE} cm /I${at} Do Q`),
    ...cells.flatMap(({ x, y, lines }) => lines.map((line, at) => text(x, y + TILE + 8 + 8 * at, 7, line))),
  ].join("\n");
  const images = shown.map(({ picture }) => atob(/** @type {string} */ (picture).split(",")[1]));
  const names = images.map((_, at) => `/I${at} ${5 + at} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R ` +
      `/Resources << /Font << /F ${FONT} >> /XObject << ${names} >> >> >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...images.map((bytes) =>
      [`<< ${IMAGE} /Width ${SIDE} /Height ${SIDE} /Length ${bytes.length} >>`, "stream", bytes, "endstream"].join(
        "\n")),
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  file += `xref\n0 ${count}\n0000000000 65535 f \n${table}${end}`;
  return Uint8Array.from(file, (sign) => sign.charCodeAt(0));
}
