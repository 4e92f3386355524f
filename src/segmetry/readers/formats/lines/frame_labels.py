"""Labels of frames, as action segmentation stores them: a label per line, or results with a header line.

A file is a video; a folder has one file per video, named by its path there without ``.txt``. A file whose first line
begins with ``###`` is a result: the labels follow the header, separated by white space. Frames of the label
``background`` are outside, unless ``--outside-class`` names others. ``--split`` names a file that lists the videos to
read, as data sets have more videos than a split has results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError, OptionError
from segmetry.readers.items import Item, check_label, file_inside
from segmetry.readers.parts.file_head import read_head
from segmetry.readers.parts.text_file import read_lines, read_text, whole_lines
from segmetry.readers.reader import Option, OptionType, ReadOptions, Text, reads
from segmetry.segmentation import Spans

HEADER = "###"
SUFFIX = ".txt"
SNIFFED = 3
"""How many files of a folder are looked at to recognise it."""


@dataclass(frozen=True)
class Names(OptionType[tuple[str, ...] | None]):
    """One name or several; None for none."""

    accepts_none = True
    several = True

    def check(self, value: Any, name: str) -> tuple[str, ...] | None:
        if value is None:
            return None
        names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else (value,)
        if not all(isinstance(entry, str) for entry in names):
            raise OptionError(f"{name} is {value!r}; expected a label, or several")
        return names

    def plain(self, value: tuple[str, ...] | None) -> list[str] | None:
        return None if value is None else list(value)


OUTSIDE_CLASS: Option[tuple[str, ...] | None] = Option(
    "outside_class",
    "Frame labels: label of frames in no segment; may be repeated. [default: background]",
    Names(),
    ("background",),
    metavar="LABEL",
    none_flag="--no-outside-class",
    none_help="Frame labels: every label is a class, background too.",
)
SPLIT: Option[str | None] = Option(
    "split", "Frame labels: read only the videos that this file lists, one per line.", Text(), metavar="FILE"
)


def _read_spans(path: Path, options: ReadOptions) -> Spans:
    labels = _read_frame_labels(path)
    options.check_size((len(labels),), str(path))
    for label in dict.fromkeys(labels):
        check_label(label, f"{path}, label {labels.index(label) + 1}: the label")
        if not any(map(str.isalnum, label)):
            raise FormatError(f"{path}: the label {label[:40]!a} has neither a letter nor a digit; expected a name")
    outside = options[OUTSIDE_CLASS]
    return Spans.from_frame_labels(labels, outside=None if outside is None else list(outside))


def _read_frame_labels(path: Path) -> list[str]:
    lines = read_lines(path)
    if lines[0].startswith(HEADER):
        labels = [label for line in lines[1:] for label in line.split()]
        if not labels:
            raise FormatError(f"{path}: contains no labels after its header; expected them on the second line")
        return labels
    labels = [line.strip() for line in lines]
    for number, label in enumerate(labels, start=1):
        if len(label.split()) != 1:
            raise FormatError(
                f"{path}, line {number}: {label[:40]!a} is {'empty' if not label else 'more than one word'}; expected "
                f"one label per line (results begin with a line {HEADER})"
            )
    return labels


def _video_files(folder: Path, options: ReadOptions) -> dict[str, Path]:
    """Return the files of a folder by the names of their videos; a link to a folder is not followed."""
    files: dict[str, Path] = {}
    for path in _visible_files(folder):
        name = path.relative_to(folder).as_posix().removesuffix(SUFFIX)
        if name in files:
            raise FormatError(f"{folder}: {files[name].name} and {path.name} are the same video; expected one of them")
        files[name] = path
    split = options[SPLIT]
    if split is None:
        return files
    listed = [line.strip().removesuffix(SUFFIX) for line in read_text(Path(split)).split("\n") if line.strip()]
    for name in listed:
        if name not in files:
            raise FormatError(f"{folder}: no file of the video {name[:80]!a}, which {split} lists")
    return {name: files[name] for name in listed}


def _visible_files(folder: Path) -> list[Path]:
    paths = (path for path in sorted(folder.rglob("*")) if not path.is_dir())
    inside = ((path, path.relative_to(folder).parts) for path in paths)
    return [path for path, parts in inside if not any(part.startswith(".") for part in parts)]


def _is_frame_labels(path: Path, head: bytes) -> bool:
    if not path.is_dir():
        return path.suffix in (SUFFIX, "") and _are_labels(head)
    files = _visible_files(path)
    if not files or any(file.suffix not in (SUFFIX, "") for file in files):
        return False
    return all(file.is_file() and _are_labels(read_head(file)) for file in files[:SNIFFED])


def _are_labels(head: bytes) -> bool:
    """Return whether a file is a result, or has one word per line, some of them words of the line before."""
    lines = [line.strip() for line in whole_lines(head)]
    while lines and not lines[-1]:
        lines.pop()
    if lines and lines[0].startswith(HEADER) and "frame" in lines[0].lower():
        return True
    words = all(len(line.split()) == 1 and any(map(str.isalpha, line)) for line in lines)
    # A column of BIO tags alone has one word per line, too.
    tags = all(line[0] in "OBIESLU" and line[1:2] in ("", "-") for line in lines if line)
    return len(lines) > 1 and words and not tags and any(map(str.__eq__, lines, lines[1:]))


@reads(
    "frame-labels",
    "labels of the frames of a video, one per line, or results with a header; a file or a folder",
    (SUFFIX, "/"),
    sniff=_is_frame_labels,
    options=(OUTSIDE_CLASS, SPLIT),
    beside=lambda _path, options: () if options[SPLIT] is None else (Path(str(options[SPLIT])),),
    inside=lambda path, options: _video_files(path, options).values() if path.is_dir() else (path,),
)
def _read_videos(path: Path, options: ReadOptions) -> Iterator[Item]:
    if not path.is_dir():
        yield Item(path.name.removesuffix(SUFFIX), _read_spans(path, options))
        return
    files = _video_files(path, options)
    if not files:
        raise FormatError(f"{path}: no file of frame labels in it; expected one {SUFFIX} file per video")
    for name, file in files.items():
        place = file.relative_to(path).as_posix()
        yield Item(name, _read_spans(file_inside(path, place, "the file"), options), named=True, file=place)
