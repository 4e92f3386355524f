"""COCO's annotations and results: from the text of a file to columns, and how much their masks or boxes overlap.

Native code reads what is plain in every respect, and says nothing about anything else: the careful readers, which read
one annotation after the other, are its twin.

The two steps of average precision [lin2014microsoft] match predictions to truths one after the other, and evaluate
precision at given recalls. Both take numbers only (overlaps, scores' order, flags), never masks, so they serve masks,
boxes and tubes alike. Native code and numpy give bit-identical results."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, FloatArray, IntArray
from segmetry.kernels.backend import kernel

HAS_BOX, HAS_AREA, HAS_SCORE, HAS_TEXT, HAS_COUNTS, HAS_POLYGONS = 2, 4, 8, 16, 32, 64
"""The bits of ``fields``: a box, an area, a score, and a mask as compressed text, as run lengths or as polygons."""
HAS_MASK = HAS_TEXT | HAS_COUNTS | HAS_POLYGONS


class CocoColumns(NamedTuple):
    """Annotations or results, one row each; ``place`` and ``length`` are those of the mask in the text."""

    content: bytes
    id: IntArray
    image: IntArray
    category: IntArray
    crowd: IntArray
    fields: IntArray
    place: IntArray
    length: IntArray
    height: IntArray
    width: IntArray
    score: FloatArray
    area: FloatArray
    boxes: FloatArray

    def take(self, rows: NDArray[np.intp]) -> CocoColumns:
        """Return some rows, in this order."""
        columns: tuple[Any, ...] = self[1:]
        return CocoColumns._make((self.content, *(column[rows] for column in columns)))

    def all_have(self, fields: int) -> bool:
        """Return whether every row has one of these fields."""
        return bool((self.fields & fields != 0).all())


class ScannedCoco(NamedTuple):
    """The columns of a file, and where its lists of images and of categories start and stop."""

    columns: CocoColumns
    images: slice
    categories: slice


def _scan_native(native: ModuleType, content: bytes, *, is_results: bool) -> ScannedCoco | None:
    if not hasattr(native, "scan_coco"):  # it was built before
        return None
    scanned = native.scan_coco(content, is_results)
    if scanned is None:
        return None
    (*columns, x, y, width, height), places = scanned
    boxes = np.stack((x, y, width, height), axis=1)
    return ScannedCoco(CocoColumns._make((content, *columns, boxes)), slice(*places[:2]), slice(*places[2:]))


@kernel(_scan_native)
def scan_coco(content: bytes, *, is_results: bool) -> ScannedCoco | None:  # noqa: ARG001 - of the native kernel
    """Return the annotations or results in a JSON text; None where anything in it is unusual."""
    return None


class DetectionRows(NamedTuple):
    """Pairs of a prediction and a truth of an item (its rows start at ``starts``), and how much they overlap."""

    starts: IntArray
    pred: IntArray
    true: IntArray
    overlap: FloatArray


class DetectionOverlaps(NamedTuple):
    """The overlapping pairs of the same and of different classes, and the sizes of all masks."""

    same: DetectionRows
    other: DetectionRows
    true_sizes: IntArray
    pred_sizes: IntArray


def _overlaps_native(
    native: ModuleType,
    true: CocoColumns,
    pred: CocoColumns,
    starts: tuple[IntArray, IntArray],
    *,
    numbers: IntArray,
    shares: BoolArray,
    shape: Sequence[IntArray],
    least: float,
    of_boxes: bool,
    threads: int,
) -> DetectionOverlaps | None:
    rows = (np.arange(true.id.size), numbers)
    sides = [
        (side.content, *map(np.ascontiguousarray, (own, at, *side[3:4], *side[5:8], side.boxes.ravel())))
        for side, own, at in zip((true, pred), starts, rows, strict=True)
    ]
    flags = (np.ascontiguousarray(own, np.uint8) for own in (true.crowd, shares))
    found = native.detection_overlaps(*sides, *flags, *map(np.ascontiguousarray, shape), least, of_boxes, threads)
    return None if found is None else DetectionOverlaps(DetectionRows(*found[0]), DetectionRows(*found[1]), *found[2:])


@kernel(_overlaps_native)
def detection_overlaps(
    true: CocoColumns,  # noqa: ARG001 - of the native kernel
    pred: CocoColumns,  # noqa: ARG001
    starts: tuple[IntArray, IntArray],  # noqa: ARG001
    **options: Any,  # noqa: ARG001
) -> DetectionOverlaps | None:
    """Return the overlaps of every item, whose rows ``starts`` divides; None where a mask is unusual.

    Predictions are in the order in which they are matched, ``numbers`` is their order in the file. ``shares``: of which
    truths the share of the prediction inside is compared. Pairs of different classes overlap by ``least`` or more.
    """
    return None


MOST_THRESHOLD = 1 - 1e-10
"""The largest threshold of the reference, so that rounding does not lose a perfect pair."""
MISS, HIT, IGNORED = 0, 1, 2
"""The outcomes of a prediction."""

PartnerColumns = NDArray[np.int32]
OutcomeColumns = NDArray[np.uint8]


def _match_native(
    native: ModuleType, starts: IntArray, truths: IntArray, overlaps: FloatArray, **given: NDArray[np.generic]
) -> PartnerColumns:
    thresholds = np.ascontiguousarray(given["thresholds"], np.float64)
    out = np.empty((len(starts) - 1, len(thresholds)), dtype=np.int32)
    places = (np.ascontiguousarray(column, np.int64) for column in (starts, truths))
    flags = (np.ascontiguousarray(given[name], np.bool_) for name in ("ignored", "reusable"))
    native.match_greedily(*places, np.ascontiguousarray(overlaps, np.float64), *flags, thresholds, out)
    return out


@kernel(_match_native)
def match_greedily(
    starts: IntArray,
    truths: IntArray,
    overlaps: FloatArray,
    *,
    ignored: BoolArray,
    reusable: BoolArray,
    thresholds: FloatArray,
) -> PartnerColumns:
    """Return the truth each prediction (a row) is matched to under each threshold (a column), -1 where there is none.

    Predictions come in the order in which they choose. Those of prediction ``i`` are the rows ``starts[i] :
    starts[i + 1]`` of ``truths``, in ascending order, and ``overlaps``. A prediction takes the free truth of the
    largest overlap that is at least the threshold (equal overlaps: the last one); an ``ignored`` truth only if there is
    no other. A ``reusable`` truth (a crowd) stays free.
    """
    out = np.empty((len(starts) - 1, len(thresholds)), dtype=np.int32)
    edges, at_true, weights = starts.tolist(), truths.tolist(), overlaps.tolist()
    is_ignored, is_reusable = ignored.tolist(), reusable.tolist()
    for column, threshold in enumerate(thresholds.tolist()):
        taken = [False] * len(is_ignored)
        for pred in range(len(edges) - 1):
            best = {False: (min(threshold, MOST_THRESHOLD), -1), True: (min(threshold, MOST_THRESHOLD), -1)}
            for row in range(edges[pred], edges[pred + 1]):
                truth = at_true[row]
                # >= and ascending truths: of equal overlaps the last one stays, as in pycocotools.
                if not taken[truth] and weights[row] >= best[is_ignored[truth]][0]:
                    best[is_ignored[truth]] = weights[row], truth
            partner = best[False][1] if best[False][1] >= 0 else best[True][1]
            out[pred, column] = partner
            if partner >= 0:
                taken[partner] = not is_reusable[partner]
    return out


def _precision_native(
    native: ModuleType, outcomes: OutcomeColumns, starts: IntArray, n_true: IntArray, recalls: FloatArray
) -> tuple[FloatArray, FloatArray]:
    shape = (len(n_true), outcomes.shape[1])
    precision, recall = np.empty((*shape, len(recalls))), np.empty(shape)
    places = (np.ascontiguousarray(column, np.int64) for column in (starts, n_true))
    levels = np.ascontiguousarray(recalls, np.float64)
    native.precision_at_recalls(np.ascontiguousarray(outcomes, np.uint8), *places, levels, precision, recall)
    return precision, recall


@kernel(_precision_native)
def precision_at_recalls(
    outcomes: OutcomeColumns, starts: IntArray, n_true: IntArray, recalls: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return precision (classes × thresholds × recalls) and the largest recall (classes × thresholds).

    ``outcomes`` has one row per prediction, in descending order of score within a class, and one column per threshold;
    the predictions of class ``c`` are ``starts[c] : starts[c + 1]``, its truths ``n_true[c]``, at least one. Precision
    is the best at a recall or beyond, 0 where the recall is not reached; ignored predictions do not count.
    """
    shape = (len(n_true), outcomes.shape[1])
    precision, recall = np.empty((*shape, len(recalls))), np.empty(shape)
    for name, count in enumerate(n_true.tolist()):
        for column, outcome in enumerate(outcomes[starts[name] : starts[name + 1]].T):
            hit = outcome[outcome != IGNORED] == HIT
            hits = np.arange(1, int(np.count_nonzero(hit)) + 1)
            values = hits / (np.flatnonzero(hit) + 1)
            # The envelope: precision at a recall is the best at that recall or beyond; 0 beyond the last.
            best = np.append(np.maximum.accumulate(values[::-1])[::-1], 0.0)
            precision[name, column] = best[np.searchsorted(hits / count, recalls)]
            recall[name, column] = hits.size / count
    return precision, recall
