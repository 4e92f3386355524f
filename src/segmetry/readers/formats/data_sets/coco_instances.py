"""COCO instances and LVIS: masks that may overlap, with classes, crowds, areas and boxes.

Annotations list their images, so an image without masks is an item; items are in the order of the ids of the images, as
in the reference. LVIS looks for some classes only in each image, and its categories are rare, common or frequent.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from segmetry._base.json_fields import field, flag_field, id_field, integer_field, list_field
from segmetry.errors import DataWarning, FormatError
from segmetry.kernels.detection.mask_boxes import boxes_of_run_lengths, run_lengths_of_boxes
from segmetry.readers.items import Item, within
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.coco_fields import box_of, number_of
from segmetry.readers.parts.coco_json import (
    categories_of,
    class_names_of,
    groups_of,
    is_coco_object,
    mentions,
    sizes_of,
)
from segmetry.readers.parts.coco_masks import decoded_together, encoded_mask
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.facts.detection_facts import DetectionFacts
from segmetry.segmentation.masks import Masks

FREQUENCIES = {"r": "rare", "c": "common", "f": "frequent"}
"""The groups of LVIS's categories, by the letter in the file."""


@dataclass(frozen=True)
class _Image:
    """One image: its size, and for LVIS the classes that are absent and those annotated incompletely."""

    size: tuple[int, int]
    absent: frozenset[int] | None = None
    incomplete: frozenset[int] = frozenset()


def _read_annotations(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    categories = categories_of(data, where)
    sizes = {image: _Image(size) for image, size in sizes_of(data, where).items()}
    return _items(data, where, sizes, categories, groups_of(categories), options)


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
    return _items(data, where, images, categories_of(data, where), _frequencies(data, where), options)


def _class_ids(image: Any, name: str, place: str) -> frozenset[int]:
    """Return a list of categories that an image states."""
    listed = list_field(image, name, place)
    for number in listed:
        if type(number) is not int:
            raise FormatError(f"{place}: {name} contains {str(number)[:40]!a}; expected ids of categories")
    return frozenset(listed)


def _items(
    data: Any,
    where: str,
    images: Mapping[int | str, _Image],
    categories: Mapping[int, Any],
    groups: Mapping[str, frozenset[Hashable]] | None,
    options: ReadOptions,
) -> Iterator[Item]:
    class_names = class_names_of(data, where)
    by_image: dict[int | str, list[Any]] = {image: [] for image in sorted(images, key=_order)}
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


def _order(image: int | str) -> tuple[bool, int | str]:
    """Numbers first, ascending, then texts."""
    return isinstance(image, str), image


def _true_masks(annotations: Sequence[Any], image: _Image, where: str) -> Masks:
    places = [f"annotation {annotation['id']}" for annotation in annotations]
    boxes = _boxes(annotations, places)
    boxes_only = bool(annotations) and not any("segmentation" in annotation for annotation in annotations)
    common: dict[str, Any] = {
        "ids": [annotation["id"] for annotation in annotations],
        "classes": [annotation["category_id"] for annotation in annotations],
        "crowd": _crowds(annotations, places) if image.absent is None else None,
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


def _boxes(annotations: Sequence[Any], places: Sequence[str]) -> list[list[float] | None]:
    return [
        box_of(annotation["bbox"], place) if "bbox" in annotation else None
        for annotation, place in zip(annotations, places, strict=True)
    ]


def _crowds(annotations: Sequence[Any], places: Sequence[str]) -> list[int]:
    return [
        annotation["id"]
        for annotation, place in zip(annotations, places, strict=True)
        if flag_field(annotation, "iscrowd", place, default=0)
    ]


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


def _frequencies(data: Any, where: str) -> dict[str, frozenset[Hashable]] | None:
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


declare_reader(
    Reader(
        name="coco-instances",
        summary="COCO instances: masks as run lengths or polygons, or boxes, with classes, areas and crowds",
        extensions=(".json",),
        sniff=lambda path, head: _has_masks(path, head) and not _is_lvis(path),
        read=_read_annotations,
        extra="coco for polygons",
        lazy=True,
    )
)
declare_reader(
    Reader(
        name="lvis",
        summary="LVIS: masks as run lengths or polygons, and the classes that were looked for in each image",
        extensions=(".json",),
        sniff=lambda path, head: _has_masks(path, head) and _is_lvis(path),
        read=_read_lvis,
        extra="coco for polygons",
        lazy=True,
    )
)
