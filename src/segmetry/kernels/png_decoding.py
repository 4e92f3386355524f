"""Decode the inflated rows of a PNG image into labels: undo the filters, join the bytes of a pixel to one number.

A row begins with the number of its filter. A filter has replaced every byte by its difference, modulo 256, from a
prediction: 0 nothing, 1 the byte to the left, 2 the byte above, 3 their mean, 4 whichever of left, above and above left
is nearest to left + above - above left (PNG specification, third edition, section 9.2).

``png_file_labels`` reads a file in one step, without the interpreter lock, so that threads read images side by side. It
has no numpy twin: where it cannot be used, or a file is unusual, the file is read step by step with the other kernels,
which gives the same labels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray
from segmetry.kernels.backend import kernel, native, numpy_twin
from segmetry.kernels.pairs import LabelRunLengths, PairsOfItems, label_run_lengths

LABELS: dict[int, type[np.unsignedinteger[Any]]] = {1: np.uint8, 2: np.uint16, 3: np.uint32}
"""The type of labels by bytes per pixel: grey values or palette indices, 16-bit grey values, colours."""


def _labels_native(
    native: ModuleType, rows: bytes | bytearray, shape: tuple[int, int], bytes_per_pixel: int
) -> NDArray[Any] | None:
    _check_size(rows, shape, bytes_per_pixel)
    labels = np.empty(shape, LABELS[bytes_per_pixel])
    return labels if native.png_labels(np.frombuffer(rows, np.uint8), labels) else None


@kernel(_labels_native)
def png_labels(rows: bytes | bytearray, shape: tuple[int, int], bytes_per_pixel: int) -> NDArray[Any] | None:
    """Return the labels of an image; None if a row names a filter that PNG does not have.

    One byte per pixel is the label itself, two are a number with the high byte first, three are R + 256·G + 65536·B.
    """
    _check_size(rows, shape, bytes_per_pixel)
    height, width = shape
    filtered = np.frombuffer(rows, np.uint8).reshape(height, 1 + bytes_per_pixel * width)
    if np.any(filtered[:, 0] > 4):
        return None
    pixels = filtered[:, 1:].reshape(height, width, bytes_per_pixel).copy()
    above = np.zeros((width, bytes_per_pixel), np.uint8)
    for kind, row in zip(filtered[:, 0].tolist(), pixels, strict=True):
        if kind == 1:
            np.cumsum(row, axis=0, dtype=np.uint8, out=row)
        elif kind == 2:
            row += above
        elif kind in (3, 4):
            _undo_from_left(row, above, kind)
        above = row
    high_first = bytes_per_pixel == 2
    shifts = [8 * (bytes_per_pixel - 1 - index if high_first else index) for index in range(bytes_per_pixel)]
    wide = pixels.astype(np.uint32) << np.array(shifts, np.uint32)
    labels: NDArray[Any] = np.bitwise_or.reduce(wide, axis=2).astype(LABELS[bytes_per_pixel])
    return labels


def _run_lengths_native(
    native: ModuleType, rows: bytes | bytearray, shape: tuple[int, int], bytes_per_pixel: int, most: int
) -> LabelRunLengths | None:
    _check_size(rows, shape, bytes_per_pixel)
    arrays = native.png_run_lengths(np.frombuffer(rows, np.uint8), *shape, bytes_per_pixel, most)
    return None if arrays is None else LabelRunLengths(*arrays)


@kernel(_run_lengths_native)
def png_run_lengths(
    rows: bytes | bytearray, shape: tuple[int, int], bytes_per_pixel: int, most: int
) -> LabelRunLengths | None:
    """Return the run lengths of an image; None if there are more than ``most``, or a row names an unknown filter."""
    labels = numpy_twin(png_labels)(rows, shape, bytes_per_pixel)
    run_lengths = None if labels is None else label_run_lengths(labels)
    return None if run_lengths is None or len(run_lengths.stops) > most else run_lengths


def _check_size(rows: bytes | bytearray, shape: tuple[int, int], bytes_per_pixel: int) -> None:
    needed = shape[0] * (1 + bytes_per_pixel * shape[1])
    if len(rows) != needed:
        raise ValueError(f"rows have {len(rows)} bytes; expected {needed}")


def _undo_from_left(row: NDArray[np.uint8], above: NDArray[np.uint8], kind: int) -> None:
    """Undo the two filters in which a pixel depends on the one before it and a sum over the row does not suffice."""
    left = corner = np.zeros(row.shape[1], np.int64)
    for x, over in enumerate(above.astype(np.int64)):
        if kind == 3:
            predicted = (left + over) // 2
        else:
            to_left, to_over, to_corner = abs(over - corner), abs(left - corner), abs(left + over - 2 * corner)
            other = np.where(to_over <= to_corner, over, corner)
            predicted = np.where((to_left <= to_over) & (to_left <= to_corner), left, other)
        row[x] = (row[x] + predicted) % 256
        left, corner = row[x].astype(np.int64), over


class PngRuns(NamedTuple):
    """An image as run lengths of equal labels; ``sizes`` are the labels that occur and their numbers of pixels."""

    shape: tuple[int, int]
    bytes_per_pixel: int
    run_lengths: LabelRunLengths
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]]


@cache
def can_read_files() -> bool:
    """Return whether there is a native kernel, and the package deflate, which inflates for it, exports libdeflate."""
    if native is None:
        return False
    try:
        module = import_module("deflate._deflate")
    except ImportError:
        return False
    return bool(native.load_libdeflate(module.__file__))


def png_file_labels(
    path: str, colours: int, most_pixels: int, least_mean_run: int, *, follow_links: bool = True
) -> PngRuns | NDArray[Any] | None:
    """Return the labels of a file; None if it cannot be read, is damaged, or is not of a common kind.

    Common kinds are 8 or 16 bits of grey, and 8 bits of palette indices or colours, not interlaced. ``colours`` are
    bits, 1 << the colour types that are read. An image whose mean run of equal labels is shorter than
    ``least_mean_run`` is returned as an array. Without ``follow_links`` a link cannot be read; those of folders in
    the path are followed. Nothing is read before :func:`can_read_files` was called.
    """
    encoded = os.fsencode(path)
    if native is None or b"\0" in encoded:
        return None
    sys.audit("open", path, None, os.O_RDONLY)  # as Python's own functions do
    found = native.png_file_labels(encoded, colours, most_pixels, least_mean_run, follow_links)
    if not isinstance(found, tuple):
        return found  # type: ignore[no-any-return]
    shape, bytes_per_pixel, run_lengths, sizes = found
    return PngRuns(shape, bytes_per_pixel, LabelRunLengths(*run_lengths), sizes)


def count_png_pairs(
    true: Sequence[str],
    pred: Sequence[str],
    colours: tuple[int, int],
    most_pixels: int,
    least_mean_run: int,
    *,
    follow_links: bool = True,
    threads: int = 1,
) -> tuple[PairsOfItems, IntArray] | None:
    """Return the label pairs of pairs of files, counted while they are read, and the shapes of the images.

    A pair whose shape is (0, 0) was not read: its files are not of common kinds (see :func:`png_file_labels`), damaged,
    or of different shapes, or one has runs shorter than ``least_mean_run``. The lock is released once for all of them,
    and ``threads`` take one pair after the other. None where nothing can be read in this way.
    """
    encoded = [[os.fsencode(path) for path in side] for side in (true, pred)]
    if native is None or any(b"\0" in path for side in encoded for path in side):
        return None
    for path in (*true, *pred):
        sys.audit("open", path, None, os.O_RDONLY)  # as Python's own functions do
    found = native.count_png_pairs(*encoded, *colours, most_pixels, least_mean_run, follow_links, threads)
    return None if found is None else (PairsOfItems(*found[0]), found[1].reshape(-1, 2))
