"""Overlaps as a policy counts them: the input of metrics that need pairs of segments but no alignment.

Where both sides have classes, only pairs of the same class are used (``classes="ignore"`` uses all). Crowd truth, and
segments that are entirely void under a policy that removes void, are not counted.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, frozen_dataclass
from segmetry.alignments.alignment import marks
from segmetry.alignments.candidates import Candidates, Selection
from segmetry.alignments.policy import Policy, candidates_of, counted_sizes, ignored, policy_for
from segmetry.alignments.rules.assignment import largest_overlap
from segmetry.overlaps import ItemTables, OverlapTable
from segmetry.segmentation import SegmentationPair


@frozen_dataclass(eq=False)
class CountedOverlaps:
    """Overlapping pairs of segments and the sizes of all segments, under a policy.

    ``inputs`` are the segmentations, if available: they are needed only for unions of segments that overlap each other.
    ``many`` are the items whose overlaps these are, if they are those of several.
    """

    table: OverlapTable
    policy: Policy
    classes: str
    pairs: Candidates
    true_sizes: IntArray
    pred_sizes: IntArray
    inputs: SegmentationPair | None = None
    many: ItemTables | None = None

    @classmethod
    def of(
        cls,
        table: OverlapTable,
        *,
        policy: Policy | str | None = None,
        classes: str = "match",
        inputs: SegmentationPair | None = None,
    ) -> CountedOverlaps:
        """Return the overlaps of a table as a policy counts them."""
        checked_policy = policy_for(table, policy)
        pairs, _ = candidates_of(table, checked_policy, classes)
        return cls(table, checked_policy, classes, pairs, *counted_sizes(table, checked_policy), inputs)

    @classmethod
    def of_items(cls, items: ItemTables, *, policy: Policy | str, classes: str = "match") -> CountedOverlaps:
        """Return the overlaps of several items at once."""
        return replace(cls.of(items.table, policy=policy, classes=classes), many=items)

    @cached_property
    def items(self) -> ItemTables:
        """The items whose overlaps these are, mostly one."""
        return ItemTables.of(self.table) if self.many is None else self.many

    def counted(
        self, used_true: NDArray[np.bool_], used_pred: NDArray[np.bool_]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which true and pred segments count, if the metric has used some of them."""
        ignored_true, ignored_pred = ignored(self.table, self.policy, used_true, used_pred, self.classes)
        return ~ignored_true, ~ignored_pred

    @cached_property
    def touched(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which true and pred segments overlap a segment of the other side."""
        return marks(self.pairs.at_true, len(self.table.true)), marks(self.pairs.at_pred, len(self.table.pred))

    @cached_property
    def partners(self) -> Selection:
        """For every true segment that overlaps a pred segment, the pair with the largest overlap."""
        return largest_overlap.select(self.pairs)

    @cached_property
    def n_elements(self) -> int:
        """The size of the domain without the void elements the policy does not count."""
        background = self.table.background
        total = self.table.n_elements
        if self.policy.pred_void:
            total -= int(self.table.pred.void.sum()) + background.void_outside + background.void_void
        if self.policy.true_void:
            total -= int(self.table.true.void.sum()) + background.outside_void
            total -= 0 if self.policy.pred_void else background.void_void
        return total

    @cached_property
    def memo(self) -> dict[Hashable, Any]:
        """What :func:`~segmetry._base.computed_once` has computed."""
        return {}

    def regardless_of_class(self) -> CountedOverlaps:
        """Return the overlaps including pairs of different classes."""
        return CountedOverlaps.of(self.table, policy=self.policy, classes="ignore", inputs=self.inputs)
