"""COCO instances and results, and LVIS: masks that may overlap, with classes, crowds and scores.

Annotations (``coco-instances``) list their images, so an image without masks is an item. Results (``coco-results``)
list predictions only: an image that is not named has none. The lists of classes that LVIS annotates in an image are
not applied: every prediction counts.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from segmetry._base.json_fields import field, flag_field, id_field, integer_field, list_field
from segmetry.errors import DataWarning, FormatError
from segmetry.readers.items import Item, within
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.coco_json import (
    categories_of,
    class_names_of,
    groups_of,
    is_coco_object,
    mentions,
    sizes_of,
)
from segmetry.readers.parts.coco_masks import encoded_mask, size_of
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import Reader, declare_reader
from segmetry.segmentation.masks import Masks


def _read_annotations(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    categories = categories_of(data, where)
    sizes = sizes_of(data, where)
    class_names = class_names_of(data, where)
    by_image: dict[int | str, list[Any]] = {image: [] for image in sizes}
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
        options.check_size(sizes[image], f"{where}: image {str(image)[:40]!a}")
        load = partial(_true_masks, listed, sizes[image], where)
        yield Item(str(image), within(where, load), named=True, groups=groups_of(categories), class_names=class_names)


def _true_masks(annotations: Sequence[Any], size: tuple[int, int], where: str) -> Masks:
    encoded, numbers, crowd = [], [], []
    for annotation in annotations:
        place = f"annotation {annotation['id']}"
        encoded.append(encoded_mask(field(annotation, "segmentation", place), size, place))
        numbers.append(annotation["id"])
        if flag_field(annotation, "iscrowd", place, default=0):
            crowd.append(annotation["id"])
    masks = Masks.from_rle(
        encoded, size, ids=numbers, classes=[annotation["category_id"] for annotation in annotations], crowd=crowd
    )
    _warn_of_areas(annotations, masks, where)
    return masks


def _warn_of_areas(annotations: Sequence[Any], masks: Masks, where: str) -> None:
    """Warn if the ``area`` of run lengths is not their pixel count; that of polygons is measured on the outline."""
    for annotation, counted in zip(annotations, masks.sizes.tolist(), strict=True):
        if isinstance(annotation["segmentation"], dict) and annotation.get("area", counted) != counted:
            warnings.warn(
                f"{where}: annotation {annotation['id']}: area is {str(annotation['area'])[:20]}, counted {counted}; "
                "the counted size is used",
                DataWarning,
                stacklevel=2,
            )


def _read_results(path: Path, options: ReadOptions) -> Iterator[Item]:
    data, where = load_json(path), str(path)
    if not isinstance(data, list):
        raise FormatError(f"{where}: not a list; expected a list of results")
    by_image: dict[int | str, list[tuple[int, Any]]] = {}
    for at, result in enumerate(data):
        by_image.setdefault(id_field(result, "image_id", f"{where}: result {at}"), []).append((at, result))
    for image, results in by_image.items():
        yield Item(str(image), within(where, partial(_pred_masks, results, options)), named=True)


def _pred_masks(results: Sequence[tuple[int, Any]], options: ReadOptions) -> Masks:
    encoded, classes, scores = [], [], []
    first_at, first = results[0]
    size = size_of(field(first, "segmentation", f"result {first_at}"), f"result {first_at}")
    options.check_size(size, f"result {first_at}")
    for at, result in results:
        place = f"result {at}"
        segmentation = field(result, "segmentation", place)
        if isinstance(segmentation, list):
            raise FormatError(f"{place}: segmentation is a list of polygons; expected run lengths, which have a size")
        encoded.append(encoded_mask(segmentation, size, place))
        classes.append(integer_field(result, "category_id", place))
        scores.append(_score(field(result, "score", place), place))
    return Masks.from_rle(encoded, size, classes=classes, scores=scores)


def _score(value: Any, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(float_of(value)):
        raise FormatError(f"{place}: score is {str(value)[:40]!a}; expected a number")
    return float(value)


def float_of(value: float) -> float:
    """Return a number as a float; infinity for an integer that is too large for one.

    >>> float_of(10**400)
    inf
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _sniff_results(_path: Path, head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"[") and b'"image_id"' in start and (b'"segmentation"' in start or b'"counts"' in start)


declare_reader(
    Reader(
        name="coco-instances",
        summary="COCO instances, LVIS: masks as run lengths or polygons, with classes and crowds",
        extensions=(".json",),
        sniff=lambda path, head: (
            is_coco_object(head) and mentions(path, b'"segmentation"') and not mentions(path, b'"segments_info"')
        ),
        read=_read_annotations,
        extra="coco for polygons",
        lazy=True,
    )
)
declare_reader(
    Reader(
        name="coco-results",
        summary="COCO and LVIS results: predicted masks as run lengths, with classes and scores",
        extensions=(".json",),
        sniff=_sniff_results,
        read=_read_results,
        lists_all=False,
        lazy=True,
    )
)
