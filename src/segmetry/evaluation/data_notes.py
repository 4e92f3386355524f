"""Notes about a data set that only all its items together show.

What its labels may mean, classes that never agree, and images with several crowd regions of one class, of which the
COCO reference honours only the last.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.alignments import ALL_CROWDS, COCO
from segmetry.errors import DataWarning
from segmetry.metrics import BY_CLASS
from segmetry.overlaps import OverlapTable, Side
from segmetry.results import counted
from segmetry.segmentation import LabelArray, SegmentationPair
from segmetry.statistics import DataSet

T = TypeVar("T")

FEW = 40
"""The most labels that may be classes: a label array with more is one of instances."""
LARGEST_CLASS = 255
"""Labels above it are not taken for classes: class maps are images of 8 bits."""
SHOWN = 6


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

        >>> from segmetry.overlaps.count import overlap
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


def warn_about(items: Sequence[LabelsAndClasses], *, labels_stated: bool, classes: str) -> None:
    """Warn, once for a data set, of labels that look like classes, of removed segments and of disjoint classes.

    ``labels_stated``: the user said what labels mean.
    """
    if not labels_stated and (shared := labels_like_classes(items)):
        number = "the item has" if len(items) == 1 else f"{len(items)} items have"
        _warn(
            f"labels are read as instances, and {number} the same few labels on both sides ({_listed(shared)}); if a "
            "label is a class, state --labels classes (read={'labels': 'classes'}), so that it is only matched with "
            "itself; --labels instances confirms the present reading"
        )
    if removed := [item for item in items if item.true_removed or item.pred_removed]:
        _warn(
            f"{sum(item.true_removed for item in removed)} true and {sum(item.pred_removed for item in removed)} "
            f"predicted segments in {counted(len(removed), 'item')} are smaller than the stated size (min_size, "
            "--min-size) and count as outside"
        )
    for side, other in (("true", "pred"), ("pred", "true")):
        if measured := sum(item.spacing_from == side for item in items):
            _warn(
                f"only {side} has a spacing in {counted(measured, 'item')}; distances are measured in it, as if "
                f"{other} had the same (--{other}-spacing states another)"
            )
    true, pred = (_union(getattr(item, f"{side}_classes") for item in items) for side in ("true", "pred"))
    if classes == "match" and true and pred and not true & pred:
        _warn(
            f"the two sides have no class in common, so no segment can be matched: true has {_listed(true)}, pred has "
            f"{_listed(pred)}; rename the classes of one side (--true-map, --pred-map for labels that are classes), or "
            "compare without classes: --classes ignore (classes='ignore')"
        )


def labels_like_classes(items: Sequence[LabelsAndClasses]) -> frozenset[int] | None:
    """Return the labels of a data set if they look like classes: few, the same on both sides, and recurring.

    Instances are numbered 1, 2, … in every item, so their labels differ between items and between sides as soon as
    the numbers of segments do. Labels look like classes if they leave gaps on both sides and are the same on both
    sides of an item (of three items or more: mostly the same, and recurring); or if nearly all of three items or more
    have the same labels. Where no label overlaps another one the meaning does not matter.

    >>> def facts(true, pred): return LabelsAndClasses(frozenset(true), frozenset(pred), crossing=True)
    >>> sorted(labels_like_classes([facts([60, 61], [60, 61])]))
    [60, 61]
    >>> labels_like_classes([facts([1, 2, 3], [1, 2, 3]), facts([1, 2], [1, 2, 3, 4])]) is None
    True
    """
    sides = [(item.true_labels, item.pred_labels) for item in items]
    pairs = [(true, pred) for true, pred in sides if true is not None and pred is not None]
    if not pairs or len(pairs) < len(items) or not any(item.crossing for item in items):
        return None
    every = _union(labels for pair in pairs for labels in pair)
    if not 2 <= len(every) <= FEW or max(every) > LARGEST_CLASS or min(every) < 0:
        return None
    gaps = all(any(pair[side] != set(range(1, len(pair[side]) + 1)) for pair in pairs) for side in (0, 1))
    if len(pairs) <= 2:
        return every if gaps and all(true == pred for true, pred in pairs) else None
    if 4 * sum(true == pred == every for true, pred in pairs) >= 3 * len(pairs):
        return every
    alike = sum(len(true & pred) / max(len(true | pred), 1) for true, pred in pairs) >= 2 / 3 * len(pairs)
    recurring = sum(len(true) for true, _ in pairs) >= 2 * len(_union(true for true, _ in pairs))
    return every if gaps and alike and recurring else None


def _union(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    return frozenset[T]().union(*sets)


def _listed(names: Iterable[Hashable]) -> str:
    shown = sorted(names, key=lambda name: (not isinstance(name, int), name if isinstance(name, int) else str(name)))
    return ", ".join(map(str, shown[:SHOWN])) + (" …" if len(shown) > SHOWN else "")


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=4)


def note_crowds(items: NDArray[np.intp], data: Callable[[str], DataSet] | None) -> None:
    """Warn that COCO's policy ignores crowd regions, as a later one of their class is listed, with both values of PQ.

    ``items`` are the items of these regions; ``data`` evaluates the data set under a policy, if all of it is there.
    """
    if not items.size:
        return
    n_items, n_regions, values = np.unique(items).size, items.size, ""
    if data is not None and "pq" in data(COCO.name).sources:
        here, with_all = (data(name).score("pq", BY_CLASS) for name in (COCO.name, ALL_CROWDS.name))
        values = f": PQ is {here.value:.5f}, with all of them {with_all.value:.5f}"
    warnings.warn(
        f"{n_items} {'item has' if n_items == 1 else 'items have'} several crowd regions of one class; as in the COCO "
        f"reference only the last one listed counts, and {n_regions} {'does' if n_regions == 1 else 'do'} not{values} "
        f"(policy {ALL_CROWDS.name})",
        DataWarning,
        stacklevel=3,
    )
