"""HDF5: label arrays in a file, one item for each integer array with at least one axis, named by its path.

Of a file in the layout of CREMI the labels of neurons are read, and not the raw volume or the clefts beside them.

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

from segmetry._base import import_optional, translate_errors
from segmetry.errors import EmptyInputError, FormatError
from segmetry.readers.items import Item, within
from segmetry.readers.label_reading import ARRAY, LABEL_OPTIONS, chosen_arrays, read_labels
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Segmentation
from segmetry.storage import Edges, Region, StoredArray, planes, regular_edges

_MAGIC = b"\x89HDF\r\n\x1a\n"
_DEFLATE, _SHUFFLE, _FLETCHER = 1, 2, 3
_FILTERS = {_DEFLATE: "deflate", _SHUFFLE: "shuffle", _FLETCHER: "Fletcher 32"}
_SUM = 4  # bytes of a checksum
DEEPEST = 16  # hard links may form a cycle of groups, whose paths never end


def _load_array(path: Path, name: str, options: ReadOptions) -> Segmentation:
    return read_labels(Hdf5Array.of(path, name, options), options)


def _array_names(h5py: Any, group: Any, before: str, path: Path, depth: int) -> Iterator[str]:
    """Yield the paths of all numeric arrays stored in this file itself."""
    if depth > DEEPEST:
        raise FormatError(f"{path}: groups are nested deeper than {DEEPEST} levels, or in a cycle")
    for name in group:
        link = group.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise FormatError(f"{path}: {before + name!a} is a link to somewhere else, which is not followed")
        member = group[name]
        if isinstance(member, h5py.Group):
            yield from _array_names(h5py, member, f"{before}{name}/", path, depth + 1)
        elif isinstance(member, h5py.Dataset) and member.dtype.kind in "biuf" and member.ndim:
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
        """Return the array of that name, checked except for the content of its chunks, which is checked on reading."""
        with _opened_hdf5(path) as file:
            shape, chunks, filters = _checked_layout(file[name], f"{path}:{name}", options)
            edges = planes(shape) if chunks is None else regular_edges(shape, chunks)
            return cls(path, name, shape, file[name].dtype, edges, filters)

    def read(self, box: Region) -> NDArray[Any]:
        with _opened_hdf5(self.path) as file:
            if _DEFLATE in self.filters:
                _check_compressed(file[self.name], self.filters, f"{self.path}:{self.name}", box)
            return np.asarray(file[self.name][box])


@contextmanager
def _opened_hdf5(path: Path) -> Iterator[Any]:
    h5py = import_optional("h5py", "reading HDF5", "hdf5")
    with translate_errors(path, "HDF5 file"), h5py.File(path, "r") as file:
        yield file


def _checked_layout(
    dataset: Any, where: str, options: ReadOptions
) -> tuple[tuple[int, ...], tuple[int, ...] | None, list[int]]:
    """Return shape, chunks and filters of an array that can be read safely."""
    shape = tuple(int(length) for length in dataset.shape)
    if 0 in shape:
        raise EmptyInputError(f"{where}: declares shape {shape}; expected at least one element")
    options.check_size(shape, where)
    settings = dataset.id.get_create_plist()
    if dataset.is_virtual or settings.get_external_count():
        raise FormatError(f"{where}: its elements are stored in other files, which are not opened")
    filters = [int(settings.get_filter(at)[0]) for at in range(settings.get_nfilters())]
    for number in filters:
        if number not in _FILTERS or filters.count(number) > 1:
            known = ", ".join(_FILTERS.values())
            raise FormatError(f"{where}: unsupported filter {number} (supported: {known}, each at most once)")
    if dataset.chunks is not None:
        options.check_size(dataset.chunks, f"{where}, one chunk")
    _check_filled(dataset, shape, where)
    if dataset.chunks is not None:
        _check_stored(dataset, filters, where)
    return shape, dataset.chunks, filters


def _check_filled(dataset: Any, shape: tuple[int, ...], where: str) -> None:
    """Raise if chunks were never written: they would read as zeros, and zero is a label."""
    if dataset.chunks is None:
        if dataset.id.get_storage_size() < math.prod(shape) * dataset.dtype.itemsize:
            raise FormatError(f"{where}: its elements were never written, or are cut off")
        return
    needed = math.prod(-(-length // step) for length, step in zip(shape, dataset.chunks, strict=True))
    if dataset.id.get_num_chunks() != needed:
        raise FormatError(f"{where}: {dataset.id.get_num_chunks()} of {needed} chunks were written")


def _applied(filters: list[int], skipped: int) -> list[int]:
    """Return the filters of a chunk, which may skip some by a mask."""
    return [kind for at, kind in enumerate(filters) if not skipped >> at & 1]


def _check_stored(dataset: Any, filters: list[int], where: str) -> None:
    """Compare the sizes of all chunks with that of the file in one pass: a lookup walks over all before it."""
    # Of 96,000 damaged files 7 took all memory before this check: the library allocates what a chunk declares.
    file_size, needed = dataset.file.id.get_filesize(), _chunk_bytes(dataset)

    def check(stored: Any) -> None:
        applied = _applied(filters, stored.filter_mask)
        as_it_is = None if _DEFLATE in applied else needed + _SUM * (_FLETCHER in applied)
        outside = stored.byte_offset is None or stored.byte_offset + stored.size > file_size
        if outside or stored.size != (as_it_is or stored.size):
            expected = f"expected {as_it_is}" if not outside else f"the file has {file_size} bytes"
            raise FormatError(f"{where}: the chunk at {stored.chunk_offset} declares {stored.size} bytes; {expected}")

    dataset.id.chunk_iter(check)


def _chunk_bytes(dataset: Any) -> int:
    return int(math.prod(dataset.chunks) * dataset.dtype.itemsize)


def _check_compressed(dataset: Any, filters: list[int], where: str, box: Region) -> None:
    """Check what the chunks of a box decompress to: the library does not limit it, and drops the rest."""
    starts = [range(part.start // step * step, part.stop, step) for part, step in zip(box, dataset.chunks, strict=True)]
    for place in itertools.product(*starts):
        skipped, compressed = dataset.id.read_direct_chunk(place)
        applied = _applied(filters, skipped)
        if _DEFLATE not in applied:
            continue
        sums = [_SUM * (kind == _FLETCHER) for kind in applied]
        inside, behind = sum(sums[: applied.index(_DEFLATE)]), sum(sums[applied.index(_DEFLATE) :])
        expected = _chunk_bytes(dataset) + inside
        content = zlib.decompressobj().decompress(compressed[: len(compressed) - behind], expected + 1)
        if len(content) != expected:
            size = "more" if len(content) > expected else len(content)
            raise FormatError(f"{where}: the chunk at {place} decompresses to {size} bytes; expected {expected}")


@reads(
    "hdf5",
    "label arrays in HDF5, one item per array",
    (".h5", ".hdf5", ".hdf"),
    signatures=(_MAGIC,),
    extra="hdf5",
    options=(*LABEL_OPTIONS, ARRAY),
    lazy=True,
    isolated=True,
)
def _read_hdf5(path: Path, options: ReadOptions) -> Iterator[Item]:
    h5py = import_optional("h5py", "reading HDF5", "hdf5")
    with _opened_hdf5(path) as file:
        names = sorted(_array_names(h5py, file, "", path, 0))
    if not names:
        raise FormatError(f"{path}: contains no array of integers; expected label arrays")
    names = chosen_arrays(names, options, path)
    for name in names:
        load = partial(_load_array, path, name, options)
        yield Item(path.stem if len(names) == 1 else name, within(str(path), load), named=len(names) > 1)
