"""YouTube-VIS: tubes of objects as JSON, ``segmentations`` with one run-length encoding or null for each frame.

A video is one image of its frames side by side: run lengths go down the columns, so a tube is one mask, and the IoU of
two tubes is Σ |∩| / Σ |∪| over the frames. Results list predicted tubes with scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from segmetry._base.exact import IntArray
from segmetry._base.json_fields import field, id_field, integer_field, list_field
from segmetry.errors import FormatError
from segmetry.kernels.run_length_masks import decode_coco_counts, run_lengths_from_counts
from segmetry.readers.items import Item, within
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.coco_json import (
    categories_of,
    class_names_of,
    crowd_ids,
    encoded_mask,
    mentions,
    number_of,
    size_of,
)
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import reads
from segmetry.segmentation.masks import Masks


class VideoSize(NamedTuple):
    """The number of frames of a video, and their height and width."""

    length: int
    height: int
    width: int

    @property
    def side_by_side(self) -> tuple[int, int]:
        """The shape of the image of all frames."""
        return self.height, self.length * self.width


def _true_tubes(annotations: Sequence[Any], size: VideoSize) -> Masks:
    places = [f"annotation {annotation['id']}" for annotation in annotations]
    counts = [_tube_counts(annotation, size, place) for annotation, place in zip(annotations, places, strict=True)]
    return Masks(
        run_lengths_from_counts(counts, size.length * size.height * size.width),
        size.side_by_side,
        ids=np.array([annotation["id"] for annotation in annotations], dtype=np.int64),
        classes=[annotation["category_id"] for annotation in annotations],
        crowd=crowd_ids(annotations, places),
    )


def _tube_counts(tube: Any, size: VideoSize, place: str) -> IntArray:
    """Return the alternating counts of a tube over all frames, pixels outside first."""
    frames = list_field(tube, "segmentations", place)
    if len(frames) != size.length:
        raise FormatError(f"{place}: {len(frames)} segmentations; expected one for each of {size.length} frames")
    pixels = size.height * size.width
    total: list[int] = [0]
    for at, segmentation in enumerate(frames):
        counts = [pixels] if segmentation is None else _frame_counts(segmentation, size, f"{place}, frame {at}")
        if sum(counts) != pixels:
            raise FormatError(f"{place}, frame {at}: counts add up to {sum(counts)}; expected {pixels}")
        if len(total) % 2:  # it ends outside
            total[-1] += counts[0]
            counts = counts[1:]
        total += counts
    return np.array(total, dtype=np.int64)


def _frame_counts(segmentation: Any, size: VideoSize, place: str) -> list[int]:
    encoded = encoded_mask(segmentation, (size.height, size.width), place)["counts"]
    try:
        counts = encoded if isinstance(encoded, list) else decode_coco_counts(encoded.encode("ascii")).tolist()
    except ValueError as problem:
        raise FormatError(f"{place}: {problem}") from None
    return [int(count) for count in counts] or [0]


def _predicted_tubes(results: Sequence[tuple[int, Any]], options: ReadOptions) -> Masks:
    places = [f"result {at}" for at, _ in results]
    size = _stated_size(results)
    options.check_size(size.side_by_side, places[0])
    counts = [_tube_counts(result, size, place) for (_, result), place in zip(results, places, strict=True)]
    return Masks(
        run_lengths_from_counts(counts, size.length * size.height * size.width),
        size.side_by_side,
        classes=[
            integer_field(result, "category_id", place) for (_, result), place in zip(results, places, strict=True)
        ],
        scores=[
            number_of(field(result, "score", place), "score", place)
            for (_, result), place in zip(results, places, strict=True)
        ],
    )


def _stated_size(results: Sequence[tuple[int, Any]]) -> VideoSize:
    for at, result in results:
        frames = list_field(result, "segmentations", f"result {at}")
        for segmentation in frames:
            if segmentation is not None:
                return VideoSize(len(frames), *size_of(segmentation, f"result {at}"))
    raise FormatError(f"result {results[0][0]}: no mask in any frame of its video; expected at least one")


def _is_truth(path: Path, head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and mentions(path, b'"videos"') and mentions(path, b'"segmentations"')


def _is_results(_path: Path, head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"[") and b'"video_id"' in start


@reads(
    "youtube-vis",
    "YouTube-VIS annotations: tubes with one run-length encoding, or null, for each frame",
    (".json",),
    sniff=_is_truth,
    lazy=True,
)
def _read_truth(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    categories, names = categories_of(data, where), class_names_of(data, where)
    videos: dict[int | str, VideoSize] = {}
    for at, video in enumerate(list_field(data, "videos", where)):
        place = f"{where}: videos[{at}]"
        number = id_field(video, "id", place)
        if number in videos:
            raise FormatError(f"{place}: the id {number!r} occurs twice")
        videos[number] = VideoSize(*(integer_field(video, name, place, least=1) for name in VideoSize._fields))
    tubes: dict[int | str, list[Any]] = {number: [] for number in videos}
    for at, annotation in enumerate(list_field(data, "annotations", where)):
        place = f"{where}: annotations[{at}]"
        number = id_field(annotation, "video_id", place)
        if number not in tubes:
            raise FormatError(f"{place}: video_id is {str(number)[:40]!a}, which is not among the videos of the file")
        if integer_field(annotation, "category_id", place) not in categories:
            raise FormatError(f"{place}: category_id is {annotation['category_id']}, not among the categories")
        integer_field(annotation, "id", place)
        tubes[number].append(annotation)
    for number, size in videos.items():
        options.check_size(size.side_by_side, f"{where}: video {str(number)[:40]!a}")
        load = partial(_true_tubes, tubes[number], size)
        yield Item(str(number), within(where, load), named=True, class_names=names)


@reads(
    "youtube-vis-results",
    "YouTube-VIS results: predicted tubes with classes and scores",
    (".json",),
    sniff=_is_results,
    lists_all=False,
    lazy=True,
)
def _read_results(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    if not isinstance(data, list):
        raise FormatError(f"{where}: not a list; expected a list of results")
    by_video: dict[int | str, list[tuple[int, Any]]] = {}
    for at, result in enumerate(data):
        by_video.setdefault(id_field(result, "video_id", f"{where}: result {at}"), []).append((at, result))
    for number, results in by_video.items():
        yield Item(str(number), within(where, partial(_predicted_tubes, results, options)), named=True)
