"""Many tallies as columns: what thousands of items contribute to a summary, with a few operations on arrays.

The pairs of all tallies are stored one after the other; tally ``i`` has the pairs ``starts[i] : starts[i + 1]``. Sums
of weights are exactly rounded sums of correctly rounded quotients, as in a
:class:`~segmetry.alignments.tally.Tally`, so every value has the bits that the tally itself would give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray, IntArray, ratio
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.curves import weights_above
from segmetry.alignments.iou_lower_bound import iou_lower_bound
from segmetry.alignments.tally import Tally, add_tallies
from segmetry.alignments.weights import quotient, weigh
from segmetry.errors import ClashError
from segmetry.kernels.statistics.group_sums import group_order, group_sums, rounded_sum
from segmetry.metrics.count_quotient import Quotient, SumOverPairs
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import tally_score


@frozen_dataclass(eq=False)
class PairColumns:
    """Pairs with their shared, missed and spurious elements, cut into consecutive groups.

    ``own`` are weights (fractions) that replace the IoU in curves (:func:`segmetry.reweight`).
    """

    shared: IntArray
    missed: IntArray
    spurious: IntArray
    starts: IndexArray
    own: NDArray[Any] | None = None

    def __len__(self) -> int:
        return int(self.starts.size) - 1

    @classmethod
    def grouped(
        cls,
        columns: tuple[IntArray, IntArray, IntArray],
        group: IndexArray,
        n: int,
        own: NDArray[Any] | None = None,
    ) -> PairColumns:
        """Return the pairs, each in one of ``n`` groups."""
        order, starts = group_order(group, n)
        shared, missed, spurious = (column[order] for column in columns)
        return cls(shared, missed, spurious, starts, None if own is None else own[order])

    @cached_property
    def group(self) -> IndexArray:
        """The group of every pair."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def regrouped(self, home: IndexArray, n: int) -> PairColumns:
        """Return groups in which group ``i`` is a part of ``home[i]``; those whose home is -1 are left out."""
        group = home[self.group]
        kept = group >= 0
        columns = self.shared[kept], self.missed[kept], self.spurious[kept]
        return PairColumns.grouped(columns, group[kept], n, None if self.own is None else self.own[kept])

    @cached_property
    def iou(self) -> FloatArray:
        """The IoU of every pair."""
        return weigh("iou", self.shared, self.missed, self.spurious)

    @cached_property
    def iou_sum(self) -> FloatArray:
        """Σ IoU of every group."""
        return self.sums(self.iou)

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return the exactly rounded sum of a weight over each group."""
        return group_sums(weights, self.starts)

    def part(self, start: int, stop: int) -> slice:
        """Return where the pairs of some consecutive groups are."""
        return slice(int(self.starts[start]), int(self.starts[stop]))


@frozen_dataclass(eq=False)
class TallyColumns:
    """Many tallies of one rule; ``weight`` and ``clash`` as in a :class:`~segmetry.alignments.tally.Tally`."""

    pairs: PairColumns
    n_unmatched_true: IntArray
    n_unmatched_pred: IntArray
    rule: Any
    clash: ClashError | None = None
    weight: str = "iou"

    @classmethod
    def of(cls, alignment: Alignment, of_true: IndexArray, of_pred: IndexArray, n: int) -> TallyColumns:
        """Return the tallies of ``n`` groups of segments: pairs and missed segments by the group of their true
        segment, spurious ones by their own; segments of group -1 are left out.

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

    @classmethod
    def listed(cls, tallies: Sequence[Tally], template: Tally) -> TallyColumns:
        """Return tallies one after the other; ``template`` has their rule and weight.

        >>> import segmetry as sm
        >>> tally = sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 0]])).tally
        >>> TallyColumns.listed([tally, tally], tally).n_true.tolist()
        [2, 2]
        """
        total = add_tallies([template.emptied(), *tallies])  # an error for tallies of different rules or weights
        return cls(
            pairs=PairColumns(
                total.shared,
                total.missed,
                total.spurious,
                np.cumsum([0, *(tally.n_pairs for tally in tallies)]),
                None if total.own is None else _fractions(total.own),
            ),
            n_unmatched_true=np.array([tally.n_unmatched_true for tally in tallies], dtype=np.int64),
            n_unmatched_pred=np.array([tally.n_unmatched_pred for tally in tallies], dtype=np.int64),
            rule=total.rule,
            clash=total.clash,
            weight=total.weight,
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
        """The tallies one by one."""
        return [self.tally(at, at + 1) for at in range(len(self))]

    def counts(self) -> FloatArray:
        """Return matched, missed and spurious segments and Σ IoU of each."""
        return np.stack((self.n_pairs, self.n_unmatched_true, self.n_unmatched_pred, self.iou_sum)).astype(np.float64)

    def tally(self, start: int, stop: int) -> Tally:
        """Return the sum of some consecutive tallies."""
        pairs, part = self.pairs, self.pairs.part(start, stop)
        tally = Tally(
            shared=pairs.shared[part],
            missed=pairs.missed[part],
            spurious=pairs.spurious[part],
            n_unmatched_true=int(self.n_unmatched_true[start:stop].sum()),
            n_unmatched_pred=int(self.n_unmatched_pred[start:stop].sum()),
            rule=self.rule,
            weight=self.weight,
            own=None if pairs.own is None else tuple(pairs.own[part].tolist()),
            clash=self.clash,
        )
        # What the cached property would compute.
        tally.__dict__["iou_sum"] = float(self.iou_sum[start]) if stop - start == 1 else rounded_sum(pairs.iou[part])
        return tally

    def emptied(self) -> TallyColumns:
        """Return no tallies of the same rule."""
        return self.regrouped(np.full(len(self), -1), 0)

    def regrouped(self, home: IndexArray, n: int) -> TallyColumns:
        """Return ``n`` tallies: tally ``i`` is added to tally ``home[i]``; those whose home is -1 are left out."""
        kept = home >= 0

        def added(counts: IntArray) -> IntArray:
            totals = np.zeros(n, dtype=np.int64)
            np.add.at(totals, home[kept], counts[kept])
            return totals

        counts = added(self.n_unmatched_true), added(self.n_unmatched_pred)
        return TallyColumns(self.pairs.regrouped(home, n), *counts, self.rule, self.clash, self.weight)

    def values(self, key: str, options: Mapping[str, Any]) -> FloatArray:
        """Return a metric of each tally; NaN where it is undefined."""
        counted, of_pairs = METRICS[key].quotient, METRICS[key].sum_over_pairs
        if self.clash is None and not options:
            if counted is not None:
                return _values(counted.formula(self), len(self))
            if of_pairs is not None and self.pairs.own is None and self.weight == "iou":
                return _values(self._sum_over_pairs(of_pairs), len(self))
            if key == "npq" and self.pairs.own is None and self.weight == "iou":
                return self._npq()
        scores = [tally_score(key, tally, options) for tally in self.tallies]
        return np.array([score.value if score.is_defined else math.nan for score in scores], dtype=np.float64)

    def _sum_over_pairs(self, of_pairs: SumOverPairs) -> Quotient:
        pairs = self.pairs
        sums = pairs.sums(of_pairs.values(pairs.shared, pairs.missed, pairs.spurious))
        return of_pairs.quotient(sums, self)

    def fractions(
        self, key: str, options: Mapping[str, Any], wanted: NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return numerator, denominator and value of a metric of each wanted tally; 0, 0 and NaN of the others."""
        of_pairs = METRICS[key].sum_over_pairs
        if of_pairs is not None and not options and self.clash is None and self.pairs.own is None:
            quotient = self._sum_over_pairs(of_pairs)
            tops, bottoms = (np.where(wanted, part, 0.0) for part in (quotient.numerator, quotient.denominator))
            return tops, bottoms, ratio_or_nan(tops, bottoms)
        scores = [
            tally_score(key, tally, options) if is_wanted else None
            for tally, is_wanted in zip(self.tallies, wanted.tolist(), strict=True)
        ]
        return (
            np.array([0.0 if score is None else float(score.numerator or 0) for score in scores]),
            np.array([0.0 if score is None else float(score.denominator or 0) for score in scores]),
            np.array([math.nan if score is None or not score.is_defined else score.value for score in scores]),
        )

    def _npq(self) -> FloatArray:
        """Return 2 Σ (IoU − α) over (1 − α)(|T| + |H|), with the rule's own α, below which there is no pair."""
        alpha = iou_lower_bound(self.rule, "iou")
        above = weights_above(quotient("iou", self.pairs.shared, self.pairs.missed, self.pairs.spurious), alpha)
        rest = 1 - alpha
        whole = ratio((self.n_true + self.n_pred) * rest.numerator, np.full(len(self), rest.denominator))
        return ratio_or_nan(2 * self.pairs.sums(above), whole)


def _values(quotient: Quotient, n: int) -> FloatArray:
    """Return the values of a quotient of ``n`` tallies."""
    return np.broadcast_to(ratio_or_nan(quotient.numerator, np.asarray(quotient.denominator)), n)


def _sizes(groups: IndexArray, n: int) -> IntArray:
    """Count how often each group occurs, -1 excepted."""
    return np.bincount(groups[groups >= 0], minlength=n)


def _fractions(weights: Sequence[Fraction]) -> NDArray[Any]:
    column = np.empty(len(weights), dtype=object)
    column[:] = weights
    return column


def ratio_or_nan(numerator: NDArray[Any], denominator: NDArray[Any]) -> FloatArray:
    """Divide exact floats, or integers below 2⁵³; NaN where the denominator is 0."""
    values: FloatArray = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    np.divide(numerator, denominator, out=values, where=denominator != 0)
    return values
