"""Many tallies as columns: what thousands of items ask of a summary, with a few operations on arrays.

The pairs of all tallies lie one after the other; tally ``i`` has the pairs ``starts[i] : starts[i + 1]``. Sums of
weights are exactly rounded sums of correctly rounded quotients, as a :class:`~segmetry.alignments.tally.Tally` makes
them, so every value has the bits it has one by one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray, IntArray, ratio
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.curves import weights_above
from segmetry.alignments.iou_lower_bound import iou_lower_bound
from segmetry.alignments.tally import Tally
from segmetry.alignments.weights import quotient, weigh
from segmetry.errors import ClashError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import tally_score
from segmetry.statistics.tallied import Values


@dataclass(frozen=True, eq=False)
class PairColumns:
    """Pairs with their shared, missed and spurious elements, cut into consecutive groups."""

    shared: IntArray
    missed: IntArray
    spurious: IntArray
    starts: IndexArray

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    @classmethod
    def grouped(cls, columns: tuple[IntArray, IntArray, IntArray], group: IndexArray, n: int) -> PairColumns:
        """The pairs, each in one of ``n`` groups."""
        order = np.argsort(group, kind="stable")
        shared, missed, spurious = (column[order] for column in columns)
        return cls(shared, missed, spurious, np.searchsorted(group[order], np.arange(n + 1)))

    @cached_property
    def group(self) -> IndexArray:
        """The group of every pair."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def regrouped(self, home: IndexArray, n: int) -> PairColumns:
        """Group ``i`` becomes a part of group ``home[i]``; those whose home is -1 are left out."""
        group = home[self.group]
        kept = group >= 0
        columns = self.shared[kept], self.missed[kept], self.spurious[kept]
        return PairColumns.grouped(columns, group[kept], n)

    @cached_property
    def iou(self) -> FloatArray:
        """The IoU of every pair."""
        return weigh("iou", self.shared, self.missed, self.spurious)

    @cached_property
    def iou_sum(self) -> FloatArray:
        """Σ IoU of every group."""
        return self.sums(self.iou)

    def sums(self, weights: FloatArray) -> FloatArray:
        """The exactly rounded sum of a weight over each group."""
        cut, listed = self.starts.tolist(), weights.tolist()
        found = np.zeros(len(self))
        for at in np.flatnonzero(np.diff(self.starts)).tolist():
            found[at] = math.fsum(listed[cut[at] : cut[at + 1]])
        return found

    def cut(self, start: int, stop: int) -> tuple[IntArray, IntArray, IntArray]:
        """The pairs of some consecutive groups."""
        at = slice(int(self.starts[start]), int(self.starts[stop]))
        return self.shared[at], self.missed[at], self.spurious[at]


