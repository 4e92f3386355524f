"""PanNuke: a numpy file of images × height × width × 6, one channel of instances per class, and the background."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from segmetry.errors import DataWarning, FormatError, LabelTypeError
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import BORDER, MIN_SIZE
from segmetry.readers.labels.label_reading import kept_segments
from segmetry.readers.npy_file import CLASS_CHANNELS, mapped_array, stacked_channels
from segmetry.readers.options import ReadOptions
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray

CLASS_NAMES = ("Neoplastic", "Inflammatory", "Connective", "Dead", "Non-Neoplastic")
"""The classes of the first five channels; the last channel is the background."""


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    stack = mapped_array(path, options)
    if stack.ndim != 4 or stack.shape[3] != CLASS_CHANNELS:
        raise FormatError(f"{path}: shape {stack.shape}; expected (images, height, width, 6): a channel per class")
    for at in range(len(stack)):
        yield Item(f"{at:05}", partial(_image, path, options, at), named=True)


def _image(path: Path, options: ReadOptions, at: int) -> Segmentation:
    nuclei = from_channels(np.asarray(mapped_array(path, options)[at]), f"{path}: image {at}")
    return kept_segments(nuclei, options)


def from_channels(channels: NDArray[Any], where: str) -> LabelArray:
    """Return the nuclei of all classes; a pixel of several channels belongs to the last one.

    >>> image = np.zeros((1, 2, 6))
    >>> image[0, 0, 0], image[0, 1, 3] = 7, 7
    >>> nuclei = from_channels(image, "an image")
    >>> nuclei.labels.tolist(), nuclei.classes
    ([[1, 2]], {1: 'Neoplastic', 2: 'Dead'})
    """
    values = channels[..., : len(CLASS_NAMES)]
    if values.dtype.kind == "f" and not np.array_equal(values, np.rint(values)):
        raise LabelTypeError(f"{where}: contains numbers that are not integers; expected instance ids")
    labels = np.zeros(values.shape[:2], dtype=np.int64)
    classes: dict[int, str] = {}
    claimed = 0
    for channel, name in enumerate(CLASS_NAMES):
        ids, codes = np.unique(values[..., channel], return_inverse=True)
        plane = (codes.reshape(labels.shape) + len(classes) + (ids[0] != 0)) * (values[..., channel] != 0)
        claimed += int(np.count_nonzero((plane > 0) & (labels > 0)))
        labels = np.where(plane > 0, plane, labels)
        classes.update(dict.fromkeys(range(len(classes) + 1, len(classes) + 1 + int(np.count_nonzero(ids))), name))
    if claimed:
        warnings.warn(
            f"{where}: {claimed} pixels belong to several classes; the last one has them", DataWarning, stacklevel=2
        )
    left = set(np.unique(labels).tolist())
    return LabelArray(labels, classes={label: name for label, name in classes.items() if label in left})


declare_reader(
    Reader(
        name="pannuke",
        summary="PanNuke: masks.npy with a channel of instances for each class",
        extensions=(".npy",),
        sniff=lambda _path, head: stacked_channels(head) == CLASS_CHANNELS,
        signatures=(MAGIC_PREFIX,),
        read=_read,
        options=(MIN_SIZE, BORDER),
        lazy=True,
    )
)
