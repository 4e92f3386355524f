"""Read the labels of a PNG file in one step, without the interpreter lock, so that threads read images side by side.

There is no numpy twin: where the kernel cannot be used, or a file is unusual, the file is read step by step with the
kernels of :mod:`segmetry.kernels.png_labels`, which gives the same labels.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry.kernels.backend import native
from segmetry.kernels.label_run_lengths import LabelRunLengths


class PngStretches(NamedTuple):
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
    path: str, colours: int, most_pixels: int, least_mean_stretch: int, *, follow_links: bool = True
) -> PngStretches | NDArray[Any] | None:
    """Return the labels of a file; None if it cannot be read, is damaged, or is not of a common kind.

    Common kinds are 8 or 16 bits of grey, and 8 bits of palette indices or colours, not interlaced. ``colours`` are
    bits, 1 << the colour types that are read. An image whose mean stretch of equal labels is shorter than
    ``least_mean_stretch`` is returned as an array. Without ``follow_links`` a link cannot be read; those of folders in
    the path are followed. Nothing is read before :func:`can_read_files` was asked.
    """
    encoded = os.fsencode(path)
    if native is None or b"\0" in encoded:
        return None
    sys.audit("open", path, None, os.O_RDONLY)  # as Python's own functions do
    found = native.png_file_labels(encoded, colours, most_pixels, least_mean_stretch, follow_links)
    if not isinstance(found, tuple):
        return found  # type: ignore[no-any-return]
    shape, bytes_per_pixel, run_lengths, sizes = found
    return PngStretches(shape, bytes_per_pixel, LabelRunLengths(*run_lengths), sizes)
