"""Run-length masks: sorted half-open intervals of a flat domain, many masks in one set of arrays.

Masks of one side may overlap each other, which a label array cannot express. All work is done on stretches; an array of
pixels is never made. Every function with a native version has a numpy twin of the same name with the suffix ``_numpy``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from segmetry._base.exact import IntArray
from segmetry.kernels.backend import native
from segmetry.kernels.coco_counts import LARGEST_COUNT, decode_coco_counts_numpy, encode_coco_counts_numpy
from segmetry.kernels.pairs import PairCounts, add_up

_DENSE_BLOCK = 1 << 24
"""Elements of a boolean stack that the numpy version reads together."""


class RunLengthMasks(NamedTuple):
    """Mask ``m`` covers ``[starts[r], stops[r])`` for ``offsets[m] <= r < offsets[m + 1]``.

    The stretches of a mask are sorted, not empty, and do not touch each other.
    """

    offsets: IntArray
    starts: IntArray
    stops: IntArray


def decode_coco_counts(encoded: bytes) -> IntArray:
    """Decode the counts in a compressed COCO string.

    >>> decode_coco_counts(b"52203").tolist()
    [5, 2, 2, 2, 5]
    """
    if native is not None and isinstance(encoded, bytes):
        counts: IntArray | None = native.decode_coco_counts(encoded)
        if counts is not None:
            return counts
    return decode_coco_counts_numpy(encoded)  # says what is wrong, and where


def encode_coco_counts(counts: ArrayLike) -> bytes:
    """Encode counts as a compressed COCO string.

    >>> encode_coco_counts([5, 2, 2, 2, 5])
    b'52203'
    """
    array = np.asarray(counts, np.int64).reshape(-1)
    if native is None or np.any(array < 0) or np.any(array > LARGEST_COUNT):
        return encode_coco_counts_numpy(array)
    text: bytes = native.encode_coco_counts(np.ascontiguousarray(array))
    return text


def decode_coco_masks(encoded: Sequence[bytes], size: int) -> RunLengthMasks:
    """Decode many compressed COCO strings into masks over a domain of ``size`` elements.

    >>> decode_coco_masks([b"52203", b"0:6"], 16).starts.tolist()
    [5, 9, 0]
    """
    if native is None:
        return decode_coco_masks_numpy(encoded, size)
    bad, *arrays = native.decode_coco_masks(encoded, size)
    if bad < 0:
        return RunLengthMasks(*arrays)
    decode_coco_masks_numpy(encoded[: bad + 1], size)
    raise AssertionError(f"mask {bad} was refused by the native decoder only; please report this string")


def decode_coco_masks_numpy(encoded: Sequence[bytes], size: int) -> RunLengthMasks:
    """The numpy twin of :func:`decode_coco_masks`."""
    counts = []
    for index, text in enumerate(encoded):
        try:
            counts.append(decode_coco_counts_numpy(text))
        except (TypeError, ValueError) as error:
            raise type(error)(f"mask {index}: {error}") from None
        _check_counts(counts[-1], size, index)
    return _from_checked_counts(counts)


def run_lengths_from_counts(counts_list: Sequence[NDArray[Any]], size: int) -> RunLengthMasks:
    """Return masks from alternating counts of zeros and ones, zeros first. Counts of 0 are allowed anywhere.

    >>> run_lengths_from_counts([[2, 3, 0, 1, 4]], 10).stops.tolist()
    [6]
    """
    counts = [np.asarray(each, np.int64).reshape(-1) for each in counts_list]
    for index, each in enumerate(counts):
        _check_counts(each, size, index)
    return _from_checked_counts(counts)


def _check_counts(counts: IntArray, size: int, index: int) -> None:
    negative = np.flatnonzero(counts < 0)
    if len(negative):
        raise ValueError(f"mask {index}: count {negative[0]} is {counts[negative[0]]}; expected 0 or more")
    # A sum that might not fit into 64 bits is made of Python's integers.
    fits = len(counts) == 0 or int(counts.max()) <= np.iinfo(np.int64).max // len(counts)
    total = int(counts.sum()) if fits else sum(counts.tolist())
    if total != size:
        raise ValueError(f"mask {index}: counts add up to {total}; expected {size}, the number of elements")


def _from_checked_counts(counts: list[IntArray]) -> RunLengthMasks:
    starts, stops, offsets = [], [], [0]
    for each in counts:
        edges = np.cumsum(each)
        start, stop = edges[:-1:2], edges[1::2]
        filled = start < stop
        start, stop = start[filled], stop[filled]
        apart = start[1:] > stop[:-1]
        starts.append(start[np.concatenate((np.ones(min(len(start), 1), bool), apart))])
        stops.append(stop[np.concatenate((apart, np.ones(min(len(stop), 1), bool)))])
        offsets.append(offsets[-1] + len(starts[-1]))
    return RunLengthMasks(np.array(offsets, np.int64), _joined(starts), _joined(stops))


def _joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def run_lengths_from_dense(stack: NDArray[np.bool_]) -> RunLengthMasks:
    """Return the rows of a boolean array as masks; its shape is (masks, elements).

    >>> import numpy as np
    >>> run_lengths_from_dense(np.array([[True, True, False], [False, False, False]])).offsets.tolist()
    [0, 1, 1]
    """
    stack = _checked_stack(stack)
    if native is None:
        return run_lengths_from_dense_numpy(stack)
    return RunLengthMasks(*native.run_lengths_from_dense(np.ascontiguousarray(stack)))


def run_lengths_from_dense_numpy(stack: NDArray[np.bool_]) -> RunLengthMasks:
    """The numpy twin of :func:`run_lengths_from_dense`."""
    stack = _checked_stack(stack)
    per_mask, starts, stops = [], [], []
    rows = max(1, _DENSE_BLOCK // max(stack.shape[1], 1))
    for first in range(0, len(stack), rows):
        padded = np.zeros((min(rows, len(stack) - first), stack.shape[1] + 2), bool)
        padded[:, 1:-1] = stack[first : first + rows]
        # Every row begins and ends outside, so its changes are start, stop, start, stop, ...
        row, column = np.nonzero(padded[:, 1:] != padded[:, :-1])
        per_mask.append(np.bincount(row[::2], minlength=len(padded)))
        starts.append(column[::2])
        stops.append(column[1::2])
    offsets = np.concatenate(([0], np.cumsum(_joined(per_mask))))
    return RunLengthMasks(offsets.astype(np.int64), _joined(starts), _joined(stops))


def _checked_stack(stack: NDArray[np.bool_]) -> NDArray[np.bool_]:
    stack = np.asarray(stack)
    if stack.ndim != 2 or stack.dtype != np.bool_:
        raise ValueError(f"stack has dtype {stack.dtype} and shape {stack.shape}; expected bool and (masks, elements)")
    return stack


def sizes(masks: RunLengthMasks) -> IntArray:
    """Count the elements of every mask.

    >>> sizes(run_lengths_from_counts([[1, 2, 1], [4]], 4)).tolist()
    [2, 0]
    """
    if native is None:
        return sizes_numpy(masks)
    counts: IntArray = native.sizes(*masks)
    return counts


def sizes_numpy(masks: RunLengthMasks) -> IntArray:
    """The numpy twin of :func:`sizes`."""
    covered = np.concatenate(([0], np.cumsum(masks.stops - masks.starts)))
    return np.diff(covered[masks.offsets])


def intersect_run_lengths(
    a: RunLengthMasks, b: RunLengthMasks, *, line: int = 0
) -> tuple[IntArray, IntArray, IntArray]:
    """Return all pairs of masks that share elements: (row of a, row of b, shared elements), sorted by (a, b).

    Where the domain consists of lines of ``line`` elements, as an image in memory order does, saying so spares the
    native version a look at masks that are in the same lines but beside each other. The result is the same.

    >>> true, pred = run_lengths_from_counts([[0, 4, 2], [3, 3]], 6), run_lengths_from_counts([[2, 3, 1]], 6)
    >>> [column.tolist() for column in intersect_run_lengths(true, pred)]
    [[0, 1], [0, 0], [2, 2]]
    """
    if native is None:
        return intersect_run_lengths_numpy(a, b)
    rows_a, rows_b, shared = native.intersect_run_lengths(*a, *b, line=line)
    return rows_a, rows_b, shared


def intersect_run_lengths_numpy(a: RunLengthMasks, b: RunLengthMasks) -> tuple[IntArray, IntArray, IntArray]:
    """The numpy twin of :func:`intersect_run_lengths`.

    Two stretches overlap exactly if the one that starts later starts inside the other. So the overlaps are the
    stretches of b that start in one of a, and those of a that start in one of b, but not at its first element.
    """
    by_start_a, by_start_b = np.argsort(a.starts, kind="stable"), np.argsort(b.starts, kind="stable")
    sorted_a, sorted_b = a.starts[by_start_a], b.starts[by_start_b]
    first = np.searchsorted(sorted_b, a.starts, "left"), np.searchsorted(sorted_b, a.stops, "left")
    second = np.searchsorted(sorted_a, b.starts, "right"), np.searchsorted(sorted_a, b.stops, "left")
    in_a, position = _ranges(*first)
    in_b, other_position = _ranges(*second)
    stretch_a = np.concatenate((in_a, by_start_a[other_position]))
    stretch_b = np.concatenate((by_start_b[position], in_b))
    shared = np.minimum(a.stops[stretch_a], b.stops[stretch_b]) - np.maximum(a.starts[stretch_a], b.starts[stretch_b])
    rows = add_up([PairCounts(_mask_of_each_stretch(a)[stretch_a], _mask_of_each_stretch(b)[stretch_b], shared)])
    return rows.true_labels, rows.pred_labels, rows.counts


def _ranges(begin: NDArray[np.intp], end: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(i, k) for every i and every begin[i] <= k < end[i]."""
    lengths = np.maximum(end - begin, 0)
    index = np.repeat(np.arange(len(begin)), lengths)
    before = np.cumsum(lengths) - lengths
    return index, np.arange(len(index)) - np.repeat(before - begin, lengths)


