// @ts-check
// Many points as a grid: the more points fall into a square, the stronger its colour.

const SIDE = 5;
const FAINTEST = 0.2;

/** @param {CanvasRenderingContext2D} context
 * @param {Iterable<{ x: number, y: number, colour: string, isFaint: boolean }>} points in pixels */
export function paintDensity(context, points) {
  /** @type {Map<string, Map<string, number>>} counts by square, by colour */
  const layers = new Map();
  for (const { x, y, colour, isFaint } of points) {
    if (isFaint) continue;
    const place = `${Math.floor(x / SIDE)} ${Math.floor(y / SIDE)}`;
    const counts = layers.get(colour) ?? new Map();
    layers.set(colour, counts);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const most = Math.max(1, ...[...layers.values()].flatMap((counts) => [...counts.values()]));
  for (const [colour, counts] of layers) {
    context.fillStyle = colour;
    for (const [place, count] of counts) {
      const [column, row] = place.split(" ").map(Number);
      context.globalAlpha = FAINTEST + (1 - FAINTEST) * (Math.log1p(count) / Math.log1p(most));
      context.fillRect(column * SIDE, row * SIDE, SIDE, SIDE);
    }
  }
}
