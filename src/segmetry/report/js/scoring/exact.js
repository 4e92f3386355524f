// @ts-check
// Exact numbers: fractions as they were written, quotients rounded once, exactly rounded sums, printed digits.
// Counts are Numbers below 2^53, and BigInts in runs with larger ones; the functions below take both.

/** @typedef {number | bigint} Count */
/** @typedef {{ top: bigint, bottom: bigint }} Fraction a reduced fraction, bottom > 0 */

const SAFE = 2 ** 53;

/** The exactly rounded sum of some doubles: Shewchuk's partials, as Python's math.fsum adds them.
 * @param {Iterable<number>} values
 * @returns {number} */
export function fsum(values) {
  /** @type {number[]} */
  const partials = [];
  for (let x of values) {
    let kept = 0;
    for (let i = 0; i < partials.length; i++) {
      let y = partials[i];
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) partials[kept++] = low;
      x = high;
    }
    partials.length = kept;
    partials.push(x);
  }
  return rounded(partials);
}

/** The sum of partials that do not overlap, in increasing order; halves are rounded to even, as the discarded
 * rest requires.
 * @param {number[]} partials
 * @returns {number} */
function rounded(partials) {
  let n = partials.length;
  if (n === 0) return 0;
  let high = partials[--n];
  let low = 0;
  while (n > 0) {
    const x = high;
    const y = partials[--n];
    high = x + y;
    low = y - (high - x);
    if (low !== 0) break;
  }
  if (n > 0 && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
    const y = low * 2;
    const x = high + y;
    if (y === x - high) high = x;
  }
  return high;
}

/** a + b of two Numbers or two BigInts.
 * @param {Count} a
 * @param {Count} b
 * @returns {Count} */
export function plus(a, b) {
  return typeof a === "bigint" && typeof b === "bigint" ? a + b : Number(a) + Number(b);
}

/** a − b of two Numbers or two BigInts.
 * @param {Count} a
 * @param {Count} b
 * @returns {Count} */
export function minus(a, b) {
  return typeof a === "bigint" && typeof b === "bigint" ? a - b : Number(a) - Number(b);
}

/** The correctly rounded quotient of two integers; NaN where the second is 0.
 * @param {Count} top
 * @param {Count} bottom
 * @returns {number} */
export function ratio(top, bottom) {
  if (typeof top === "number" && typeof bottom === "number" && Math.abs(top) <= SAFE && bottom <= SAFE) {
    return bottom === 0 ? NaN : top / bottom;
  }
  return bigRatio(BigInt(top), BigInt(bottom));
}

/** @param {bigint} top
 * @param {bigint} bottom
 * @returns {number} */
function bigRatio(top, bottom) {
  if (bottom === 0n) return NaN;
  if (top < 0n) return -bigRatio(-top, bottom);
  if (top === 0n) return 0;
  // A quotient of 64 bits or more, its last bit set if anything was cut off, rounds as the exact quotient does.
  const shift = Math.max(0, 64 - bits(top) + bits(bottom));
  const scaled = top << BigInt(shift);
  const quotient = scaled / bottom;
  const sticky = quotient * bottom === scaled ? quotient : quotient | 1n;
  return Number(sticky) / 2 ** shift;
}

/** @param {bigint} value
 * @returns {number} */
function bits(value) {
  return value.toString(2).length;
}

/** @param {bigint} a
 * @param {bigint} b
 * @returns {bigint} */
function gcd(a, b) {
  while (b !== 0n) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
}

/** @param {Count} top
 * @param {Count} bottom
 * @returns {Fraction} */
export function fraction(top, bottom = 1n) {
  let [a, b] = [BigInt(top), BigInt(bottom)];
  if (b < 0n) [a, b] = [-a, -b];
  const common = gcd(a, b) || 1n;
  return { top: a / common, bottom: b / common };
}

/** A number as it was written, "0.75" or "3/4"; null for anything else.
 * @param {string} text
 * @returns {Fraction | null} */
