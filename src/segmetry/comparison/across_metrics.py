"""Does the ranking of systems depend on the metric? The ranks of one comparison, side by side.

Kendall's τ_b says how far the rankings by two metrics agree (:func:`~segmetry.statistics.ranks.kendall_tau`). A rank
has an interval, too: the ranks that a system has in all but a small share of the resamples, at both ends alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from segmetry.metrics import METRICS
from segmetry.results import Cell, Table, Tabular
from segmetry.statistics import kendall_tau, orders_of

if TYPE_CHECKING:
    from segmetry.comparison.compare_runs import Comparison


@dataclass(frozen=True)
class MetricRanks:
    """The systems by one metric: values, ranks (1 is best) with their intervals, and how the ranking agrees.

    ``tau`` is τ_b with the first metric, ``changed`` are the pairs in the opposite order, ``stable`` is the share of
    the resamples with the ranking of the data set.
    """

    cell: Cell
    values: tuple[float, ...]
    ranks: tuple[int, ...]
    rank_intervals: tuple[tuple[int, int], ...]
    tau: float | None
    changed: tuple[tuple[str, str], ...]
    stable: float


@dataclass(frozen=True)
class AcrossMetrics(Tabular):
    """The ranks of systems by several metrics, the headline first; ``taus`` are τ_b of all pairs of metrics."""

    systems: tuple[str, ...]
    n_items: int
    level: float
    resamples: int
    seed: int
    by_metric: tuple[MetricRanks, ...]
    taus: tuple[tuple[float | None, ...], ...]

    def rows(self) -> Table:
        """Return one plain row per metric and system."""
        rows = [
            {
                "key": row.cell.metric,
                "average": row.cell.average,
                "metric": row.cell.name,
                "system": name,
                "value": value,
            }
            | {"rank": rank, "rank_low": low, "rank_high": high, "tau": row.tau, "same_order": row.stable}
            for row in self.by_metric
            for name, value, rank, (low, high) in zip(
                self.systems, row.values, row.ranks, row.rank_intervals, strict=True
            )
        ]
        return Table("across", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "metrics": [row.cell.metric for row in self.by_metric],
            "changed": {row.cell.metric: [list(pair) for pair in row.changed] for row in self.by_metric},
            "taus": [list(row) for row in self.taus],
            "ranks": list(self.rows()),
        }


def ranks_across(comparison: Comparison) -> AcrossMetrics:
    """Return the ranks by the usual average of every metric, the headline first; metrics without ranks are left out."""
    usual = [row for row in comparison.ranks if row.average == comparison.averages(row.key)[0]]
    usual.sort(key=lambda row: row.key != comparison.headline)
    better = [
        [
            (-1 if METRICS[row.key].better == "lower" else 1) * comparison.values[name][row.key][row.average].value
            for name in comparison.systems
        ]
        for row in usual
    ]
    orders = [orders_of(np.array(values)) for values in better]
    pairs = list(combinations(range(len(comparison.systems)), 2))
    by_metric = tuple(
        MetricRanks(
            cell=comparison.cell(row.key, row.average),
            values=tuple(comparison.values[name][row.key][row.average].value for name in comparison.systems),
            ranks=row.ranks,
            rank_intervals=tuple(rank_interval(shares, comparison.level) for shares in row.shares),
            tau=kendall_tau(better[0], values),
            changed=tuple(
                (comparison.systems[i], comparison.systems[j]) for i, j in pairs if orders[0][i, j] * order[i, j] < 0
            ),
            stable=row.same_order,
        )
        for row, values, order in zip(usual, better, orders, strict=True)
    )
    taus = tuple(tuple(kendall_tau(one, other) for other in better) for one in better)
    facts = (comparison.n_items, comparison.level, comparison.resamples, comparison.seed)
    return AcrossMetrics(comparison.systems, *facts, by_metric, taus)


def rank_interval(shares: Sequence[float], level: float) -> tuple[int, int]:
    """Return the ranks between the two quantiles of a distribution of ranks, from the share of each."""
    tail = (1 - level) / 2
    up_to = list(accumulate(shares))
    low = next(at for at, share in enumerate(up_to, start=1) if share > tail + 1e-12)
    high = next((at for at, share in enumerate(up_to, start=1) if share >= 1 - tail - 1e-12), len(up_to))
    return low, high
