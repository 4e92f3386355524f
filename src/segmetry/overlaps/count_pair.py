"""Count the overlaps of two segmentations."""

from __future__ import annotations

from typing import Any

import numpy as np

from segmetry.errors import OptionError
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.table import OverlapTable
from segmetry.readers import read_sides
from segmetry.segmentation import SegmentationPair


def overlap(true: Any, pred: Any, *, threads: int = 1, resolve: str | None = None) -> OverlapTable:
    """Count how many elements each true and each predicted segment share.

    Large zarr, h5py and dask arrays and memory maps are counted block by block, in little memory.

    Parameters
    ----------
    true : segmentation, array or path
        The true segments: an array of integers (0 is outside), a LabelArray, Spans, Masks, Polygons or Sets, or the
        path of a file with one item.
    pred : segmentation, array or path
        The predicted segments, of the same kind and the same domain.
    threads : int, default 1
        The number of threads that count a large label array.
    resolve : {'by_score'}, optional
        ``'by_score'`` first makes overlapping predicted masks disjoint, in descending order of score.

    Returns
    -------
    OverlapTable
        The exact counts, from which every alignment and most metrics follow.

    Examples
    --------
    >>> list(overlap([[1, 1, 2]], [[7, 7, 7]]).rows())
    [(1, 7, 2), (2, 7, 1)]
    """
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    if type(true) is not np.ndarray or type(pred) is not np.ndarray:
        true, pred = read_sides(true, pred)
    return count_overlaps(SegmentationPair.of(true, pred, resolve=resolve), threads=threads)
