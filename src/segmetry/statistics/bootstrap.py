r"""Confidence intervals from a bootstrap distribution [efron1993introduction].

With θ the value of the data set, θ*₁ … θ*_B those of B resamples and θ₍ᵢ₎ those with item i left out, at level 1 − 2α:

* *percentile*: the α and 1 − α quantiles of θ*;
* *BCa* (bias-corrected and accelerated, [efron1987better]): the quantiles at
  Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) for z = Φ⁻¹(α) and Φ⁻¹(1 − α), where z₀ = Φ⁻¹(share of θ* below θ, ties counting
  half) and a = Σ dᵢ³ / (6 (Σ dᵢ²)^{3/2}) with dᵢ = mean of θ₍·₎ − θ₍ᵢ₎.

Quantiles are interpolated linearly. A resample in which the value is undefined is left out, and counted.

A *median* has no such interval: its resamples are few different values. The l-th smallest and l-th largest of n values
contain it with a probability of at least 1 − 2 P(B < l) for B binomial with n and 1/2, whatever their distribution;
l is the largest for which that is the level.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from segmetry._base import FloatArray
from segmetry.errors import OptionError
from segmetry.kernels import Moments, at_ranks, count_up_to, moments
from segmetry.results import Exported

FEWEST_ITEMS = 10
"""Items of the smallest run whose interval is shown unasked: resampling fewer says little about other items."""
LEVEL = 0.95
_NORMAL = NormalDist()
_NOISE = 1e-12  # values that differ by no more than this in sums of many terms are the same number


@dataclass(frozen=True)
class Interval(Exported):
    """One value with its confidence intervals; where there are none, ``reason`` says why.

    ``n_resamples`` is how many resamples had a value, ``standard_error`` their standard deviation.
    """

    value: float
    percentile: tuple[float, float] | None = None
    bca: tuple[float, float] | None = None
    standard_error: float | None = None
    n_resamples: int = 0
    reason: str | None = None

    @property
    def best(self) -> tuple[float, float] | None:
        """The BCa interval where there is one, else the percentile interval; one without the value is none."""
        return next((ends for ends in (self.bca, self.percentile) if _holds(ends, self.value)), None)

    def negated(self) -> Interval:
        """Return the interval of the opposite difference; that of 0 is 0, not -0."""
        percentile, bca = (ends and (0 - ends[1], 0 - ends[0]) for ends in (self.percentile, self.bca))
        return replace(self, value=0 - self.value, percentile=percentile, bca=bca)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "value": None if math.isnan(self.value) else self.value,
            "percentile": None if self.percentile is None else list(self.percentile),
            "bca": None if self.bca is None else list(self.bca),
            "standard_error": self.standard_error,
            "n_resamples": self.n_resamples,
            "reason": self.reason,
        }


FIRST = 1000
"""If hardly one of the first resamples lies on the other side of the value, there is no interval, and the rest is not
used: an interval contains its value only if a share of (1 - level)/2 lies there. Average precision is slow to draw."""
BIASED = "resamples of the items are biased: nearly all lie on one side of the value"


def biased_interval(value: float, first: FloatArray, level: float = LEVEL) -> Interval | None:
    """Return why a value has no interval, if nearly all of its first resamples lie on one side of it; else None."""
    if first.size < FIRST or np.isnan(first).any():
        return None
    noise, tail = _NOISE * max(1.0, abs(value)), (1 - level) / 2
    below, up_to = count_up_to(first, value - noise, value + noise)
    others = first.size - max(below, first.size - up_to)
    if others + 3 * math.sqrt(others + 1) >= tail * first.size:  # by chance with a probability below one per cent
        return None
    around = moments(first)
    error = math.sqrt(around.squares / (first.size - 1))
    (percentile,) = _quantiles(first, [(tail, 1 - tail)], around.mean, error)
    return Interval(value, percentile, None, error, first.size, BIASED)


def interval_of(
    value: float, resampled: FloatArray, left_out: FloatArray, level: float = LEVEL, reason: str | None = None
) -> Interval:
    """Return the intervals of a value from its resampled and its leave-one-out values.

    ``reason`` says why the value itself is undefined, if it is.
    """
    if math.isnan(value):
        return Interval(value, reason=reason or "undefined")
    if math.isinf(value):
        return Interval(value, reason="infinite")
    if left_out.size < 2:
        return Interval(value, reason="one item only: nothing to resample")
    spread = moments(left_out)
    if math.isnan(spread.mean):
        return Interval(value, reason="only one item has a value")
    biased = biased_interval(value, resampled[:FIRST], level)
    if biased is not None:
        return biased
    used, around = resampled, moments(resampled)
    if math.isnan(around.mean):
        used = resampled[~np.isnan(resampled)]
        if 2 * used.size <= resampled.size:
            return Interval(value, n_resamples=used.size, reason="undefined in most resamples")
        around = moments(used)
    tail = (1 - level) / 2
    bca = _bca_shares(value, used, spread, left_out.size, tail)
    error = math.sqrt(around.squares / (used.size - 1))
    percentile, corrected = _quantiles(used, [(tail, 1 - tail), bca], around.mean, error)
    if not _holds(corrected, value):
        corrected = None  # nearly all resamples lie on one side, where the correction has nothing to go by
    reason = None if corrected else "every resample lies on one side: no BCa interval"
    if corrected is None and not _holds(percentile, value):
        reason = BIASED
    return Interval(value, percentile, corrected, error, used.size, reason)


def median_interval(values: FloatArray, level: float = LEVEL) -> Interval:
    """Return the median of some values, NaN left out, with the interval between two of them that holds for any
    distribution (``percentile``).
    """
    ordered = np.sort(values[~np.isnan(values)])
    if not ordered.size:
        return Interval(math.nan, reason="no item has a value")
    from scipy.stats import binom

    value, tail = float(np.median(ordered)), (1 - level) / 2
    place = int(binom.ppf(tail, ordered.size, 0.5))
    place += bool(binom.cdf(place, ordered.size, 0.5) <= tail + _NOISE)  # as likely as the tail, rounding aside
    if not place:
        least = 1 + math.ceil(-math.log2(1 - level) - 1e-9)
        return Interval(value, reason=f"fewer than {least} values: no interval of their median is certain enough")
    return Interval(value, (float(ordered[place - 1]), float(ordered[-place])))


def _holds(ends: tuple[float, float] | None, value: float) -> bool:
    """Return whether there is an interval, and it contains its value, rounding aside."""
    if ends is None:
        return False
    noise = _NOISE * max(1.0, abs(value))
    return ends[0] - noise <= value <= ends[1] + noise


def checked_level(level: Any) -> float:
    """Return a checked confidence level, at least 1/2 and below 1."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise OptionError(f"level is {level!r}; expected a number from 0.5 to less than 1, such as 0.95")
    return float(level)


