"""COCO's annotations and results read as columns by native code, which makes objects of single images only when asked.

What is read so is a list of items as the careful reader gives it. An item is loaded by the careful reader, which then
reads the whole text; what evaluates all images at once uses the columns (:func:`scanned_file`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from segmetry._base import IntArray, frozen_dataclass
from segmetry.kernels import (
    HAS_BOX,
    HAS_COUNTS,
    HAS_MASK,
    HAS_POLYGONS,
    HAS_SCORE,
    HAS_TEXT,
    CocoColumns,
    ScannedCoco,
    scan_coco,
)
from segmetry.readers.items import Item
from segmetry.readers.parts.text_file import parse_json


@frozen_dataclass(eq=False)
class CocoFile:
    """The rows of a file by image: those of image ``i`` are ``starts[i] : starts[i + 1]``, in the order of the file.

    ``heights`` and ``widths`` are those of the images of a truth; ``absent`` and ``incomplete`` are keys of an image
    and a class, image · n + class, where some classes are looked for only.
    """

    columns: CocoColumns
    images: IntArray
    starts: IntArray
    read: Callable[[Any], Iterable[Item]]
    where: str
    shapes: IntArray | None = None
    class_lists: tuple[tuple[frozenset[int], frozenset[int]], ...] | None = None
    lock: Any = field(default_factory=Lock)

    @cached_property
    def _items(self) -> dict[str, Item]:
        data = parse_json(self.columns.content.decode("ascii"), self.where)
        return {item.name: item for item in self.read(data)}

    def content(self, name: str) -> Any:
        """Return the content of an item as the careful reader gives it."""
        with self.lock:  # threads that load items need the text parsed once
            return self._items[name].content


class ScannedItem:
    """A loader of one image of a scanned file."""

    is_scanned = True

    def __init__(self, file: CocoFile, at: int) -> None:
        self.file, self.at = file, at

    @property
    def _item_content(self) -> Any:
        return self.file.content(str(self.file.images[self.at]))

    def __call__(self, *domain: tuple[int, ...]) -> Any:
        """Return the segmentation."""
        return self._item_content(*domain)

    def __reduce__(self) -> tuple[Any, ...]:
        """A process that loads the item is sent what belongs to it alone."""
        return _unchanged, (self._item_content,)


def _unchanged(content: Any) -> Any:
    return content


def scan(path: Path, *, is_results: bool) -> ScannedCoco | None:
    """Return the columns of a file; None for one that is read carefully."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return scan_coco(content, is_results=is_results)


def listed_objects(scanned: ScannedCoco, where: str) -> dict[str, Any]:
    """Return the images and the categories of annotations."""
    content = scanned.columns.content
    parts = {"images": scanned.images, "categories": scanned.categories}
    return {name: parse_json(content[part].decode("ascii"), where) for name, part in parts.items()}


def file_of(
    scanned: ScannedCoco, images: IntArray, read: Callable[[Any], Iterable[Item]], where: str, **facts: Any
) -> CocoFile | None:
    """Return the rows by image, which are in this order; None if a row names another one."""
    ascending = np.argsort(images)
    named = images[ascending]
    at = np.searchsorted(named, scanned.columns.image)
    if not named.size or bool((named[np.minimum(at, named.size - 1)] != scanned.columns.image).any()):
        return None
    place = ascending[at]
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(images.size + 1))
    return CocoFile(scanned.columns.take(order), images, starts, read, where, **facts)


def is_plain_truth(columns: CocoColumns, categories: Mapping[int, Any], shapes: IntArray, starts: IntArray) -> bool:
    """Return whether the careful reader has nothing to say about annotations before it decodes their masks."""
    known = np.array(sorted(categories), dtype=np.int64)
    if np.unique(columns.id).size < columns.id.size or not np.isin(columns.category, known).all():
        return False
    own = shapes[np.repeat(np.arange(len(shapes)), np.diff(starts))]
    coded = columns.fields & (HAS_TEXT | HAS_COUNTS) != 0
    same = (columns.height == own[:, 0]) & (columns.width == own[:, 1])
    return bool((same | ~coded).all()) and _is_of_one_kind(columns)


def is_plain_result(columns: CocoColumns) -> bool:
    """Return whether the careful reader has nothing to say about results before it decodes their masks."""
    boxes = columns.fields & HAS_BOX
    uniform = bool(boxes.all() or not boxes.any())
    polygons = bool((columns.fields & HAS_POLYGONS).any())
    return columns.all_have(HAS_SCORE) and uniform and not polygons and _is_of_one_kind(columns)


def _is_of_one_kind(columns: CocoColumns) -> bool:
    masks = columns.fields & HAS_MASK
    return bool(masks.all()) or (not masks.any() and columns.all_have(HAS_BOX))
