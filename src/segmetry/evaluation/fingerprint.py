"""Fingerprints of inputs: the sha256 of every file that is read, of what an object holds, or of what was counted.

Files are hashed as they lie on the disk, not decoded: that costs far less than decoding, and a file whose bytes are
the same gives the same segmentation. Hashing happens before the first item is evaluated, so a run knows its inputs
from the start.
"""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.errors import FormatError, KindError
from segmetry.overlaps.blocks import plan_blocks
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygons import Polygons
from segmetry.segmentation.sets import Sets
from segmetry.segmentation.spans import Spans


def file_fingerprints(path: Path, beside: Iterable[Path] = ()) -> dict[str, str]:
    """The sha256 of a file, or of every file in a folder, and of the files ``beside`` it that its reader opens.

    Names are relative to the folder of ``path``, so that a data set may be moved.
    """
    home = path.parent
    files = {os.path.relpath(file, home): file for one in (path, *beside) for file in _files(one)}
    return {Path(name).as_posix(): _of_file(file) for name, file in sorted(files.items())}


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder) / name for name in names)


def _of_file(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: a device, a pipe or a socket; expected a file")  # it might never end
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None


def object_fingerprint(found: Segmentation) -> str:
    """The sha256 of everything a segmentation holds.

    >>> first, second = (LabelArray([[1, 1, label]]) for label in (2, 3))
    >>> object_fingerprint(first) == object_fingerprint(LabelArray([[1, 1, 2]]))
    True
    >>> object_fingerprint(first) == object_fingerprint(second)
    False
    """
    digest = hashlib.sha256()
    classes = (
        None if found.classes is None else sorted((segment, repr(name)) for segment, name in found.classes.items())
    )
    for part in itertools.chain((found.kind, classes, sorted(found.crowd)), _parts(found)):
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()


def table_fingerprint(table: OverlapTable) -> str:
    """The sha256 of all that was counted of an item: equal for equal segmentations of both sides, however they were
    stored and read.

    >>> import segmetry as sm
    >>> found = table_fingerprint(sm.overlap([[1, 1, 2]], [[5, 5, 5]]))
    >>> found == table_fingerprint(sm.overlap([[1], [1], [2]], [[5], [5], [5]]))
    True
    >>> found == table_fingerprint(sm.overlap([[1, 1, 2]], [[5, 5, 0]]))
    False
    """
    names = table.class_names
    parts: list[Any] = [table.n_elements, table.row_true.tolist(), table.row_pred.tolist(), table.shared.tolist()]
    for side in (table.true, table.pred):
        parts += [one.tolist() for one in (side.ids, side.sizes, side.outside, side.void)]
        parts.append(None if side.crowd is None or not side.crowd.any() else side.crowd.tolist())
        parts.append(None if side.classes is None or names is None else [str(names[at]) for at in side.classes])
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _labels(found: LabelArray) -> Iterator[Any]:
    """The labels; those of a stored array block by block, so that its chunks are part of the fingerprint."""
    if found.stored is None:
        yield found.labels
        return
    plan = plan_blocks(found.stored.edges, found.stored.edges)
    yield found.domain, plan.edges
    for number in range(len(plan)):
        yield found.read(plan.box(number))


def _parts(found: Segmentation) -> Iterable[Any]:
    if isinstance(found, LabelArray):
        return itertools.chain((found.outside, found.void, found.spacing), _labels(found))
    if isinstance(found, Spans):
        return found.n, found.starts, found.stops
    if isinstance(found, Masks):
        return found.shape, found.spacing, found.ids, *found.runs, found.scores
    if isinstance(found, Polygons):
        return str(found.precision), found.crs, found.ids, [shape.wkb_hex for shape in found.geometries]
    if isinstance(found, Sets):
        universe = None if found.universe is None else sorted(map(repr, found.universe))
        return universe, sorted((number, sorted(map(repr, one))) for number, one in found.segments.items())
    raise KindError(f"segmentations of kind {found.kind!r} have no fingerprint")
