// @ts-check
// Windows of k gaps over two segmentations of a line, as segmetry.metrics.windows.sliding_windows defines them:
// window i covers the gaps i+1 … i+k, for i = 0 … n-k-1, or padded for i = -(k-1) … n-2. Pk and WindowDiff count the
// wrong ones.

/** @typedef {[number, number]} Span */
/** @typedef {{ first: number, length: number, inTrue: number, inPred: number }} Stretch windows with the same counts */
/** @typedef {{ k: number, padded: boolean, count: number, stretches: Stretch[], pk: number, windowDiff: number }}
 * Windows
 * how many windows there are, and in how many Pk and WindowDiff see an error */

/** The inner boundaries of spans; every gap between spans is a segment of its own.
 * @param {Span[]} spans
 * @param {number} n
 * @returns {number[]} */
export function boundaries(spans, n) {
  const cuts = [...new Set(spans.flat())].filter((cut) => cut > 0 && cut < n);
  return cuts.sort((a, b) => a - b);
}

/** Half the mean true segment length, rounded half to even and kept within 1 … n-1.
 * @param {number[]} cuts
 * @param {number} n
 * @returns {number} */
export function windowSize(cuts, n) {
  const bottom = 2 * (cuts.length + 1);
  const low = Math.floor(n / bottom);
  const rest = 2 * (n - low * bottom) - bottom;
  const half = rest < 0 ? low : rest > 0 ? low + 1 : low + (low % 2);
  return Math.max(1, Math.min(half, n - 1));
}

/** How many of some sorted numbers are at most a bound.
 * @param {number[]} numbers
 * @param {number} bound
 * @returns {number} */
function upTo(numbers, bound) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {number[]} trueCuts
 * @param {number[]} predCuts
 * @param {number} n
 * @param {number} k
 * @param {boolean} padded
 * @returns {Windows} */
export function windows(trueCuts, predCuts, n, k, padded) {
  const [start, end] = padded ? [1 - k, n - 1] : [0, n - k];
  const stop = n > 1 ? Math.max(end, start) : start;
  const changes = [...trueCuts, ...predCuts].flatMap((cut) => [cut - k, cut]).filter((at) => at > start && at < stop);
  const firsts = stop > start ? [...new Set([start, ...changes])].sort((a, b) => a - b) : [];
  const inside = (/** @type {number[]} */ cuts, /** @type {number} */ at) => upTo(cuts, at + k) - upTo(cuts, at);
  const stretches = firsts.map((first, at) => ({
    first,
    length: (firsts[at + 1] ?? stop) - first,
    inTrue: inside(trueCuts, first),
    inPred: inside(predCuts, first),
  }));
  const total = (/** @type {(stretch: Stretch) => boolean} */ wrong) =>
    stretches.reduce((sum, stretch) => sum + (wrong(stretch) ? stretch.length : 0), 0);
  return {
    k,
    padded,
    count: stop - start,
    stretches,
    pk: total(isOneSided),
    windowDiff: total(({ inTrue, inPred }) => inTrue !== inPred),
  };
}

/** Whether only one side has a boundary in these windows: what Pk counts.
 * @param {Stretch} stretch
 * @returns {boolean} */
export function isOneSided({ inTrue, inPred }) {
  return (inTrue === 0) !== (inPred === 0);
}

/** Boundaries that agree, and near misses: left-over neighbours on different sides, paired from left to right.
 * @param {number[]} trueCuts
 * @param {number[]} predCuts
 * @returns {{ agreed: number[], near: [number, number][] }} near misses as (true, predicted) */
export function joints(trueCuts, predCuts) {
  const [ours, theirs] = [new Set(trueCuts), new Set(predCuts)];
  const agreed = trueCuts.filter((cut) => theirs.has(cut));
  const points = [
    ...trueCuts.filter((cut) => !theirs.has(cut)).map((cut) => ({ cut, isTrue: true })),
    ...predCuts.filter((cut) => !ours.has(cut)).map((cut) => ({ cut, isTrue: false })),
  ].sort((a, b) => a.cut - b.cut);
  /** @type {[number, number][]} */
  const near = [];
  for (let at = 0; at + 1 < points.length; at++) {
    const [point, next] = [points[at], points[at + 1]];
    if (next.cut - point.cut !== 1 || point.isTrue === next.isTrue) continue;
    near.push(point.isTrue ? [point.cut, next.cut] : [next.cut, point.cut]);
    at++;
  }
  return { agreed, near };
}
