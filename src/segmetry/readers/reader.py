"""The declaration of a reader: a name, a test of the first bytes, how to read items and, for some, how to write them.

One format per file in ``formats``; importing the file declares its reader. A reader yields :class:`Item` objects one by
one, so a data set need not fit in memory. Every reader obeys the promises of SECURITY.md: declared sizes are checked
against the budget before anything is allocated, nothing is unpickled, and a file that is not what it claims to be is
one :class:`FormatError` that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.index import FORMAT_MODULES, FORMAT_SIGNATURES, OPTION_FORMATS
from segmetry._base.registry import Registry, installed_plugins
from segmetry.readers.items import Item
from segmetry.readers.option import Option

if TYPE_CHECKING:
    from segmetry.readers.options import ReadOptions


@frozen_dataclass()
class Writer:
    """How items are written as text, and which facts about them the format can store (see ``losses``)."""

    write: Callable[[Sequence[Item], Path], str]
    holds: frozenset[str]
    needs: frozenset[str] = frozenset()


@frozen_dataclass()
class Reader:
    """A file format segmetry reads, and the options a user may state for it.

    ``lists_all`` is False for a format that leaves out items without segments, ``has_more`` is True for one whose
    predictions may be about more items than the truth: these are not compared. ``lazy`` formats read no element before
    it is needed. ``declares_void``: some of its labels are void. ``isolated``: damaged files were seen to crash its
    decoder, which therefore runs in a child process by default. ``beside`` gives the files and folders a reader opens
    besides the path itself, ``inside`` the files of a folder it reads, where there may be others, so that a run can
    detect when one of them changes. ``remote``: it reads from object stores, too. ``signatures``: a file of this format
    begins with one of them, and no file of a format without them does; only such formats are then asked.
    """

    name: str
    summary: str
    extensions: tuple[str, ...]
    sniff: Callable[[Path, bytes], bool]
    read: Callable[[Path, ReadOptions], Iterable[Item]]
    extra: str | None = None
    options: tuple[Option[Any], ...] = ()
    writer: Writer | None = None
    lists_all: bool = True
    has_more: bool = False
    lazy: bool = False
    declares_void: bool = False
    isolated: bool = False
    beside: Callable[[Path, ReadOptions], Iterable[Path]] | None = None
    inside: Callable[[Path, ReadOptions], Iterable[Path]] | None = None
    remote: bool = False
    signatures: tuple[bytes, ...] = ()


ReadFunction = Callable[[Path, "ReadOptions"], Iterable[Item]]
RESERVED = frozenset({"format", "side", "max_elements", "most_elements", "isolate"})
"""Words that mean something for every format."""

GROUP = "segmetry.readers"
"""The entry points of readers in other packages."""

READERS: Registry[Reader] = Registry("format", package="segmetry.readers.formats", group=GROUP, index=FORMAT_MODULES)


def reads(
    name: str,
    summary: str,
    extensions: tuple[str, ...],
    *,
    sniff: Callable[[Path, bytes], bool] | None = None,
    signatures: tuple[bytes, ...] = (),
    **facts: Any,
) -> Callable[[ReadFunction], ReadFunction]:
    """Declare the function below as the reader of a built-in format; ``facts`` are further fields of ``Reader``.

    Without ``sniff`` a file is recognised by its signature; a format without either is never guessed.
    """

    def declared(read: ReadFunction) -> ReadFunction:
        recognise = sniff or (lambda _path, head: head.startswith(signatures))
        declare_reader(Reader(name, summary, extensions, recognise, read, signatures=signatures, **facts))
        return read

    return declared


def readers_of(head: bytes) -> Mapping[str, Reader]:
    r"""Return the readers of files with the signature that a file begins with; all readers, if it has none.

    Plug-ins may read any file, and their options are compared with those of all readers.

    >>> sorted(readers_of(b"\x93NUMPY\1\0"))
    ['conic', 'npy', 'pannuke']
    """
    if any(point.group == GROUP for point in installed_plugins()):
        return READERS
    names = next((names for start, names in FORMAT_SIGNATURES.items() if head.startswith(start)), None)
    return READERS if names is None else READERS.only(names)


def declare_reader(reader: Reader) -> Reader:
    """Register a reader under the name of its format; an option that other readers have must be declared as there.

    The built-in readers, those of the index, are compared by a test: here it would add 12 ms to the import of all.
    """
    if reader.name not in FORMAT_MODULES:
        check_declared_options(reader)
    READERS.declare(reader.name, reader)
    return reader


def check_declared_options(reader: Reader) -> None:
    """Raise if a reader has an option that all formats have, or declares one in another way than another reader."""
    for option in reader.options:
        if option.name in RESERVED:
            raise ValueError(f"the format {reader.name!r} has an option {option.name!r}, which all formats have")
        READERS.only(OPTION_FORMATS.get(option.name, ())[:1])  # one built-in reader suffices: all declare it alike
        for other in READERS.declared_so_far():
            if any(option.name == known.name and option != known for known in other.options):
                raise ValueError(
                    f"the format {reader.name!r} declares the option {option.name!r} in another way than the format "
                    f"{other.name!r}; use the same declaration, or another name"
                )