export function parseFraction(text) {
  const quotient = /^\s*(\d{1,15})\s*\/\s*(\d{1,15})\s*$/.exec(text);
  if (quotient) return BigInt(quotient[2]) === 0n ? null : fraction(BigInt(quotient[1]), BigInt(quotient[2]));
  const decimal = /^\s*(\d{0,15})(?:\.(\d{0,15}))?\s*$/.exec(text);
  if (!decimal || !/\d/.test(text)) return null;
  const digits = decimal[2] ?? "";
  return fraction(BigInt(`${decimal[1]}${digits}`), 10n ** BigInt(digits.length));
}

/** @param {Fraction} value
 * @returns {string} */
export function written(value) {
  return value.bottom === 1n ? `${value.top}` : `${value.top}/${value.bottom}`;
}

/** @param {Fraction} value
 * @returns {number} */
export function toNumber(value) {
  return ratio(value.top, value.bottom);
}

/** Whether a > b (sign > 0), a = b (0) or a < b.
 * @param {Fraction} a
 * @param {Fraction} b
 * @returns {number} */
export function compare(a, b) {
  const gap = a.top * b.bottom - b.top * a.bottom;
  return gap > 0n ? 1 : gap < 0n ? -1 : 0;
}

/** A double with a number of decimals, rounded as Python's format does: correctly, and a tie to the even digit.
 * (toFixed takes the larger neighbour of a tie: 1/32 is 0.0313 there and 0.0312 in Python.)
 * @param {number} value
 * @param {number} digits
 * @returns {string} */
export function fixed(value, digits) {
  const halves = Math.abs(value) * 2 ** (digits + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0 || halves > SAFE) return value.toFixed(digits);
  const below = (BigInt(halves) * 5n ** BigInt(digits)) / 2n;
  const even = below % 2n === 0n ? below : below + 1n;
  const text = even.toString().padStart(digits + 1, "0");
  const sign = value < 0 ? "-" : "";
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** A value as every table prints it: counts as integers, numbers below 100 with four decimals, others with one, and
 * commas between thousands.
 * @param {number | null} value null or NaN is undefined
 * @param {boolean} isCount
 * @returns {string} */
export function show(value, isCount = false) {
  if (value === null || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (isCount && Number.isInteger(value)) return value.toLocaleString("en");
  return Math.abs(value) < 100 ? fixed(value, 4) : fixed(value, 1).replace(/\B(?=(\d{3})+\.)/g, ",");
}

/** A difference as every table prints it: with its sign, and 0 where it rounds to nothing.
 * @param {number | null} value
 * @returns {string} */
export function signed(value) {
  const text = show(value);
  if (value === null || Number.isNaN(value)) return text;
  if (Number(text) === 0) return "0";
  return value > 0 ? `+${text}` : text;
}

/** How the page writes scores, shares of 1: as the protocol of its first run does. */
const unit = { percent: false, decimals: 4 };

/** State the unit of the scores of a page, once.
 * @param {{ percent: boolean, decimals: number }} stated */
export function writeScoresIn(stated) {
  Object.assign(unit, stated);
}

/** A score in the unit of the page, or a difference of scores.
 * @param {number | null} value
 * @param {boolean} isDifference
 * @returns {string} */
export function score(value, isDifference = false) {
  if (!unit.percent || value === null || !Number.isFinite(value)) return isDifference ? signed(value) : show(value);
  const text = fixed(100 * value, unit.decimals);
  if (Number(text) === 0) return isDifference ? "0" : fixed(0, unit.decimals);
  return isDifference && value > 0 ? `+${text}` : text;
}

/** A gain in the unit of the page, in the few digits that a cell of a heat table has room for.
 * @param {number} value
 * @returns {string} */
export function shortGain(value) {
  return unit.percent ? score(value, true) : `${value >= 0 ? "+" : ""}${fixed(value, 3)}`;
}

/** The interval of a difference of scores.
 * @param {number | null} low
 * @param {number | null} high */
export function scoreEnds(low, high) {
  return low === null ? "–" : `${score(low, true)} to ${score(high, true)}`;
}

/** A number of an axis of scores.
 * @param {number} value */
export function scoreTick(value) {
  return unit.percent ? Number((100 * value).toFixed(6)) : value;
}

/** The p of a test as every table prints it.
 * @param {number | null} p
 * @returns {string} */
export function pValue(p) {
  return p !== null && p < 0.0001 ? "<1e-4" : show(p);
}
