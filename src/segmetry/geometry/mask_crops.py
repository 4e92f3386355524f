"""Masks redrawn, each inside its own box: the cost depends on the boxes, not on the size of the image."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from segmetry.geometry.segment_shapes import Mask, MaskShapes
from segmetry.kernels.run_length_masks import RunLengthMasks
from segmetry.segmentation.masks import Masks

Draw = Callable[[Mask], Mask]


def redrawn(masks: Masks, draw: Draw, *, margin: int = 0) -> Masks:
    """Return the masks, each replaced by what ``draw`` makes of its crop: its box and ``margin`` elements around it.

    >>> masks = Masks.from_dense(np.array([[[True, True, False, False]]]))
    >>> redrawn(masks, np.logical_not, margin=1).sizes.tolist()
    [1]
    """
    shapes = MaskShapes(masks, masks.ids)
    strides = np.cumprod([1, *masks.shape[:-1]])
    frame = np.array(masks.shape)
    drawn = []
    for at, tight in enumerate(shapes.boxes):
        box = tight.copy()
        if margin and masks.sizes[at]:
            box[:, 0], box[:, 1] = np.maximum(tight[:, 0] - margin, 0), np.minimum(tight[:, 1] + margin, frame)
        elements = np.nonzero(draw(shapes.crop(at, box)))
        flat = sum(
            ((along + start) * stride for along, start, stride in zip(elements, box[:, 0], strides, strict=True)),
            np.zeros(elements[0].size, dtype=np.int64),
        )
        drawn.append(np.sort(flat))
    return Masks(
        runs_of(drawn),
        masks.shape,
        ids=masks.ids,
        classes=masks.classes,
        crowd=masks.crowd,
        scores=masks.scores,
        spacing=masks.spacing,
    )


def runs_of(elements: list[NDArray[np.int64]]) -> RunLengthMasks:
    """Return the sorted flat positions of every mask as run lengths.

    >>> runs_of([np.array([1, 2, 5])]).stops.tolist()
    [3, 6]
    """
    starts, stops, counts = [], [], [0]
    for flat in elements:
        new = np.concatenate(([True], np.diff(flat) != 1)) if flat.size else np.zeros(0, dtype=bool)
        last = np.concatenate((new[1:], [True])) if flat.size else new
        starts.append(flat[new])
        stops.append(flat[last] + 1)
        counts.append(int(new.sum()))
    empty = [np.zeros(0, dtype=np.int64)]
    return RunLengthMasks(
        np.cumsum(counts, dtype=np.int64),
        np.concatenate(starts or empty).astype(np.int64),
        np.concatenate(stops or empty).astype(np.int64),
    )
