"""Pack the segmentations of one item as text for the page: planes of label arrays, masks, spans.

A plane (an image, a slice of a volume, a frame of a video) has a code for every element: 0 outside, k + 1 in the
segment at position k of the overlap table, and the number of segments + 1 in the void. Neighbouring rows are nearly
equal, so only differences from the row above are written: runs of pixels with one new code, as their distance from
the previous run, their length, and the code. The code to the left of the run is written as 0, that above its
right neighbour as 1, any other as itself + 2. That is a third smaller than deflating the codes themselves.

Masks may overlap, so each is written as its run lengths in column-major order; spans as their distances and lengths.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels import paint
from segmetry.overlaps import Ids, OverlapTable
from segmetry.report.page_records import MaskPlaces
from segmetry.segmentation import LabelArray, Masks, Spans

Codes = NDArray[np.uint32]


def codes_of(labels: NDArray[Any], segmentation: LabelArray, ids: Ids) -> Codes:
    """Return the code of every element of a part of a label array."""
    known = {segment: at + 1 for at, segment in enumerate(ids.tolist())} | dict.fromkeys(
        segmentation.void, ids.size + 1
    )
    wide: Any = np.uint64 if max(known, default=0) > np.iinfo(np.int64).max else np.int64
    listed = sorted(known)
    if wide is np.uint64:
        listed = [label for label in listed if label >= 0]  # besides labels beyond int64 there are no negative ones
    codes = np.array([known[label] for label in listed], dtype="<u4")
    # A code is painted as the four bytes of a colour.
    painted = paint(labels, np.array(listed, dtype=wide), codes[:, None].view(np.uint8), (0, 0, 0, 0))
    return np.ascontiguousarray(painted).view("<u4")[..., 0].astype(np.uint32, copy=False)


def packed_plane(codes: Codes) -> str:
    """Pack a plane of codes with two axes."""
    plane = codes.astype(np.int64)
    above = np.zeros_like(plane)
    above[1:] = plane[:-1]
    left, above_right = np.zeros_like(plane), np.zeros_like(plane)
    left[:, 1:] = plane[:, :-1]
    above_right[:, :-1] = above[:, 1:]
    changed = np.flatnonzero(plane != above)
    values = plane.ravel()[changed]
    begins = np.ones(changed.size, dtype=bool)
    begins[1:] = (np.diff(changed) > 1) | (np.diff(values) != 0)
    starts, codes_new = changed[begins], values[begins]
    lengths = np.diff(np.flatnonzero(begins), append=changed.size)
    distances = starts - np.concatenate(([0], (starts + lengths)[:-1])) if starts.size else starts
    words = np.where(above_right.ravel()[starts] == codes_new, 1, codes_new + 2)
    words[left.ravel()[starts] == codes_new] = 0
    return packed_lists(distances, lengths - 1, words)


def packed_masks(masks: Masks, ids: Ids) -> str:
    """Pack masks in the order of the overlap table: the number of runs of each, then their distances and lengths."""
    at = {segment: place for place, segment in enumerate(masks.ids.tolist())}
    order = [at[segment] for segment in ids.tolist()]
    offsets = masks.run_lengths.offsets
    counts = np.array([offsets[place + 1] - offsets[place] for place in order], dtype=np.int64)
    parts = [np.arange(offsets[place], offsets[place + 1]) for place in order]
    chosen = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    starts, stops = masks.run_lengths.starts[chosen], masks.run_lengths.stops[chosen]
    ends = np.zeros_like(stops)
    ends[1:] = stops[:-1]
    first = np.cumsum(counts)[:-1]
    ends[first[first < ends.size]] = 0
    return packed_lists(counts, starts - ends, stops - starts)


def mask_places(true: Masks, pred: Masks, table: OverlapTable) -> MaskPlaces:
    """Return which segment of the overlap table each mask is, -1 for none: true ones as listed, predicted by score."""
    by_score = pred.ids if pred.scores is None else pred.ids[np.argsort(-pred.scores, kind="stable")]
    return {"true": _places(true.ids, table.true.ids), "pred": _places(by_score, table.pred.ids)}


def _places(listed: Ids, ids: Ids) -> list[int]:
    known = {segment: at for at, segment in enumerate(ids.tolist())}
    return [known.get(segment, -1) for segment in listed.tolist()]


def packed_spans(spans: Spans) -> str:
    """Pack spans from left to right: their distances and their lengths."""
    ends = np.concatenate(([0], spans.stops[:-1])) if spans.stops.size else spans.stops
    return packed_lists(spans.starts - ends, spans.lengths)


_BITS = 7
_MORE = 1 << _BITS


def varints(values: NDArray[np.int64]) -> bytes:
    """Return non-negative numbers as bytes, lower bits first, with the highest bit set in all but the last byte."""
    rest = values.astype(np.uint64)
    width = np.ones(rest.size, dtype=np.int64)
    for place in range(1, 10):
        width += rest >> np.uint64(_BITS * place) > 0
    first = np.cumsum(width) - width
    content = np.zeros(int(width.sum()), dtype=np.uint8)
    for place in range(int(width.max(initial=0))):
        here = width > place
        digits = rest[here] >> np.uint64(_BITS * place) & np.uint64(_MORE - 1)
        content[first[here] + place] = digits.astype(np.uint8) | np.where(width[here] > place + 1, _MORE, 0)
    return content.tobytes()


def packed_lists(*lists: NDArray[np.int64]) -> str:
    """Return lists, each after its length and in a deflate block of its own frequencies, as base64 of raw deflate."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9)
    parts = []
    for numbers in lists:
        parts += [compressor.compress(varints(np.array([numbers.size])) + varints(numbers))]
        parts += [compressor.flush(zlib.Z_PARTIAL_FLUSH)]
    return base64.b64encode(b"".join([*parts, compressor.flush()])).decode("ascii")
