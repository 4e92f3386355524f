"""An alignment: the pairs a rule selected from an overlap table, and whether they are one-to-one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, Threshold, exact_sum, fraction_in, frozen_dataclass
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.alignments.tally import Tally
from segmetry.alignments.weights import quotient, weigh
from segmetry.errors import ClashError
from segmetry.overlaps import OverlapTable
from segmetry.results import SHOWN, Exported, ResultTable, ShownAsTable, Table

if TYPE_CHECKING:
    from segmetry.metrics import Result
    from segmetry.outputs import Picture

_HEAD = ("true id", "pred id", "shared", "missed", "spurious", "IoU")


@frozen_dataclass()
class Pair:
    """An aligned pair with the numbers of its shared, missed and spurious elements."""

    true_id: int
    pred_id: int
    shared: int
    missed: int
    spurious: int

    @property
    def iou(self) -> Fraction:
        return self.tversky(1, 1)

    def tversky(self, alpha: Threshold, beta: Threshold) -> Fraction:
        """Return Tversky's index s/(s+αp+βm) of s shared, m missed and p spurious elements; α = β = 1 is the IoU, α =
        β = 1/2 the Dice coefficient.
        """
        a, b = fraction_in(alpha, "alpha", 0, None), fraction_in(beta, "beta", 0, None)
        return self.shared / (self.shared + a * self.spurious + b * self.missed)


@frozen_dataclass(eq=False)
class Alignment(Exported, ShownAsTable):
    """Rows of an overlap table selected by a rule under a policy.

    ``shared``, ``missed`` and ``spurious`` are the elements of each pair as the policy counts them. Every
    metric that needs an alignment is an attribute: ``alignment.pq``.
    """

    table: OverlapTable
    rule: MatchRule
    policy: Policy
    resolve: str | None
    rows: NDArray[np.intp]
    shared: IntArray
    missed: IntArray
    spurious: IntArray
    ignored_true: NDArray[np.bool_]
    ignored_pred: NDArray[np.bool_]
    classes: str = "match"
    ties: int = 0

    def __len__(self) -> int:
        return int(self.rows.size)

    @property
    def at_true(self) -> NDArray[np.intp]:
        """The position of each pair's true segment in ``table.true``."""
        return self.table.row_true[self.rows]

    @property
    def at_pred(self) -> NDArray[np.intp]:
        """The position of each pair's pred segment in ``table.pred``."""
        return self.table.row_pred[self.rows]

    @cached_property
    def matched_true(self) -> NDArray[np.bool_]:
        """Which true segments have a partner."""
        return marks(self.at_true, len(self.table.true))

    @cached_property
    def matched_pred(self) -> NDArray[np.bool_]:
        """Which pred segments have a partner."""
        return marks(self.at_pred, len(self.table.pred))

    @property
    def missed_true(self) -> NDArray[np.bool_]:
        """Which true segments are missed: no partner, and the policy counts them."""
        return ~self.matched_true & ~self.ignored_true

    @property
    def spurious_pred(self) -> NDArray[np.bool_]:
        """Which pred segments are spurious: no partner, and the policy counts them."""
        return ~self.matched_pred & ~self.ignored_pred

    @property
    def n_pairs(self) -> int:
        return len(self)

    @cached_property
    def n_unmatched_true(self) -> int:
        return int(np.count_nonzero(self.missed_true))

    @cached_property
    def n_unmatched_pred(self) -> int:
        return int(np.count_nonzero(self.spurious_pred))

    @cached_property
    def is_one_to_one(self) -> bool:
        """Whether no segment occurs in two pairs."""
        partners = int(np.count_nonzero(self.matched_true)), int(np.count_nonzero(self.matched_pred))
        return partners == (len(self), len(self))

    def know_partners(self, n_true: int, n_pred: int) -> None:
        """Record how many segments of each side have a partner, where that is known already."""
        known = self.__dict__  # of the cached properties; the dataclass is frozen
        known["is_one_to_one"] = n_true == n_pred == self.rows.size
        if not self.policy.ignores_segments:
            known["n_unmatched_true"] = len(self.table.true) - n_true
            known["n_unmatched_pred"] = len(self.table.pred) - n_pred

    def clashes(self) -> tuple[list[int], list[int]]:
        """Return the true and the pred ids that occur in more than one pair."""
        true_counts = np.bincount(self.at_true, minlength=len(self.table.true))
        pred_counts = np.bincount(self.at_pred, minlength=len(self.table.pred))
        return self.table.true.ids[true_counts > 1].tolist(), self.table.pred.ids[pred_counts > 1].tolist()

    @cached_property
    def iou(self) -> FloatArray:
        """The IoU of every pair, correctly rounded."""
        return self.weights()

    def weights(self, weight: str = "iou") -> FloatArray:
        """Return a weight of every pair, correctly rounded."""
        return weigh(weight, self.shared, self.missed, self.spurious)

    def exact_total(self, weight: str = "iou") -> Fraction:
        """Return Σ weight over the pairs as an exact fraction."""
        top, bottom = quotient(weight, self.shared, self.missed, self.spurious)
        return exact_sum(top.tolist(), bottom.tolist())

    @cached_property
    def tally(self) -> Tally:
        """The counts from which panoptic scores are computed."""
        clash = None if self.is_one_to_one or self.resolve == "keep" else clash_error(self)
        return Tally(
            shared=self.shared,
            missed=self.missed,
            spurious=self.spurious,
            n_unmatched_true=self.n_unmatched_true,
            n_unmatched_pred=self.n_unmatched_pred,
            rule=self.rule,
            clash=clash,
        )

    def restricted(self, true: NDArray[np.bool_], pred: NDArray[np.bool_]) -> Alignment:
        """Return the alignment restricted to some segments: the pairs of these true segments, and these segments
        without a partner. A pair belongs to the part of its true segment.

        >>> import segmetry as sm
        >>> alignment = sm.align(sm.overlap([[1, 1, 2, 3]], [[1, 1, 2, 4]]))
        >>> alignment.restricted(np.array([True, False, True]), np.array([False, False, True]))
        Alignment(theta_plus, policy=none: 2 pairs, 0 missed, 0 spurious)
        """
        kept = true[self.at_true]
        still_matched = marks(self.at_pred[kept], len(self.table.pred))
        return replace(
            self,
            rows=self.rows[kept],
            shared=self.shared[kept],
            missed=self.missed[kept],
            spurious=self.spurious[kept],
            ignored_true=self.ignored_true | ~true,
            ignored_pred=self.ignored_pred | ~pred | (self.matched_pred & ~still_matched),
        )

    def pairs(self) -> Iterator[Pair]:
        """Yield the pairs in order of true id, then pred id."""
        columns = (
            self.table.true.ids[self.at_true],
            self.table.pred.ids[self.at_pred],
            self.shared,
            self.missed,
            self.spurious,
        )
        for true_id, pred_id, shared, missed, spurious in zip(*(c.tolist() for c in columns), strict=True):
            yield Pair(true_id, pred_id, shared, missed, spurious)

    def draw(self, pair: Pair | tuple[int, int], true: Any = None, pred: Any = None) -> Picture:
        """Return the picture of a true and a predicted segment: shared, missed and spurious elements in three colours.

        ``pair`` is a pair of the alignment, or the ids of any two segments; ``true`` and ``pred`` are what was
        compared, where it is no longer in memory elsewhere.

        >>> import segmetry as sm
        >>> sm.align(sm.overlap(sm.Sets([{1, 2, 3}]), sm.Sets([{2, 3}]))).draw((1, 1)).title
        'true 1 and pred 1: IoU 0.6667; 2 shared, 1 missed, 0 spurious'
        """
        from segmetry.outputs import pair_picture

        return pair_picture(self, pair, true, pred)

    def __getattr__(self, key: str) -> Result:
        if key.startswith("_"):
            raise AttributeError(key)
        from segmetry.metrics import METRICS

        if key not in METRICS:
            raise AttributeError(f"an Alignment has no attribute or metric {key!r}")
        return METRICS[key](self)

    def __repr__(self) -> str:
        return (
            f"Alignment({self.rule.name}, policy={self.policy.name}: {len(self)} pairs, "
            f"{self.n_unmatched_true} missed, {self.n_unmatched_pred} spurious)"
        )

    def records(self) -> Table:
        """Return one row per pair and per segment without a partner; see :func:`segmetry.segment_rows`."""
        from segmetry.alignments.segment_table import segment_rows

        return Table("segments", segment_rows(self))

    def _as_table(self) -> ResultTable:
        return ResultTable.of_rows(repr(self), _HEAD, self._first_rows(), len(self))

    def _first_rows(self) -> Iterator[tuple[int | float, ...]]:
        for pair, iou in islice(zip(self.pairs(), self.iou.tolist(), strict=True), SHOWN):
            yield pair.true_id, pair.pred_id, pair.shared, pair.missed, pair.spurious, iou


def marks(positions: NDArray[np.intp], count: int) -> NDArray[np.bool_]:
    """Return a boolean array of length ``count`` that is True at the positions."""
    flags = np.zeros(count, dtype=bool)
    flags[positions] = True
    return flags


def clash_error(alignment: Alignment) -> ClashError:
    """Return the error that names the segments with several partners and the remedies."""
    true_ids, pred_ids = alignment.clashes()
    side, ids = ("true", true_ids) if true_ids else ("pred", pred_ids)
    listed = ", ".join(map(str, ids[:5])) + (" …" if len(ids) > 5 else "")
    reason = (
        f"rule {alignment.rule.name} does not guarantee one partner"
        if alignment.table.is_disjoint
        else "the segments overlap, so no rule guarantees one partner"
    )
    return ClashError(
        f"{side} segment {listed} has several partners: {reason}; choose resolve='assign' (best assignment), "
        "'by_score' (paint masks in descending order of score) or 'keep' (keep all pairs), or a rule that resolves: "
        "maximum_weight(…), greedy(…)"
    )
