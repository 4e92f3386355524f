"""Precision over recall of a data set: for every class that has true masks, and every threshold [lin2014microsoft].

Predictions of a class are ranked by score over all images. After each of them precision is hits / predictions so far,
and recall hits / true masks; ignored predictions do not count. Precision at a recall is the best that is reached at
that recall or beyond.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray
from segmetry.kernels.greedy_matches import OutcomeColumns, precision_at_recalls
from segmetry.metrics.detection.detection_options import Evaluation
from segmetry.metrics.detection.detections import DetectionSet
from segmetry.metrics.detection.prediction_outcomes import Ranking, considered, counted_truths, outcomes
from segmetry.metrics.statistics import Statistics

_KEPT = 16
"""How many sets of curves a data set keeps: those of the twelve values of COCO and a few more."""
_AT_ONCE = 1024
"""How many classes of images are evaluated together where every image has a value of its own."""


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """The curves of a data set.

    ``precision`` has one entry per class, threshold and recall point; ``recall`` is the largest recall per class and
    threshold; ``n_true`` the number of true masks of each class. Classes without true masks have no curve; ``classes``
    are the places of the others among all.
    """

    names: tuple[Hashable, ...]
    precision: FloatArray
    recall: FloatArray
    n_true: IntArray
    classes: NDArray[np.intp]

    @property
    def average_precision(self) -> FloatArray:
        """The mean over the recall points, per class and threshold."""
        values: FloatArray = self.precision.mean(axis=2)
        return values


@dataclass(frozen=True, eq=False)
class RankedOutcomes:
    """The considered predictions of the classes that have true masks, by class and descending score.

    ``outcomes`` has one row per prediction; those of ``classes[i]`` are ``starts[i] : starts[i + 1]``; ``place`` are
    the predictions in the data set.
    """

    classes: NDArray[np.intp]
    outcomes: OutcomeColumns
    starts: NDArray[np.intp]
    place: NDArray[np.intp]
    n_true: IntArray


def precision_recall(statistics: Statistics, evaluation: Evaluation) -> PrecisionRecall:
    """Return the curves of a data set, computed once for all metrics that share them."""
    known = statistics.memo.setdefault("curves", {})
    if evaluation not in known:
        if len(known) >= _KEPT:
            known.clear()
        known[evaluation] = drawn_curves(statistics, evaluation, np.ones(statistics.n_items, dtype=np.int64))
    curves: PrecisionRecall = known[evaluation]
    return curves


def drawn_curves(statistics: Statistics, evaluation: Evaluation, times: IntArray) -> PrecisionRecall:
    """Return the curves of one sample: ``times`` is how often each image is in it."""
    ranked = ranked_outcomes(statistics, evaluation, times)
    names = DetectionSet.of(statistics).names
    precision, recall = precision_at_recalls(ranked.outcomes, ranked.starts, ranked.n_true, evaluation.recalls)
    return PrecisionRecall(tuple(names[at] for at in ranked.classes), precision, recall, ranked.n_true, ranked.classes)


def ranked_outcomes(statistics: Statistics, evaluation: Evaluation, times: IntArray) -> RankedOutcomes:
    """Return the outcomes by class and descending score, each image as often as it is in a sample."""
    data, ranking = DetectionSet.of(statistics), Ranking.of(statistics)
    counted = counted_truths(data, evaluation.size)
    n_true = np.zeros(len(data.names), dtype=np.int64)
    np.add.at(n_true, data.true_class[counted], times[data.true_item[counted]])
    order = ranking.order
    kept = considered(data, evaluation)[order] & (n_true > 0)[data.pred_class[order]]
    order = _repeated(order[kept], ranking.tie[kept], times[data.item[order[kept]]])
    classes = np.flatnonzero(n_true)
    position = np.cumsum(n_true > 0) - 1
    starts = np.searchsorted(position[data.pred_class[order]], np.arange(classes.size + 1))
    return RankedOutcomes(classes, outcomes(statistics, evaluation).take(order, axis=0), starts, order, n_true[classes])


def _repeated(order: NDArray[np.intp], tie: IntArray, times: IntArray) -> NDArray[np.intp]:
    """Return the predictions as often as their images count; ties of an image as a group, one after the other."""
    if (times == 1).all():
        return order
    repeated = np.repeat(np.arange(order.size), times)
    copy = np.arange(repeated.size) - np.repeat(np.cumsum(times) - times, times)
    if times.size and times.max() > 1:
        repeated = repeated[np.lexsort((copy, tie[repeated]))]
    return order[repeated]


def image_curves(
    statistics: Statistics, evaluation: Evaluation
) -> Iterator[tuple[NDArray[np.intp], FloatArray, FloatArray]]:
    """Yield image, average precision and largest recall (per threshold) of every class of every image, some at once.

    Each image is a data set of its own here, for the values of single images.
    """
    data = DetectionSet.of(statistics)
    n_classes = max(len(data.names), 1)
    counted = counted_truths(data, evaluation.size)
    cells, n_true = np.unique((data.true_item * n_classes + data.true_class)[counted], return_counts=True)
    cell_of = data.item * n_classes + data.pred_class
    at = np.searchsorted(cells, cell_of)
    kept = considered(data, evaluation) & (at < cells.size)
    kept[kept] = cells[at[kept]] == cell_of[kept]
    order = np.flatnonzero(kept)
    order = order[np.argsort(at[order], kind="stable")]
    found, starts = outcomes(statistics, evaluation), np.searchsorted(at[order], np.arange(cells.size + 1))
    for first in range(0, cells.size, _AT_ONCE):
        last = min(first + _AT_ONCE, cells.size)
        part = order[starts[first] : starts[last]]
        precision, recall = precision_at_recalls(
            found[part], starts[first : last + 1] - starts[first], n_true[first:last], evaluation.recalls
        )
        yield cells[first:last] // n_classes, precision.mean(axis=2), recall
