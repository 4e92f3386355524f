r"""The difference of two systems in one value: how certain it is, and which difference this data set could detect.

The estimated difference is approximately normal around the true one with the bootstrap's standard error SE of the
paired difference. A two-sided test at level α then detects a true difference Δ with probability β (its power) when
Δ = (z_{1−α/2} + z_β) · SE: 2.80 · SE for α = 5 % and a power of 80 %. SE decreases with the square root of the number
of items, so a difference d needs about n · (Δ/d)² of them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from segmetry._base import FloatArray
from segmetry.metrics import METRICS
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.resampled_intervals import interval_row

POWER = 0.8
_SAME = 1e-12
"""Values of an item that agree to twelve digits tie: each is the rounded quotient of exact sums, so that values that
differ do so in an earlier digit."""


@dataclass(frozen=True)
class Outcomes:
    """In how many items the second system is better, as good and worse; ``undefined`` had no value on some side."""

    won: int
    tied: int
    lost: int
    undefined: int


def outcomes(key: str, first: FloatArray, second: FloatArray) -> Outcomes | None:
    """Count the items won, tied and lost from the values of both systems; None where no value is better than another.

    >>> outcomes("pq", np.array([0.5, 0.1 + 0.2, np.nan]), np.array([0.6, 0.3, 1.0]))
    Outcomes(won=1, tied=1, lost=0, undefined=1)
    """
    if METRICS[key].better == "neither":
        return None
    both = ~np.isnan(first) & ~np.isnan(second)
    gaps = np.where(both, second - first, 0.0)
    gaps[np.abs(gaps) <= _SAME * np.maximum(np.abs(first), np.abs(second))] = 0
    if METRICS[key].better == "lower":
        gaps = -gaps
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    return Outcomes(won, int(both.sum()) - won - lost, lost, int((~both).sum()))


@dataclass(frozen=True)
class Difference:
    """The second system's value minus the first system's.

    ``p`` is that of the paired permutation test, ``p_holm`` the same corrected for all pairs of systems; ``exact``
    says whether every permutation was tried. ``detectable`` is the smallest difference that this data set detects with
    80 % power, ``items_needed`` about how many items the observed difference would need.
    """

    first: str
    second: str
    level: str
    name: Hashable
    key: str
    average: str
    first_value: float
    second_value: float
    interval: Interval
    p: float | None
    exact: bool
    n_permutations: int
    outcomes: Outcomes | None
    detectable: float | None
    items_needed: int | None
    p_holm: float | None = None

    @property
    def value(self) -> float:
        """The difference itself."""
        return self.interval.value

    def as_row(self) -> dict[str, Any]:
        """Return one plain row; undefined is None."""
        items = self.outcomes
        return {
            "first": self.first,
            "second": self.second,
            "level": self.level,
            "name": self.name,
            "key": self.key,
            "average": self.average,
            "first_value": _plain(self.first_value),
            "second_value": _plain(self.second_value),
            **{("difference" if key == "value" else key): entry for key, entry in interval_row(self.interval).items()},
            "p": self.p,
            "p_holm": self.p_holm,
            "exact": self.exact,
            "n_permutations": self.n_permutations,
            "won": items and items.won,
            "tied": items and items.tied,
            "lost": items and items.lost,
            "undefined_items": items and items.undefined,
            "detectable": self.detectable,
            "items_needed": self.items_needed,
        }


def corrected(differences: Iterable[Difference]) -> list[Difference]:
    """Return the differences with p-values corrected by Holm over all pairs of systems compared by the same value."""
    listed = list(differences)
    families: dict[tuple[Any, ...], list[int]] = {}
    for at, row in enumerate(listed):
        families.setdefault((row.level, row.name, row.key, row.average), []).append(at)
    for places in families.values():
        for at, p in zip(places, holm([listed[at].p for at in places]), strict=True):
            listed[at] = replace(listed[at], p_holm=p)
    return listed


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return adjusted p-values [holm1979simple]: the k-th smallest of m times m − k + 1, never decreasing, at most 1.

    Undefined values (None) stay undefined and do not count.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    defined = [at for at, p in enumerate(p_values) if p is not None]
    order = sorted(defined, key=lambda at: (p_values[at] or 0.0, at))
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for done, at in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - done) * (p_values[at] or 0.0)))
        adjusted[at] = highest
    return adjusted


def detectable_difference(standard_error: float, level: float = 0.95, power: float = POWER) -> float:
    """Return the smallest difference that is detected with this power at this confidence level.

    >>> round(detectable_difference(0.01), 4)
    0.028
    """
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * standard_error


def items_needed(n_items: int, difference: float, detectable: float) -> int | None:
    """Estimate how many items the observed difference needs to be detected, at least two; None where it is 0.

    >>> items_needed(100, 0.01, 0.02)
    400
    """
    if difference == 0 or math.isnan(difference):
        return None
    return max(2, math.ceil(n_items * (detectable / difference) ** 2))


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
