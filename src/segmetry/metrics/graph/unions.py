"""The part of a segment covered by the union of several segments of the other side, which may overlap."""

from __future__ import annotations

import numpy as np

from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import KindError
from segmetry.kernels import run_length_masks
from segmetry.kernels.run_length_masks import RunLengthMasks
from segmetry.overlaps.polygon_overlaps import covered_by
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygons import Polygons
from segmetry.segmentation.sets import Sets


def shared_with_union(overlaps: CountedOverlaps, side: str, centre: int, members: list[int], total: int) -> int:
    """Return |c ∩ ∪m| for a segment of ``side`` and some of the other side; ``total`` is Σ|c∩m|, the result where
    those are disjoint.

    >>> import segmetry as sm
    >>> pair = sm.Sets([{1, 2, 3}]), sm.Sets([{1, 2}, {2, 5}])
    >>> from segmetry.segmentation.pair import SegmentationPair
    >>> overlaps = CountedOverlaps.of(sm.overlap(*pair), inputs=SegmentationPair.of(*pair))
    >>> shared_with_union(overlaps, "true", 0, [0, 1], 3)
    2
    """
    table = overlaps.table
    other = table.pred if side == "true" else table.true
    if other.disjoint or len(members) == 1:
        return total
    if overlaps.inputs is None:
        raise KindError(
            "the segments overlap each other, so their union needs the segmentations; found only their overlap table"
        )
    inputs = overlaps.inputs
    own, others = (inputs.true, inputs.pred) if side == "true" else (inputs.pred, inputs.true)
    own_ids = (table.true if side == "true" else table.pred).ids
    return _covered(own, int(own_ids[centre]), others, other.ids[members].tolist())


def _covered(own: Segmentation, segment: int, others: Segmentation, members: list[int]) -> int:
    if isinstance(own, Sets) and isinstance(others, Sets):
        return len(own.segments[segment] & frozenset().union(*(others.segments[m] for m in members)))
    if isinstance(own, Masks) and isinstance(others, Masks):
        union = run_length_masks.union_run_lengths(_some(others, members))
        return int(run_length_masks.intersect_run_lengths(_some(own, [segment]), union)[2].sum())
    if isinstance(own, Polygons) and isinstance(others, Polygons):
        return covered_by(own, segment, others, members)
    raise KindError(f"segments of kind {others.kind!r} overlap; unions are supported for sets, masks and polygons")


def _some(masks: Masks, ids: list[int]) -> RunLengthMasks:
    """Return the run lengths of some masks."""
    position = {segment: at for at, segment in enumerate(masks.ids.tolist())}
    offsets = masks.run_lengths.offsets
    parts = [slice(int(offsets[position[i]]), int(offsets[position[i] + 1])) for i in ids]
    lengths = [part.stop - part.start for part in parts]
    return RunLengthMasks(
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        np.concatenate([masks.run_lengths.starts[part] for part in parts]),
        np.concatenate([masks.run_lengths.stops[part] for part in parts]),
    )
