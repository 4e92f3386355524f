"""Facts about one item that say nothing by themselves, but may do so for a data set: its labels and its classes."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.overlaps.table import OverlapTable, Side
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair

FEW = 40
"""The most labels that may be classes: a label array with more is one of instances."""


@frozen_dataclass()
class LabelsAndClasses:
    """The labels of both sides, if they are few and have no classes; and the classes of both sides, if they have any.

    ``crossing``: some true label overlaps another predicted label, so it matters whether labels are classes.
    ``true_removed`` and ``pred_removed``: how many small segments became outside. ``spacing_from``: the only side with
    a known spacing, in which distances are measured.
    """

    true_labels: frozenset[int] | None = None
    pred_labels: frozenset[int] | None = None
    crossing: bool = False
    true_classes: frozenset[Hashable] = frozenset()
    pred_classes: frozenset[Hashable] = frozenset()
    true_removed: int = 0
    pred_removed: int = 0
    spacing_from: str | None = None

    @classmethod
    def of(cls, pair: SegmentationPair | None, table: OverlapTable, *, measured: bool = False) -> LabelsAndClasses:
        """Return the facts about a pair and its table; ``measured``: distances are among the metrics.

        >>> from segmetry.overlaps.overlap import overlap
        >>> pair = SegmentationPair.of([[60, 61]], [[61, 60]])
        >>> facts = LabelsAndClasses.of(pair, overlap([[60, 61]], [[61, 60]]))
        >>> sorted(facts.true_labels), facts.crossing
        ([60, 61], True)
        """
        known: dict[str, Any] = {}
        if pair is not None:
            known = {"true_removed": pair.true.n_removed, "pred_removed": pair.pred.n_removed}
            known["spacing_from"] = pair.spacing_from if measured else None
        if table.class_names is not None:
            true, pred = (_classes(table, side) for side in (table.true, table.pred))
            return cls(true_classes=true, pred_classes=pred, **known)
        is_labels = pair is not None and isinstance(pair.true, LabelArray) and isinstance(pair.pred, LabelArray)
        if not is_labels or max(len(table.true), len(table.pred)) > FEW:
            return cls(**known)
        return cls(
            frozenset(table.true.ids.tolist()),
            frozenset(table.pred.ids.tolist()),
            crossing=bool((table.true_id != table.pred_id).any()),
            **known,
        )


NOTHING_KNOWN = LabelsAndClasses()
"""The facts about segments that are no labels, and have no classes."""


def _classes(table: OverlapTable, side: Side) -> frozenset[Hashable]:
    names = table.class_names or ()
    return frozenset(map(names.__getitem__, () if side.classes is None else set(side.classes.tolist())))
