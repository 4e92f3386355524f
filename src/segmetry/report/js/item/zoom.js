// @ts-check
// Zoom and pan of a picture: wheel, drag, two fingers, keys. A point (x, y) of the picture is shown at
// (left + x · scale, top + y · scale) of its box, in CSS pixels.

/** @typedef {{ scale: number, left: number, top: number }} View */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box of a picture, in its own units */

const MOST = 64;
const STEP = 1.5;

/** The view in which a box is as large as possible, in the middle.
 * @param {Box} box
 * @param {number} width of the frame
 * @param {number} height
 * @param {number} [margin]
 * @returns {View} */
export function fitted(box, width, height, margin = 0) {
  const scale = Math.min((width - 2 * margin) / box.width, (height - 2 * margin) / box.height, MOST);
  return {
    scale,
    left: width / 2 - (box.x + box.width / 2) * scale,
    top: height / 2 - (box.y + box.height / 2) * scale,
  };
}

/** A view that is zoomed about a point of the frame, no further out than the whole picture.
 * @param {View} view
 * @param {number} factor
 * @param {number} x
 * @param {number} y
 * @param {number} least
 * @returns {View} */
export function zoomed(view, factor, x, y, least) {
  const scale = Math.min(Math.max(view.scale * factor, least), Math.max(MOST, least));
  const change = scale / view.scale;
  return { scale, left: x - (x - view.left) * change, top: y - (y - view.top) * change };
}

/** A view whose picture covers the frame, or lies in its middle where it is smaller.
 * @param {View} view
 * @param {Box} whole
 * @param {number} width
 * @param {number} height
 * @returns {View} */
export function kept(view, whole, width, height) {
  const place = (/** @type {number} */ from, /** @type {number} */ size, /** @type {number} */ room) =>
    size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, from));
  return {
    scale: view.scale,
    left: place(view.left, whole.width * view.scale, width),
    top: place(view.top, whole.height * view.scale, height),
  };
}

/** Let an element be zoomed and moved.
 * @param {HTMLElement} element
 * @param {{ zoom: (factor: number, x: number, y: number) => void, pan: (dx: number, dy: number) => void,
 *   whole: () => void, content: () => void, wheel: (steps: number) => boolean,
 *   point: (x: number, y: number, pressed: boolean) => void, leave: () => void }} on
 *   `wheel` says whether it has used the wheel itself */
export function listen(element, on) {
  /** @type {Map<number, { x: number, y: number }>} */
  const fingers = new Map();
  let moved = 0;
  const place = (/** @type {MouseEvent} */ event) => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      if (!event.ctrlKey && on.wheel(Math.sign(event.deltaY))) return;
      on.zoom(Math.exp(-Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) * 0.003), x, y);
    },
    { passive: false },
  );
  element.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, place(event));
    element.setPointerCapture(event.pointerId);
    moved = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const to = place(event);
    const from = fingers.get(event.pointerId);
    if (!from) return on.point(to.x, to.y, false);
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
    fingers.set(event.pointerId, to);
    moved += Math.abs(to.x - from.x) + Math.abs(to.y - from.y);
    if (others.length === 0) return on.pan(to.x - from.x, to.y - from.y);
    const [other] = others;
    const [before, after] = [from, to].map(({ x, y }) => Math.hypot(x - other.x, y - other.y));
    on.zoom(after / Math.max(1, before), (to.x + other.x) / 2, (to.y + other.y) / 2);
  });
  const end = (/** @type {PointerEvent} */ event) => {
    const { x, y } = place(event);
    if (fingers.delete(event.pointerId) && event.type === "pointerup" && moved < 5) on.point(x, y, true);
  };
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
  element.addEventListener("pointerleave", () => on.leave());
  element.addEventListener("keydown", (event) => keys(event, element, on));
}

/** @param {KeyboardEvent} event
 * @param {HTMLElement} element
 * @param {Parameters<typeof listen>[1]} on */
function keys(event, element, on) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const [x, y] = [element.clientWidth / 2, element.clientHeight / 2];
  const by = 48;
  const action = /** @type {Record<string, () => void>} */ ({
    "+": () => on.zoom(STEP, x, y),
    "=": () => on.zoom(STEP, x, y),
    "-": () => on.zoom(1 / STEP, x, y),
    0: () => on.whole(),
    c: () => on.content(),
    ArrowLeft: () => on.pan(by, 0),
    ArrowRight: () => on.pan(-by, 0),
    ArrowUp: () => on.pan(0, by),
    ArrowDown: () => on.pan(0, -by),
    PageDown: () => on.wheel(1),
    PageUp: () => on.wheel(-1),
  })[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
