"""A folder of videos: one folder of label images (PNG) per video, the layout of DAVIS and YouTube-VOS.

Frames follow each other in the order of their names and are read one by one. Labels are the same object in all frames
of a video. A palette image is refused unless ``--colours index`` says that its indices are labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from segmetry.readers.formats.arrays.png import read_label_png
from segmetry.readers.formats.data_sets.label_folder import GLOB
from segmetry.readers.formats.videos.video_folders import SEQUENCES, files_of_videos, video_items
from segmetry.readers.items import Item
from segmetry.readers.labels.label_options import COLOURS, LABEL_OPTIONS
from segmetry.readers.labels.label_reading import read_labels
from segmetry.readers.options import ReadOptions
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.base import Segmentation
from segmetry.storage.frame_stack import FrameStack


def stacked(frames: tuple[Path, ...], options: ReadOptions) -> FrameStack:
    """Return the frames of a video as one array, of which only the first is read now."""
    first = read_label_png(frames[0], options)
    shape = (len(frames), *first.shape)
    options.check_size(shape, str(frames[0].parent))
    return FrameStack(frames, partial(read_label_png, options=options), shape, first.dtype)


def _video(frames: tuple[Path, ...], options: ReadOptions) -> Segmentation:
    return read_labels(stacked(frames, options), options)


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    return video_items(path, options, _video)


declare_reader(
    Reader(
        name="video",
        summary="videos: one folder of label images (PNG) each; --format video or a protocol of videos chooses it",
        extensions=("/",),
        sniff=lambda _path, _head: False,
        read=_read,
        options=(*LABEL_OPTIONS, COLOURS, GLOB, SEQUENCES),
        lazy=True,
        inside=files_of_videos,
    )
)
