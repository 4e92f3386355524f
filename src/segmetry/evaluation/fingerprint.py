"""Fingerprints of inputs: the sha256 of the files that are read, of an object's content, or of an overlap table.

Files are hashed as bytes, not decoded: that costs far less, and equal bytes give equal segmentations. Inputs are hashed
before the first item is evaluated, so a run records them from the start.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from segmetry.errors import FormatError, KindError
from segmetry.overlaps import OverlapTable, plan_blocks
from segmetry.segmentation import LabelArray, Masks, Polygons, Segmentation, Sets, Spans, TimeIntervals, ValueClasses


def file_fingerprints(path: Path, beside: Iterable[Path] = (), inside: Iterable[Path] | None = None) -> dict[str, str]:
    """Return the sha256 of a file, or of every file in a folder, and of the files ``beside`` it that its reader opens.

    ``inside`` are the files of a folder that are read, if not all are. Names are relative to the folder of ``path``, so
    that a data set may be moved.
    """
    folder = path.parent
    starts = (*((path,) if inside is None else inside), *beside)
    files = {os.path.relpath(file, folder): file for start in starts for file in _files(start)}
    return {Path(name).as_posix(): _file_sha256(file) for name, file in sorted(files.items())}


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, _, names in os.walk(path):
        yield from (Path(folder) / name for name in names)


def _file_sha256(path: Path) -> str:
    import hashlib

    if path.exists() and not path.is_file():
        raise FormatError(f"{path}: a device, a pipe or a socket; expected a file")  # reading it may never end
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise FormatError(f"{path}: cannot be read: {problem.strerror}") from None


def object_fingerprint(segmentation: Segmentation) -> str:
    """Return the sha256 of the content of a segmentation."""
    import hashlib

    digest = hashlib.sha256()
    classes = segmentation.classes
    named: Any = classes
    if classes is not None and not isinstance(classes, ValueClasses):
        named = sorted((segment, repr(name)) for segment, name in classes.items())
    for part in itertools.chain((segmentation.kind, named, list(segmentation.crowd)), _parts(segmentation)):
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()


def table_fingerprint(table: OverlapTable) -> str:
    """Return the sha256 of an overlap table: the same for equal segmentations, however they are stored and read."""
    import hashlib

    names = table.class_names
    parts: list[Any] = [table.n_elements, table.row_true.tolist(), table.row_pred.tolist(), table.shared.tolist()]
    for side in (table.true, table.pred):
        parts += [column.tolist() for column in (side.ids, side.sizes, side.outside, side.void)]
        parts.append(None if side.crowd is None or not side.crowd.any() else side.crowd.tolist())
        if side.superseded is not None:
            parts.append(side.superseded.tolist())
        parts.append(None if side.classes is None or names is None else [str(names[index]) for index in side.classes])
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _labels(array: LabelArray) -> Iterator[Any]:
    """Yield the labels; those of a stored array block by block, so that its chunks are part of the fingerprint."""
    if array.stored is None:
        yield array.labels
        return
    plan = plan_blocks(array.stored.edges, array.stored.edges)
    yield array.domain, plan.edges
    for number in range(len(plan)):
        yield array.read(plan.box(number))


def _parts(segmentation: Segmentation) -> Iterable[Any]:
    if isinstance(segmentation, LabelArray):
        return itertools.chain((segmentation.outside, segmentation.void, segmentation.spacing), _labels(segmentation))
    if isinstance(segmentation, Spans | TimeIntervals):
        of_times = (segmentation.scored_pairs, segmentation.tracks) if isinstance(segmentation, TimeIntervals) else ()
        return segmentation.n, segmentation.starts, segmentation.stops, str(segmentation.tick), *of_times
    if isinstance(segmentation, Masks):
        masks = segmentation
        return masks.shape, masks.spacing, masks.ids, *masks.run_lengths, masks.scores, *_detection_parts(masks)
    if isinstance(segmentation, Polygons):
        shapes = [shape.wkb_hex for shape in segmentation.geometries]
        return str(segmentation.precision), segmentation.crs, segmentation.ids, shapes
    if isinstance(segmentation, Sets):
        universe = None if segmentation.universe is None else sorted(map(repr, segmentation.universe))
        return universe, sorted(
            (number, sorted(map(repr, members))) for number, members in segmentation.segments.items()
        )
    raise KindError(f"segmentations of kind {segmentation.kind!r} have no fingerprint")


def _detection_parts(masks: Masks) -> Iterable[Any]:
    """Return what is stated beside the masks; nothing where nothing is, so that such masks keep their fingerprint."""
    facts = masks.detection
    if facts is None:
        return ()
    lists = [None if names is None else sorted(map(repr, names)) for names in (facts.absent, facts.incomplete)]
    return facts.areas, facts.boxes, facts.boxes_only, *lists