def _bca_shares(
    value: float, used: FloatArray, left_out: Moments, n_items: int, tail: float
) -> tuple[float, float] | None:
    noise = _NOISE * max(1.0, abs(value))
    below, up_to = count_up_to(used, value - noise, value + noise)
    share = (below + up_to) / (2 * used.size)
    if not 0 < share < 1:
        return None
    bias = _NORMAL.inv_cdf(share)
    # A gap is the mean without an item's value, so cubes have the other sign.
    is_spread = left_out.squares > noise * noise * n_items
    acceleration = -left_out.cubes / (6 * left_out.squares**1.5) if is_spread else 0.0

    def corrected(z: float) -> float:
        return _NORMAL.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))

    z = _NORMAL.inv_cdf(tail)
    return corrected(z), corrected(-z)


def _quantiles(
    used: FloatArray, pairs: list[tuple[float, float] | None], middle: float, spread: float
) -> list[tuple[float, float] | None]:
    """Return linearly interpolated quantiles of a sample with this mean and standard deviation.

    They are in the tails, so only values outside of two bounds are searched; the bounds are estimated from a normal
    distribution.
    """
    last = used.size - 1
    below = [int(share * last) for pair in pairs if pair for share in pair]
    ranks = sorted({*below, *(min(rank + 1, last) for rank in below)})
    n_low = bisect_left(ranks, used.size // 2)
    largest_low = ranks[n_low - 1] + 1 if n_low else 0
    largest_high = used.size - ranks[n_low] if n_low < len(ranks) else 0
    low, high = (spread * _guess(count / used.size) for count in (largest_low, largest_high))
    value = dict(zip(ranks, at_ranks(used, ranks, middle + low, middle - high), strict=True))

    def quantile(share: float) -> float:
        low = int(share * last)
        return value[low] + (share * last - low) * (value[min(low + 1, last)] - value[low])

    return [None if pair is None else (quantile(pair[0]), quantile(pair[1])) for pair in pairs]


def _guess(share: float) -> float:
    """Return how many standard deviations from the mean a tail starts that contains this share, with a margin."""
    return _NORMAL.inv_cdf(min(0.02 + 1.5 * share, 0.9))
