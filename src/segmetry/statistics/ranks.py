"""How stable a ranking of systems is: their ranks in every resample of the items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray
from segmetry.results import Exported

_NOISE = 1e-12


@dataclass(frozen=True)
class RankStability(Exported):
    """The ranks of systems by one value, 1 the best; equal values share the better rank.

    ``shares[i][r]`` is the share of resamples in which system ``i`` has rank ``r + 1``, ``same_order`` the share in
    which all systems have the ranks they have in the data set, ``n_resamples`` how many had a value for each system.
    """

    key: str
    average: str
    systems: tuple[str, ...]
    ranks: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    same_order: float
    n_resamples: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "key": self.key,
            "average": self.average,
            "ranks": dict(zip(self.systems, self.ranks, strict=True)),
            "shares": {name: list(row) for name, row in zip(self.systems, self.shares, strict=True)},
            "same_order": self.same_order,
            "n_resamples": self.n_resamples,
        }


def ranks_of(values: FloatArray, *, higher: bool) -> NDArray[np.intp]:
    """Return 1 + the number of systems (rows) that are strictly better, in every column."""
    worse = orders_of(values) == (-1 if higher else 1)
    ranks: NDArray[np.intp] = 1 + worse.sum(axis=1)
    return ranks


@np.errstate(invalid="ignore")  # ∞ − ∞ is NaN
def orders_of(values: FloatArray) -> NDArray[np.int8]:
    """Return for all pairs of systems (rows, twice) 1 where the first value is larger, −1 where it is smaller, else 0.

    Values that agree to twelve digits are equal; those that are undefined are neither larger nor smaller.
    """
    first, second = values[:, None], values[None, :]
    gaps, noise = first - second, _NOISE * np.maximum(np.abs(first), np.abs(second))
    return (gaps > noise).astype(np.int8) - (gaps < -noise)


def rank_stability(
    key: str,
    average: str,
    systems: Sequence[str],
    values: Sequence[float],
    drawn: Sequence[FloatArray],
    *,
    higher: bool,
) -> RankStability | None:
    """Return the stability of the ranking by a value from its resamples; None where a system has no value."""
    column, resampled = np.array(values)[:, None], np.stack(drawn)
    used = resampled[:, ~np.isnan(resampled).any(axis=0)]
    if np.isnan(column).any() or not used.shape[1]:
        return None
    own = ranks_of(column, higher=higher)
    resampled_ranks = ranks_of(used, higher=higher)
    shares = [[float((row == rank).mean()) for rank in range(1, len(systems) + 1)] for row in resampled_ranks]
    return RankStability(
        key=key,
        average=average,
        systems=tuple(systems),
        ranks=tuple(own[:, 0].tolist()),
        shares=tuple(tuple(row) for row in shares),
        same_order=float((resampled_ranks == own).all(axis=0).mean()),
        n_resamples=used.shape[1],
    )


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's τ_b of two lists of values, ignoring NaN in either; None where a list has equal values only."""
    listed = np.array([first, second], dtype=np.float64)
    first_orders, second_orders = (
        orders_of(values).astype(np.int64) for values in listed[:, ~np.isnan(listed).any(axis=0)]
    )
    untied = np.count_nonzero(first_orders) * np.count_nonzero(second_orders)
    return int((first_orders * second_orders).sum()) / math.sqrt(untied) if untied else None
