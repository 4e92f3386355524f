"""MATLAB files of HoVer-Net: ``inst_map``, the instance of every pixel, and ``inst_type``, the class of each instance.

Files of MATLAB 5 to 7 are read by scipy, the two or three variables alone; objects and functions in them never are.
``inst_uid`` lists the instances that ``inst_type`` is about; without it they are all instances in ascending order.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError, LabelTypeError
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import BORDER, MIN_SIZE
from segmetry.readers.labels.label_reading import kept_segments
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.file_head import opened, read_head
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray

MAP, TYPES, IDS = "inst_map", "inst_type", "inst_uid"
_MAGIC, _HDF5 = b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"
_HEADER, _COMPRESSED, _BYTES, _FRAME, _PIECE = 128, 15, 8, 1024, 2**16
"""The length of the header, the kind of a compressed variable, bytes of a number, room for tags, and of one piece."""
_NUMBERS = {"double", "single", "logical", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))}


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    if read_head(path).startswith(_HDF5):
        raise FormatError(f"{path}: a MATLAB 7.3 file, which is HDF5; expected one of MATLAB 5 to 7 (-v7)")
    variables = _variables(path, options)
    labels = _integers(variables[MAP], f"{path}: {MAP}")
    if labels.ndim != 2 or not labels.size:
        raise FormatError(f"{path}: {MAP} has the shape {labels.shape}; expected an image")
    classes = _classes(labels, variables, path) if TYPES in variables else None
    yield Item(path.stem, kept_segments(LabelArray(labels, classes=classes), options))


def _variables(path: Path, options: ReadOptions) -> dict[str, NDArray[Any]]:
    """Return the arrays of the file that are read, after a look at their declared shapes."""
    from scipy.io import loadmat, whosmat

    with translate_errors(path, "MATLAB file"):
        _check_packed(path, _BYTES * options.most_elements + _FRAME)
        declared = {name: (shape, kind) for name, shape, kind in _trusting(path, whosmat)}
        wanted = [name for name in (MAP, TYPES, IDS) if name in declared]
        if MAP not in declared:
            listed = ", ".join(f"{name!a}" for name in sorted(declared)[:5]) or "none"
            raise FormatError(f"{path}: has no variable {MAP}; found {listed[:80]}")
        for name in wanted:
            shape, kind = declared[name]
            if kind not in _NUMBERS:
                raise LabelTypeError(f"{path}: {name} is a {kind}; expected an array of numbers")
            options.check_size(tuple(shape), f"{path}: {name}")
        loaded = _trusting(path, partial(loadmat, variable_names=wanted))
    return {name: np.asarray(loaded[name]) for name in wanted}


def _trusting(path: Path, load: Callable[[str], Any]) -> Any:
    """Call a function of scipy, which trusts the lengths inside a variable and may ask for any memory."""
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


def _integers(array: NDArray[Any], where: str) -> NDArray[np.int64]:
    """Return numbers as integers; MATLAB stores integers as floats."""
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all() or not (array == np.rint(array)).all():
        raise LabelTypeError(f"{where}: contains {array.dtype}; expected integers")
    if array.size and (array.min() < 0 or array.max() >= 2**53):
        raise LabelTypeError(f"{where}: contains numbers outside 0 to 2^53; expected ids")
    return array.astype(np.int64)


def _classes(labels: NDArray[np.int64], variables: dict[str, NDArray[Any]], path: Path) -> dict[int, int]:
    types = _integers(variables[TYPES].ravel(), f"{path}: {TYPES}").tolist()
    present = [label for label in np.unique(labels).tolist() if label]
    ids = _integers(variables[IDS].ravel(), f"{path}: {IDS}").tolist() if IDS in variables else present
    if len(ids) != len(types):
        raise FormatError(f"{path}: {TYPES} has {len(types)} entries for {len(ids)} instances; expected one for each")
    known = dict(zip(ids, types, strict=True))
    for label in present:
        if label not in known:
            raise FormatError(f"{path}: {IDS} does not list instance {label}; expected all instances of {MAP}")
    return {label: known[label] for label in present}


declare_reader(
    Reader(
        name="hover-net-mat",
        summary="HoVer-Net: instances and their classes in a MATLAB file (inst_map, inst_type)",
        extensions=(".mat",),
        sniff=lambda _path, head: head.startswith((_MAGIC, _HDF5)),
        signatures=(_MAGIC, _HDF5),
        read=_read,
        options=(MIN_SIZE, BORDER),
    )
)
