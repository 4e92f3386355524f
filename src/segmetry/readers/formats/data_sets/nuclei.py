"""Nuclei with classes: numpy files of CoNIC and PanNuke, MATLAB files of HoVer-Net.

CoNIC is an array of images × height × width × 2, the instance and the class of every pixel; PanNuke one of images ×
height × width × 6, one channel of instances per class, and the background: ``masks.npy``, or its folder. ``types.npy``
beside it has the tissue of each image (``--by tissue``).

HoVer-Net: ``inst_map``, the instance of every pixel, and ``inst_type``, the class of each instance. Files of MATLAB 5
to 7 are read by scipy, the two or three variables alone; objects and functions in them never are. ``inst_uid`` lists
the instances that ``inst_type`` is about; without it they are all instances in ascending order.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from numpy.typing import NDArray

from segmetry._base import translate_errors
from segmetry.errors import DataWarning, FormatError, LabelTypeError
from segmetry.readers.formats.arrays.npy import CLASS_CHANNELS, INSTANCE_AND_CLASS, array_in_file, stacked_channels
from segmetry.readers.items import Item
from segmetry.readers.label_reading import ARRAY, BORDER, MIN_SIZE, chosen_arrays, kept_segments
from segmetry.readers.parts.file_head import opened, read_head
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import LabelArray, Segmentation

CONIC_CLASSES: dict[Hashable, str] = dict(
    enumerate(("neutrophil", "epithelial", "lymphocyte", "plasma", "eosinophil", "connective"), 1)
)


def _stacked_items(
    path: Path, options: ReadOptions, channels: int, words: str, make: Callable[..., LabelArray], **facts: Any
) -> Iterator[Item]:
    """Yield the images of a stack, numbered from 0; ``make`` makes a segmentation of the channels of one."""
    stack = array_in_file(path, options)
    if stack.ndim != 4 or stack.shape[3] != channels:
        raise FormatError(f"{path}: shape {stack.shape}; expected (images, height, width, {channels}): {words}")
    if channels == INSTANCE_AND_CLASS and stack.dtype.kind not in "iu":
        raise LabelTypeError(f"{path}: contains {stack.dtype}; expected integers")
    for at in range(stack.shape[0]):
        yield Item(f"{at:05}", partial(_load_image, path, options, at, make), named=True, **facts)


def _load_image(path: Path, options: ReadOptions, at: int, make: Callable[..., LabelArray]) -> Segmentation:
    stack = array_in_file(path, options)
    channels = stack.read((slice(at, at + 1), *(slice(0, length) for length in stack.shape[1:])))[0]
    return kept_segments(make(channels, f"{path}: image {at}"), options)


def from_instances(channels: NDArray[Any], where: str) -> LabelArray:
    """Return the nuclei of an image of instances and classes."""
    instances, types = np.moveaxis(channels, -1, 0)
    return LabelArray(instances, classes=classes_of(instances, types, where))


def classes_of(instances: NDArray[Any], types: NDArray[Any], where: str) -> dict[int, int]:
    """Return the class of every instance; pixels of another class in one instance are an error."""
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


@reads(
    "conic",
    "CoNIC: instance and class of every pixel in a numpy file of images",
    (".npy",),
    sniff=lambda _path, head: stacked_channels(head) == INSTANCE_AND_CLASS,
    signatures=(MAGIC_PREFIX,),
    options=(MIN_SIZE, BORDER),
    lazy=True,
)
def _read_conic(path: Path, options: ReadOptions) -> Iterator[Item]:
    facts = {"class_names": CONIC_CLASSES}
    return _stacked_items(path, options, INSTANCE_AND_CLASS, "instance and class", from_instances, **facts)


PANNUKE_CLASSES = ("Neoplastic", "Inflammatory", "Connective", "Dead", "Non-Neoplastic")
"""The classes of the first five channels; the last channel is the background."""


def from_channels(channels: NDArray[Any], where: str) -> LabelArray:
    """Return the nuclei of all classes; a pixel of several channels belongs to the last one."""
    values = channels[..., : len(PANNUKE_CLASSES)]
    if values.dtype.kind == "f" and not np.array_equal(values, np.rint(values)):
        raise LabelTypeError(f"{where}: contains numbers that are not integers; expected instance ids")
    labels = np.zeros(values.shape[:2], dtype=np.int64)
    classes: dict[int, str] = {}
    claimed = 0
    for channel, name in enumerate(PANNUKE_CLASSES):
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


def _masks_file(path: Path) -> Path:
    return path / "masks.npy" if path.is_dir() else path


def is_pannuke_folder(path: Path) -> bool:
    """Return whether a folder contains the masks of PanNuke."""
    masks = _masks_file(path)
    return masks != path and masks.is_file() and stacked_channels(read_head(masks)) == CLASS_CHANNELS


@reads(
    "pannuke",
    "PanNuke: masks.npy with a channel of instances for each class, or its folder",
    (".npy", "/"),
    sniff=lambda path, head: stacked_channels(head) == CLASS_CHANNELS or is_pannuke_folder(path),
    signatures=(MAGIC_PREFIX,),
    options=(MIN_SIZE, BORDER),
    lazy=True,
    inside=lambda path, _options: [_masks_file(path)],
)
def _read_pannuke(path: Path, options: ReadOptions) -> Iterator[Item]:
    return _stacked_items(_masks_file(path), options, CLASS_CHANNELS, "a channel per class", from_channels)


MAP, TYPES, IDS = "inst_map", "inst_type", "inst_uid"
_MAGIC, _HDF5 = b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"
_HEADER, _COMPRESSED, _BYTES, _FRAME, _PIECE = 128, 15, 8, 1024, 2**16
"""The length of the header, the kind of a compressed variable, bytes of a number, room for tags, and of one piece."""
_NUMBERS = {"double", "single", "logical", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}


def _load_variables(path: Path, options: ReadOptions) -> dict[str, NDArray[Any]]:
    """Return the arrays of the file that are read, after a look at their declared shapes."""
    from scipy.io import loadmat, whosmat

    with translate_errors(path, "MATLAB file"):
        _check_packed(path, _BYTES * options.most_elements + _FRAME)
        declared = {name: (shape, kind) for name, shape, kind in _call_scipy(path, whosmat)}
        chosen_arrays(sorted(declared), options, path)  # an error if there is none of the name that is stated
        stated = options[ARRAY]
        if stated is None and MAP not in declared:
            listed = ", ".join(f"{name!a}" for name in sorted(declared)[:5]) or "none"
            raise FormatError(
                f"{path}: has no variable {MAP}; found {listed[:80]}; {ARRAY.flag_of(options.side)} names another"
            )
        names = [name for name in (MAP, TYPES, IDS) if name in declared] if stated is None else [stated]
        for name in names:
            shape, kind = declared[name]
            if kind not in _NUMBERS:
                raise LabelTypeError(f"{path}: {name} is a {kind}; expected an array of numbers")
            options.check_size(tuple(shape), f"{path}: {name}")
        loaded = _call_scipy(path, partial(loadmat, variable_names=names))
    return {name: np.asarray(loaded[name]) for name in names}


def _call_scipy(path: Path, load: Callable[[str], Any]) -> Any:
    """Call a function of scipy, which trusts the lengths inside a variable and may allocate any memory."""
    try:
        return load(str(path))
    except MemoryError:
        raise FormatError(f"{path}: a variable declares more than the file contains: it is damaged") from None


def _check_packed(path: Path, most: int) -> None:
    """Raise an error for a compressed variable of more bytes, before scipy decompresses it; piece by piece."""
    n_bytes = path.stat().st_size
    with opened(path) as file:
        order = "<" if file.read(_HEADER)[-2:] == b"IM" else ">"
        while len(tag := file.read(8)) == 8:
            kind, length = struct.unpack(f"{order}II", tag)
            if length > n_bytes - file.tell():
                raise FormatError(f"{path}: a variable declares {length} bytes: the file is cut off or damaged")
            if kind != _COMPRESSED:
                file.seek(length, 1)
            elif _unpacked_size(file.read(length), most) > most:
                raise FormatError(f"{path}: a variable decompresses to more bytes than the budget of elements allows")


def _unpacked_size(packed: bytes, most: int) -> int:
    """Return the number of bytes that a variable decompresses to, or more than ``most``."""
    stream, size = zlib.decompressobj(), 0
    while packed and size <= most:
        size += len(stream.decompress(packed, _PIECE))
        packed = stream.unconsumed_tail
    return size


def _as_integers(array: NDArray[Any], where: str) -> NDArray[np.int64]:
    """Return numbers as integers; MATLAB stores integers as floats."""
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all() or not (array == np.rint(array)).all():
        raise LabelTypeError(f"{where}: contains {array.dtype}; expected integers")
    if array.size and (array.min() < 0 or array.max() >= 2**53):
        raise LabelTypeError(f"{where}: contains numbers outside 0 to 2^53; expected ids")
    return array.astype(np.int64)


def _instance_classes(labels: NDArray[np.int64], variables: dict[str, NDArray[Any]], path: Path) -> dict[int, int]:
    types = _as_integers(variables[TYPES].ravel(), f"{path}: {TYPES}").tolist()
    present = [label for label in np.unique(labels).tolist() if label]
    ids = _as_integers(variables[IDS].ravel(), f"{path}: {IDS}").tolist() if IDS in variables else present
    if len(ids) != len(types):
        raise FormatError(f"{path}: {TYPES} has {len(types)} entries for {len(ids)} instances; expected one for each")
    known = dict(zip(ids, types, strict=True))
    for label in present:
        if label not in known:
            raise FormatError(f"{path}: {IDS} does not list instance {label}; expected all instances of {MAP}")
    return {label: known[label] for label in present}


@reads(
    "hover-net-mat",
    "HoVer-Net: instances and their classes in a MATLAB file (inst_map, inst_type)",
    (".mat",),
    signatures=(_MAGIC, _HDF5),
    options=(MIN_SIZE, BORDER, ARRAY),
    isolated=True,
)
def _read_mat(path: Path, options: ReadOptions) -> Iterator[Item]:
    if read_head(path).startswith(_HDF5):
        raise FormatError(f"{path}: a MATLAB 7.3 file, which is HDF5; expected one of MATLAB 5 to 7 (-v7)")
    variables = _load_variables(path, options)
    name = options[ARRAY] or MAP
    labels = _as_integers(variables[name], f"{path}: {name}")
    if labels.ndim != 2 or not labels.size:
        raise FormatError(f"{path}: {name} has the shape {labels.shape}; expected an image")
    classes = _instance_classes(labels, variables, path) if TYPES in variables else None
    yield Item(path.stem, kept_segments(LabelArray(labels, classes=classes), options))
