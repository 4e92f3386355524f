"""A path to read, or an address, with its format, which is determined once, and the options that apply to it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

from segmetry._base import frozen_dataclass
from segmetry.errors import DataWarning, FormatError, OptionError, PluginWarning, SegmetryError, list_some
from segmetry.readers.isolated_reading import read_by
from segmetry.readers.items import Item, check_name, file_inside
from segmetry.readers.line_files import LineFile
from segmetry.readers.parts.file_folders import GLOB, files_in, fitting_files
from segmetry.readers.parts.file_head import lookalike, read_head
from segmetry.readers.parts.span_rows import CODER
from segmetry.readers.parts.text_file import whole_lines
from segmetry.readers.reader import (
    READERS,
    SIDES,
    Flag,
    Formats,
    Option,
    Reader,
    ReadOptions,
    check_options,
    format_of,
    readers_of,
)
from segmetry.segmentation import Segmentation, Spans, TimeIntervals
from segmetry.storage import PROTOCOLS, RemotePath, is_remote, is_url

REMOTE: Option[bool] = Option(
    "remote",
    "Zarr, N5, precomputed: TRUE and PRED may be addresses (https, s3, gs, …), from which chunks are fetched.",
    Flag(),
    False,
)
NOTHING: Mapping[str, str] = MappingProxyType({})
METADATA = ("zarr.json", ".zarray", ".zgroup", ".zattrs", "attributes.json", "s0/attributes.json", "info")
"""The files by which a remote volume is identified; its chunks are not fetched to fingerprint them."""


def input_path(value: str | os.PathLike[str], options: ReadOptions) -> Path:
    """Return the path of an input: of a file or folder, or in a store if the user allows addresses."""
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

    def lines(self) -> LineFile | None:
        """Return all items at once, if the file is one of lines and plain in every respect."""
        return _lines_at_once(self.path, self.reader, self.options)

    def items(self, *, later: bool = False) -> Iterator[Item]:
        """Read every item, or with ``later`` keep a file of the folder as a source; errors name the path."""
        for item in _checked_items(self.path, self.reader, self.options):
            is_read = later or not isinstance(item.content, Source)
            yield item if is_read else replace(own_item(item), named=True, file=item.file)

    def __call__(self) -> Segmentation:
        """Return the segmentation of the only item, as a loader does."""
        return self.only_item("").load()

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


def own_item(item: Item) -> Item:
    """Return an item whose content is the source of a file as that file has it; any other unchanged."""
    return item.content.only_item(item.name) if isinstance(item.content, Source) else item


def find_sources(
    true: str | Path,
    pred: str | Path,
    formats: Formats = None,
    options: ReadOptions | None = None,
    pred_coder: str | None = None,
) -> tuple[Source, Source]:
    """Return the sources of two sides; every option must apply to at least one of them."""
    both = side_options(options or ReadOptions(), pred_coder)
    paths = [input_path(path, own) for path, own in zip((true, pred), both, strict=True)]
    true_source, pred_source = (
        Source(path, own, reader.name)
        for path, own, reader in zip(paths, both, find_readers(paths[0], paths[1], formats), strict=True)
    )
    sources = true_source, pred_source
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


def find_readers(
    true: Path, pred: Path, formats: Formats = None, read_as: Mapping[str, str] = NOTHING
) -> tuple[Reader, Reader]:
    """Return the readers of two sides; an empty file is in the format of the other, where such a file has no segments.

    ``read_as`` are formats of a protocol, by those whose files can look the same.
    """
    sides = list(zip((true, pred), (format_of(formats, side) for side in SIDES), strict=True))
    blank = [format_ is None and _is_blank(path) for path, format_ in sides]
    if blank[0] != blank[1]:
        other = find_reader(*sides[blank.index(False)], read_as)
        if other.blank:
            return other, other
    first, second = (find_reader(path, format_, read_as) for path, format_ in sides)
    return first, second


def _is_blank(path: Path) -> bool:
    """Return whether a file is empty, or a folder contains empty files only."""
    if is_remote(path):
        return False
    if path.is_dir():
        return bool(files := files_in(path)) and all(map(_is_blank, files))
    return path.is_file() and not read_head(path).strip()


def find_reader(
    path: Path,
    format: str | None = None,  # noqa: A002 - the word of the command line
    read_as: Mapping[str, str] = NOTHING,
) -> Reader:
    """Return the reader chosen by name, or the one that recognises the content of the file."""
    head = read_head(path)
    if format is not None:
        reader = READERS[format]
        if not _can_read(reader, path):
            readable = ", ".join(sorted(known.name for known in READERS.values() if known.remote))
            raise FormatError(f"{path}: the format {format} is read from files; from a store only {readable} are")
        return _for_path(reader, path)
    readers = _readers_recognising(readers_of(head), path, head) or _readers_recognising(READERS, path, head)
    names = {read_as.get(reader.name, reader.name) for reader in readers} or {read_as.get("", "")} - {""}
    if len(names) == 1 and (readers or head or path.is_dir()):
        return READERS[names.pop()]
    if readers:
        raise FormatError(f"{path}: could be {', '.join(sorted(names))}; choose one with --format")
    if not is_remote(path) and path.is_dir():
        inside = _formats_inside(path, read_as)
        if len(inside) > 1:
            listed = ", ".join(f"{file.relative_to(path)} ({name})" for name, file in inside.items())
            raise FormatError(f"{path}: contains files of several formats: {listed}; choose one with --format")
        if inside:
            return _for_path(READERS[next(iter(inside))], path)
        head = next((start for file in files_in(path) if file.is_file() and (start := read_head(file))), b"")
    if head.lstrip()[:1] in (b"{", b"[") and path.suffix != ".jsonl":
        from segmetry.readers.parts.text_file import load_json

        load_json(path)  # raises where the file is not JSON
    known = lookalike(head)
    if known is not None:
        raise FormatError(f"{path}: {known}")
    if head and not path.is_dir():
        stated = [reader for reader in READERS.values() if path.suffix.lower() in reader.extensions]
        for _ in _checked_items(path, stated[0], ReadOptions()) if len(stated) == 1 else ():
            pass  # the reader of the format that the name states says where the file is damaged
    text = " (text between separators: --format text --separator REGEX)" if any(whole_lines(head)) else ""
    raise FormatError(
        f"{path}: {_unrecognised_words(path, head)}; 'segmetry formats' lists what can be read, --format chooses one"
        f"{text}"
    )


def _formats_inside(folder: Path, read_as: Mapping[str, str]) -> dict[str, Path]:
    """Return the formats of the files of a folder, each with a file: of each suffix the first that is recognised."""
    formats: dict[str, Path] = {}
    known: set[str] = set()
    for file in files_in(folder):
        if file.suffix not in known and file.is_file() and (head := read_head(file)):
            readers = _readers_recognising(readers_of(head), file, head) or _readers_recognising(READERS, file, head)
            names = {read_as.get(reader.name, reader.name) for reader in readers}
            if len(names) > 1:
                raise FormatError(f"{file}: could be {', '.join(sorted(names))}; choose one with --format")
            known |= {file.suffix} if names else set()
            for name in names:
                formats.setdefault(name, file)
    return formats


def _for_path(reader: Reader, path: Path) -> Reader:
    """Return the reader of a file format for a folder of such files; any other unchanged."""
    if reader.reads_folders or is_remote(path) or not path.is_dir():
        return reader
    return replace(
        reader,
        read=partial(_items_of_files, reader.name),
        inside=partial(_files_of_format, reader),
        options=(*reader.options, *({GLOB} - {*reader.options})),
        isolated=False,  # each of its files is
        files_alone=True,
        lines=None,
    )


def _files_of_format(reader: Reader, folder: Path, options: ReadOptions) -> list[Path]:
    """Return the files of a folder that are named as those of a format usually are; all, if none is."""
    files = fitting_files(folder, options)
    named = [file for file in files if file.name.lower().endswith(reader.extensions)]
    return named or files


def _items_of_files(format_: str, folder: Path, options: ReadOptions) -> Iterator[Item]:
    """Yield the items of all files of a folder; a name that is only a position in a file follows that of the file."""
    reader = READERS[format_]
    files, own = _files_of_format(reader, folder, options), options.without(GLOB)
    if not files:
        raise FormatError(f"{folder}: no file in it is read; expected files of the format {format_}")
    _note_others(folder, files, options)
    items: dict[str, Item] = {}
    for file in files:
        place = file.relative_to(folder).as_posix()
        source = Source(file_inside(folder, place, "the file"), own, format_)
        by_file = place.removesuffix(file.suffix)
        if reader.one_item:
            yield Item(by_file, source, named=True, file=place)
            continue
        for item in source.items():
            at_position = item.name.isdecimal() and item.name != file.stem
            name = f"{by_file}/{item.name}" if at_position else item.name
            known = items.get(name)
            if known is not None and _has_segments(known) and _has_segments(item):
                raise FormatError(f"{folder}: the item {name!r} is in {known.file} and {place}; expected one of them")
            if known is None or _has_segments(item):  # the parts to evaluate name recordings of other files, too
                items[name] = replace(item, name=name, named=True, file=place)
    yield from items.values()


def _has_segments(item: Item) -> bool:
    return not isinstance(item.content, Spans | TimeIntervals) or bool(item.content.starts.size)


def _note_others(folder: Path, files: list[Path], options: ReadOptions) -> None:
    others = [file for file in files_in(folder) if file not in set(files)] if options[GLOB] is None else []
    if others:
        shown = list_some([ascii(file.relative_to(folder).as_posix()) for file in others], most=5)
        warnings.warn(f"{folder}: files of other names are ignored: {shown}", DataWarning, stacklevel=2)


def _readers_recognising(readers: Mapping[str, Reader], path: Path, head: bytes) -> list[Reader]:
    if path.suffix.lower() in (".swc", ".nml"):
        raise FormatError(f"{path}: traced neurons, which 'segmetry skeletons' follows in a volume")
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
        return "an empty folder" if empty else "a folder without files of a format segmetry recognises"
    if not head:
        return "an empty file"
    return f"not a format segmetry recognises (first bytes {head[:8]!r})"


def _lines_at_once(path: Path, reader: Reader, options: ReadOptions) -> LineFile | None:
    return None if reader.lines is None or options.isolation.wanted else reader.lines(path, options)


def _checked_items(path: Path, reader: Reader, options: ReadOptions) -> Iterator[Item]:
    try:
        if (lines := _lines_at_once(path, reader, options)) is not None:
            if lines.note is not None:
                warnings.warn(lines.note, DataWarning, stacklevel=2)
            yield from lines.items()
            return
        if reader.blank and _is_blank(path):
            warnings.warn(f"{path}: an empty file, read as {reader.name} without segments", DataWarning, stacklevel=2)
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
