"""Count the overlaps of two segmentations."""

from __future__ import annotations

from typing import Any

from segmetry.errors import OptionError
from segmetry.overlaps.count import count_overlaps
from segmetry.overlaps.table import OverlapTable
from segmetry.readers.read_file import read_sides
from segmetry.segmentation.pair import SegmentationPair


def overlap(true: Any, pred: Any, *, threads: int = 1, resolve: str | None = None) -> OverlapTable:
    """Count how many elements each true and each predicted segment share.

    Takes integer arrays (0 is outside), :class:`LabelArray`, :class:`Spans`, :class:`Masks`, :class:`Polygons` or
    :class:`Sets`, both of one kind, or paths of
    files with one item each. Large zarr, h5py and dask arrays and memory maps are counted block by block, in
    little memory. ``threads`` splits large label arrays; ``resolve="by_score"`` makes overlapping predicted
    masks disjoint first.

    >>> list(overlap([[1, 1, 2]], [[7, 7, 7]]).rows())
    [(1, 7, 2), (2, 7, 1)]
    """
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    return count_overlaps(SegmentationPair.of(*read_sides(true, pred), resolve=resolve), threads=threads)
