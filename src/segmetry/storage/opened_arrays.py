"""Arrays in plain files, and those of other packages as stored arrays: zarr, h5py, dask, and numpy's memory maps."""

from __future__ import annotations

import math
import mmap
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from segmetry._base import frozen_dataclass
from segmetry.errors import InputError, SegmetryError
from segmetry.storage.stored_arrays import Edges, Region, StoredArray, planes, regular_edges, words_of


@frozen_dataclass(eq=False)
class PlainFile(StoredArray):
    """Uncompressed contiguous elements in a file.

    They are read, not mapped into memory: a file that somebody cuts off while it is mapped ends the process (SIGBUS).
    """

    path: Path
    offset: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    order: str = "C"

    @property
    def edges(self) -> Edges:  # type: ignore[override]
        """The edges of complete planes along the slowest axis."""
        return planes(self.shape) if self.order == "C" else planes(self.shape[::-1])[::-1]

    def read(self, box: Region) -> NDArray[Any]:
        turn = 1 if self.order == "C" else -1
        shape, parts = (1, *self.shape[::turn]), (slice(0, 1), *box[::turn])
        found = np.empty([part.stop - part.start for part in parts], self.dtype)
        # Axes before this one have one position; if those behind it are complete, the elements are one piece.
        axis = next((at for at, length in enumerate(found.shape) if length != 1), 0)
        is_piece = parts[axis + 1 :] == tuple(slice(0, length) for length in shape[axis + 1 :])
        try:
            with self.path.open("rb", buffering=0) as file:
                starts = [part.start for part in parts]
                if is_piece:
                    self._fill(file, found, shape, starts)
                else:  # of each plane what lies between its first and its last row
                    rows = np.empty((found.shape[axis + 1], *shape[axis + 2 :]), self.dtype)
                    for at, plane in enumerate(found.reshape(found.shape[axis:]), starts[axis]):
                        self._fill(file, rows, shape, [*starts[:axis], at, starts[axis + 1]])
                        plane[...] = rows[(slice(None), *parts[axis + 2 :])]
        except OSError as problem:
            raise InputError(f"{self.path}: cannot be read: {problem.strerror}") from None
        return found.reshape(found.shape[1:]).transpose(range(len(box))[::turn])

    def _fill(self, file: Any, target: NDArray[Any], shape: tuple[int, ...], place: Sequence[int]) -> None:
        """Fill an array with the elements from a place on."""
        start = sum(at * math.prod(shape[axis + 1 :]) for axis, at in enumerate(place))
        file.seek(self.offset + start * self.dtype.itemsize)
        view, n_read = target.reshape(-1).view(np.uint8).data, 0
        while n_read < len(view):
            if not (n_more := file.readinto(view[n_read:])):
                raise InputError(f"{self.path}: was cut off while it was read; obtain it again")
            n_read += n_more


@frozen_dataclass(eq=False)
class IndexedArray(StoredArray):
    """An array of another package (zarr, h5py) that is read by indexing."""

    array: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges
    folder: Path | None = None
    """The folder of a zarr array: if it is absent, zarr reads every chunk as fill values."""

    def read(self, box: Region) -> NDArray[Any]:
        if self.folder is not None:
            self._check_folder(self.folder)
        try:
            return np.asarray(self.array[box])
        except SegmetryError:
            raise
        except Exception as problem:  # noqa: BLE001 - whatever the package raises for a damaged or missing chunk
            message = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise InputError(f"the labels at {words_of(box)} cannot be read: {message}") from None

    def _check_folder(self, folder: Path) -> None:
        from segmetry.storage.zarr_arrays import check_folder, folder_of

        check_folder(folder)
        if folder_of(self.array) != folder:
            raise InputError(
                f"{folder}: the zarr array was opened by a relative path, which is another folder from {Path.cwd()}; "
                "open it by its absolute path"
            )

    def check_sendable(self) -> None:
        """Raise if other processes cannot open an HDF5 file: one in memory, or one that is being written."""
        if _package_of(self.array) != "h5py":
            return
        name, mode = self.array.file.filename, self.array.file.mode
        if mode != "r" or not Path(name).is_file():
            raise InputError(
                f"the HDF5 file {name} is open in mode {mode!r}; other processes can read a file on the disk that is "
                "open in mode 'r' only: open it so, or choose the engine threads"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle an open HDF5 file by its name; a zarr array pickles itself."""
        state = dict(self.__dict__)
        if _package_of(self.array) == "h5py":
            state["array"] = None
            state["place"] = (Path(self.array.file.filename).absolute(), self.array.name)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        place = state.pop("place", None)
        if place is not None:
            import h5py

            state["array"] = h5py.File(place[0], "r")[place[1]]
        self.__dict__.update(state)


@frozen_dataclass(eq=False)
class DaskArray(StoredArray):
    """A dask array: what is read is computed by the scheduler dask is set to."""

    array: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    edges: Edges

    def part(self, box: Region) -> Any:
        """Return a box of the array, still lazy."""
        return self.array[box]

    def read(self, box: Region) -> NDArray[Any]:
        return np.asarray(self.part(box).compute())


def as_stored(labels: Any) -> StoredArray | None:
    """Return arrays of zarr, h5py and dask and complete memory maps as stored arrays; None for anything else."""
    if isinstance(labels, StoredArray):
        return labels
    if isinstance(labels, np.memmap):
        return _mapped_file(labels)
    package = _package_of(labels)
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
    stored = IndexedArray(labels, shape, dtype, planes(shape) if chunks is None else regular_edges(shape, chunks))
    if package == "h5py":
        return stored
    from segmetry.storage.zarr_arrays import chunks_in_files, folder_of

    stored = replace(stored, folder=folder_of(labels))
    return chunks_in_files(labels, otherwise=stored) or stored


def _mapped_file(labels: np.memmap[Any, Any]) -> PlainFile | None:
    """Return the map of a complete array; for a part of a map, numpy does not keep where it begins."""
    flags, name, base = labels.flags, labels.filename, cast(object, labels.base)
    if not isinstance(base, mmap.mmap) or name is None or labels.mode == "c":
        return None  # "c": changes are in memory only
    if not (flags.c_contiguous or flags.f_contiguous):
        return None
    order = "C" if flags.c_contiguous else "F"
    return PlainFile(Path(name), labels.offset, labels.shape, labels.dtype, order)


def _package_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]
