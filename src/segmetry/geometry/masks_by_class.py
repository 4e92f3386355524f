"""Every class of two segmentations as two masks, for metrics that compare the shapes of whole classes.

Where segments carry classes, all segments of a class are one mask; otherwise equal labels of the two sides are the same
class, and masks without classes are one foreground.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

import numpy as np

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
    sides = [_ClassesOfSide(side) for side in (true, pred)]
    counted = ~(void_elements(true) | void_elements(pred))
    for name in sorted_names({name for side in sides for name in side.names}):
        first, second = (side.mask(name) & counted for side in sides)
        if first.any() or second.any():
            yield ClassMasks(name, first, second)


def void_elements(segmentation: Segmentation) -> Mask:
    """Return which elements are void."""
    void = getattr(segmentation, "void", ())
    if not isinstance(segmentation, LabelArray) or not void:
        return np.zeros(_domain_shape(segmentation), dtype=bool)
    return np.isin(segmentation.labels, void)


def _domain_shape(segmentation: Segmentation) -> tuple[int, ...]:
    domain = segmentation.domain
    if not isinstance(domain, tuple):
        raise KindError(f"segments of kind {segmentation.kind!r} have no grid; expected a label array or masks")
    return domain


class _ClassesOfSide:
    """The classes of one side; a mask is drawn on request."""

    def __init__(self, segmentation: Segmentation) -> None:
        self._segmentation = segmentation
        self._members: dict[Hashable, list[int]] = {}
        if isinstance(segmentation, LabelArray):
            self._labels = segmentation.labels
            ignored = {*segmentation.outside, *segmentation.void}
            ids = [label for label in np.unique(self._labels).tolist() if label not in ignored]
            segmentation.check_labels(self._labels, "labels")
        elif isinstance(segmentation, Masks):
            ids = segmentation.ids.tolist()
        else:
            raise KindError(f"segments of kind {segmentation.kind!r} have no grid; expected a label array or masks")
        classes = segmentation.classes
        bare = isinstance(segmentation, Masks)
        for label in ids:
            name = classes[label] if classes is not None else FOREGROUND if bare else int(label)
            self._members.setdefault(name, []).append(label)

    @property
    def names(self) -> set[Hashable]:
        return set(self._members)

    def mask(self, name: Hashable) -> Mask:
        """Return the elements of a class."""
        members = self._members.get(name, [])
        if isinstance(self._segmentation, Masks):
            return _union_of_masks(self._segmentation, members)
        if len(members) == 1:
            return np.asarray(self._labels == members[0])
        return np.isin(self._labels, members)


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
