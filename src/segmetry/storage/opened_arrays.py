"""Arrays that other packages opened, as stored arrays: those of zarr, h5py and dask, and numpy's memory maps."""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import InputError, SegmetryError
from segmetry.storage.stored_arrays import Edges, Region, StoredArray, planes, regular_edges, words_of


@dataclass(frozen=True, eq=False)
class MappedFile(StoredArray):
    """Plain elements one after the other in a file, mapped into memory for each read and let go afterwards."""

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: str = "C"

    @property
    def edges(self) -> Edges:  # type: ignore[override]
        """Whole planes of the axis along which the file is read most slowly."""
        return planes(self.shape) if self.order == "C" else planes(self.shape[::-1])[::-1]

    def read(self, box: Region) -> NDArray[Any]:
        order: Any = self.order
        try:
            mapped = np.memmap(self.path, self.dtype, "r", self.offset, self.shape, order)
        except (OSError, ValueError) as problem:
            raise InputError(f"{self.path}: cannot be read: {problem}") from None
        return np.asarray(mapped[box])


@dataclass(frozen=True, eq=False)
class Indexed(StoredArray):
    """An array of another package (zarr, h5py) that reads what its brackets are given."""

    given: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges
    folder: Path | None = None
    """Where the files of a zarr array lie: zarr takes those of a folder that is not there for chunks of fill values."""

    def read(self, box: Region) -> NDArray[Any]:
        if self.folder is not None:
            self._check_folder(self.folder)
        try:
            return np.asarray(self.given[box])
        except SegmetryError:
            raise
        except Exception as problem:  # noqa: BLE001 - whatever the package raises for a damaged or missing chunk
            told = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise InputError(f"the labels at {words_of(box)} cannot be read: {told}") from None

    def _check_folder(self, folder: Path) -> None:
        from segmetry.storage.zarr.arrays import check_folder, folder_of

        check_folder(folder)
        if folder_of(self.given) != folder:
            raise InputError(
                f"{folder}: the zarr array was opened by a relative path, which leads elsewhere from {Path.cwd()}; "
                "open it by its absolute path"
            )

    def check_sendable(self) -> None:
        """Refuse an HDF5 file that other processes cannot open: one in memory, or one that is being written."""
        if _package(self.given) != "h5py":
            return
        name, mode = self.given.file.filename, self.given.file.mode
        if mode != "r" or not Path(name).is_file():
            raise InputError(
                f"the HDF5 file {name} is open in mode {mode!r}; other processes can read a file on the disk that is "
                "open in mode 'r' only: open it so, or choose the engine threads"
            )

    def __getstate__(self) -> dict[str, Any]:
        """An open HDF5 file travels as its name; a zarr array knows how to travel itself."""
        state = dict(self.__dict__)
        if _package(self.given) == "h5py":
            state["given"] = None
            state["place"] = (Path(self.given.file.filename).absolute(), self.given.name)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Open the file again."""
        place = state.pop("place", None)
        if place is not None:
            import h5py

            state["given"] = h5py.File(place[0], "r")[place[1]]
        self.__dict__.update(state)


@dataclass(frozen=True, eq=False)
class DaskArray(StoredArray):
    """A dask array: its graph is carried out for what is read, by the scheduler dask is set to."""

    given: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges

    def part(self, box: Region) -> Any:
        """A box of it, still lazy."""
        return self.given[box]

    def read(self, box: Region) -> NDArray[Any]:
        return np.asarray(self.part(box).compute())


def as_stored(labels: Any) -> StoredArray | None:
    """Arrays of zarr, h5py and dask and whole memory maps, as stored arrays; None for anything else.

    >>> as_stored(np.zeros(3)) is None
    True
    """
    if isinstance(labels, StoredArray):
        return labels
    if isinstance(labels, np.memmap):
        return _mapped(labels)
    package = _package(labels)
    if package not in ("zarr", "h5py", "dask") or not all(hasattr(labels, name) for name in ("shape", "dtype")):
        return None
    if not hasattr(labels, "chunks"):
        return None
    if any(math.isnan(length) for length in labels.shape):
        raise InputError("labels are a dask array of unknown shape; call compute_chunk_sizes() on it first")
    shape, dtype = tuple(int(length) for length in labels.shape), np.dtype(labels.dtype)
    if package == "dask":
        edges = tuple(tuple(accumulate(map(int, lengths), initial=0)) for lengths in labels.chunks)
        return DaskArray(labels, shape, dtype, edges)
    chunks = getattr(labels, "shards", None) or labels.chunks
    found = Indexed(labels, shape, dtype, planes(shape) if chunks is None else regular_edges(shape, chunks))
    if package == "h5py":
        return found
    from segmetry.storage.zarr.arrays import chunks_in_files, folder_of

    found = replace(found, folder=folder_of(labels))
    return chunks_in_files(labels, otherwise=found) or found


def _mapped(labels: np.memmap[Any, Any]) -> MappedFile | None:
    """A map of a whole file; of a part of a map, numpy does not keep where it begins."""
    flags, name, base = labels.flags, labels.filename, cast(object, labels.base)
    if not isinstance(base, mmap.mmap) or name is None or labels.mode == "c":
        return None  # "c": changes are in memory only
    if not (flags.c_contiguous or flags.f_contiguous):
        return None
    order = "C" if flags.c_contiguous else "F"
    return MappedFile(Path(name), labels.offset, labels.shape, labels.dtype, order)


def _package(found: Any) -> str:
    return type(found).__module__.partition(".")[0]
