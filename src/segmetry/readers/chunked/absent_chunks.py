"""Grids of chunks in untrusted folders: how many there may be, and what an absent chunk means.

By the rules of such formats an absent chunk is full of the fill value, and writers leave out chunks that contain
nothing else. A lost chunk looks the same. So an absent chunk is accepted if its fill value is outside or void, and is
an error if it would become a segment; with ``--missing-chunks refuse`` it is always an error.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.readers.labels.label_options import is_ignored
from segmetry.readers.option import Choice, Option
from segmetry.readers.options import ReadOptions

MISSING_CHUNKS: Option[str] = Option(
    "missing_chunks",
    "Zarr, N5, precomputed: whether a chunk that is not in the store may be empty (fill, the default) or is an error "
    "(refuse).",
    Choice(("fill", "refuse")),
    "fill",
)

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
