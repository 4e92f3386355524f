"""The example pairs of linear segmentations that the tests of this folder share, as (true masses, pred masses)."""

from __future__ import annotations

import math
from fractions import Fraction

import segmetry as sm

Value = str | float | None
ONES = [1] * 10
PAIRS: dict[str, tuple[list[int], list[int]]] = {
    "A": ([5, 3, 5], [4, 4, 5]),
    "B": ([4, 4, 5], [5, 1, 2, 5]),
    "C": ([2, 3, 3, 1, 3, 6, 3], [2, 6, 4, 2, 4, 3]),  # Hearst's stargazer text: the first coder, the first judge
    "M": ([6, 3, 4], [4, 4, 5]),
    "SB": ([6, 6], [12]),
    "SC": ([6, 6], [5, 7]),
    "SD": ([6, 6], [1, 5, 6]),
    "SE": ([6, 6], [5, 1, 1, 5]),
    "X0": ([10], [10]),
    "X1": ([10], ONES),
    "X2": (ONES, [10]),
    "X3": (ONES, ONES),
    "U1": ([1], [1]),
    "U2a": ([1, 1], [1, 1]),
    "U2b": ([1, 1], [2]),
    "U2c": ([2], [1, 1]),
    "31/13": ([3, 1], [1, 3]),
    "91/55": ([9, 1], [5, 5]),
    "28/10": ([2, 8], [10]),
    "118/811": ([1, 1, 8], [8, 1, 1]),
}


def pair(name: str) -> tuple[sm.Spans, sm.Spans]:
    true, pred = PAIRS[name]
    return sm.Spans.from_masses(true), sm.Spans.from_masses(pred)


def assert_value(score: sm.Score, expected: Value) -> None:
    """An exact fraction such as "2/11", a number printed to some digits, or None for undefined."""
    if expected is None:
        assert not score.is_defined, f"{score} should be undefined"
        assert score.reason
    elif isinstance(expected, str) and "." not in expected:
        exact = Fraction(expected)
        assert score.is_defined, score
        assert math.isclose(score.value, exact, rel_tol=1e-15), f"{score} instead of {expected}"
        if not isinstance(score.numerator, float):
            assert Fraction(score.numerator or 0) / Fraction(score.denominator or 1) == exact
    else:
        digits = len(str(expected).partition(".")[2])
        assert abs(score.value - float(expected)) <= 0.5000001 * 10.0**-digits, f"{score} instead of {expected}"
