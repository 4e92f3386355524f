// @ts-check
// One large picture: the photograph, a layer of masks over it, outlines and names, zoomed and moved; beside it, behind
// a line that is moved, the same of another run.

import { el } from "../drawing/dom.js";
import { greyOf } from "./photograph.js";
import { fitted, kept, listen, zoomed } from "./zoom.js";

/** @typedef {import("./zoom.js").View} View */
/** @typedef {import("./zoom.js").Box} Box */
/** @typedef {{ rows: number, columns: number, tall: number, fill: HTMLCanvasElement,
 *   photograph: HTMLImageElement | null, outlines: Record<"true" | "pred", Path2D>,
 *   labels: { text: string, column: number, row: number, width: number }[] }} Content
 * what is drawn, in columns and rows */
/** @typedef {{ opacity: number, true: boolean, pred: boolean, labels: boolean, split: number, inColour: boolean,
 *   isBeside: boolean }} Look
 * the opacity of the layer; which outlines and names are drawn; the place of the line between two runs, from 0 to 1;
 * whether the photograph keeps its colours */

const LINES = /** @type {const} */ ([["true", "#111111", []], ["pred", "#0062ff", [7, 5]]]);
const HALO = "#ffffffd0";

/** @param {{ point: (column: number, row: number, pressed: boolean) => void, leave: () => void,
 *   wheel: (steps: number) => boolean }} on
 * @param {string} label */
export function largePicture(on, label) {
  const canvas = /** @type {HTMLCanvasElement} */ (
    el("canvas", { class: "large", tabindex: 0, role: "img", "aria-label": label, "data-zoom": 1 })
  );
  /** @type {Content[]} */
  let contents = [];
  /** @type {Look} */
  let look = { opacity: 1, true: true, pred: true, labels: true, split: 0.5, inColour: false, isBeside: false };
  /** @type {View | null} */
  let view = null;
  /** @type {HTMLCanvasElement | null} */
  let veil = null;
  let isWaiting = false;

  const isBeside = () => look.isBeside && contents.length > 1;
  const size = () => ({ width: canvas.clientWidth / (isBeside() ? 2 : 1), height: canvas.clientHeight });
  /** @returns {Box} */
  const whole = () => ({ x: 0, y: 0, width: contents[0].columns, height: contents[0].rows * contents[0].tall });
  const least = () => fitted(whole(), size().width, size().height).scale;
  /** @param {View} next */
  const move = (next) => {
    view = kept(next, whole(), size().width, size().height);
    canvas.dataset.zoom = (view.scale / least()).toFixed(2);
    canvas.style.touchAction = view.scale > 1.01 * least() ? "none" : "pan-y";
    redraw();
  };
  const redraw = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      draw();
    });
  };
  const draw = () => {
    const { width, height } = size();
    const context = canvas.getContext("2d");
    if (!context || !contents.length || !width) return;
    view ??= fitted(whole(), width, height);
    const dense = devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * dense);
    canvas.height = Math.round(height * dense);
    const share = isBeside() ? 0.5 : look.split;
    const edge = contents.length > 1 ? Math.round(canvas.width * share) : canvas.width;
    contents.forEach((content, at) => {
      context.save();
      context.beginPath();
      context.rect(at === 0 ? 0 : edge, 0, at === 0 ? edge : canvas.width - edge, canvas.height);
      context.clip();
      const own = /** @type {View} */ (view);
      const moved = isBeside() && at > 0 ? { ...own, left: own.left + width } : own;
      drawContent(context, content, moved, dense, look, at === 0 ? veil : null);
      context.restore();
    });
    if (contents.length > 1) divide(context, edge, canvas.height, dense);
    canvas.dataset.drawn = String(Number(canvas.dataset.drawn ?? 0) + 1);
  };
  const element = (/** @type {number} */ x, /** @type {number} */ y) => {
    if (!view || !contents.length) return null;
    const { columns, rows, tall } = contents[0];
    const [column, row] = [Math.floor((x - view.left) / view.scale), Math.floor((y - view.top) / view.scale / tall)];
    return column >= 0 && row >= 0 && column < columns && row < rows ? { column, row } : null;
  };
  const zoom = (/** @type {number} */ factor, /** @type {number} */ x, /** @type {number} */ y) => {
    if (view) move(zoomed(view, factor, x, y, least()));
  };
  const showWhole = () => contents.length && move(fitted(whole(), size().width, size().height));
  /** @type {() => Box | null} */
  let content = () => null;
  const showContent = () => {
    const box = content();
    if (box) move(fitted(box, size().width, size().height));
  };
  listen(canvas, {
    zoom,
    pan: (dx, dy) => view && move({ ...view, left: view.left + dx, top: view.top + dy }),
    whole: showWhole,
    content: showContent,
    wheel: on.wheel,
    point(x, y, pressed) {
      const place = element(x, y);
      const isOther = contents.length > 1 && x > canvas.clientWidth * (isBeside() ? 0.5 : look.split);
      if (place && !isOther) on.point(place.column, place.row, pressed);
      else on.leave();
    },
    leave: on.leave,
  });
  new ResizeObserver(() => {
    if (!contents.length || !size().width) return;
    if (!view) return redraw();
    move(view.scale <= least() ? fitted(whole(), size().width, size().height) : view);
  }).observe(canvas);

  return {
    canvas,
    /** @param {Content[]} next the same place of one or two runs
     * @param {Look} nextLook
     * @param {() => Box | null} boxOfContent */
    show(next, nextLook, boxOfContent) {
      const before = size().width;
      const isSame = contents[0]?.columns === next[0].columns && contents[0]?.rows === next[0].rows;
      contents = next;
      look = { ...nextLook };
      content = boxOfContent;
      veil = null;
      if (!isSame || before !== size().width) view = null;
      draw();
    },
    /** @param {Look} next */
    look(next) {
      look = { ...next };
      redraw();
    },
    /** Dim everything but some elements.
     * @param {HTMLCanvasElement | null} next */
    veil(next) {
      veil = next;
      redraw();
    },
    /** @param {Box} box */
    zoomTo(box) {
      if (size().width) move(fitted(box, size().width, size().height, 24));
    },
    zoomBy: (/** @type {number} */ factor) => zoom(factor, size().width / 2, size().height / 2),
    showWhole,
    showContent,
  };
}

