"""Videos in folders: one folder of PNG frames per video, the layout of DAVIS, YouTube-VOS and KITTI-STEP.

Frames follow each other in the order of their names and are read one by one. Labels are the same object in all frames
of a video. A palette image is rejected unless ``--colours index`` says that its indices are labels.

KITTI-STEP: red is the class, green · 256 + blue the instance. The classes are the 19 of Cityscapes by their training
numbers; 255 is void in the truth and in no segment in the prediction. Pedestrians (11) and cars (13) have instances; in
the truth their instance 0 is a crowd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError, OptionError, list_some
from segmetry.readers.formats.arrays.png import read_label_png
from segmetry.readers.formats.data_sets.cityscapes import NAMES as CITYSCAPES_NAMES
from segmetry.readers.items import Item, file_inside, within
from segmetry.readers.label_reading import COLOURS, LABEL_OPTIONS, read_labels
from segmetry.readers.parts.file_folders import GLOB, fitting_files
from segmetry.readers.reader import Option, ReadOptions, Text, reads
from segmetry.segmentation import LabelArray, Segmentation
from segmetry.storage import FrameStack

SEQUENCES: Option[str | None] = Option(
    "sequences",
    "Videos: a text file that lists the videos to read, the name first in each line (such as val.txt of DAVIS).",
    Text(),
    metavar="FILE",
)


def chosen(names: Sequence[str], path: Path, options: ReadOptions) -> list[str]:
    """Return the videos that are read: all, or those that the file of ``sequences`` lists, which must exist."""
    stated = options[SEQUENCES]
    if stated is None:
        return list(names)
    try:
        lines = Path(stated).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise OptionError(f"sequences is {stated!r}, which cannot be read: {problem}; expected a text file") from None
    listed = {line.split()[0] for line in lines if line.strip()}
    if not listed:
        raise OptionError(f"sequences is {stated!r}, which lists no video; expected one name per line")
    missing = sorted(listed - set(names))
    if missing:
        raise FormatError(f"{path}: {len(missing)} of the listed videos are not in it: {list_some(missing, most=5)}")
    return [name for name in names if name in listed]


def video_folders(path: Path, options: ReadOptions, suffix: str = ".png") -> dict[str, tuple[Path, ...]]:
    """Return the frames of each video, a folder at any depth; the path itself is one if frames lie in it."""
    if not path.is_dir():
        raise FormatError(f"{path}: not a folder; expected one folder of frames ({suffix}) per video")
    frames: dict[str, list[Path]] = {}
    for file in fitting_files(path, options):
        place = file.relative_to(path)
        if file.suffix.lower() == suffix:
            frames.setdefault(place.parent.as_posix(), []).append(file)
    if not frames:
        raise FormatError(f"{path}: no frame in it; expected one folder of {suffix} files per video")
    if "." in frames and len(frames) > 1:
        raise FormatError(
            f"{path}: frames lie in it and in its folder {min(name for name in frames if name != '.')}; expected one "
            "folder of frames per video"
        )
    names = {name: path.resolve().name if name == "." else name for name in frames}
    kept = set(chosen(list(names.values()), path, options))
    return {names[name]: tuple(files) for name, files in frames.items() if names[name] in kept}


def video_items(
    path: Path, options: ReadOptions, load: Callable[[tuple[Path, ...], ReadOptions], Segmentation], **facts: object
) -> Iterator[Item]:
    """Yield one item per folder of frames; ``load`` makes a segmentation of them. ``facts`` are those of items."""
    for video, frames in video_folders(path, options).items():
        for frame in frames:
            file_inside(path, frame.relative_to(path).as_posix(), "the frame")
        loader, stems = within(str(path), partial(load, frames, options)), tuple(frame.stem for frame in frames)
        yield Item(video, loader, named=True, frames=stems, **facts)  # type: ignore[arg-type]


def files_of_videos(path: Path, options: ReadOptions) -> list[Path]:
    """Return the frames of all videos that are read."""
    return [frame for frames in video_folders(path, options).values() for frame in frames]


def stacked(
    frames: tuple[Path, ...], options: ReadOptions, read: Callable[..., NDArray[Any]] = read_label_png
) -> FrameStack:
    """Return the frames of a video as one array, of which only the first is read now."""
    first = read(frames[0], options)
    shape = (len(frames), *first.shape)
    options.check_size(shape, str(frames[0].parent))
    return FrameStack(frames, partial(read, options=options), shape, first.dtype)


def _label_video(frames: tuple[Path, ...], options: ReadOptions) -> Segmentation:
    return read_labels(stacked(frames, options), options)


@reads(
    "video",
    "videos: one folder of label images (PNG) each; --format video or a protocol of videos chooses it",
    ("/",),
    options=(*LABEL_OPTIONS, COLOURS, GLOB, SEQUENCES),
    lazy=True,
    inside=files_of_videos,
)
def _read_label_videos(path: Path, options: ReadOptions) -> Iterator[Item]:
    return video_items(path, options, _label_video)


NAMES = dict(enumerate(CITYSCAPES_NAMES.values()))
VOID = 255
THINGS = (11, 13)
PER_CLASS = 2**16
GROUPS = {"things": frozenset(THINGS), "stuff": frozenset(NAMES) - frozenset(THINGS)}


def _step_frame(file: Path, options: ReadOptions) -> NDArray[Any]:
    """Return class · 2¹⁶ + instance, from R + 256·G + 65536·B."""
    colours = read_label_png(file, options)
    if colours.dtype != np.uint32:
        raise FormatError(f"{file}: a grey or palette image; expected red the class, green and blue the instance")
    red, green, blue = colours & 0xFF, colours >> 8 & 0xFF, colours >> 16
    wrong = (red >= len(NAMES)) & (red != VOID)
    if wrong.any():
        raise FormatError(f"{file}: contains class {int(red[wrong][0])}; expected 0 to {len(NAMES) - 1}, or {VOID}")
    labels: NDArray[Any] = red << 16 | green << 8 | blue
    return labels


def _step_video(frames: tuple[Path, ...], options: ReadOptions) -> LabelArray:
    reading = ReadOptions(most_elements=options.most_elements, side=options.side, colours="rgb")
    stack = stacked(frames, reading, _step_frame)
    if options.side == "pred":
        return LabelArray.from_classes(stack, instances_per_class=PER_CLASS, outside=VOID)
    crowd = [number * PER_CLASS for number in THINGS]
    return LabelArray.from_classes(stack, instances_per_class=PER_CLASS, outside=None, void=VOID, crowd=crowd)


@reads(
    "kitti-step",
    "KITTI-STEP: one folder of colour PNG frames per video; red is the class, green and blue the instance",
    ("/",),
    options=(GLOB, SEQUENCES),
    lazy=True,
    declares_void=True,
    inside=files_of_videos,
)
def _read_step_videos(path: Path, options: ReadOptions) -> Iterator[Item]:
    return video_items(path, options, _step_video, class_names=NAMES, groups=GROUPS, declares_void=True)
