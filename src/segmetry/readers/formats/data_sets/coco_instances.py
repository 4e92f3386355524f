"""COCO instances and LVIS: masks that may overlap, with classes, crowds, areas and boxes, and results with scores.

Annotations list their images, so an image without masks is an item; items are in the order of the ids of the images, as
in the reference. LVIS looks for some classes only in each image, and its categories are rare, common or frequent.

Results list predictions only: an image that is not named has none. Results with boxes alone do not state the size of
their images; it is that of the truth, and the masks are the boxes, drawn.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base.json_fields import field, id_field, integer_field, list_field
from segmetry.errors import DataWarning, FormatError
from segmetry.kernels.run_length_masks import boxes_of_run_lengths, run_lengths_of_boxes
from segmetry.readers.items import Item, within
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.coco_json import (
    box_of,
    categories_of,
    class_names_of,
    crowd_ids,
    decoded_together,
    encoded_mask,
    groups_of,
    is_coco_object,
    mentions,
    number_of,
    size_of,
    sizes_of,
)
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import reads
from segmetry.segmentation.detection_facts import DetectionFacts
from segmetry.segmentation.masks import Masks

FREQUENCIES = {"r": "rare", "c": "common", "f": "frequent"}
"""The groups of LVIS's categories, by the letter in the file."""


@dataclass(frozen=True)
class _Image:
    """One image: its size, and for LVIS the classes that are absent and those annotated incompletely."""

    size: tuple[int, int]
    absent: frozenset[int] | None = None
    incomplete: frozenset[int] = frozenset()


def _class_ids(image: Any, name: str, place: str) -> frozenset[int]:
    """Return a list of categories that an image states."""
    listed = list_field(image, name, place)
    for number in listed:
        if type(number) is not int:
            raise FormatError(f"{place}: {name} contains {str(number)[:40]!a}; expected ids of categories")
    return frozenset(listed)


def _annotated_items(
    data: Any,
    where: str,
    images: Mapping[int | str, _Image],
    categories: Mapping[int, Any],
    groups: Mapping[str, frozenset[Hashable]] | None,
    options: ReadOptions,
) -> Iterator[Item]:
    class_names = class_names_of(data, where)
    # Numbers first, ascending, then texts.
    by_image: dict[int | str, list[Any]] = {
        image: [] for image in sorted(images, key=lambda image: (isinstance(image, str), image))
    }
    seen: set[int] = set()
    for at, annotation in enumerate(list_field(data, "annotations", where)):
        number = integer_field(annotation, "id", f"{where}: annotations[{at}]")
        place = f"{where}: annotation {number}"
        if number in seen:
            raise FormatError(f"{place} is listed twice")
        seen.add(number)
        image = id_field(annotation, "image_id", place)
        if image not in by_image:
            raise FormatError(f"{place}: image_id is {str(image)[:40]!a}, which is not among the images of the file")
        if integer_field(annotation, "category_id", place) not in categories:
            raise FormatError(f"{place}: category_id is {annotation['category_id']}, not among the categories")
        by_image[image].append(annotation)
    for image, listed in by_image.items():
        options.check_size(images[image].size, f"{where}: image {str(image)[:40]!a}")
        load = partial(_true_masks, listed, images[image], where)
        yield Item(str(image), within(where, load), named=True, groups=groups, class_names=class_names)


def _true_masks(annotations: Sequence[Any], image: _Image, where: str) -> Masks:
    places = [f"annotation {annotation['id']}" for annotation in annotations]
    boxes: list[list[float] | None] = [
        box_of(annotation["bbox"], place) if "bbox" in annotation else None
        for annotation, place in zip(annotations, places, strict=True)
    ]
    boxes_only = bool(annotations) and not any("segmentation" in annotation for annotation in annotations)
    common: dict[str, Any] = {
        "ids": [annotation["id"] for annotation in annotations],
        "classes": [annotation["category_id"] for annotation in annotations],
        "crowd": crowd_ids(annotations, places) if image.absent is None else None,
    }
    if boxes_only and None not in boxes:
        drawn = run_lengths_of_boxes(np.array(boxes, dtype=np.float64).reshape(-1, 4), image.size)
        masks = Masks(drawn, image.size, **common)
    else:
        boxes_only = False
        decoded = decoded_together(annotations, image.size)
        if decoded is not None:
            masks = Masks(decoded, image.size, **common)
        else:
            encoded = [
                encoded_mask(field(annotation, "segmentation", place), image.size, place)
                for annotation, place in zip(annotations, places, strict=True)
            ]
            masks = Masks.from_rle(encoded, image.size, **common)
        _warn_of_areas(annotations, masks, where)
    if None in boxes:
        drawn_boxes = boxes_of_run_lengths(masks.run_lengths, image.size[0]).tolist()
        boxes = [drawn if own is None else own for own, drawn in zip(boxes, drawn_boxes, strict=True)]
    facts = DetectionFacts(
        areas=[
            number_of(annotation.get("area", counted), "area", place, least=0)
            for annotation, counted, place in zip(annotations, masks.sizes.tolist(), places, strict=True)
        ],
        boxes=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        boxes_only=boxes_only,
        absent=image.absent,
        incomplete=image.incomplete,
    )
    return masks.with_detection(facts)


