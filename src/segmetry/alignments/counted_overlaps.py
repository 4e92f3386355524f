"""Overlaps as a policy counts them: what the metrics look at that need no alignment but pairs of segments.

Where both sides carry classes only pairs of one class are seen (``classes="ignore"`` sees all). Crowd truth, and
segments of which a policy that removes void leaves nothing, are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.alignment import marks
from segmetry.alignments.candidates import Candidates, Selection
from segmetry.alignments.policy import Policy, as_policy, candidates_of, counted_sizes, ignored
from segmetry.alignments.rules.assignment import largest_overlap
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.pair import SegmentationPair


@dataclass(frozen=True, eq=False)
class CountedOverlaps:
    """The pairs of segments that share something and the sizes of all segments, under a policy.

    ``inputs`` are the segmentations, where they are still at hand: needed only for unions of segments that overlap each
    other.
    """

    table: OverlapTable
    policy: Policy
    classes: str
    pairs: Candidates
    true_sizes: IntArray
    pred_sizes: IntArray
    inputs: SegmentationPair | None = None

    @classmethod
    def of(
        cls,
        table: OverlapTable,
        *,
        policy: Policy | str = "none",
        classes: str = "match",
        inputs: SegmentationPair | None = None,
    ) -> CountedOverlaps:
        """The overlaps of a table.

        >>> import segmetry as sm
        >>> CountedOverlaps.of(sm.overlap([[1, 1, 2]], [[1, 0, 0]])).pairs.missed.tolist()
        [1]
        """
        chosen = as_policy(policy)
        pairs, _ = candidates_of(table, chosen, classes)
        return cls(table, chosen, classes, pairs, *counted_sizes(table, chosen), inputs)

    def counted(
        self, seen_true: NDArray[np.bool_], seen_pred: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which true and pred segments count, given which of them a metric has found a use for."""
        ignored_true, ignored_pred = ignored(self.table, self.policy, seen_true, seen_pred, self.classes)
        return ~ignored_true, ~ignored_pred

    @cached_property
    def touched(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which true and pred segments share something."""
        return marks(self.pairs.at_true, len(self.table.true)), marks(self.pairs.at_pred, len(self.table.pred))

    @cached_property
    def partners(self) -> Selection:
        """For every true segment that is touched, the pair with the pred that shares most with it."""
        return largest_overlap.select(self.pairs)

    @cached_property
    def n_elements(self) -> int:
        """The size of the domain less the void elements the policy does not count."""
        nowhere = self.table.nowhere
        total = self.table.n_elements
        if self.policy.pred_void:
            total -= int(self.table.pred.void.sum()) + nowhere.void_outside + nowhere.void_void
        if self.policy.true_void:
            total -= int(self.table.true.void.sum()) + nowhere.outside_void
            total -= 0 if self.policy.pred_void else nowhere.void_void
        return total

    def regardless_of_class(self) -> CountedOverlaps:
        """The same overlaps with pairs of different classes too."""
        return CountedOverlaps.of(self.table, policy=self.policy, classes="ignore", inputs=self.inputs)
