"""A zarr array in an untrusted folder: its metadata are checked, and names must lead to files inside the folder.

By the rules of the format an absent chunk is full of the fill value, and writers leave out chunks that contain nothing
else. A lost chunk looks the same. So an absent chunk is accepted if its fill value is outside or void, and is an error
if it would become a segment; with ``--missing-chunks refuse`` it is always an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.readers.labels.label_options import is_ignored
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.parts.strict_json import load_json
from segmetry.storage.zarr.chunks import ZarrChunks
from segmetry.storage.zarr.metadata import ArrayMetadata, parse_metadata

MISSING_CHUNKS: Option[str] = Option(
    "missing_chunks",
    "Zarr: whether a chunk that is not in the store may be empty (fill, the default) or is an error (refuse).",
    Choice(("fill", "refuse")),
    "fill",
)

MOST_SMALL_CHUNKS, SMALL_CHUNK = 10**6, 2**12
"""Limit on the number of small chunks: each costs more than its elements, so more are treated as an attack."""


@dataclass(frozen=True, eq=False)
class ZarrFolder(ZarrChunks):
    """A zarr array in a folder."""

    folder: Path
    options: ReadOptions
    """The options of its side: they say which labels are outside or void, with which absent chunks may be filled."""

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """Return the array in a folder; only its metadata are read."""
        metadata = _metadata(folder)
        options.check_size(metadata.shape, str(folder))
        options.check_size(metadata.chunks, f"{folder}, one chunk")
        count = math.prod(-(-length // step) for length, step in zip(metadata.shape, metadata.chunks, strict=True))
        if count > MOST_SMALL_CHUNKS and math.prod(metadata.chunks) < SMALL_CHUNK:
            raise FormatError(
                f"{folder}: {count} chunks of {metadata.chunks}; expected at most {MOST_SMALL_CHUNKS} as small as these"
            )
        return cls(metadata, folder, options)

    def file_of(self, name: str) -> Path | None:
        return file_inside(self.folder, name, "the chunk") if (self.folder / name).exists() else None

    def fill_of(self, name: str) -> Any:
        """Return the fill value of an absent chunk; a fill value that is a segment is an error."""
        fill = self.metadata.fill
        if fill is None:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, and no fill value says what it contains"
            )
        if self.options[MISSING_CHUNKS] == "refuse":
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store; restore it, or read missing chunks as "
                f"full of the fill value, {fill} (--missing-chunks fill)"
            )
        if not is_ignored(fill, self.options):
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, which would make its elements {fill}, a "
                "segment; restore it, or declare that label outside or void (--outside, --void)"
            )
        return fill


def load_metadata(folder: Path, name: str) -> Any:
    """Return the content of a metadata file; None if there is none. A link out of the folder is an error."""
    return load_json(file_inside(folder, name, "the metadata")) if (folder / name).is_file() else None


def _metadata(folder: Path) -> ArrayMetadata:
    for name in ("zarr.json", ".zarray"):
        if (document := load_metadata(folder, name)) is not None:
            return parse_metadata(document, folder, name)
    raise FormatError(f"{folder}: not a zarr array: contains neither zarr.json nor .zarray")
