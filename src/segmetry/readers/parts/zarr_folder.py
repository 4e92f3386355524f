"""One zarr array in a folder that a stranger wrote: its metadata are checked, names lead to files inside it.

By the rules of the format a chunk that is absent is full of the fill value, and writers leave out chunks that hold
nothing else. A chunk that was lost looks the same. So an absent chunk is accepted where its fill value means outside or
void, is an error where it would make a segment out of nothing, and always with ``--missing-chunks refuse``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.label_options import ignored_labels
from segmetry.readers.parts.safe_names import file_inside
from segmetry.readers.parts.strict_json import load_json
from segmetry.storage.zarr.chunks import ZarrChunks
from segmetry.storage.zarr.metadata import ArrayFacts, facts_of

MISSING_CHUNKS: Option[str] = Option(
    "missing_chunks",
    "Zarr: whether a chunk that is not in the store may be empty (fill, the default) or is an error (refuse).",
    Choice(("fill", "refuse")),
    "fill",
)

MOST_SMALL_CHUNKS, SMALL_CHUNK = 10**6, 2**12
"""Chunks of few elements cost more than they hold: so many are taken for an attack."""


@dataclass(frozen=True, eq=False)
class ZarrFolder(ZarrChunks):
    """A zarr array in a folder."""

    folder: Path
    holds_nothing: frozenset[int] | None
    """Labels that mean outside or void: a chunk that is absent may be full of these. None: no chunk may be absent."""

    @classmethod
    def of(cls, folder: Path, options: ReadOptions) -> ZarrFolder:
        """The array in a folder, nothing of it read but its metadata."""
        facts = _facts(folder)
        options.check_size(facts.shape, str(folder))
        options.check_size(facts.chunks, f"{folder}, one chunk")
        count = math.prod(-(-length // step) for length, step in zip(facts.shape, facts.chunks, strict=True))
        if count > MOST_SMALL_CHUNKS and math.prod(facts.chunks) < SMALL_CHUNK:
            raise FormatError(
                f"{folder}: {count} chunks of {facts.chunks}; expected at most {MOST_SMALL_CHUNKS} as small as these"
            )
        return cls(facts, folder, None if options[MISSING_CHUNKS] == "refuse" else frozenset(ignored_labels(options)))

    def file_of(self, name: str) -> Path | None:
        return file_inside(self.folder, name, "the chunk") if (self.folder / name).exists() else None

    def fill_of(self, name: str) -> Any:
        """Nothing; a segment nobody wrote is an error."""
        fill = self.facts.fill
        if fill is None:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, and no fill value says what it holds"
            )
        if self.holds_nothing is None:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store; restore it, or take missing chunks as "
                f"full of the fill value, {fill} (--missing-chunks fill)"
            )
        if fill not in self.holds_nothing:
            raise FormatError(
                f"{self.folder}: the chunk {name} is missing from the store, which would make its elements {fill}, a "
                "segment; restore it, or declare that label outside or void (--outside, --void)"
            )
        return fill


def load_metadata(folder: Path, name: str) -> Any:
    """The content of a file of metadata; None if there is none. One that lies elsewhere is an error, as for chunks."""
    return load_json(file_inside(folder, name, "the metadata")) if (folder / name).is_file() else None


def _facts(folder: Path) -> ArrayFacts:
    for name in ("zarr.json", ".zarray"):
        if (document := load_metadata(folder, name)) is not None:
            return facts_of(document, folder, name)
    raise FormatError(f"{folder}: no zarr array: neither zarr.json nor .zarray is there")
