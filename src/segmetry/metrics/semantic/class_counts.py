"""The elements of each class of an item on both sides; elements that are void on a side are left out.

A class table has every element once, so it cannot hold regions that overlap, such as whole tumour and tumour core.
Where every such class is one segment on each side, its elements on both are the overlap of its two segments.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from segmetry._base.exact import Column, IntArray
from segmetry.errors import InputError
from segmetry.overlaps.table import HOW_DISJOINT, OverlapTable, Side


def class_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the elements of each class of one item; no classes where its segments carry none."""
    if table.class_names is None:
        nothing = np.zeros(0, dtype=np.int64)
        return {"class": [], "shared": nothing, "true": nothing, "pred": nothing}
    if not (table.true.disjoint and table.pred.disjoint):
        return region_counts(table)
    classes = table.by_class()
    return {
        "class": list(classes.names),
        "shared": classes.shared,
        "true": classes.true_sizes,
        "pred": classes.pred_sizes,
    }


def region_counts(table: OverlapTable) -> dict[str, Column]:
    """Collect the same of a table whose segments overlap; the segments of a class must not.

    >>> import segmetry as sm
    >>> both = ([[[1, 1]], [[1, 0]]], [[[1, 0]], [[1, 0]]])
    >>> true, pred = (sm.Masks.from_dense(np.array(masks, bool), classes=["WT", "TC"]) for masks in both)
    >>> counts = region_counts(sm.overlap(true, pred))
    >>> counts["class"], counts["shared"].tolist(), counts["true"].tolist(), counts["pred"].tolist()
    (['TC', 'WT'], [1, 1], [1, 2], [1, 1])
    """
    names = table.class_names or ()
    for word, side in (("true", table.true), ("pred", table.pred)):
        _check_single(side, word, names)
    shared = np.zeros(len(names), dtype=table.shared.dtype)
    true, pred = table.true.class_codes[table.row_true], table.pred.class_codes[table.row_pred]
    np.add.at(shared, true[true == pred], table.shared[true == pred])
    sizes = {word: _sizes(side, len(names)) for word, side in (("true", table.true), ("pred", table.pred))}
    return {"class": list(names), "shared": shared, **sizes}


def _check_single(side: Side, word: str, names: tuple[Hashable, ...]) -> None:
    """Raise if a class has several segments on a side whose segments overlap: elements could count twice."""
    if side.disjoint:
        return
    several = np.flatnonzero(np.bincount(side.class_codes, minlength=len(names)) > 1)
    if several.size:
        raise InputError(
            f"the {word} segments overlap and class {names[several[0]]!r} has several of them, so its elements would "
            f"count twice; make them disjoint first ({HOW_DISJOINT[word]})"
        )


def _sizes(side: Side, n_classes: int) -> IntArray:
    sizes = np.zeros(n_classes, dtype=side.sizes.dtype)
    np.add.at(sizes, side.class_codes, side.sizes - side.void)
    return sizes