/** @param {CanvasRenderingContext2D} context
 * @param {Content} content
 * @param {View} view
 * @param {number} dense
 * @param {Look} look
 * @param {HTMLCanvasElement | null} veil */
function drawContent(context, content, view, dense, look, veil) {
  const { columns, rows, tall, fill, photograph, outlines, labels } = content;
  const matrix = new DOMMatrix([
    ...[dense * view.scale, 0, 0, dense * view.scale * tall, dense * view.left, dense * view.top],
  ]);
  context.setTransform(matrix);
  context.fillStyle = getComputedStyle(context.canvas).getPropertyValue("--map-paper") || "#ffffff";
  context.fillRect(0, 0, columns, rows);
  if (photograph) {
    context.imageSmoothingEnabled = (columns / photograph.naturalWidth) * view.scale * dense < 4;
    context.drawImage(look.inColour ? photograph : greyOf(photograph), 0, 0, columns, rows);
  }
  // Elements stay sharp; only where several share a pixel of the screen are they mixed.
  context.imageSmoothingEnabled = view.scale * dense < 1;
  context.globalAlpha = look.opacity;
  context.drawImage(fill, 0, 0, columns, rows);
  context.globalAlpha = 1;
  if (veil) context.drawImage(veil, 0, 0, columns, rows);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.lineCap = "round";
  for (const [side, colour, dashes] of LINES) {
    if (!look[side]) continue;
    const path = new Path2D();
    path.addPath(outlines[side], matrix);
    context.setLineDash([]);
    context.strokeStyle = HALO;
    context.lineWidth = 3 * dense;
    context.stroke(path);
    context.setLineDash(dashes.map((length) => length * dense));
    context.strokeStyle = colour;
    context.lineWidth = 1.5 * dense;
    context.stroke(path);
  }
  context.setLineDash([]);
  if (look.labels) drawLabels(context, labels, view, tall, dense);
}

/** Names where there is room for them, the larger segments first.
 * @param {CanvasRenderingContext2D} context
 * @param {Content["labels"]} labels
 * @param {View} view
 * @param {number} tall
 * @param {number} dense */
function drawLabels(context, labels, view, tall, dense) {
  context.font = `600 ${12 * dense}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  /** @type {[number, number, number][]} */
  const taken = [];
  for (const { text, column, row, width } of [...labels].sort((a, b) => b.width - a.width)) {
    const room = context.measureText(text).width;
    if (room > width * view.scale * dense * 1.4) continue;
    const [x, y] = [(view.left + column * view.scale) * dense, (view.top + row * view.scale * tall) * dense];
    const isHidden = taken.some(([otherX, otherY, other]) =>
      Math.abs(otherY - y) < 15 * dense && Math.abs(otherX - x) < (other + room) / 2 + 4 * dense);
    if (isHidden) continue;
    taken.push([x, y, room]);
    context.strokeStyle = "#ffffffe0";
    context.lineWidth = 4 * dense;
    context.strokeText(text, x, y);
    context.fillStyle = "#111111";
    context.fillText(text, x, y);
  }
}

/** @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} height
 * @param {number} dense */
function divide(context, x, height, dense) {
  context.fillStyle = "#ffffff";
  context.fillRect(x - 2 * dense, 0, 4 * dense, height);
  context.fillStyle = "#111111";
  context.fillRect(x - dense / 2, 0, dense, height);
}
