"""Notes about a data set that only all its items together show.

What its labels may mean, classes that never agree, and images with several crowd regions of one class, of which the
COCO reference honours only the last.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base.small_table import counted
from segmetry.alignments.policy import ALL_CROWDS, COCO
from segmetry.errors import DataWarning
from segmetry.metrics.average import BY_CLASS
from segmetry.runfile.labels_and_classes import FEW, LabelsAndClasses
from segmetry.statistics.data_set import DataSet

T = TypeVar("T")

LARGEST_CLASS = 255
"""Labels above it are not taken for classes: class maps are images of 8 bits."""
SHOWN = 6


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
    gaps = all(any(not _is_numbering(pair[side]) for pair in pairs) for side in (0, 1))
    if len(pairs) <= 2:
        return every if gaps and all(true == pred for true, pred in pairs) else None
    if 4 * sum(true == pred == every for true, pred in pairs) >= 3 * len(pairs):
        return every
    alike = sum(len(true & pred) / max(len(true | pred), 1) for true, pred in pairs) >= 2 / 3 * len(pairs)
    recurring = sum(len(true) for true, _ in pairs) >= 2 * len(_union(true for true, _ in pairs))
    return every if gaps and alike and recurring else None


def _is_numbering(labels: frozenset[int]) -> bool:
    """Return whether labels are 1, 2, … without gaps."""
    return labels == set(range(1, len(labels) + 1))


def _union(sets: Iterable[frozenset[T]]) -> frozenset[T]:
    return frozenset[T]().union(*sets)


def _listed(names: Iterable[Hashable]) -> str:
    shown = sorted(names, key=lambda name: (not isinstance(name, int), name if isinstance(name, int) else str(name)))
    return ", ".join(map(str, shown[:SHOWN])) + (" …" if len(shown) > SHOWN else "")


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=4)


def note_crowds(policy: str, items: NDArray[np.intp], data: Callable[[str], DataSet] | None) -> None:
    """Warn if the policy ignores crowd regions because a later one of their class is listed, with both values of PQ.

    ``items`` are the items of these regions; ``data`` evaluates the data set under a policy, if all of it is there.
    """
    if policy != COCO.name or not items.size:
        return
    n_items, n_regions, values = np.unique(items).size, items.size, ""
    if data is not None and "pq" in data(policy).sources:
        here, with_all = (data(name).score("pq", BY_CLASS) for name in (policy, ALL_CROWDS.name))
        values = f": PQ is {here.value:.5f}, with all of them {with_all.value:.5f}"
    warnings.warn(
        f"{n_items} {'item has' if n_items == 1 else 'items have'} several crowd regions of one class; as in the COCO "
        f"reference only the last one listed counts, and {n_regions} {'does' if n_regions == 1 else 'do'} not{values} "
        f"(policy {ALL_CROWDS.name})",
        DataWarning,
        stacklevel=3,
    )
