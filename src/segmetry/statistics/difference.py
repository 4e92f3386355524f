r"""The difference of two systems in one value: how certain it is, and which difference this data set could detect.

The estimated difference is approximately normal around the true one with the bootstrap's standard error SE of the
paired difference. A two-sided test at level α then detects a true difference Δ with probability β (its power) when
Δ = (z_{1−α/2} + z_β) · SE: 2.80 · SE for α = 5 % and a power of 80 %. SE decreases with the square root of the number
of items, so a difference d needs about n · (Δ/d)² of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from segmetry._base import FloatArray
from segmetry.metrics import METRICS
from segmetry.results import Exported
from segmetry.statistics.bootstrap import Interval
from segmetry.statistics.resampled_intervals import interval_row

if TYPE_CHECKING:
    from segmetry.statistics.rank_tests import Paired

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

    @property
    def text(self) -> str:
        """The items won, tied and lost, as they are printed."""
        return f"{self.won}/{self.tied}/{self.lost}"


def outcomes(key: str, first: FloatArray, second: FloatArray) -> Outcomes | None:
    """Count items won, tied and lost from the values of both systems; None where no value is better than another."""
    if METRICS[key].better == "neither":
        return None
    gaps = gaps_of_items(first, second)
    both = ~np.isnan(gaps)
    if METRICS[key].better == "lower":
        gaps = -gaps
    won, lost = int((gaps > 0).sum()), int((gaps < 0).sum())
    return Outcomes(won, int(both.sum()) - won - lost, lost, int((~both).sum()))


@np.errstate(invalid="ignore")  # ∞ − ∞ is NaN
def gaps_of_items(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return second − first of every item, 0 where both agree to twelve digits; NaN where one is undefined."""
    gaps: FloatArray = second - first
    return np.where(np.abs(gaps) <= _SAME * np.maximum(np.abs(first), np.abs(second)), 0.0, gaps)


@dataclass(frozen=True)
class Difference(Exported):
    """The second system's value minus the first system's.

    ``p`` is that of the paired permutation test, ``p_holm`` and ``p_bh`` the same corrected for all differences of its
    family; ``exact`` says whether every permutation was tried. ``simultaneous`` is the interval that holds for the
    whole family at once. ``detectable`` is the smallest difference that this data set detects with 80 % power,
    ``items_needed`` about how many items (or clusters) the observed difference would need. ``paired`` is what the
    values of the items say.

    A difference of means over items is over what both systems have: ``first_lacks`` and ``second_lacks`` are the items
    (and the class, in a mean over classes) that it leaves out, where one system has no value. Both values are those of
    all items.
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
    first_lacks: tuple[str, ...] = ()
    second_lacks: tuple[str, ...] = ()
    p_bh: float | None = None
    simultaneous: tuple[float, float] | None = None
    paired: Paired | None = None

    @property
    def value(self) -> float:
        """The difference itself."""
        return self.interval.value

    def to_dict(self) -> dict[str, Any]:
        """Return one plain row; undefined is None."""
        items, median = self.outcomes, None if self.paired is None else self.paired.median
        return {
            "first": self.first,
            "second": self.second,
            "level": self.level,
            "name": self.name,
            "key": self.key,
            "average": self.average,
            "first_value": _defined_or_none(self.first_value),
            "second_value": _defined_or_none(self.second_value),
            **{("difference" if key == "value" else key): entry for key, entry in interval_row(self.interval).items()},
            "p": self.p,
            "p_holm": self.p_holm,
            "p_bh": self.p_bh,
            **dict(zip(("simultaneous_low", "simultaneous_high"), self.simultaneous or (None, None), strict=True)),
            **{name: getattr(self.paired, name, None) for name in ("wilcoxon", "cohens_d", "rank_biserial")},
            "median": None if median is None else _defined_or_none(median.value),
            **dict(zip(("median_low", "median_high"), (median and median.best) or (None, None), strict=True)),
            "exact": self.exact,
            "n_permutations": self.n_permutations,
            "won": items and items.won,
            "tied": items and items.tied,
            "lost": items and items.lost,
            "undefined_items": items and items.undefined,
            "detectable": self.detectable,
            "items_needed": self.items_needed,
            "first_lacks": ", ".join(self.first_lacks),
            "second_lacks": ", ".join(self.second_lacks),
        }


FAMILIES = ("pairs", "parts", "metrics")
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini–Hochberg"}


def families(rows: Sequence[Difference], over: Collection[str] = ("pairs",)) -> list[list[int]]:
    """Return the positions of the differences that are corrected together: over pairs of systems, over the classes and
    groups of a level, over metrics; other averages than the usual one of a metric are families of their own.
    """
    averages: dict[tuple[str, str], dict[str, int]] = {}
    found: dict[tuple[Any, ...], list[int]] = {}
    for at, row in enumerate(rows):
        known = averages.setdefault((row.level, row.key), {})
        place = known.setdefault(row.average, len(known))
        pair, part = (row.first, row.second), (row.key, row.average)
        family = (row.level, place, "pairs" in over or pair, "parts" in over or row.name, "metrics" in over or part)
        found.setdefault(family, []).append(at)
    return list(found.values())


def corrected(differences: Iterable[Difference], over: Collection[str] = ("pairs",)) -> list[Difference]:
    """Return the differences with p-values corrected by Holm and by Benjamini and Hochberg over their families."""
    listed = list(differences)
    for places in families(listed, over):
        p = [listed[at].p for at in places]
        for at, by_holm, by_bh in zip(places, holm(p), benjamini_hochberg(p), strict=True):
            listed[at] = replace(listed[at], p_holm=by_holm, p_bh=by_bh)
    return listed


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return adjusted p-values [holm1979simple]: the k-th smallest of m times m − k + 1, never decreasing, at most 1.

    Undefined values (None) stay undefined and do not count.
    """
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(p.size, 0, -1)))


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Return adjusted p-values [benjamini1995controlling]: the k-th smallest of m times m/k, never decreasing."""
    return _adjusted(p_values, lambda p: np.minimum.accumulate((p * p.size / np.arange(1, p.size + 1))[::-1])[::-1])


def _adjusted(p_values: Sequence[float | None], adjust: Callable[[FloatArray], FloatArray]) -> list[float | None]:
    """Return what a correction makes of the defined p-values in ascending order."""
    defined = np.array([at for at, p in enumerate(p_values) if p is not None], dtype=np.intp)
    p = np.array([p for p in p_values if p is not None])
    order = np.argsort(p, kind="stable")
    found: list[float | None] = [None] * len(p_values)
    for at, value in zip(defined[order].tolist(), np.minimum(adjust(p[order]), 1).tolist(), strict=True):
        found[at] = value
    return found


def detectable_difference(standard_error: float, level: float = 0.95, power: float = POWER) -> float:
    """Return the smallest difference that is detected with this power at this confidence level."""
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * standard_error


def items_needed(n_items: int, difference: float, detectable: float) -> int | None:
    """Estimate how many items would detect the observed difference, at least two; None without such a number."""
    ratio = detectable / difference if difference else math.nan
    needed = n_items * (ratio * ratio)
    return max(2, math.ceil(needed)) if math.isfinite(needed) else None


def _defined_or_none(value: float) -> float | None:
    return None if math.isnan(value) else value
