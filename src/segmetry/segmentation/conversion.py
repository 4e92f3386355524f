"""Segmentations from what users pass: arrays become label arrays."""

from __future__ import annotations

from typing import Any

from segmetry.errors import KindError, SegmetryError
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray


def as_segmentation(found: Any, side: str = "segmentation") -> Segmentation:
    """A segmentation as it is; an array of integers as a label array whose 0 is outside.

    >>> as_segmentation([[1, 1], [0, 2]]).kind
    'labels'
    """
    if isinstance(found, Segmentation):
        return found
    if hasattr(found, "__array__") or hasattr(found, "__dlpack__") or isinstance(found, list | tuple):
        try:
            return LabelArray(found)
        except SegmetryError as problem:
            raise type(problem)(f"{side}: {problem}") from None
    raise KindError(
        f"{side} is a {type(found).__name__}; expected an integer array, LabelArray, Spans, Masks, Polygons or Sets"
    )
