"""What a reader is: a name, a look at the first bytes, and a way to read items.

One format per file in this package; importing the file declares its reader. A reader yields :class:`Item`
objects one by one, so a data set need not fit in memory. Every reader obeys the promises of SECURITY.md:
declared sizes are checked against the budget before anything is allocated, nothing is unpickled, and a file
that is not what it claims to be is one :class:`FormatError` that names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError, SegmetryError
from segmetry.registry import Registry
from segmetry.segmentation import Segmentation

HEAD = 4096
"""How many first bytes of a file a reader may look at to recognise it."""

MOST_ELEMENTS = 2**31
"""The default budget: the most elements one segmentation may have."""


@dataclass(frozen=True)
class ReadOptions:
    """What the user says about a file that the file cannot say itself."""

    most_elements: int = MOST_ELEMENTS
    labels: dict[str, Any] = field(default_factory=dict)
    colours: str = "refuse"
    first: str = "gap"

    def check_size(self, shape: Sequence[int], where: str) -> None:
        """Refuse a declared size beyond the budget, before anything is allocated."""
        size = math.prod(shape)
        if size > self.most_elements:
            raise FormatError(
                f"{where}: declares shape {tuple(shape)}, {size} elements, more than the budget of "
                f"{self.most_elements}; "
                "raise it with --max-elements if the file is genuine"
            )


@dataclass(frozen=True)
class Item:
    """One segmentation with its name in the data set."""

    name: str
    segmentation: Segmentation


@dataclass(frozen=True)
class Reader:
    """A file format segmetry reads."""

    name: str
    words: str
    extensions: tuple[str, ...]
    sniff: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadOptions], Iterable[Item]]
    extra: str | None = None


READERS: Registry[Reader] = Registry("format", package="segmetry.readers", group="segmetry.readers")


def declare_reader(reader: Reader) -> Reader:
    """Make a format known."""
    READERS.declare(reader.name, reader)
    return reader


def find_reader(path: Path, chosen: str | None = None) -> Reader:
    """The reader chosen by name, or the one that recognises the content of the file."""
    head = read_head(path)
    if chosen is not None:
        return READERS[chosen]
    found = [reader for reader in READERS.values() if reader.sniff(path, head)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(reader.name for reader in found)
        raise FormatError(f"{path}: could be {names}; say which with --format")
    raise FormatError(
        f"{path}: not a format segmetry recognises (first bytes {head[:8]!r}); "
        "'segmetry formats' lists them, --format chooses one"
    )


def read_head(path: Path) -> bytes:
    """The first bytes of a file; nothing for a folder."""
    if not path.exists():
        raise FormatError(f"{path}: no such file or folder")
    if path.is_dir():
        return b""
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None


def read_items(path: str | Path, chosen: str | None = None, options: ReadOptions | None = None) -> Iterable[Item]:
    """Every item of a file or folder; errors name the file."""
    place = Path(path)
    reader = find_reader(place, chosen)
    try:
        yield from reader.read(place, options or ReadOptions())
    except SegmetryError as problem:
        if str(place) in str(problem):
            raise
        raise type(problem)(f"{place}: {problem}") from None
