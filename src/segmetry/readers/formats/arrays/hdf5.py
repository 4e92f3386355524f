"""HDF5: label arrays in a file, one item for each integer array with at least one axis, called by its path.

Links to other files and other data sets are not followed, and filters that are not part of HDF5 are not loaded.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import import_optional, translate_errors
from segmetry.errors import EmptyInputError, FormatError
from segmetry.readers.items import Item, within
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.label_options import LABEL_OPTIONS, label_arguments
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.labels import LabelArray
from segmetry.storage.stored_arrays import Edges, Region, StoredArray, planes, regular_edges

_MAGIC = b"\x89HDF\r\n\x1a\n"
_DEFLATE, _SHUFFLE, _FLETCHER = 1, 2, 3
_FILTERS = {_DEFLATE: "deflate", _SHUFFLE: "shuffle", _FLETCHER: "Fletcher 32"}
_SUM = 4  # bytes of a checksum
DEEPEST = 16


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    h5py = import_optional("h5py", "reading HDF5", "hdf5")
    with translate_errors(path, "HDF5 file"), h5py.File(path, "r") as file:
        names = sorted(_arrays(h5py, file, "", path, 0))
    if not names:
        raise FormatError(f"{path}: holds no array of integers; expected label arrays")
    for name in names:
        load = partial(_labels, path, name, options)
        yield Item(path.stem if len(names) == 1 else name, within(str(path), load), named=len(names) > 1)


def _labels(path: Path, name: str, options: ReadOptions) -> LabelArray:
    return LabelArray(Hdf5Array.of(path, name, options), **label_arguments(options))


def _arrays(h5py: Any, group: Any, before: str, path: Path, depth: int) -> Iterator[str]:
    """The paths of all arrays of integers that lie in this file itself."""
    if depth > DEEPEST:
        raise FormatError(f"{path}: groups lie deeper than {DEEPEST} levels, or in a circle")
    for name in group:
        link = group.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise FormatError(f"{path}: {before + name!a} is a link to somewhere else, which is not followed")
        found = group[name]
        if isinstance(found, h5py.Group):
            yield from _arrays(h5py, found, f"{before}{name}/", path, depth + 1)
        elif isinstance(found, h5py.Dataset) and found.dtype.kind in "biuf" and found.ndim:
            yield before + name


@dataclass(frozen=True, eq=False)
class Hdf5Array(StoredArray):
    """An array in an HDF5 file, which is opened for each read."""

    path: Path
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges
    filters: list[int]

    @classmethod
    def of(cls, path: Path, name: str, options: ReadOptions) -> Hdf5Array:
        """The array of that name, checked but for the content of its chunks, which is checked as they are read."""
        with _opened(path) as file:
            shape, chunks, filters = _checked(file[name], f"{path}:{name}", options)
            edges = planes(shape) if chunks is None else regular_edges(shape, chunks)
            return cls(path, name, shape, file[name].dtype, edges, filters)

    def read(self, box: Region) -> NDArray[Any]:
        with _opened(self.path) as file:
            if _DEFLATE in self.filters:
                _check_packed(file[self.name], self.filters, f"{self.path}:{self.name}", box)
            return np.asarray(file[self.name][box])


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    h5py = import_optional("h5py", "reading HDF5", "hdf5")
    with translate_errors(path, "HDF5 file"), h5py.File(path, "r") as file:
        yield file


def _checked(found: Any, where: str, options: ReadOptions) -> tuple[tuple[int, ...], tuple[int, ...] | None, list[int]]:
    """The shape, the chunks and the filters of an array that can be read safely."""
    shape = tuple(int(length) for length in found.shape)
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {shape}; expected at least one element")
    options.check_size(shape, where)
    settings = found.id.get_create_plist()
    if found.is_virtual or settings.get_external_count():
        raise FormatError(f"{where}: its elements lie in other files, which are not opened")
    filters = [int(settings.get_filter(at)[0]) for at in range(settings.get_nfilters())]
    for number in filters:
        if number not in _FILTERS or filters.count(number) > 1:
            known = ", ".join(_FILTERS.values())
            raise FormatError(f"{where}: unsupported filter {number} (supported: {known}, each at most once)")
    if found.chunks is not None:
        options.check_size(found.chunks, f"{where}, one chunk")
    _check_filled(found, shape, where)
    return shape, found.chunks, filters


def _check_filled(found: Any, shape: tuple[int, ...], where: str) -> None:
    """Refuse chunks that were never written: they would read as zeros, and zero is a label."""
    if found.chunks is None:
        if found.id.get_storage_size() < math.prod(shape) * found.dtype.itemsize:
            raise FormatError(f"{where}: its elements were never written, or are cut off")
        return
    needed = math.prod(-(-length // step) for length, step in zip(shape, found.chunks, strict=True))
    if found.id.get_num_chunks() != needed:
        raise FormatError(f"{where}: {found.id.get_num_chunks()} of {needed} chunks were written")


def _check_packed(found: Any, filters: list[int], where: str, box: Region) -> None:
    """Unpack the chunks of a box into no more than they may hold: the library unpacks whatever comes, and forgets the
    rest.
    """
    at_deflate = filters.index(_DEFLATE)
    checked = filters.index(_FLETCHER) if _FLETCHER in filters else None
    needed = math.prod(found.chunks) * found.dtype.itemsize
    starts = [range(part.start // step * step, part.stop, step) for part, step in zip(box, found.chunks, strict=True)]
    for place in itertools.product(*starts):
        skipped, content = found.id.read_direct_chunk(place)
        if skipped >> at_deflate & 1:
            continue
        sum_inside = checked is not None and checked < at_deflate and not skipped >> checked & 1
        sum_behind = checked is not None and checked > at_deflate and not skipped >> checked & 1
        whole = needed + _SUM * sum_inside
        machine = zlib.decompressobj()
        unpacked = machine.decompress(content[: len(content) - _SUM * sum_behind], whole + 1)
        if len(unpacked) != whole:
            told = "more" if len(unpacked) > whole else len(unpacked)
            raise FormatError(f"{where}: the chunk at {place} unpacks to {told} bytes; expected {whole}")


declare_reader(
    Reader(
        name="hdf5",
        summary="label arrays in HDF5, one item per array",
        extensions=(".h5", ".hdf5"),
        sniff=lambda _path, head: head.startswith(_MAGIC),
        read=_read,
        extra="hdf5",
        options=LABEL_OPTIONS,
        lazy=True,
    )
)
