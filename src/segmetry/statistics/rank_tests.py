r"""Tests and effect sizes from the values of items: Wilcoxon, Friedman with Nemenyi, Cochran's Q.

The permutation test asks about the value of the data set; these ask about its items (or clusters of items), each of
which counts once. With Rⱼ the mean rank of system j over N items (1 the best, ties share their mean) and k systems:

* *Friedman*: χ² = 12N/(k(k+1)) Σ (Rⱼ − (k+1)/2)², divided by the correction for ties [friedman1937ranks].
* *Nemenyi*: two systems differ where their mean ranks do by at least CD = q √(k(k+1)/(6N)), with q the quantile of the
  studentised range for k groups, divided by √2 [demsar2006statistical].
* *Wilcoxon–Holm*: the signed-rank tests of all pairs, corrected by Holm [benavoli2016should].
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from segmetry._base import FloatArray
from segmetry.results import Exported, Table, Tabular
from segmetry.statistics.bootstrap import LEVEL, Interval, median_interval
from segmetry.statistics.difference import holm


@dataclass(frozen=True)
class Paired:
    """What the values of the items say about two systems.

    ``wilcoxon`` is p of the signed-rank test [wilcoxon1945individual], which leaves out ties; ``cohens_d`` the mean
    difference divided by the standard deviation of the differences; ``rank_biserial`` the share of the ranks for the
    second system minus that against it; ``median`` the median difference, whose interval is that of the sign test.
    """

    n: int
    wilcoxon: float | None
    cohens_d: float | None
    rank_biserial: float | None
    median: Interval


def paired(gaps: FloatArray, level: float = LEVEL) -> Paired:
    """Return test, effect sizes and median of the differences of items; those that are undefined are left out."""
    median = median_interval(gaps, level)
    gaps = gaps[~np.isnan(gaps)]
    n, spread = gaps.size, gaps.std(ddof=1) if gaps.size > 1 else 0.0
    d = float(gaps.mean() / spread) if spread > 0 and math.isfinite(spread) else None
    if not gaps.any():
        return Paired(n, None, d, None, median)
    from scipy.stats import rankdata, wilcoxon

    moved = gaps[gaps != 0]
    ranks = rankdata(np.abs(moved))
    return Paired(n, float(wilcoxon(moved).pvalue), d, float((ranks * np.sign(moved)).sum() / ranks.sum()), median)


@dataclass(frozen=True)
class RankTest(Tabular):
    """All systems by the ranks of their items in one metric: Friedman's test, Nemenyi's, and Wilcoxon's of all pairs.

    ``nemenyi`` and ``wilcoxon`` (corrected by Holm) are p-values of pairs of systems, in the order of ``pairs``.
    """

    key: str
    systems: tuple[str, ...]
    n: int
    mean_ranks: tuple[float, ...]
    statistic: float
    p: float
    critical_difference: float
    level: float
    nemenyi: tuple[float, ...]
    wilcoxon: tuple[float | None, ...]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of systems."""
        return list(combinations(self.systems, 2))

    def groups(self, test: str = "nemenyi") -> list[tuple[str, ...]]:
        """Return the largest groups of systems, neighbours in their mean ranks, of which no two differ by a test."""
        order = sorted(self.systems, key=lambda name: self.mean_ranks[self.systems.index(name)])
        p = dict(zip(map(frozenset, self.pairs), getattr(self, test), strict=True))

        def same(names: Sequence[str]) -> bool:
            return all(
                (1.0 if p[frozenset(two)] is None else p[frozenset(two)]) >= 1 - self.level
                for two in combinations(names, 2)
            )

        found: list[tuple[str, ...]] = []
        for start in range(len(order)):
            stop = max(stop for stop in range(start + 1, len(order) + 1) if same(order[start:stop]))
            if stop - start > 1 and not any(set(order[start:stop]) <= set(group) for group in found):
                found.append(tuple(order[start:stop]))
        return found

    def rows(self) -> Table:
        """Return one plain row per pair of systems."""
        rank = dict(zip(self.systems, self.mean_ranks, strict=True))
        rows = [
            {"key": self.key, "first": first, "second": second, "n": self.n, "friedman": self.statistic, "p": self.p}
            | {"first_rank": rank[first], "second_rank": rank[second], "critical_difference": self.critical_difference}
            | {"nemenyi": nemenyi, "wilcoxon_holm": wilcoxon}
            for (first, second), nemenyi, wilcoxon in zip(self.pairs, self.nemenyi, self.wilcoxon, strict=True)
        ]
        return Table("rank_tests", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            **asdict(self),
            "pairs": self.pairs,
            "groups": {test: self.groups(test) for test in ("nemenyi", "wilcoxon")},
        }


def rank_test(key: str, systems: Sequence[str], values: FloatArray, level: float, *, higher: bool) -> RankTest | None:
    """Test the values of systems (rows) in items; None for two systems, and where fewer than two items have values."""
    values = np.round(values[:, ~np.isnan(values).any(axis=0)], 12)  # values that agree to twelve digits tie
    k, n = values.shape
    if k < 3 or n < 2 or (values == values[0]).all():
        return None
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    ranks = rankdata(-values if higher else values, axis=0).mean(axis=1)
    friedman, unit, pairs = (
        friedmanchisquare(*values),
        math.sqrt(k * (k + 1) / (12 * n)),
        list(combinations(range(k), 2)),
    )
    tests = holm([paired(values[j] - values[i]).wilcoxon for i, j in pairs])
    return RankTest(
        key=key,
        systems=tuple(systems),
        n=n,
        mean_ranks=tuple(ranks.tolist()),
        statistic=float(friedman.statistic),
        p=float(friedman.pvalue),
        critical_difference=float(studentized_range.ppf(level, k, np.inf)) * unit,
        level=level,
        nemenyi=tuple(float(studentized_range.sf(abs(ranks[i] - ranks[j]) / unit, k, np.inf)) for i, j in pairs),
        wilcoxon=tuple(tests),
    )


@dataclass(frozen=True)
class Heterogeneity(Exported):
    """Whether the difference of two systems is the same in all groups of items: Cochran's Q [cochran1954combination].

    Q = Σ wᵢ (dᵢ − d̄)² with wᵢ = 1/SEᵢ² of the differences dᵢ and d̄ their weighted mean; p is that of χ² with one less
    degrees of freedom than groups.
    """

    by: str
    first: str
    second: str
    key: str
    average: str
    groups: int
    q: float
    p: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self)


def cochran_q(values: FloatArray, errors: FloatArray) -> tuple[float, float]:
    """Return Q and p of differences with their standard errors."""
    from scipy.special import chdtrc

    weights = errors**-2.0
    q = float((weights * (values - (weights * values).sum() / weights.sum()) ** 2).sum())
    return q, float(chdtrc(values.size - 1, q))
