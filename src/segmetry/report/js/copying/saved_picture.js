// @ts-check
// A drawing of the page as a file of its own: SVG with the colours and fonts of the page, or PNG.

const XMLNS = "http://www.w3.org/2000/svg";
/** What the style sheet says about a shape, and a file without it must say itself. */
const STYLES = (
  "fill fill-opacity stroke stroke-width stroke-dasharray stroke-opacity opacity font-family font-size font-weight " +
  "text-anchor dominant-baseline"
).split(" ");
const SCALE = 2;

/** @typedef {{ name: string, element: SVGSVGElement | HTMLCanvasElement }} Drawing */

/** The drawings of a view that are worth a file: no bars in cells of tables, nothing hidden.
 * @param {HTMLElement} view
 * @returns {Drawing[]} */
export function drawingsIn(view) {
  const found = /** @type {(SVGSVGElement | HTMLCanvasElement)[]} */ ([...view.querySelectorAll("svg, canvas")]);
  return found
    .filter((element) => element.closest("table, button, .tile, summary, svg svg") === null)
    .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width >= 100)
    .map((element) => ({ name: element.getAttribute("aria-label") ?? "picture", element }));
}

/** @param {SVGSVGElement} drawing
 * @param {string} caption
 * @param {string[]} citations
 * @returns {string} */
export function svgText(drawing, caption, citations) {
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const [shown, copied] = [[drawing, ...drawing.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  // A figure is white with dark letters, whatever the page is, and has no links.
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = "light";
  shown.forEach((element, at) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) copied[at].setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "tabindex"]) copied[at].removeAttribute(name);
  });
  if (theme === undefined) delete dataset.theme;
  else dataset.theme = theme;
  for (const link of copy.querySelectorAll("a")) link.replaceWith(...link.childNodes);
  const { width, height } = drawing.getBoundingClientRect();
  const [x, y, w, h] = copy.getAttribute("viewBox")?.split(/[\s,]+/) ?? ["0", "0", `${width}`, `${height}`];
  for (const [name, value] of Object.entries({ xmlns: XMLNS, width, height, viewBox: [x, y, w, h].join(" ") })) {
    copy.setAttribute(name, String(value));
  }
  const paper = document.createElementNS(XMLNS, "rect");
  for (const [name, value] of Object.entries({ x, y, width: w, height: h, fill: "#ffffff" })) {
    paper.setAttribute(name, value);
  }
  const words = document.createElementNS(XMLNS, "desc");
  words.textContent = [caption, ...citations].join("\n");
  copy.prepend(words, paper);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** @param {Drawing} drawing
 * @param {string} caption
 * @param {string[]} citations
 * @returns {Promise<Blob>} */
export async function pngOf({ element }, caption, citations) {
  if (element instanceof HTMLCanvasElement) return blobOf(element);
  const { width, height } = element.getBoundingClientRect();
  const image = new Image(width, height);
  const address = URL.createObjectURL(new Blob([svgText(element, caption, citations)], { type: "image/svg+xml" }));
  image.src = address;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [Math.round(width * SCALE), Math.round(height * SCALE)];
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return blobOf(canvas);
}

/** @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>} */
function blobOf(canvas) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture cannot be written"))), "image/png");
  });
}
