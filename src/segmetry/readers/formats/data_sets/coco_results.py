"""COCO and LVIS results: predicted masks or boxes with classes and scores.

Results list predictions only: an image that is not named has none. Results with boxes alone do not state the size of
their images; it is that of the truth, and the masks are the boxes, drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base.json_fields import field, id_field, integer_field
from segmetry.errors import FormatError
from segmetry.kernels.detection.mask_boxes import run_lengths_of_boxes
from segmetry.readers.items import Item, within
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.coco_fields import box_of, number_of
from segmetry.readers.parts.coco_masks import decoded_together, encoded_mask, size_of
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.facts.detection_facts import DetectionFacts
from segmetry.segmentation.masks import Masks

Results = Sequence[tuple[int, Any]]
"""The results of one image with their positions in the file."""


def _read_results(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    if not isinstance(data, list):
        raise FormatError(f"{where}: not a list; expected a list of results")
    by_image: dict[int | str, list[tuple[int, Any]]] = {}
    for at, result in enumerate(data):
        try:
            image = result["image_id"]
            by_image[image].append((at, result))
        except (KeyError, TypeError):
            by_image.setdefault(id_field(result, "image_id", f"{where}: result {at}"), []).append((at, result))
    boxes_only = bool(data) and "segmentation" not in data[0] and "bbox" in data[0]
    read = _boxes if boxes_only else _masks
    for image, results in by_image.items():
        if isinstance(image, bool) or not isinstance(image, int | str):
            id_field(results[0][1], "image_id", f"{where}: result {results[0][0]}")
        load = within(where, partial(read, results, options))
        yield Item(str(image), load, named=True, takes_domain=boxes_only)


def _masks(results: Results, options: ReadOptions) -> Masks:
    first_at, first = results[0]
    size = size_of(field(first, "segmentation", f"result {first_at}"), f"result {first_at}")
    options.check_size(size, f"result {first_at}")
    decoded = decoded_together([result for _, result in results], size)
    classes, scores, boxes = _stated(results)
    facts = None if boxes is None else DetectionFacts(boxes=boxes)
    if decoded is not None:
        return Masks(decoded, size, classes=classes, scores=scores, detection=facts)
    encoded = []
    for at, result in results:
        segmentation = field(result, "segmentation", f"result {at}")
        if isinstance(segmentation, list):
            raise FormatError(
                f"result {at}: segmentation is a list of polygons; expected run lengths, which have a size"
            )
        encoded.append(encoded_mask(segmentation, size, f"result {at}"))
    return Masks.from_rle(encoded, size, classes=classes, scores=scores, detection=facts)


def _boxes(results: Results, options: ReadOptions, domain: tuple[int, ...]) -> Masks:
    """Return the boxes, drawn into an image of the size of the truth."""
    height, width = domain
    options.check_size((height, width), f"result {results[0][0]}")
    classes, scores, boxes = _stated(results)
    if boxes is None:
        raise FormatError(f"result {results[0][0]} has neither 'segmentation' nor 'bbox'; expected one of them")
    facts = DetectionFacts(boxes=boxes, boxes_only=True)
    runs = run_lengths_of_boxes(np.array(boxes).reshape(-1, 4), (height, width))
    return Masks(runs, (height, width), classes=classes, scores=scores, detection=facts)


def _stated(results: Results) -> tuple[list[int], list[float], list[list[float]] | None]:
    """Return classes, scores and, where every result has one, boxes."""
    try:
        classes = [result["category_id"] for _, result in results]
        scores = [result["score"] for _, result in results]
    except (KeyError, TypeError):
        classes, scores = [None], []
    plain = set(map(type, classes)) == {int} and set(map(type, scores)) == {float} and min(classes) >= 0
    if not plain or not all(map(math.isfinite, scores)):
        classes = [integer_field(result, "category_id", f"result {at}") for at, result in results]
        scores = [number_of(field(result, "score", f"result {at}"), "score", f"result {at}") for at, result in results]
    if "bbox" not in results[0][1]:
        return classes, scores, None
    return classes, scores, [box_of(field(result, "bbox", f"result {at}"), f"result {at}") for at, result in results]


def _sniff_results(_path: Path, head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    words = (b'"segmentation"', b'"counts"', b'"bbox"')
    return start.startswith(b"[") and b'"image_id"' in start and any(word in start for word in words)


declare_reader(
    Reader(
        name="coco-results",
        summary="COCO and LVIS results: predicted masks as run lengths, or boxes, with classes and scores",
        extensions=(".json",),
        sniff=_sniff_results,
        read=_read_results,
        lists_all=False,
        lazy=True,
    )
)
