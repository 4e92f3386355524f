"""Arrays opened by the zarr package whose chunks are local files: read directly, with the same values as zarr.

Zarr passes every chunk through the tasks of an event loop; reading the files directly takes less than half the time.
The metadata are those of the array object, not those on disk, which may have changed. Anything unsupported here (a
codec, a store, a damaged or unusual chunk) is read by zarr.
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
from segmetry.storage.zarr.metadata import ArrayMetadata, parse_metadata


@dataclass(frozen=True, eq=False)
class ZarrFiles(ZarrChunks):
    """A zarr array opened by the zarr package; ``otherwise`` is the same array read by zarr."""

    folder: Path
    otherwise: StoredArray

    @property
    def dtype(self) -> np.dtype[Any]:  # type: ignore[override]
        """The dtype of the elements as zarr returns them; in the files their byte order may differ."""
        return self.otherwise.dtype

    def read(self, box: Region) -> NDArray[Any]:
        try:
            return super().read(box).astype(self.dtype, copy=False)
        except (SegmetryError, OSError):
            return self.otherwise.read(box)

    def file_of(self, name: str) -> Path | None:
        """Return the file, following links as zarr does; zarr does not take a folder of that name for a chunk."""
        file = self.folder / name
        try:
            return None if stat.S_ISDIR(file.stat().st_mode) else file
        except (FileNotFoundError, NotADirectoryError):
            check_folder(self.folder)
            return None

    def fill_of(self, name: str) -> Any:  # noqa: ARG002 - the same for every absent chunk
        return self.metadata.fill


def chunks_in_files(array: Any, otherwise: StoredArray) -> ZarrFiles | None:
    """Return an array of zarr as the files of its chunks; None if it must be read by zarr itself.

    A subclass of zarr's may read in its own way, so only zarr's own class is accepted; and zarr itself reads an array
    configured to refuse absent chunks.
    """
    try:
        from zarr import Array
    except ImportError:  # an older package
        return None
    if type(array) is not Array:
        return None
    config = getattr(array, "config", None)  # older versions have none
    if not getattr(config, "read_missing_chunks", True):
        return None
    folder = folder_of(array)
    if folder is None:
        return None
    try:
        return ZarrFiles(_metadata(array.metadata, folder), folder, otherwise)
    except SegmetryError:
        return None


def folder_of(array: Any) -> Path | None:
    """Return the absolute folder of an array whose chunks are files; None for an array in another store."""
    try:
        from zarr.storage import LocalStore
    except ImportError:  # an older package
        return None
    store_path = getattr(array, "store_path", None)
    return (
        (store_path.store.root / store_path.path).absolute()
        if store_path and type(store_path.store) is LocalStore
        else None
    )


def check_folder(folder: Path) -> None:
    """Refuse an array whose folder is missing on this machine: all of its chunks would be taken for absent."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder on this machine; expected the chunks of a zarr array there")


def _metadata(metadata: Any, folder: Path) -> ArrayMetadata:
    """Return the metadata of an array object as they would be written, with the fill value zarr uses."""
    written = {name: value for name, value in metadata.to_dict().items() if name != "attributes"}
    document = json.loads(json.dumps(written))  # tuples become lists, as in a file
    parsed = parse_metadata(document, folder, "zarr.json" if metadata.zarr_format == 3 else ".zarray")
    fill = metadata.fill_value
    return parsed._replace(fill=np.zeros((), parsed.dtype)[()] if fill is None else fill)
