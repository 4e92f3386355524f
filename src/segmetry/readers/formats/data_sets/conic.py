"""CoNIC: a numpy file of images × height × width × 2, the instance and the class of every pixel."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from segmetry.errors import FormatError, LabelTypeError
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import BORDER, MIN_SIZE
from segmetry.readers.labels.label_reading import kept_segments
from segmetry.readers.npy_file import INSTANCE_AND_CLASS, mapped_array, stacked_channels
from segmetry.readers.options import ReadOptions
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray

CLASS_NAMES: dict[Hashable, str] = {
    1: "neutrophil",
    2: "epithelial",
    3: "lymphocyte",
    4: "plasma",
    5: "eosinophil",
    6: "connective",
}


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    stack = mapped_array(path, options)
    if stack.ndim != 4 or stack.shape[3] != INSTANCE_AND_CLASS:
        raise FormatError(f"{path}: shape {stack.shape}; expected (images, height, width, 2): instance and class")
    if stack.dtype.kind not in "iu":
        raise LabelTypeError(f"{path}: contains {stack.dtype}; expected integers")
    for at in range(len(stack)):
        load = partial(_image, path, options, at)
        yield Item(f"{at:05}", load, named=True, class_names=CLASS_NAMES)


def _image(path: Path, options: ReadOptions, at: int) -> Segmentation:
    instances, types = np.moveaxis(np.asarray(mapped_array(path, options)[at]), -1, 0)
    nuclei = LabelArray(instances, classes=classes_of(instances, types, f"{path}: image {at}"))
    return kept_segments(nuclei, options)


def classes_of(instances: NDArray[Any], types: NDArray[Any], where: str) -> dict[int, int]:
    """Return the class of every instance; pixels of another class in one instance are an error.

    >>> classes_of(np.array([[0, 1, 1, 2]]), np.array([[0, 3, 3, 1]]), "an image")
    {1: 3, 2: 1}
    """
    inside = instances != 0
    pairs = np.unique(np.stack((instances[inside], types[inside])).astype(np.int64), axis=1).T.tolist()
    classes: dict[int, int] = {}
    for instance, kind in pairs:
        if instance in classes:
            raise FormatError(
                f"{where}: instance {instance} has pixels of class {classes[instance]} and {kind}; expected one"
            )
        if kind == 0:
            raise FormatError(f"{where}: instance {instance} has the class 0, which is background; expected 1 or more")
        classes[instance] = kind
    return classes


declare_reader(
    Reader(
        name="conic",
        summary="CoNIC: instance and class of every pixel in a numpy file of images",
        extensions=(".npy",),
        sniff=lambda _path, head: stacked_channels(head) == INSTANCE_AND_CLASS,
        signatures=(MAGIC_PREFIX,),
        read=_read,
        options=(MIN_SIZE, BORDER),
        lazy=True,
    )
)
