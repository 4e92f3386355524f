"""Every class of two segmentations as two masks, for metrics that compare the shapes of whole classes.

Where segments carry classes, all segments of a class are one mask; otherwise equal labels of the two sides are the same
class, and masks without classes are one foreground.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import KindError
from segmetry.geometry.segment_shapes import Mask
from segmetry.overlaps import sorted_names
from segmetry.segmentation import LabelArray, Masks, Segmentation

FOREGROUND = 1
"""The class of masks without classes."""


class ClassMasks(NamedTuple):
    """One class: its elements on both sides, without those that are void on either."""

    name: Hashable
    true: Mask
    pred: Mask


def class_masks(true: Segmentation, pred: Segmentation) -> Iterator[ClassMasks]:
    """Yield every class that occurs on a side, in the order of their names.

    >>> rows = class_masks(LabelArray([[1, 1, 2]]), LabelArray([[1, 2, 2]]))
    >>> [(name, first.astype(int).tolist(), second.astype(int).tolist()) for name, first, second in rows]
    [(1, [[1, 1, 0]], [[1, 0, 0]]), (2, [[0, 0, 1]], [[0, 1, 1]])]
    """
    sides = [_segments_by_class(side) for side in (true, pred)]
    counted = ~(void_elements(true) | void_elements(pred))
    for name in sorted_names({name for members, _ in sides for name in members}):
        first, second = (_draw_segments(drawn, members.get(name, [])) & counted for members, drawn in sides)
        if first.any() or second.any():
            yield ClassMasks(name, first, second)


def void_elements(segmentation: Segmentation) -> Mask:
    """Return which elements are void."""
    if isinstance(segmentation, LabelArray) and segmentation.void:
        return np.isin(segmentation.labels, segmentation.void)
    if not isinstance(segmentation.domain, tuple):
        raise _no_grid(segmentation)
    return np.zeros(segmentation.domain, dtype=bool)


def _no_grid(segmentation: Segmentation) -> KindError:
    return KindError(f"segments of kind {segmentation.kind!r} have no grid; expected a label array or masks")


def _segments_by_class(segmentation: Segmentation) -> tuple[dict[Hashable, list[int]], NDArray[Any] | Masks]:
    """Return the ids of the segments of every class, and the labels (read once) or masks from which they are drawn."""
    drawn: NDArray[Any] | Masks
    if isinstance(segmentation, LabelArray):
        drawn = segmentation.labels
        ignored = {*segmentation.outside, *segmentation.void}
        ids = [label for label in np.unique(drawn).tolist() if label not in ignored]
        segmentation.check_labels(drawn, "labels")
    elif isinstance(segmentation, Masks):
        drawn, ids = segmentation, segmentation.ids.tolist()
    else:
        raise _no_grid(segmentation)
    classes, members = segmentation.classes, dict[Hashable, list[int]]()
    for label in ids:
        bare = FOREGROUND if isinstance(segmentation, Masks) else int(label)
        members.setdefault(bare if classes is None else classes[label], []).append(label)
    return members, drawn


def _draw_segments(drawn: NDArray[Any] | Masks, ids: list[int]) -> Mask:
    if isinstance(drawn, Masks):
        return _union_of_masks(drawn, ids)
    return np.asarray(drawn == ids[0]) if len(ids) == 1 else np.isin(drawn, ids)


def _union_of_masks(masks: Masks, ids: list[int]) -> Mask:
    """Draw the given masks together; their run lengths are in column-major order."""
    position = {label: at for at, label in enumerate(masks.ids.tolist())}
    flat = np.zeros(masks.n_elements, dtype=bool)
    offsets, starts, stops = masks.run_lengths
    for at in (position[label] for label in ids):
        part = slice(int(offsets[at]), int(offsets[at + 1]))
        for start, stop in zip(starts[part].tolist(), stops[part].tolist(), strict=True):
            flat[start:stop] = True
    return flat.reshape(masks.shape[::-1]).T
