"""A path to read, or an address, with its format, which is determined once, and the options that apply to it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from segmetry._base import frozen_dataclass
from segmetry.errors import FormatError, OptionError, PluginWarning, SegmetryError
from segmetry.readers.isolated_reading import read_by
from segmetry.readers.items import Item
from segmetry.readers.parts.file_head import lookalike, read_head
from segmetry.readers.parts.safe_names import check_name
from segmetry.readers.parts.span_rows import CODER
from segmetry.readers.reader import (
    READERS,
    Flag,
    Formats,
    Option,
    Reader,
    ReadOptions,
    check_options,
    format_of,
    readers_of,
)
from segmetry.storage import PROTOCOLS, RemotePath, is_remote, is_url

REMOTE: Option[bool] = Option(
    "remote",
    "Zarr, N5, precomputed: TRUE and PRED may be addresses (https, s3, gs, …), from which chunks are fetched.",
    Flag(),
    False,
)
METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", "attributes.json", "s0/attributes.json", "info")
"""The files by which a remote volume is identified; its chunks are not fetched to fingerprint them."""


def input_path(value: str | os.PathLike[str], options: ReadOptions) -> Path:
    """Return the path of an input: of a file or folder, or in a store if the user allows addresses.

    >>> input_path("truth.zarr", ReadOptions()).name
    'truth.zarr'
    """
    if not is_url(value):
        return Path(value)
    url = str(value).rstrip("/")
    if not options[REMOTE]:
        raise OptionError(
            f"{url}: an address, and segmetry connects to nothing unless it is asked to; allow it with --remote "
            "(read={'remote': True})"
        )
    protocol = url.partition("://")[0]
    if protocol not in PROTOCOLS or "::" in url:
        raise OptionError(f"{url}: protocol {protocol!r}; expected one of {', '.join(PROTOCOLS)}")
    return cast(Path, RemotePath(url))


def remote_fingerprints(path: Any) -> dict[str, str]:
    """Return the sha256 of the metadata of a volume in a store, by name."""
    import hashlib

    present = [name for name in METADATA if (path / name).is_file()]
    if not present:
        raise FormatError(f"{path}: no metadata of zarr, N5 or precomputed there")
    return {f"{path.name}/{name}": hashlib.sha256((path / name).read_bytes()).hexdigest() for name in present}


@frozen_dataclass(eq=False)
class Source:
    """One file or folder with the options of its side; ``format`` is the name of its format, if the user states it."""

    path: Path
    options: ReadOptions = field(default_factory=ReadOptions)
    format: str | None = None

    @cached_property
    def reader(self) -> Reader:
        """The reader of its format, determined when it is first needed."""
        return find_reader(self.path, self.format)

    @property
    def files(self) -> tuple[Path, ...]:
        """The path, and the files and folders beside it that its reader opens."""
        beside = self.reader.beside
        return (self.path, *(beside(self.path, self.options) if beside is not None else ()))

    @property
    def files_inside(self) -> tuple[Path, ...] | None:
        """The files of a folder that are read, if its reader may leave some out."""
        inside = self.reader.inside
        return None if inside is None else tuple(inside(self.path, self.options))

    def items(self) -> Iterator[Item]:
        """Read every item; errors name the path."""
        return _checked_items(self.path, self.reader, self.options)

    def only_item(self, name: str) -> Item:
        """Return the only item under another name; a file of several is an error."""
        check_options([self.reader], self.options.stated)
        items = list(self.items())
        if len(items) != 1:
            raise FormatError(
                f"{self.path}: contains {len(items)} items; expected one, as the file belongs to one item"
            )
        return replace(items[0], name=name)

    def with_options(self, options: ReadOptions) -> Source:
        return Source(self.path, options, self.reader.name)

    def absolute(self) -> Source:
        """Return the same source for a process that runs in another folder."""
        return Source(self.path.absolute(), self.options, self._known_format)

    def __getstate__(self) -> dict[str, Any]:
        """A reader is sent to another process by its name."""
        return {"path": self.path, "options": self.options, "format": self._known_format}

    @property
    def _known_format(self) -> str | None:
        reader: Reader | None = self.__dict__.get("reader")
        return self.format if reader is None else reader.name


def find_sources(
    true: str | Path,
    pred: str | Path,
    formats: Formats = None,
    options: ReadOptions | None = None,
    pred_coder: str | None = None,
) -> tuple[Source, Source]:
    """Return the sources of two sides; every option must apply to at least one of them."""
    true_options, pred_options = side_options(options or ReadOptions(), pred_coder)
    sources = (
        Source(input_path(true, true_options), true_options, format_of(formats, "true")),
        Source(input_path(pred, pred_options), pred_options, format_of(formats, "pred")),
    )
    for source in sources:
        check_options([source.reader for source in sources], source.options.stated)
        check_options([source.reader], source.options.stated_here, source.options.side)
    return sources


def side_options(options: ReadOptions, pred_coder: str | None = None) -> tuple[ReadOptions, ReadOptions]:
    """Return the options of each side; the prediction may be that of another annotator."""
    coder = {} if pred_coder is None else {CODER.name: pred_coder}
    return options.replaced(side="true"), options.replaced(side="pred", **coder)


def read_items(path: str | Path, format: str | None = None, options: ReadOptions | None = None) -> Iterator[Item]:  # noqa: A002
    """Read every item of a file; options its format does not have are an error."""
    how = options or ReadOptions()
    source = Source(input_path(path, how), how, format)
    check_options([source.reader], source.options.stated)
    yield from source.items()


def find_reader(path: Path, format: str | None = None) -> Reader:  # noqa: A002 - the word of the command line
    """Return the reader chosen by name, or the one that recognises the content of the file."""
    head = read_head(path)
    if format is not None:
        reader = READERS[format]
        if not _can_read(reader, path):
            readable = ", ".join(sorted(known.name for known in READERS.values() if known.remote))
            raise FormatError(f"{path}: the format {format} is read from files; from a store only {readable} are")
        return reader
    readers = _readers_recognising(readers_of(head), path, head) or _readers_recognising(READERS, path, head)
    if len(readers) == 1:
        return readers[0]
    if readers:
        names = ", ".join(reader.name for reader in readers)
        raise FormatError(f"{path}: could be {names}; choose one with --format")
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[") and path.suffix != ".jsonl":
        from segmetry.readers.parts.strict_json import load_json

        load_json(path)  # raises where the file is not JSON
    known = lookalike(head)
    if known is not None:
        raise FormatError(f"{path}: {known}")
    if head:
        stated = [reader for reader in READERS.values() if path.suffix.lower() in reader.extensions]
        for _ in _checked_items(path, stated[0], ReadOptions()) if len(stated) == 1 else ():
            pass  # the reader of the format that the name states says where the file is damaged
    raise FormatError(
        f"{path}: {_unrecognised_words(path, head)}; 'segmetry formats' lists what can be read, --format chooses one"
    )


def _readers_recognising(readers: Mapping[str, Reader], path: Path, head: bytes) -> list[Reader]:
    return [reader for reader in readers.values() if _can_read(reader, path) and _does_recognise(reader, path, head)]


def _can_read(reader: Reader, path: Path) -> bool:
    return reader.remote or not is_remote(path)


def _does_recognise(reader: Reader, path: Path, head: bytes) -> bool:
    """Return whether a reader takes a file; a plug-in that fails at this question takes none."""
    try:
        return bool(reader.sniff(path, head))
    except Exception as problem:
        plugin = READERS.origin(reader.name)
        if plugin is None or isinstance(problem, SegmetryError):
            raise
        warnings.warn(
            f"the plug-in {plugin} is left out for {path}: its format {reader.name} failed to recognise a file "
            f"({type(problem).__name__}: {problem}); everything else works",
            PluginWarning,
            stacklevel=3,
        )
        return False


def _unrecognised_words(path: Path, head: bytes) -> str:
    if is_remote(path):
        return "no volume in zarr, N5 or precomputed format there"
    if path.is_dir():
        empty = next(path.iterdir(), None) is None
        return "an empty folder" if empty else "a folder without label files, which no reader accepts"
    if not head:
        return "an empty file"
    return f"not a format segmetry recognises (first bytes {head[:8]!r})"


def _checked_items(path: Path, reader: Reader, options: ReadOptions) -> Iterator[Item]:
    try:
        for item in read_by(reader, path, options):
            check_name(item.name, "the name of an item")
            yield item
    except SegmetryError as problem:
        if str(path) in str(problem):
            raise
        raise problem.within(str(path)) from None
    except Exception as problem:
        plugin = READERS.origin(reader.name)
        if plugin is None or isinstance(problem, MemoryError):
            raise
        raise FormatError(
            f"{path}: the plug-in {plugin}, which reads the format {reader.name}, failed: "
            f"{type(problem).__name__}: {' '.join(str(problem).split())}"
        ) from problem