@dataclass(frozen=True, eq=False)
class TallyColumns:
    """Many tallies of one rule; ``clash`` as in a :class:`~segmetry.alignments.tally.Tally`."""

    pairs: PairColumns
    n_unmatched_true: IntArray
    n_unmatched_pred: IntArray
    rule: Any
    clash: ClashError | None = None

    @classmethod
    def of(cls, alignment: Alignment, of_true: IndexArray, of_pred: IndexArray, n: int) -> TallyColumns:
        """The tallies of ``n`` groups of segments, -1 being none: pairs and missed segments by the group of their true
        segment, spurious ones by their own.

        >>> import segmetry as sm
        >>> alignment = sm.align(sm.overlap([[1, 1, 2, 3]], [[1, 1, 2, 4]]))
        >>> TallyColumns.of(alignment, np.array([0, 1, 1]), np.array([0, 0, -1]), 2).tallies
        [Tally(1 pairs, 0 missed, 0 spurious), Tally(2 pairs, 0 missed, 0 spurious)]
        """
        group = of_true[alignment.at_true]
        kept = group >= 0
        columns = alignment.shared[kept], alignment.missed[kept], alignment.spurious[kept]
        return cls(
            pairs=PairColumns.grouped(columns, group[kept], n),
            n_unmatched_true=_sizes(of_true[alignment.missed_true], n),
            n_unmatched_pred=_sizes(of_pred[alignment.spurious_pred], n),
            rule=alignment.rule,
            clash=alignment.tally.clash,
        )

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def n_pairs(self) -> IntArray:
        """Matched pairs."""
        return np.diff(self.pairs.starts).astype(np.int64)

    @cached_property
    def n_true(self) -> IntArray:
        """Matched and missed true segments."""
        return self.n_pairs + self.n_unmatched_true

    @cached_property
    def n_pred(self) -> IntArray:
        """Matched and spurious pred segments."""
        return self.n_pairs + self.n_unmatched_pred

    @property
    def iou_sum(self) -> FloatArray:
        """Σ IoU over the pairs."""
        return self.pairs.iou_sum

    @cached_property
    def tallies(self) -> list[Tally]:
        """They themselves, one by one."""
        return [self.tally(at, at + 1) for at in range(len(self))]

    def counts(self) -> FloatArray:
        """Matched, missed and spurious segments and Σ IoU of each."""
        return np.stack((self.n_pairs, self.n_unmatched_true, self.n_unmatched_pred, self.iou_sum)).astype(np.float64)

    def tally(self, start: int, stop: int) -> Tally:
        """The sum of some consecutive tallies."""
        missed, spurious = self.n_unmatched_true[start:stop].sum(), self.n_unmatched_pred[start:stop].sum()
        found = Tally(*self.pairs.cut(start, stop), int(missed), int(spurious), self.rule, clash=self.clash)
        if stop - start == 1:
            found.__dict__["iou_sum"] = float(self.iou_sum[start])  # what the cached property would compute
        return found

    def emptied(self) -> TallyColumns:
        """No tallies of the same rule."""
        return self.regrouped(np.full(len(self), -1), 0)

    def regrouped(self, home: IndexArray, n: int) -> TallyColumns:
        """Tally ``i`` is added to tally ``home[i]`` of ``n``; those whose home is -1 are left out."""
        kept = home >= 0

        def added(counts: IntArray) -> IntArray:
            found = np.zeros(n, dtype=np.int64)
            np.add.at(found, home[kept], counts[kept])
            return found

        counts = added(self.n_unmatched_true), added(self.n_unmatched_pred)
        return TallyColumns(self.pairs.regrouped(home, n), *counts, self.rule, self.clash)

    def values(self, key: str, options: Mapping[str, Any]) -> Values:
        """A metric of each tally; NaN where it is undefined."""
        counted = METRICS[key].quotient
        if counted is not None and not options:
            of_counts = counted.formula(self)
            values: list[float] = ratio_or_nan(of_counts.numerator, np.asarray(of_counts.denominator)).tolist()
            return values
        if key == "npq" and not options:
            return self._npq()
        scores = [tally_score(key, tally, options) for tally in self.tallies]
        return [score.value if score.is_defined else math.nan for score in scores]

    def _npq(self) -> Values:
        """2 Σ (IoU − α) over (1 − α)(|T| + |H|), with the rule's own α, which no pair lies below."""
        alpha = iou_lower_bound(self.rule, "iou")
        above = weights_above(quotient("iou", self.pairs.shared, self.pairs.missed, self.pairs.spurious), alpha)
        rest = 1 - alpha
        whole = ratio((self.n_true + self.n_pred) * rest.numerator, np.full(len(self), rest.denominator))
        values: list[float] = ratio_or_nan(2 * self.pairs.sums(above), whole).tolist()
        return values


def _sizes(groups: IndexArray, n: int) -> IntArray:
    """How often each group occurs; -1 is none."""
    return np.bincount(groups[groups >= 0], minlength=n)


def ratio_or_nan(numerator: NDArray[Any], denominator: NDArray[Any]) -> FloatArray:
    """Quotients of exact floats or of integers below 2⁵³; NaN where the denominator is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.divide(numerator, denominator, dtype=np.float64)
    found[np.broadcast_to(denominator == 0, found.shape)] = np.nan
    return found
