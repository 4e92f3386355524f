"""What a reader is: a name, a look at the first bytes, a way to read items and, for some, a way to write them.

One format per file in this package; importing the file declares its reader. A reader yields :class:`Item`
objects one by one, so a data set need not fit in memory. Every reader obeys the promises of SECURITY.md:
declared sizes are checked against the budget before anything is allocated, nothing is unpickled, and a file
that is not what it claims to be is one :class:`FormatError` that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from segmetry._base.registry import Registry
from segmetry.errors import FormatError, OptionError, SegmetryError
from segmetry.readers.items import Item
from segmetry.readers.options import MOST_ELEMENTS, ReadOptions, flag
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.parts.unsupported import lookalike

__all__ = [
    "HEAD",
    "LABEL_OPTIONS",
    "MOST_ELEMENTS",
    "READERS",
    "ReadOptions",
    "Reader",
    "Writer",
    "check_options",
    "declare_reader",
    "find_reader",
    "opened",
    "read_head",
    "read_items",
]

HEAD = 4096
"""How many first bytes of a file a reader may look at to recognise it."""

LABEL_OPTIONS = ("outside", "void", "allow_float", "allow_negative")
"""The options of every reader of label arrays."""


@dataclass(frozen=True)
class Writer:
    """How items become a text, and which facts about them the format can hold (see ``losses``)."""

    write: Callable[[Sequence[Item], Path], str]
    holds: frozenset[str]
    needs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reader:
    """A file format segmetry reads; ``options`` names what it takes from :class:`ReadOptions`.

    ``policy`` is what void and crowd do unless the user says otherwise. ``lists_all`` is False for a format that leaves
    out items without segments. ``lazy`` formats read no element before it is asked for.
    ``beside`` names the files and folders a reader opens besides the path it is given, so that a run can tell when
    one of them changes.
    """

    name: str
    summary: str
    extensions: tuple[str, ...]
    sniff: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadOptions], Iterable[Item]]
    extra: str | None = None
    options: tuple[str, ...] = ()
    writer: Writer | None = None
    policy: str = "none"
    lists_all: bool = True
    lazy: bool = False
    beside: Callable[[Path, ReadOptions], Iterable[Path]] | None = None


READERS: Registry[Reader] = Registry("format", package="segmetry.readers.formats", group="segmetry.readers")


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
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and path.suffix != ".jsonl":
        from segmetry.readers.parts.strict_json import load_json

        load_json(path)  # a JSON file that is none says where it breaks
    known = lookalike(head)
    if known is not None:
        raise FormatError(f"{path}: {known}")
    if head:
        _tell_damage(path)
    raise FormatError(
        f"{path}: {_unrecognised(path, head)}; 'segmetry formats' lists what can be read, --format chooses one"
    )


def _tell_damage(path: Path) -> None:
    """Where the name says which format is meant, the reader of that format says where the file breaks."""
    meant = [reader for reader in READERS.values() if path.suffix.lower() in reader.extensions]
    if len(meant) == 1:
        for _ in read_items(path, reader=meant[0]):
            pass


def _unrecognised(path: Path, head: bytes) -> str:
    if path.is_dir():
        empty = next(path.iterdir(), None) is None
        return "an empty folder" if empty else "a folder without label files, which no reader takes"
    if not head:
        return "an empty file"
    return f"not a format segmetry recognises (first bytes {head[:8]!r})"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to be read; whatever keeps it from being read is one error that names it."""
    if "\0" in str(path):
        raise FormatError(f"{str(path)!r}: not the name of a file")
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file or folder") from None
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None


def read_head(path: Path) -> bytes:
    """The first bytes of a file; nothing for a folder. A pipe is refused: it can be read once only, a format twice."""
    if path.is_dir():
        return b""
    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: a pipe or a device, which cannot be read again; save what it gives to a file")
    with opened(path) as file:
        return file.read(HEAD)


def check_options(readers: Collection[Reader], options: ReadOptions) -> None:
    """Refuse an option that none of these readers uses: what is not used must not look as if it were."""
    for name in sorted(options.stated - {name for reader in readers for name in reader.options}):
        users = ", ".join(reader.name for reader in READERS.values() if name in reader.options)
        formats = " or ".join(sorted({reader.name for reader in readers}))
        raise OptionError(f"{flag(name)} means nothing to the format {formats}; it is used by {users or 'no reader'}")


def read_items(
    path: str | Path, chosen: str | None = None, options: ReadOptions | None = None, reader: Reader | None = None
) -> Iterable[Item]:
    """Every item of a file; errors name the file. Options the reader does not use are an error.

    Whoever reads two files with one set of options finds their readers first, checks the options against both with
    :func:`check_options`, and passes each ``reader`` here.
    """
    place = Path(path)
    stated = options or ReadOptions()
    if reader is None:
        reader = find_reader(place, chosen)
        check_options([reader], stated)
    try:
        for item in reader.read(place, stated):
            check_name(item.name, "the name of an item")
            yield item
    except SegmetryError as problem:
        if str(place) in str(problem):
            raise
        raise problem.within(str(place)) from None
