r"""Confidence intervals from a bootstrap distribution [efron1993introduction].

With θ the value of the data set, θ*₁ … θ*_B those of B resamples and θ₍ᵢ₎ those with item i left out, at level 1 − 2α:

* *percentile*: the α and 1 − α quantiles of θ*;
* *BCa* (bias-corrected and accelerated, [efron1987better]): the quantiles at
  Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))) for z = Φ⁻¹(α) and Φ⁻¹(1 − α), where z₀ = Φ⁻¹(share of θ* below θ, ties counting
  half) and a = Σ dᵢ³ / (6 (Σ dᵢ²)^{3/2}) with dᵢ = mean of θ₍·₎ − θ₍ᵢ₎.

Quantiles are interpolated linearly. A resample in which the value is undefined is left out, and counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError
from segmetry.exact import FloatArray

LEVEL = 0.95
_NORMAL = NormalDist()
_NOISE = 1e-12  # values that differ by no more than this in sums of many terms are the same number


@dataclass(frozen=True)
class Interval:
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
        """The BCa interval where there is one, else the percentile interval."""
        return self.bca or self.percentile

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "value": None if math.isnan(self.value) else self.value,
            "percentile": None if self.percentile is None else list(self.percentile),
            "bca": None if self.bca is None else list(self.bca),
            "standard_error": self.standard_error,
            "n_resamples": self.n_resamples,
            "reason": self.reason,
        }


def interval_of(
    value: float, resampled: FloatArray, left_out: FloatArray, level: float = LEVEL, reason: str | None = None
) -> Interval:
    """The intervals of a value from its resampled and its leave-one-out values.

    ``reason`` says why the value itself is undefined, where it is.

    >>> interval_of(2.0, np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.5, 2.0, 2.5]), level=0.5).percentile
    (1.75, 2.25)
    """
    if math.isnan(value):
        return Interval(value, reason=reason or "undefined")
    if left_out.size < 2:
        return Interval(value, reason="one item only: nothing to resample")
    if np.isnan(left_out).any():
        return Interval(value, reason="only one item has a value")
    lacking = np.isnan(resampled)
    used = resampled[~lacking] if lacking.any() else resampled
    if 2 * used.size <= resampled.size:
        return Interval(value, n_resamples=used.size, reason="undefined in most resamples")
    tail = (1 - level) / 2
    bca = _bca_shares(value, used, left_out, tail)
    error = float(used.std(ddof=1))
    percentile, corrected = _quantiles(used, [(tail, 1 - tail), bca], error)
    return Interval(
        value=value,
        percentile=percentile,
        bca=corrected,
        standard_error=error,
        n_resamples=used.size,
        reason=None if bca else "every resample lies on one side: no BCa interval",
    )


def checked_level(level: Any) -> float:
    """A confidence level between 1/2 and 1."""
    if isinstance(level, bool) or not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise OptionError(f"level is {level!r}; expected a number from 0.5 to less than 1, such as 0.95")
    return float(level)


def _bca_shares(value: float, used: FloatArray, left_out: FloatArray, tail: float) -> tuple[float, float] | None:
    noise = _NOISE * max(1.0, abs(value))
    below = np.count_nonzero(used < value - noise)
    same = np.count_nonzero(used <= value + noise) - below
    share = (2 * below + same) / (2 * used.size)
    if not 0 < share < 1:
        return None
    bias = _NORMAL.inv_cdf(share)
    gaps = left_out.mean() - left_out
    squares = gaps * gaps
    spread, skew = float(squares.sum()), float((squares * gaps).sum())
    acceleration = skew / (6 * spread**1.5) if spread > (noise**2) * gaps.size else 0.0

    def corrected(z: float) -> float:
        return _NORMAL.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))

    z = _NORMAL.inv_cdf(tail)
    return corrected(z), corrected(-z)


def _quantiles(
    used: FloatArray, pairs: list[tuple[float, float] | None], spread: float
) -> list[tuple[float, float] | None]:
    """Linearly interpolated quantiles of one sample, which is sorted only as far as they need."""
    shares = np.array([share for pair in pairs if pair for share in pair])
    at = shares * (used.size - 1)
    low = np.floor(at).astype(np.intp)
    high = np.minimum(low + 1, used.size - 1)
    ranks, place = np.unique(np.concatenate((low, high)), return_inverse=True)
    below, above = np.split(_at_ranks(used, ranks, spread)[place], 2)
    found = iter((below + (at - low) * (above - below)).tolist())
    return [None if pair is None else (next(found), next(found)) for pair in pairs]


def _at_ranks(used: FloatArray, ranks: NDArray[np.intp], spread: float) -> FloatArray:
    """The values at rising ranks, 0 the smallest. The quantiles of intervals lie in the tails, so it is enough to sort
    what lies outside of two bounds; where a bound, guessed from a normal distribution, left out too much, everything.
    """
    low = ranks[ranks < used.size // 2]
    high = ranks[low.size :]
    middle = float(used.mean())
    found = []
    if low.size:
        tail = used[used <= middle + spread * _NORMAL.inv_cdf(_guess(int(low[-1]) + 1, used.size))]
        found.append(np.partition(tail if tail.size > low[-1] else used, low)[low])
    if high.size:
        tail = used[used >= middle - spread * _NORMAL.inv_cdf(_guess(used.size - int(high[0]), used.size))]
        tail = tail if tail.size >= used.size - high[0] else used
        places = high - (used.size - tail.size)
        found.append(np.partition(tail, places)[places])
    return np.concatenate(found)


def _guess(n_wanted: int, n: int) -> float:
    """The share of values that should hold the wanted ones."""
    return min(0.02 + 1.5 * n_wanted / n, 0.9)
