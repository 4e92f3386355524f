// @ts-check
// A number in (0, 1] that is entered as a fraction, or chosen in hundredths with a slider.

import { el } from "../drawing/dom.js";
import { compare, fraction, parseFraction, toNumber, written } from "../scoring/exact.js";

/** @typedef {import("../scoring/exact.js").Fraction} Fraction */

/** @param {string} id of the slider
 * @param {string} sign
 * @param {string} name
 * @param {[number, number]} range of the slider, in hundredths
 * @param {(value: Fraction) => boolean} allowed besides being at most 1
 * @param {(value: Fraction) => void} onvalue */
export function fractionInput(id, sign, name, [min, max], allowed, onvalue) {
  const facts = { type: "range", min, max, step: 1, id, "aria-label": `${name} in hundredths` };
  const slider = /** @type {HTMLInputElement} */ (el("input", facts));
  const box = /** @type {HTMLInputElement} */ (el("input", { type: "text", size: 6, "aria-label": name }));
  slider.addEventListener("input", () => onvalue(fraction(Number(slider.value), 100)));
  box.addEventListener("input", () => {
    const value = parseFraction(box.value);
    const isGood = value !== null && allowed(value) && compare(value, fraction(1)) <= 0;
    box.setAttribute("aria-invalid", String(!isGood));
    if (isGood) onvalue(value);
  });
  return {
    label: el("label", {}, `${sign} `, slider, " ", box),
    /** @param {Fraction} value */
    show(value) {
      slider.value = String(Math.round(toNumber(value) * 100));
      if (document.activeElement !== box) box.value = written(value);
    },
  };
}
