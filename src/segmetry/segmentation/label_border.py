"""Label arrays without the segments at the edge of the image, which are cut off there."""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import OptionError
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.replaced_values import replace_values
from segmetry.segmentation.value_map import ValueMap


def without_border(segmentation: LabelArray | Masks, width: int) -> LabelArray:
    """Return the segmentation without segments among the outermost elements of an axis: they become outside.

    >>> kept = without_border(LabelArray([[0, 0, 0, 0], [1, 1, 2, 0], [0, 0, 0, 0]]), 1)
    >>> kept.labels.tolist(), kept.n_removed
    ([[0, 0, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]], 1)
    """
    if isinstance(segmentation, Masks):
        raise OptionError("border is not supported where unions of labels overlap; state border or union")
    labels = np.asarray(segmentation.labels)
    ignored = {*segmentation.outside, *segmentation.void}
    cut = [label for label in np.unique(labels[_edge(labels.shape, width)]).tolist() if label not in ignored]
    if not cut:
        return segmentation
    outside = segmentation.outside or (int(labels.max()) + 1,)
    values = ValueMap(dict.fromkeys(cut, outside[0]))
    kept = segmentation.with_labels(replace_values(segmentation, values, values.dtype(segmentation.dtype)), outside)
    counted = copy.copy(kept)
    counted.__dict__["n_removed"] = getattr(segmentation, "n_removed", 0) + len(cut)
    return counted


def _edge(shape: tuple[int, ...], width: int) -> NDArray[np.bool_]:
    """Return which elements are among the outermost ``width`` of an axis."""
    edge = np.ones(shape, dtype=bool)
    edge[tuple(slice(width, max(size - width, width)) for size in shape)] = False
    return edge
