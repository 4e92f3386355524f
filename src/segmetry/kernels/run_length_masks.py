"""Run-length masks: sorted half-open intervals of a flat domain, many masks in one set of arrays.

Masks of one side may overlap each other, which a label array cannot express. All work is done on runs; an array of
pixels is never made. Functions with a native version have a numpy twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray
from segmetry.kernels.backend import kernel, numpy_twin
from segmetry.kernels.interval_pairs import overlapping_pairs
from segmetry.kernels.pairs import PairCounts, add_up

_DENSE_BLOCK = 1 << 24
"""Elements of a boolean stack that the numpy version reads together."""


class RunLengthMasks(NamedTuple):
    """Mask ``m`` covers ``[starts[r], stops[r])`` for ``offsets[m] <= r < offsets[m + 1]``.

    The runs of a mask are sorted, not empty, and do not touch each other.
    """

    offsets: IntArray
    starts: IntArray
    stops: IntArray


def _decode_native(native: ModuleType, encoded: Sequence[bytes], size: int) -> RunLengthMasks:
    bad, *arrays = native.decode_coco_masks(encoded, size)
    if bad < 0:
        return RunLengthMasks(*arrays)
    numpy_twin(decode_coco_masks)(encoded[: bad + 1], size)  # says what is wrong, and where
    raise AssertionError(f"mask {bad} was rejected by the native decoder only; please report this string")


@kernel(_decode_native)
def decode_coco_masks(encoded: Sequence[bytes], size: int) -> RunLengthMasks:
    """Decode many compressed COCO strings into masks over a domain of ``size`` elements."""
    counts = []
    for index, text in enumerate(encoded):
        try:
            counts.append(numpy_twin(decode_coco_counts)(text))
        except (TypeError, ValueError) as error:
            raise type(error)(f"mask {index}: {error}") from None
        _check_counts(counts[-1], size, index)
    return _from_checked_counts(counts)


def run_lengths_from_counts(counts_list: Sequence[NDArray[Any]], size: int) -> RunLengthMasks:
    """Return masks from alternating counts of zeros and ones, zeros first. Counts of 0 are allowed anywhere."""
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
        # Counts of 0 between two runs join them: runs must not touch each other.
        apart = start[1:] > stop[:-1]
        starts.append(start[np.concatenate((np.ones(min(len(start), 1), bool), apart))])
        stops.append(stop[np.concatenate((apart, np.ones(min(len(stop), 1), bool)))])
        offsets.append(offsets[-1] + len(starts[-1]))
    return RunLengthMasks(np.array(offsets, np.int64), _concatenated(starts), _concatenated(stops))


def _concatenated(parts: list[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


@kernel(
    lambda native, stack: RunLengthMasks(*native.run_lengths_from_dense(np.ascontiguousarray(_checked_stack(stack))))
)
def run_lengths_from_dense(stack: NDArray[np.bool_]) -> RunLengthMasks:
    """Return the rows of a boolean array as masks; its shape is (masks, elements)."""
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
    offsets = np.concatenate(([0], np.cumsum(_concatenated(per_mask))))
    return RunLengthMasks(offsets.astype(np.int64), _concatenated(starts), _concatenated(stops))


def _checked_stack(stack: NDArray[np.bool_]) -> NDArray[np.bool_]:
    stack = np.asarray(stack)
    if stack.ndim != 2 or stack.dtype != np.bool_:
        raise ValueError(f"stack has dtype {stack.dtype} and shape {stack.shape}; expected bool and (masks, elements)")
    return stack


@kernel(lambda native, masks: native.sizes(*masks))
def sizes(masks: RunLengthMasks) -> IntArray:
    """Count the elements of every mask."""
    covered = np.concatenate(([0], np.cumsum(masks.stops - masks.starts)))
    return np.diff(covered[masks.offsets])


@kernel(lambda native, a, b, line=0: native.intersect_run_lengths(*a, *b, line=line))
def intersect_run_lengths(
    a: RunLengthMasks,
    b: RunLengthMasks,
    *,
    line: int = 0,  # noqa: ARG001 - only the native version asks for it
) -> tuple[IntArray, IntArray, IntArray]:
    """Return all pairs of masks that share elements: (row of a, row of b, shared elements), sorted by (a, b).

    ``line``, the length of an image's lines, spares a look at masks side by side in the same lines.
    """
    run_a, run_b = overlapping_pairs(a.starts, a.stops, b.starts, b.stops)
    shared = np.minimum(a.stops[run_a], b.stops[run_b]) - np.maximum(a.starts[run_a], b.starts[run_b])
    rows = add_up([PairCounts(_mask_of_each_run(a)[run_a], _mask_of_each_run(b)[run_b], shared)])
    return rows.true_labels, rows.pred_labels, rows.counts


def _mask_of_each_run(masks: RunLengthMasks) -> IntArray:
    return np.repeat(np.arange(len(masks.offsets) - 1, dtype=np.int64), np.diff(masks.offsets))


@kernel(lambda native, masks: RunLengthMasks(*native.union_run_lengths(*masks)))
def union_run_lengths(masks: RunLengthMasks) -> RunLengthMasks:
    """Return the union of all masks, as the only mask of the result."""
    starts, reached = _sweep_runs(masks)
    apart = starts[1:] > reached[:-1]
    some = np.ones(min(len(starts), 1), bool)
    starts, stops = starts[np.concatenate((some, apart))], reached[np.concatenate((apart, some))]
    return RunLengthMasks(np.array([0, len(starts)], np.int64), starts, stops)


@kernel(lambda native, masks: bool(native.self_overlaps(*masks)))
def self_overlaps(masks: RunLengthMasks) -> bool:
    """Return whether any two masks share an element."""
    starts, reached = _sweep_runs(masks)
    return bool(np.any(starts[1:] < reached[:-1]))


def _sweep_runs(masks: RunLengthMasks) -> tuple[IntArray, IntArray]:
    """The runs of all masks by start, and how far those up to each reach."""
    order = np.argsort(masks.starts, kind="stable")
    return masks.starts[order], np.maximum.accumulate(masks.stops[order])


# The compressed strings of COCO, as pycocotools writes them: a number is a sequence of characters '0' + d with
# 0 <= d < 64. Each has five bits, lowest first; bit 32 of d means that the number continues, bit 16 of the last one is
# the sign. From the fourth count on, the difference to the count two before is written instead of the count.
LARGEST_COUNT = (1 << 59) - 1
"""Counts beyond this, and numbers of more than the twelve characters it needs, are rejected as overflow."""
_MOST_CHARACTERS = 12


def _counts_native(native: ModuleType, encoded: Any) -> Any:
    counts = native.decode_coco_counts(encoded) if isinstance(encoded, bytes) else None
    return NotImplemented if counts is None else counts  # the twin says what is wrong, and where


@kernel(_counts_native)
def decode_coco_counts(encoded: bytes) -> IntArray:
    """Decode the counts in a compressed COCO string."""
    if not isinstance(encoded, bytes):
        raise TypeError(f"a compressed mask is {type(encoded).__name__}; expected bytes")
    digits = np.frombuffer(encoded, np.uint8).astype(np.int64) - 48
    foreign = np.flatnonzero((digits < 0) | (digits > 63))
    usable = digits[: foreign[0]] if len(foreign) else digits
    lasts = np.flatnonzero(usable & 32 == 0)
    firsts = np.concatenate(([0], lasts[:-1] + 1))[: len(lasts)]
    lengths = lasts - firsts + 1
    # Faults are reported in the order of the string, so only numbers before one that is too long are checked.
    long = np.flatnonzero(lengths > _MOST_CHARACTERS)
    whole = int(long[0]) if len(long) else len(lasts)
    counts = _coco_counts(_coco_numbers(usable, firsts[:whole], lengths[:whole]))
    _check_coco_counts(counts, firsts)
    rest = int(firsts[whole]) if len(long) else (int(lasts[-1]) + 1 if len(lasts) else 0)
    if len(long) or len(usable) - rest > _MOST_CHARACTERS:
        raise ValueError(f"byte {rest}: overflow, a number of more than {_MOST_CHARACTERS} characters")
    if len(foreign):
        character = bytes([encoded[foreign[0]]])
        raise ValueError(f"byte {foreign[0]}: {character!r} is none of the characters '0' to 'o'")
    if rest < len(usable):
        raise ValueError(f"byte {len(encoded)}: the string ends inside a number")
    return counts


def _coco_numbers(digits: NDArray[np.int64], firsts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.int64]:
    if len(firsts) == 0:
        return np.empty(0, np.int64)
    used = digits[: firsts[-1] + lengths[-1]]
    shifts = 5 * (np.arange(len(used)) - np.repeat(firsts, lengths))
    numbers = np.add.reduceat((used & 31) << shifts, firsts)
    negative = used[firsts + lengths - 1] & 16 != 0
    return numbers - np.where(negative, np.int64(1) << (5 * lengths), 0)


def _coco_counts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    counts = numbers.copy()
    counts[1::2] = np.cumsum(numbers[1::2])
    counts[2::2] = np.cumsum(numbers[2::2])
    return counts


def _check_coco_counts(counts: NDArray[np.int64], firsts: NDArray[np.intp]) -> None:
    # A sum can only wrap after a count that is rejected here, because every number is within 2^59 of zero.
    bad = np.flatnonzero((counts < 0) | (counts > LARGEST_COUNT))
    if len(bad) == 0:
        return
    count = int(counts[bad[0]])
    if count < 0:
        raise ValueError(f"byte {firsts[bad[0]]}: the count becomes {count}; expected 0 or more")
    raise ValueError(f"byte {firsts[bad[0]]}: overflow, the count becomes {count}; expected at most {LARGEST_COUNT}")


def boxes_of_run_lengths(masks: RunLengthMasks, height: int) -> FloatArray:
    """Return x, y, width and height of the smallest box of every mask, zeros for an empty one; columns have ``height``.

    A run that goes over the end of a column covers all rows from its first to its last column.
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
    """Return the elements whose centre is in each box (x, y, width, height), as masks of an image (height, width)."""
    height, width = shape
    low = np.clip(np.ceil(boxes[:, :2] - 0.5), 0, (width, height)).astype(np.int64)
    high = np.clip(np.ceil(boxes[:, :2] + boxes[:, 2:] - 0.5), 0, (width, height)).astype(np.int64)
    filled = (high > low).all(axis=1)
    whole = filled & (low[:, 1] == 0) & (high[:, 1] == height)  # its columns touch each other: one run
    n_runs = np.where(whole, 1, np.where(filled, high[:, 0] - low[:, 0], 0))
    offsets = np.concatenate(([0], np.cumsum(n_runs)))
    box = np.repeat(np.arange(len(boxes)), n_runs)
    column = low[box, 0] + np.arange(box.size) - offsets[box]
    stops = np.where(whole[box], high[box, 0] * height, column * height + high[box, 1])
    return RunLengthMasks(offsets.astype(np.int64), column * height + low[box, 1], stops)
