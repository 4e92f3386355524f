"""Boxes of run-length masks in column-major order, and the masks of boxes."""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.kernels.run_length_masks import RunLengthMasks


def boxes_of_run_lengths(masks: RunLengthMasks, height: int) -> FloatArray:
    """Return x, y, width and height of the smallest box of every mask, zeros for an empty one; columns have ``height``.

    A stretch that goes over the end of a column covers all rows from its first to its last column.

    >>> one = RunLengthMasks(np.array([0, 1]), np.array([3]), np.array([5]))
    >>> boxes_of_run_lengths(one, 2).tolist(), boxes_of_run_lengths(one, 6).tolist()
    ([[1.0, 0.0, 2.0, 2.0]], [[0.0, 3.0, 1.0, 2.0]])
    """
    boxes = np.zeros((masks.offsets.size - 1, 4))
    filled = np.flatnonzero(np.diff(masks.offsets))
    if not filled.size:
        return boxes
    last = masks.stops - 1
    left, right = masks.starts // height, last // height
    wraps = left < right
    top, bottom = np.where(wraps, 0, masks.starts % height), np.where(wraps, height - 1, last % height)
    at = masks.offsets[:-1][filled]
    x, y = (np.minimum.reduceat(edge, at) for edge in (left, top))
    size = (np.maximum.reduceat(edge, at) - low + 1 for edge, low in ((right, x), (bottom, y)))
    boxes[filled] = np.stack((x, y, *size), axis=1)
    return boxes


def run_lengths_of_boxes(boxes: FloatArray, shape: tuple[int, int]) -> RunLengthMasks:
    """Return the elements whose centre is in each box (x, y, width, height), as masks of an image (height, width).

    >>> runs = run_lengths_of_boxes(np.array([[0.0, 0.0, 2.0, 1.0], [0.0, 0.0, 2.0, 3.0]]), (3, 4))
    >>> runs.offsets.tolist(), runs.starts.tolist(), runs.stops.tolist()
    ([0, 2, 3], [0, 3, 0], [1, 4, 6])
    """
    height, width = shape
    low = np.clip(np.ceil(boxes[:, :2] - 0.5), 0, (width, height)).astype(np.int64)
    high = np.clip(np.ceil(boxes[:, :2] + boxes[:, 2:] - 0.5), 0, (width, height)).astype(np.int64)
    filled = (high > low).all(axis=1)
    whole = filled & (low[:, 1] == 0) & (high[:, 1] == height)  # its columns touch each other: one stretch
    n_runs = np.where(whole, 1, np.where(filled, high[:, 0] - low[:, 0], 0))
    offsets = np.concatenate(([0], np.cumsum(n_runs)))
    box = np.repeat(np.arange(len(boxes)), n_runs)
    column = low[box, 0] + np.arange(box.size) - offsets[box]
    stops = np.where(whole[box], high[box, 0] * height, column * height + high[box, 1])
    return RunLengthMasks(offsets.astype(np.int64), column * height + low[box, 1], stops)
