"""Parts shared by the JSON files of the COCO family: recognition, categories, images, numbers, masks.

Polygons are rasterized by pycocotools, as published numbers depend on its raster; their perimeter is checked against a
bound first, because it determines how much memory that takes.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Hashable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from segmetry._base.json_fields import field, flag_field, id_field, integer_field, list_field
from segmetry._base.optional import import_optional, translate_errors
from segmetry.errors import FormatError
from segmetry.kernels.run_length_masks import RunLengthMasks, decode_coco_masks
from segmetry.readers.parts.safe_names import check_name

_FIRST_KEYS = (b"info", b"images", b"annotations", b"categories", b"licenses", b"type")


def is_coco_object(head: bytes) -> bool:
    """Return whether a file starts with a JSON object whose first key is one of COCO's."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{"):
        return False
    return start[1:].lstrip().startswith(tuple(b'"' + key + b'"' for key in _FIRST_KEYS))


def mentions(path: Path, word: bytes) -> bool:
    """Return whether a file contains a word; the file is searched through a memory map, not read."""
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return content.find(word) >= 0


def categories_of(data: Any, where: str) -> dict[int, bool | None]:
    """Return for every category id whether it is a thing (None where the file does not say)."""
    is_thing: dict[int, bool | None] = {}
    for at, category in enumerate(list_field(data, "categories", where)):
        place = f"{where}: categories[{at}]"
        number = integer_field(category, "id", place)
        if number in is_thing:
            raise FormatError(f"{place}: the id {number} occurs twice")
        is_thing[number] = flag_field(category, "isthing", place) if "isthing" in category else None
    return is_thing


def class_names_of(data: Any, where: str) -> dict[Hashable, str]:
    """Return the names of the categories that have one, by id."""
    names: dict[Hashable, str] = {}
    for at, category in enumerate(list_field(data, "categories", where)):
        if "name" in category:
            name = category["name"]
            if not isinstance(name, str):
                raise FormatError(f"{where}: categories[{at}]: name is {str(name)[:40]!a}; expected text")
            check_name(name, f"{where}: the name of categories[{at}]")
            names[category["id"]] = name
    return names


def groups_of(categories: dict[int, bool | None]) -> dict[str, frozenset[Hashable]] | None:
    """Return the groups of things and stuff if every category says which it is, else None."""
    if not categories or None in categories.values():
        return None
    return {
        "things": frozenset(name for name, thing in categories.items() if thing),
        "stuff": frozenset(name for name, thing in categories.items() if not thing),
    }


def crowd_ids(annotations: Sequence[Any], places: Sequence[str]) -> list[int]:
    """Return the ids of the annotations that are a crowd."""
    pairs = zip(annotations, places, strict=True)
    return [annotation["id"] for annotation, place in pairs if flag_field(annotation, "iscrowd", place, default=0)]


def sizes_of(data: Any, where: str) -> dict[int | str, tuple[int, int]]:
    """Return height and width of every image, by id."""
    sizes: dict[int | str, tuple[int, int]] = {}
    for at, image in enumerate(list_field(data, "images", where)):
        place = f"{where}: images[{at}]"
        number = id_field(image, "id", place)
        if number in sizes:
            raise FormatError(f"{place}: the id {number!r} occurs twice")
        sizes[number] = integer_field(image, "height", place, least=1), integer_field(image, "width", place, least=1)
    return sizes


def image_name(annotation: Any, where: str) -> str:
    """Return the name of the item an annotation belongs to: the id of its image."""
    return str(id_field(annotation, "image_id", where))


def number_of(value: Any, name: str, place: str, *, least: float = -math.inf) -> float:
    """Return a finite number.

    >>> number_of(3, "area", "annotation 7", least=0)
    3.0
    """
    number = value if type(value) is float else float_of(value) if type(value) is int else None  # as in JSON
    if number is None:
        raise FormatError(f"{place}: {name} is {str(value)[:40]!a}; expected a number")
    if not least <= number < math.inf:
        expected = "a number" if least == -math.inf else f"a number of at least {least:g}"
        raise FormatError(f"{place}: {name} is {str(value)[:40]!a}; expected {expected}")
    return number


