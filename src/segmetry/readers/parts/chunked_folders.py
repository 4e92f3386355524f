"""Volumes cut into chunks, in untrusted folders: lengths and voxel sizes in their metadata, and absent chunks.

By the rules of such formats an absent chunk is full of the fill value, and writers leave out chunks that contain
nothing else. A lost chunk looks the same. So an absent chunk is accepted if its fill value is outside or void, and is
an error if it would become a segment; with ``--missing-chunks refuse`` it is always an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from segmetry._base.json_fields import list_field
from segmetry.errors import FormatError
from segmetry.readers.label_options import is_ignored
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside, is_plain_file
from segmetry.readers.parts.strict_json import load_json
from segmetry.segmentation.spacing import Spacing, unit_symbol
from segmetry.storage.remote_path import is_remote
from segmetry.storage.stored_arrays import ChunkGrid, Region, overlapped

MISSING_CHUNKS: Option[str] = Option(
    "missing_chunks",
    "Zarr, N5, precomputed: whether a chunk that is not in the store may be empty (fill, the default) or is an error "
    "(refuse).",
    Choice(("fill", "refuse")),
    "fill",
)


@dataclass(frozen=True, eq=False)
class ChunkedFolder(ChunkGrid):
    """A volume in an untrusted folder; its options say which labels are outside or void, for absent chunks."""

    noun: ClassVar[str] = "chunk"
    folder: Path
    options: ReadOptions
    plain_folders: set[str] = field(default_factory=set, repr=False, kw_only=True)
    """Those of its folders that are known not to be links: each is checked once, not for every chunk."""

    @property
    def fill(self) -> Any:
        """The value of absent chunks."""
        return 0

    def file_of(self, name: str) -> Path | None:
        """Return the file of a chunk or shard; None if it is absent. A link out of the folder is an error."""
        if not is_remote(self.folder) and is_plain_file(self.folder, name, self.plain_folders):
            return self.folder / name
        return file_inside(self.folder, name, f"the {self.noun}") if (self.folder / name).exists() else None

    def file_names(self, place: tuple[int, ...]) -> tuple[str, ...]:
        """Return the names of the files that may contain a chunk."""
        return (self.name_of(place),)

    def files(self, box: Region) -> Iterable[Path]:
        places = [place for place, _ in overlapped(box, self.chunks)]
        return [self.folder / name for place in places for name in self.file_names(place)]

    def fill_of(self, name: str) -> Any:
        return fill_of_absent(self.fill, f"{self.folder}: the {self.noun} {name}", self.options)

    def shape_of(self, place: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of a chunk, which is shorter at the end of an axis."""
        return tuple(min(step, n - at * step) for at, step, n in zip(place, self.chunks, self.shape, strict=True))


def load_metadata(folder: Path, name: str) -> Any:
    """Return the content of a metadata file; None if there is none. A link out of the folder is an error."""
    return load_json(file_inside(folder, name, "the metadata")) if (folder / name).is_file() else None


MOST_SMALL_CHUNKS, SMALL_CHUNK = 10**6, 2**12
"""Limit on the number of small chunks: each costs more than its elements, so more are treated as an attack."""


def check_grid(shape: tuple[int, ...], chunks: tuple[int, ...], folder: Path, options: ReadOptions) -> None:
    """Raise an error for an array or a chunk above the budget, and for too many small chunks."""
    options.check_size(shape, str(folder))
    options.check_size(chunks, f"{folder}, one chunk")
    count = math.prod(-(-length // step) for length, step in zip(shape, chunks, strict=True))
    if count > MOST_SMALL_CHUNKS and math.prod(chunks) < SMALL_CHUNK:
        raise FormatError(
            f"{folder}: {count} chunks of {chunks}; expected at most {MOST_SMALL_CHUNKS} as small as these"
        )


def fill_of_absent(fill: Any, chunk: str, options: ReadOptions) -> Any:
    """Return the fill value of an absent chunk; a fill value that is a segment is an error."""
    if fill is None:
        raise FormatError(f"{chunk} is missing from the store, and no fill value says what it contains")
    if options[MISSING_CHUNKS] == "refuse":
        raise FormatError(
            f"{chunk} is missing from the store; restore it, or read missing chunks as full of the fill value, {fill} "
            "(--missing-chunks fill)"
        )
    if not is_ignored(fill, options):
        raise FormatError(
            f"{chunk} is missing from the store, which would make its elements {fill}, a segment; restore it, or "
            "declare that label outside or void (--outside, --void)"
        )
    return fill


def as_object(value: Any, where: object) -> dict[str, Any]:
    """Return an object of metadata; anything else is an error."""
    if not isinstance(value, dict):
        raise FormatError(f"{where}: {str(value)[:40]!a}; expected an object")
    return value


def lengths_field(data: Any, name: str, where: str, *, least: int = 0) -> tuple[int, ...]:
    """Return a list of integers, in the order of the file.

    >>> lengths_field({"size": [3, 2]}, "size", "info")
    (3, 2)
    """
    lengths = list_field(data, name, where)
    if not all(type(length) is int and least <= length < 2**62 for length in lengths):
        raise FormatError(f"{where}: {name} is {str(lengths)[:40]!a}; expected lengths")
    return tuple(lengths)


def spacing_field(data: Any, name: str, n_axes: int, unit: Any, where: str) -> Spacing:
    """Return the size of an element along each axis, last axis of the file first.

    >>> spacing_field({"resolution": [4, 4, 40]}, "resolution", 3, "nm", "info")
    (40.0, 4.0, 4.0)
    """
    steps = list_field(data, name, where)
    right = all(isinstance(step, int | float) and not isinstance(step, bool) and 0 < step < 1e300 for step in steps)
    if not right or len(steps) != n_axes or not all(math.isfinite(step) for step in steps):
        raise FormatError(f"{where}: {name} is {str(steps)[:40]!a}; expected {n_axes} positive numbers")
    return Spacing([float(step) for step in reversed(steps)], unit_symbol(str(unit)) if unit else None)
