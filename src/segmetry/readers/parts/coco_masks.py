"""Decode the ``segmentation`` of COCO instances: run lengths, plain or compressed, and polygons, each validated.

Polygons are rasterized by pycocotools, as published numbers depend on its raster; their perimeter is checked against a
bound first, because it determines how much memory that takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

from segmetry._base.json_fields import field
from segmetry._base.optional import import_optional, translate_errors
from segmetry.errors import FormatError
from segmetry.kernels.run_length_masks import RunLengthMasks, decode_coco_masks

Encoded = dict[str, Any]


def encoded_mask(segmentation: Any, size: tuple[int, int], where: str) -> Encoded:
    """Return one mask as ``{"size", "counts"}``; its size must be that of its image.

    >>> encoded_mask({"size": [2, 2], "counts": [1, 2, 1]}, (2, 2), "annotation 7")
    {'size': (2, 2), 'counts': [1, 2, 1]}
    """
    if isinstance(segmentation, list):
        return _drawn(segmentation, size, where)
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
            return None  # 4.0 equals 4, and is refused
        return decode_coco_masks([mask["counts"].encode("ascii") for mask in encoded], size[0] * size[1])
    except (KeyError, TypeError, AttributeError, ValueError):
        return None


def size_of(segmentation: Any, where: str) -> tuple[int, int]:
    """Return height and width declared by a run-length encoding."""
    size = field(segmentation, "size", where)
    if not isinstance(size, list) or len(size) != 2 or not all(type(length) is int and length > 0 for length in size):
        raise FormatError(f"{where}: size is {str(size)[:40]!a}; expected [height, width]")
    return size[0], size[1]


def _drawn(polygons: list[Any], size: tuple[int, int], where: str) -> Encoded:
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