def _mask_of_each_stretch(masks: RunLengthMasks) -> IntArray:
    return np.repeat(np.arange(len(masks.offsets) - 1, dtype=np.int64), np.diff(masks.offsets))


def union_run_lengths(masks: RunLengthMasks) -> RunLengthMasks:
    """Return the union of all masks, as the only mask of the result.

    >>> union_run_lengths(run_lengths_from_counts([[1, 2, 3], [3, 2, 1]], 6)).stops.tolist()
    [5]
    """
    return union_run_lengths_numpy(masks) if native is None else RunLengthMasks(*native.union_run_lengths(*masks))


def union_run_lengths_numpy(masks: RunLengthMasks) -> RunLengthMasks:
    """The numpy twin of :func:`union_run_lengths`."""
    starts, reached = _sweep(masks)
    apart = starts[1:] > reached[:-1]
    some = np.ones(min(len(starts), 1), bool)
    starts, stops = starts[np.concatenate((some, apart))], reached[np.concatenate((apart, some))]
    return RunLengthMasks(np.array([0, len(starts)], np.int64), starts, stops)


def self_overlaps(masks: RunLengthMasks) -> bool:
    """Return whether any two masks share an element.

    >>> [self_overlaps(run_lengths_from_counts([[0, 2, 2], counts], 4)) for counts in ([1, 3], [2, 2])]
    [True, False]
    """
    return self_overlaps_numpy(masks) if native is None else bool(native.self_overlaps(*masks))


def self_overlaps_numpy(masks: RunLengthMasks) -> bool:
    """The numpy twin of :func:`self_overlaps`."""
    starts, reached = _sweep(masks)
    return bool(np.any(starts[1:] < reached[:-1]))


def _sweep(masks: RunLengthMasks) -> tuple[IntArray, IntArray]:
    """The stretches of all masks by start, and how far those up to each reach."""
    order = np.argsort(masks.starts, kind="stable")
    return masks.starts[order], np.maximum.accumulate(masks.stops[order])
