"""Videos in folders: which folders are videos, which files are their frames, and which videos are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from segmetry.errors import FormatError, OptionError
from segmetry.readers.formats.data_sets.label_folder import GLOB, files_in
from segmetry.readers.items import Item, within
from segmetry.readers.option import Option, Text
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.safe_names import file_inside
from segmetry.segmentation.base import Segmentation

SEQUENCES: Option[str | None] = Option(
    "sequences",
    "Videos: a text file that lists the videos to read, the name first in each line (such as val.txt of DAVIS).",
    Text(),
    None,
    metavar="FILE",
)
SHOWN = 5


class VideoFolder(NamedTuple):
    """A folder whose files are the frames of one video, in the order of their names."""

    name: str
    frames: tuple[Path, ...]


def listed_sequences(options: ReadOptions) -> frozenset[str] | None:
    """Return the names in the file of ``sequences``; None where all videos are read."""
    listed = options[SEQUENCES]
    if listed is None:
        return None
    try:
        lines = Path(listed).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise OptionError(f"sequences is {listed!r}, which cannot be read: {problem}; expected a text file") from None
    names = frozenset(line.split()[0] for line in lines if line.strip())
    if not names:
        raise OptionError(f"sequences is {listed!r}, which lists no video; expected one name per line")
    return names


def chosen(names: Iterator[str] | list[str], path: Path, options: ReadOptions) -> list[str]:
    """Return the videos that are read; one that is listed and does not exist is an error."""
    found = list(names)
    listed = listed_sequences(options)
    if listed is None:
        return found
    missing = sorted(listed - set(found))
    if missing:
        shown = ", ".join(missing[:SHOWN]) + (" …" if len(missing) > SHOWN else "")
        raise FormatError(f"{path}: {len(missing)} of the listed videos are not in it: {shown}")
    return [name for name in found if name in listed]


def video_folders(path: Path, options: ReadOptions, suffix: str = ".png") -> list[VideoFolder]:
    """Return the folders at any depth that contain frames; the path itself is one if frames lie in it."""
    if not path.is_dir():
        raise FormatError(f"{path}: not a folder; expected one folder of frames ({suffix}) per video")
    pattern = options[GLOB]
    frames: dict[str, list[Path]] = {}
    for file in files_in(path):
        place = file.relative_to(path)
        if file.suffix.lower() == suffix and (pattern is None or PurePosixPath(place).match(pattern)):
            frames.setdefault(place.parent.as_posix(), []).append(file)
    if not frames:
        raise FormatError(f"{path}: no frame in it; expected one folder of {suffix} files per video")
    if "." in frames and len(frames) > 1:
        raise FormatError(
            f"{path}: frames lie in it and in its folder {min(name for name in frames if name != '.')}; expected one "
            "folder of frames per video"
        )
    names = {name: path.resolve().name if name == "." else name for name in frames}
    wanted = set(chosen(list(names.values()), path, options))
    return [VideoFolder(names[name], tuple(files)) for name, files in frames.items() if names[name] in wanted]


def video_items(
    path: Path, options: ReadOptions, load: Callable[[tuple[Path, ...], ReadOptions], Segmentation], **facts: object
) -> Iterator[Item]:
    """Yield one item per folder of frames; ``load`` makes a segmentation of them. ``facts`` are those of items."""
    for video in video_folders(path, options):
        for frame in video.frames:
            file_inside(path, frame.relative_to(path).as_posix(), "the frame")
        yield Item(
            video.name,
            within(str(path), partial(load, video.frames, options)),
            named=True,
            frames=tuple(frame.stem for frame in video.frames),
            **facts,  # type: ignore[arg-type]
        )


def files_of_videos(path: Path, options: ReadOptions) -> list[Path]:
    """Return the frames of all videos that are read."""
    return [frame for video in video_folders(path, options) for frame in video.frames]
