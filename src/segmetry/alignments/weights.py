"""Weights of pairs of segments (IoU, Dice, coverage …) as exact quotients of integers, and thresholds of them.

With s shared, m missed and p spurious elements: IoU = s/(s+m+p), Dice = 2s/(2s+m+p), coverage of the true
segment s/(s+m), coverage of the predicted one s/(s+p), the smaller and the larger of the two, half the link
force (s/(s+p))² + (s/(s+m))² of ZoneMap [galibert2014zonemap], and Tversky's index s/(s+αp+βm) for any α, β ≥ 0,
written ``tversky(alpha=…,beta=…)`` [tversky1977features].
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    FloatArray,
    IntArray,
    Threshold,
    as_python_ints,
    fraction_in,
    frozen_dataclass,
    products_fit,
    ratio,
    widest,
)
from segmetry.errors import OptionError, UnknownNameError

QuotientArrays = tuple[NDArray[Any], NDArray[Any]]


def _half_link_force(s: Any, m: Any, p: Any) -> QuotientArrays:
    true, pred = s + m, s + p
    return s * s * (true * true + pred * pred), 2 * true * true * pred * pred


FORMULAS: dict[str, tuple[Callable[[Any, Any, Any], QuotientArrays], int]] = {
    "iou": (lambda s, m, p: (s, s + m + p), 1),
    "dice": (lambda s, m, p: (2 * s, 2 * s + m + p), 1),
    "coverage_true": (lambda s, m, _: (s, s + m), 1),
    "coverage_pred": (lambda s, _, p: (s, s + p), 1),
    "min_coverage": (lambda s, m, p: (s, s + np.maximum(m, p)), 1),
    "max_coverage": (lambda s, m, p: (s, s + np.minimum(m, p)), 1),
    "half_link_force": (_half_link_force, 4),
}
"""The formula of every weight, and the degree of its products."""
WEIGHTS = tuple(FORMULAS)
TVERSKY = "tversky(alpha=…,beta=…)"
_TVERSKY = re.compile(r"tversky\(\s*alpha\s*=\s*([^,()]+?)\s*,\s*beta\s*=\s*([^,()]+?)\s*\)")


@lru_cache(maxsize=64)
def formula_of(weight: str) -> tuple[Callable[[Any, Any, Any], QuotientArrays], int, int]:
    """Return the formula of a weight by its name or parameters (Tversky), its degree and its largest coefficient."""
    if weight in FORMULAS:
        return *FORMULAS[weight], 2
    match = _TVERSKY.fullmatch(weight)
    if match is None:
        raise UnknownNameError(f"there is no weight {weight!r}; known: {', '.join((*WEIGHTS, TVERSKY))}")
    names = ("alpha", "beta")
    alpha, beta = (fraction_in(value, name, 0, None) for name, value in zip(names, match.groups(), strict=True))
    scale = lcm(alpha.denominator, beta.denominator)
    a, b = int(alpha * scale), int(beta * scale)
    return lambda s, m, p: (scale * s, scale * s + b * m + a * p), 1, max(scale, a, b)


def is_weight(name: str) -> bool:
    """Return whether a weight has this name, or whether it is a Tversky index in writing."""
    return name in FORMULAS or _TVERSKY.fullmatch(name) is not None


def quotient(weight: str, shared: IntArray, missed: IntArray, spurious: IntArray) -> QuotientArrays:
    """Return exact numerators and denominators of a weight: Python integers where int64 might overflow."""
    formula, degree, coefficient = formula_of(weight)
    largest = widest(shared, missed, spurious) * 3
    if not products_fit(*[largest] * degree, coefficient):
        return formula(as_python_ints(shared), as_python_ints(missed), as_python_ints(spurious))
    return formula(shared, missed, spurious)


def weigh(weight: str, shared: IntArray, missed: IntArray, spurious: IntArray) -> FloatArray:
    """Return a weight of every pair, correctly rounded."""
    return ratio(*quotient(weight, shared, missed, spurious))


def argsort_descending(top: NDArray[Any], bottom: NDArray[Any], rounded: FloatArray | None = None) -> NDArray[np.intp]:
    """Return positions in descending order of the exact quotients (``rounded``, where known), stable."""
    rounded = ratio(top, bottom) if rounded is None else rounded
    order = np.argsort(-rounded, kind="stable")
    if top.dtype != object and widest(top, bottom) < 2**26:
        return order  # two different quotients of such integers cannot round to the same float
    # Rounding keeps the order, so only quotients that round to the same float are compared exactly.
    equal = np.flatnonzero(np.diff(rounded[order]) == 0)
    for run in np.split(equal, np.flatnonzero(np.diff(equal) > 1) + 1):
        if run.size:
            tied = slice(int(run[0]), int(run[-1]) + 2)
            exact = {at: Fraction(int(top[at]), int(bottom[at])) for at in order[tied].tolist()}
            order[tied] = sorted(exact, key=lambda at: (-exact[at], at))
    return order


@frozen_dataclass()
class PairThreshold:
    """The threshold of a rule: ``weight > value`` where ``strict``, else ``≥``; ``option`` is how it was written."""

    value: Fraction
    strict: bool
    option: str

    @classmethod
    def of(
        cls,
        above: Threshold | None,
        at_least: Threshold | None,
        names: tuple[str, str] = ("above", "at_least"),
    ) -> PairThreshold:
        """Return the threshold of which exactly one form was given."""
        if (above is None) == (at_least is None):
            found = f"both {names[0]} and {names[1]} are" if at_least is not None else f"no {names[0]} or {names[1]} is"
            raise OptionError(
                f"{found} given; expected exactly one: {names[0]}=0.5 means > 0.5, {names[1]}=0.5 means ≥ 0.5"
            )
        if above is not None:
            return cls(fraction_in(above, names[0], 0, 1), True, names[0])
        return cls(fraction_in(at_least or 0, names[1], 0, 1, open_low=True), False, names[1])

    def admits(self, top: IntArray, bottom: IntArray) -> NDArray[np.bool_]:
        """Return whether each quotient satisfies the threshold, compared exactly."""
        if top.dtype != object and not products_fit(self.value.denominator, widest(top, bottom)):
            top, bottom = as_python_ints(top), as_python_ints(bottom)  # type: ignore[assignment]
        left, right = top * self.value.denominator, self.value.numerator * bottom
        return (left > right if self.strict else left >= right).astype(bool)

    def __str__(self) -> str:
        return f"{self.option}={self.value}"