def _warn_of_areas(annotations: Sequence[Any], masks: Masks, where: str) -> None:
    """Warn if the ``area`` of run lengths is not their pixel count; that of polygons is measured on the outline."""
    for annotation, counted in zip(annotations, masks.sizes.tolist(), strict=True):
        if isinstance(annotation["segmentation"], dict) and annotation.get("area", counted) != counted:
            warnings.warn(
                f"{where}: annotation {annotation['id']}: area is {str(annotation['area'])[:20]}, counted {counted}; "
                "the stated area decides on the size (small, medium, large) in average precision, as in the "
                "reference, the counted one everything else",
                DataWarning,
                stacklevel=2,
            )


def _frequency_groups(data: Any, where: str) -> dict[str, frozenset[Hashable]] | None:
    """Return LVIS's groups of categories; None where a category does not state its frequency."""
    letters = {category["id"]: category.get("frequency") for category in data["categories"]}
    for number, letter in letters.items():
        if letter is not None and (not isinstance(letter, str) or letter not in FREQUENCIES):
            raise FormatError(f"{where}: category {number}: frequency is {str(letter)[:40]!a}; expected r, c or f")
    if not letters or None in letters.values():
        return None
    return {
        group: frozenset(number for number, own in letters.items() if own == letter)
        for letter, group in FREQUENCIES.items()
    }


def _is_lvis(path: Path) -> bool:
    return mentions(path, b'"neg_category_ids"') and mentions(path, b'"not_exhaustive_category_ids"')


def _has_masks(path: Path, head: bytes) -> bool:
    stated = mentions(path, b'"segmentation"') or mentions(path, b'"bbox"')
    return is_coco_object(head) and stated and not mentions(path, b'"segments_info"')


@reads(
    "coco-instances",
    "COCO instances: masks as run lengths or polygons, or boxes, with classes, areas and crowds",
    (".json",),
    sniff=lambda path, head: _has_masks(path, head) and not _is_lvis(path),
    extra="coco for polygons",
    lazy=True,
)
def _read_annotations(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    categories = categories_of(data, where)
    sizes = {image: _Image(size) for image, size in sizes_of(data, where).items()}
    return _annotated_items(data, where, sizes, categories, groups_of(categories), options)


@reads(
    "lvis",
    "LVIS: masks as run lengths or polygons, and the classes that were looked for in each image",
    (".json",),
    sniff=lambda path, head: _has_masks(path, head) and _is_lvis(path),
    extra="coco for polygons",
    lazy=True,
)
def _read_lvis(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    images = {}
    sizes = sizes_of(data, where)
    for stated, (image, size) in zip(data["images"], sizes.items(), strict=True):
        lists = (
            _class_ids(stated, name, f"{where}: image {str(image)[:40]!a}")
            for name in ("neg_category_ids", "not_exhaustive_category_ids")
        )
        images[image] = _Image(size, *lists)
    return _annotated_items(data, where, images, categories_of(data, where), _frequency_groups(data, where), options)


Results = Sequence[tuple[int, Any]]
"""The results of one image with their positions in the file."""


def _predicted_masks(results: Results, options: ReadOptions) -> Masks:
    first_at, first = results[0]
    size = size_of(field(first, "segmentation", f"result {first_at}"), f"result {first_at}")
    options.check_size(size, f"result {first_at}")
    decoded = decoded_together([result for _, result in results], size)
    classes, scores, boxes = _stated_facts(results)
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


def _predicted_boxes(results: Results, options: ReadOptions, domain: tuple[int, ...]) -> Masks:
    """Return the boxes, drawn into an image of the size of the truth."""
    height, width = domain
    options.check_size((height, width), f"result {results[0][0]}")
    classes, scores, boxes = _stated_facts(results)
    if boxes is None:
        raise FormatError(f"result {results[0][0]} has neither 'segmentation' nor 'bbox'; expected one of them")
    facts = DetectionFacts(boxes=boxes, boxes_only=True)
    runs = run_lengths_of_boxes(np.array(boxes).reshape(-1, 4), (height, width))
    return Masks(runs, (height, width), classes=classes, scores=scores, detection=facts)


def _stated_facts(results: Results) -> tuple[list[int], list[float], list[list[float]] | None]:
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


@reads(
    "coco-results",
    "COCO and LVIS results: predicted masks as run lengths, or boxes, with classes and scores",
    (".json",),
    sniff=_sniff_results,
    lists_all=False,
    lazy=True,
)
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
    read = _predicted_boxes if boxes_only else _predicted_masks
    for image, results in by_image.items():
        if isinstance(image, bool) or not isinstance(image, int | str):
            id_field(results[0][1], "image_id", f"{where}: result {results[0][0]}")
        load = within(where, partial(read, results, options))
        yield Item(str(image), load, named=True, takes_domain=boxes_only)
