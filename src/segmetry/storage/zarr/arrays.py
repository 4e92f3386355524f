"""Arrays opened by the zarr package whose chunks are files of this machine: we read them, with the numbers zarr gives.

Zarr passes every chunk through the tasks of an event loop; to read the files at once takes less than half the time. The
array object says what there is: its metadata, not those on the disk, for they may have changed. Whatever our reader
does not know (a codec, a store, a damaged or unusual chunk) is read by zarr.
"""

from __future__ import annotations

import json
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import InputError, SegmetryError
from segmetry.storage.stored_arrays import Region, StoredArray
from segmetry.storage.zarr.chunks import ZarrChunks
from segmetry.storage.zarr.metadata import ArrayFacts, facts_of


@dataclass(frozen=True, eq=False)
class ZarrFiles(ZarrChunks):
    """A zarr array that somebody opened; ``otherwise`` is the same array read by zarr."""

    folder: Path
    otherwise: StoredArray

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The type in which zarr hands out the elements; in the files their bytes may have another order."""
        return self.otherwise.dtype

    def read(self, box: Region) -> NDArray[Any]:
        try:
            return super().read(box).astype(self.dtype, copy=False)
        except (SegmetryError, OSError):
            return self.otherwise.read(box)

    def file_of(self, name: str) -> Path | None:
        """The file, followed through links as zarr does; a folder of that name is no chunk to zarr."""
        file = self.folder / name
        try:
            return None if stat.S_ISDIR(file.stat().st_mode) else file
        except (FileNotFoundError, NotADirectoryError):
            check_folder(self.folder)
            return None

    def fill_of(self, name: str) -> Any:  # noqa: ARG002 - every absent chunk holds the same
        return self.facts.fill


def chunks_in_files(given: Any, otherwise: StoredArray) -> ZarrFiles | None:
    """An array of zarr as the files of its chunks; None where it must be read by zarr itself.

    A class derived from zarr's may read in its own way, so only those of zarr are taken. Zarr can be told to refuse
    absent chunks; then it does.
    """
    try:
        from zarr import Array
    except ImportError:  # an older package
        return None
    if type(given) is not Array:
        return None
    config = getattr(given, "config", None)  # older versions have none
    if not getattr(config, "read_missing_chunks", True):
        return None
    folder = folder_of(given)
    if folder is None:
        return None
    try:
        return ZarrFiles(_facts(given.metadata, folder), folder, otherwise)
    except SegmetryError:
        return None


def folder_of(given: Any) -> Path | None:
    """The folder of an array whose chunks are files, seen from any folder; None for one that lies elsewhere."""
    try:
        from zarr.storage import LocalStore
    except ImportError:  # an older package
        return None
    place = getattr(given, "store_path", None)
    return (place.store.root / place.path).absolute() if place and type(place.store) is LocalStore else None


def check_folder(folder: Path) -> None:
    """Refuse an array whose folder is gone, or not on this machine: all of its chunks would be taken for absent."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder on this machine; expected the chunks of a zarr array there")


def _facts(metadata: Any, folder: Path) -> ArrayFacts:
    """The metadata of an array object, as they would be written; its fill value is that which zarr fills in."""
    written = {name: value for name, value in metadata.to_dict().items() if name != "attributes"}
    document = json.loads(json.dumps(written))  # tuples become lists, as in a file
    facts = facts_of(document, folder, "zarr.json" if metadata.zarr_format == 3 else ".zarray")
    fill = metadata.fill_value
    return facts._replace(fill=np.zeros((), facts.dtype)[()] if fill is None else fill)
