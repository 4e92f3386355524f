"""``pycocotools.mask``: masks as run lengths, ``{"size": [height, width], "counts": bytes}``.

Polygons and boxes are drawn by the package itself.

>>> rle = encode(np.asfortranarray([[1, 0], [1, 1]], dtype=np.uint8))
>>> rle, area(rle), toBbox(rle).tolist()
({'size': [2, 2], 'counts': b'021O'}, np.uint32(3), [0.0, 0.0, 2.0, 2.0])
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, import_optional
from segmetry.kernels import boxes_of_run_lengths, intersect_run_lengths
from segmetry.segmentation import Masks

EncodedMask = dict[str, Any]


def _compressed(counts: IntArray) -> bytes:
    """Return COCO's text of run lengths: differences to the count two before, five bits in a character."""
    rest = np.asarray(counts, np.int64).copy()
    rest[3:] -= np.asarray(counts, np.int64)[1:-2]
    characters, going = np.zeros((12, rest.size), np.uint8), np.ones(rest.size, bool)
    for row in characters:
        bits = rest & 31
        rest = rest >> 5
        more = np.where(bits & 16, rest != -1, rest != 0)
        row[going] = (bits + 32 * more + 48)[going]
        going &= more
    columns = characters.T
    return columns[columns > 0].tobytes()


def _rle(starts: IntArray, stops: IntArray, size: Sequence[int]) -> EncodedMask:
    edges = np.column_stack((starts, stops)).ravel()
    whole = math.prod(size)
    counts = (
        np.diff(edges, prepend=0, append=whole) if not edges.size or edges[-1] < whole else np.diff(edges, prepend=0)
    )
    return {"size": [int(length) for length in size], "counts": _compressed(counts)}


def _rles(masks: Masks) -> list[EncodedMask]:
    offsets, starts, stops = masks.run_lengths
    parts = map(slice, offsets[:-1].tolist(), offsets[1:].tolist())
    return [_rle(starts[part], stops[part], masks.shape) for part in parts]


def encode(bimask: NDArray[Any]) -> Any:
    """Return the run lengths of a mask, or of a stack along the last axis."""
    if bimask.ndim == 2:
        return encode(bimask[:, :, None])[0]
    return _rles(Masks.from_dense(np.moveaxis(bimask, -1, 0) != 0))


def decode(rleObjs: Any) -> NDArray[np.uint8]:  # noqa: N803 - theirs
    """Return a mask, or a stack along the last axis."""
    if not isinstance(rleObjs, list):
        return decode([rleObjs])[:, :, 0]
    return np.asfortranarray(np.moveaxis(Masks.from_rle(rleObjs).dense(), 0, -1).astype(np.uint8))


def _by_size(rles: Sequence[EncodedMask]) -> Iterator[tuple[list[int], Masks]]:
    places: dict[tuple[int, ...], list[int]] = {}
    for at, rle in enumerate(rles):
        places.setdefault(tuple(rle["size"]), []).append(at)
    for rows in places.values():
        yield rows, Masks.from_rle([rles[at] for at in rows])


def area(rleObjs: Any) -> Any:  # noqa: N803
    """Return the number of elements of one mask, or of each."""
    if not isinstance(rleObjs, list):
        return area([rleObjs])[0]
    sizes = np.zeros(len(rleObjs), np.uint32)
    for rows, masks in _by_size(rleObjs):
        sizes[rows] = masks.sizes
    return sizes


def toBbox(rleObjs: Any) -> FloatArray:  # noqa: N802, N803
    """Return x, y, width and height of one mask, or of each."""
    if not isinstance(rleObjs, list):
        return toBbox([rleObjs])[0]  # type: ignore[no-any-return]
    boxes = np.zeros((len(rleObjs), 4))
    for rows, masks in _by_size(rleObjs):
        boxes[rows] = boxes_of_run_lengths(masks.run_lengths, masks.shape[0])
    return boxes


def merge(rleObjs: list[EncodedMask], intersect: Any = 0) -> EncodedMask:  # noqa: N803
    """Return the union of masks, or their intersection."""
    stack = Masks.from_rle(rleObjs).dense()
    merged: EncodedMask = encode(np.asarray(stack.all(axis=0) if intersect else stack.any(axis=0)))
    return merged


def iou(dt: Any, gt: Any, pyiscrowd: Sequence[Any]) -> Any:
    """Return the IoU of every detection (a row) and truth; of a crowd the share of the detection that is inside."""
    if not (len(dt) and len(gt)):
        return []
    crowd = np.asarray(pyiscrowd, bool)
    if isinstance(dt[0], Mapping):
        pred, true = (Masks.from_rle(list(side)) for side in (dt, gt))
        at_pred, at_true, counts = intersect_run_lengths(pred.run_lengths, true.run_lengths, line=pred.shape[0])
        shared = np.zeros((len(dt), len(gt)))
        shared[at_pred, at_true] = counts
        areas: list[Any] = [pred.sizes, true.sizes]
    else:
        p, t = (np.asarray(side, np.float64).reshape(-1, 4) for side in (dt, gt))
        low = np.maximum(p[:, None, :2], t[None, :, :2])
        sides = np.minimum(p[:, None, 2:] + p[:, None, :2], t[None, :, 2:] + t[None, :, :2]) - low
        shared = np.where((sides > 0).all(axis=2), sides[..., 0] * sides[..., 1], 0.0)
        areas = [side[:, 2] * side[:, 3] for side in (p, t)]
    union = areas[0][:, None] + np.where(crowd, 0, areas[1] - shared)
    if not isinstance(dt[0], Mapping):
        union = np.where(crowd, areas[0][:, None], areas[0][:, None] + areas[1] - shared)
    return np.divide(shared, union, out=np.zeros(shared.shape), where=shared > 0)


def frPyObjects(pyobj: Any, h: int, w: int) -> Any:  # noqa: N802
    """Return the run lengths of boxes, polygons or lists of counts."""
    if isinstance(pyobj, Mapping):
        return {"size": [h, w], "counts": _compressed(np.asarray(pyobj["counts"]))}
    if isinstance(pyobj, list) and pyobj and isinstance(pyobj[0], Mapping):
        return [frPyObjects(one, h, w) for one in pyobj]
    return import_optional("pycocotools._mask", "drawing COCO's polygons", "coco").frPyObjects(pyobj, h, w)
