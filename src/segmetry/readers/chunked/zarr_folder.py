"""A zarr array in an untrusted folder: its metadata are checked, and names must lead to files inside the folder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.readers.chunked.absent_chunks import check_grid, fill_of_absent
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside, is_plain_file
from segmetry.readers.parts.strict_json import load_json
from segmetry.storage.chunk_grid import overlapped
from segmetry.storage.remote_path import is_remote
from segmetry.storage.stored_arrays import Region
from segmetry.storage.zarr.chunks import ZarrChunks
from segmetry.storage.zarr.metadata import ArrayMetadata, parse_metadata


@dataclass(frozen=True, eq=False)
class ZarrFolder(ZarrChunks):
    """A zarr array in a folder."""

    folder: Path
    options: ReadOptions
    """The options of its side: they say which labels are outside or void, with which absent chunks may be filled."""
    plain_folders: set[str] = field(default_factory=set, repr=False)
    """Those of its folders that are known to be no links."""

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """Return the array in a folder; only its metadata are read."""
        metadata = _metadata(folder)
        check_grid(metadata.shape, metadata.chunks, folder, options)
        return cls(metadata, folder, options)

    def file_of(self, name: str) -> Path | None:
        if not is_remote(self.folder) and is_plain_file(self.folder, name, self.plain_folders):
            return self.folder / name
        return file_inside(self.folder, name, "the chunk") if (self.folder / name).exists() else None

    def files(self, box: Region) -> Iterable[Path]:
        return [self.folder / self.name_of(place) for place, _ in overlapped(box, self.metadata.chunks)]

    def fill_of(self, name: str) -> Any:
        """Return the fill value of an absent chunk; a fill value that is a segment is an error."""
        return fill_of_absent(self.metadata.fill, f"{self.folder}: the chunk {name}", self.options)


def load_metadata(folder: Path, name: str) -> Any:
    """Return the content of a metadata file; None if there is none. A link out of the folder is an error."""
    return load_json(file_inside(folder, name, "the metadata")) if (folder / name).is_file() else None


def _metadata(folder: Path) -> ArrayMetadata:
    for name in ("zarr.json", ".zarray"):
        if (document := load_metadata(folder, name)) is not None:
            return parse_metadata(document, folder, name)
    raise FormatError(f"{folder}: not a zarr array: contains neither zarr.json nor .zarray")