def float_of(value: float) -> float:
    """Return a number as a float; infinity for an integer that is too large for one.

    >>> float_of(10**400)
    inf
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf


def box_of(value: Any, place: str) -> list[float]:
    """Return x, y, width and height of a box.

    >>> box_of([1, 2.5, 3, 4], "result 0")
    [1.0, 2.5, 3.0, 4.0]
    """
    if not isinstance(value, list) or len(value) != 4:
        raise FormatError(f"{place}: bbox is {str(value)[:40]!a}; expected [x, y, width, height]")
    x, y, width, height = value
    return [
        number_of(x, "bbox", place),
        number_of(y, "bbox", place),
        number_of(width, "the size of bbox", place, least=0),
        number_of(height, "the size of bbox", place, least=0),
    ]


Encoded = dict[str, Any]


def encoded_mask(segmentation: Any, size: tuple[int, int], where: str) -> Encoded:
    """Return one mask as ``{"size", "counts"}``; its size must be that of its image.

    >>> encoded_mask({"size": [2, 2], "counts": [1, 2, 1]}, (2, 2), "annotation 7")
    {'size': (2, 2), 'counts': [1, 2, 1]}
    """
    if isinstance(segmentation, list):
        return _drawn_polygons(segmentation, size, where)
    stated = size_of(segmentation, where)
    if stated != size:
        raise FormatError(f"{where}: its mask has size {stated}, its image {size}; expected the same")
    counts = field(segmentation, "counts", where)
    if isinstance(counts, str):
        return {"size": size, "counts": counts}
    most = size[0] * size[1]
    if not isinstance(counts, list) or not all(type(count) is int and 0 <= count <= most for count in counts):
        raise FormatError(f"{where}: counts are not a list of run lengths from 0 to {most}, nor text")
    return {"size": size, "counts": counts}


def decoded_together(annotations: Sequence[Any], size: tuple[int, int]) -> RunLengthMasks | None:
    """Return the compressed masks of annotations, all of one size, decoded at once; None where something is unusual or
    wrong.

    >>> decoded_together([{"segmentation": {"size": [4, 4], "counts": "52203"}}], (4, 4)).starts.tolist()
    [5, 9]
    """
    shape = list(size)
    try:
        encoded = [annotation["segmentation"] for annotation in annotations]
        sizes = [mask["size"] for mask in encoded]
        if sizes.count(shape) != len(sizes) or not {int}.issuperset(map(type, chain.from_iterable(sizes))):
            return None  # 4.0 equals 4, and is an error
        return decode_coco_masks([mask["counts"].encode("ascii") for mask in encoded], size[0] * size[1])
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def size_of(segmentation: Any, where: str) -> tuple[int, int]:
    """Return height and width declared by a run-length encoding."""
    size = field(segmentation, "size", where)
    if not isinstance(size, list) or len(size) != 2 or not all(type(length) is int and length > 0 for length in size):
        raise FormatError(f"{where}: size is {str(size)[:40]!a}; expected [height, width]")
    return size[0], size[1]


def _drawn_polygons(polygons: list[Any], size: tuple[int, int], where: str) -> Encoded:
    if not polygons:
        raise FormatError(f"{where}: segmentation is an empty list; expected at least one polygon")
    for polygon in polygons:
        _check_polygon(polygon, size, where)
    masks = import_optional("pycocotools.mask", "drawing COCO's polygons", "coco")
    with translate_errors(where, "polygon"):
        drawn = masks.merge(masks.frPyObjects(polygons, *size))
    return {"size": size, "counts": drawn["counts"].decode("ascii")}


def _check_polygon(polygon: Any, size: tuple[int, int], where: str) -> None:
    if not isinstance(polygon, list) or len(polygon) < 6 or len(polygon) % 2:
        raise FormatError(f"{where}: a polygon of {str(polygon)[:40]!a}; expected x and y of at least three points")
    height, width = size
    for value, length in zip(polygon, (width, height) * (len(polygon) // 2), strict=True):
        if isinstance(value, bool) or not isinstance(value, int | float) or not -length <= value <= 2 * length:
            raise FormatError(f"{where}: a polygon goes to {str(value)[:40]!a}, far from an image of {size}")
    points = list(zip(polygon[::2], polygon[1::2], strict=True))
    perimeter = math.fsum(
        max(abs(x - u), abs(y - v)) for (x, y), (u, v) in zip(points, points[1:] + points[:1], strict=True)
    )
    if perimeter > 4 * (height + 1) * (width + 1):
        raise FormatError(
            f"{where}: the outline of a polygon is {perimeter:.0f} long, more than fits into an image of {size}"
        )
