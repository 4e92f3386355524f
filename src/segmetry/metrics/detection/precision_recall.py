"""The outcome of every prediction of a data set: hit, miss or ignored, under each threshold [lin2014microsoft].

A true mask that is a crowd, or whose area is not of the size that is evaluated, is ignored: it is not missed, and what
is matched to it is neither a hit nor a miss. A prediction that is matched to nothing is ignored if its own area is not
of that size.

Predictions of a class are ranked by score over all images. After each of them precision is hits / predictions so far,
and recall hits / true masks; ignored predictions do not count. Precision at a recall is the best that is reached at
that recall or beyond.

The average precision and recall of many samples of images at once, for confidence intervals and comparisons.

An image that is drawn m times contributes each of its predictions m times, one after the other. Of such a run only the
last copy matters: copies of a hit raise precision and recall together, and copies of a miss only lower precision at the
same recall, so the best precision at a recall or beyond is reached at the last copy of a hit. So the running sums have
one row per prediction, and one column per sample. Predictions of one image, class and score repeat as a group; where
these exist, the numpy version computes every sample of average precision by itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, FloatArray, IntArray, is_new
from segmetry.kernels import (
    HIT,
    IGNORED,
    MISS,
    OutcomeColumns,
    PartnerColumns,
    match_greedily,
    native,
    precision_at_recalls,
)
from segmetry.metrics.detection.detections import AreaRange, DetectionSet, Evaluation, RecallPoints
from segmetry.metrics.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Ranking:
    """The predictions of a data set by class and descending score; equal scores keep the order of images and masks.

    ``tie`` numbers the predictions of one image, class and score. Where an image counts twice, these come one after the
    other, and then again.
    """

    order: NDArray[np.intp]
    tie: IntArray

    @classmethod
    def of(cls, statistics: Statistics) -> Ranking:
        """Return the ranking of a data set, computed once."""
        data = DetectionSet.of(statistics)

        def rank() -> Ranking:
            order = np.lexsort((-data.score, data.pred_class))
            return cls(order, np.cumsum(is_new(data.pred_class[order], data.score[order], data.item[order])))

        return statistics.once("ranking", rank)

    @property
    def has_ties(self) -> bool:
        """Whether an image has two predictions of one class and score."""
        return bool(self.tie.size) and int(self.tie[-1]) < self.tie.size


def considered(data: DetectionSet, evaluation: Evaluation) -> BoolArray:
    """Return which predictions are considered."""
    rank = data.rank_in_class if evaluation.limit == "class" else data.rank_in_image
    kept: BoolArray = rank < evaluation.max_detections
    # LVIS drops predictions of classes that are in neither list of their image: nobody looked for them.
    return kept & data.judged if evaluation.federated else kept


def counted_truths(data: DetectionSet, size: AreaRange) -> BoolArray:
    """Return which true masks count: no crowds, and of the size that is evaluated."""
    # COCOeval takes the area that the file states, which for polygons is not the number of pixels.
    counted: BoolArray = ~(data.crowd | size.excludes(data.true_area))
    return counted


def detection_partners(statistics: Statistics, evaluation: Evaluation) -> PartnerColumns:
    """Return the true mask of each prediction under each threshold, -1 for none."""
    data = DetectionSet.of(statistics)
    return match_greedily(
        data.starts,
        data.truths,
        data.overlaps if evaluation.partners == "score" else _best_alone(data.starts, data.overlaps),
        ignored=~counted_truths(data, evaluation.size),
        # pycocotools matches a crowd many times, with the share of the prediction that it covers as overlap.
        reusable=data.crowd,
        thresholds=np.array(evaluation.thresholds),
    )


def _best_alone(starts: IntArray, overlaps: FloatArray) -> FloatArray:
    """Return the overlaps with only the largest of each prediction, the first of equal ones; the others are 0.

    >>> _best_alone(np.array([0, 2, 2, 3]), np.array([0.5, 0.75, 0.25])).tolist()
    [0.0, 0.75, 0.25]
    """
    pred = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    order = np.lexsort((-overlaps, pred))
    first = order[np.searchsorted(pred[order], np.unique(pred))]
    kept = np.zeros_like(overlaps)
    kept[first] = overlaps[first]
    return kept


def outcomes(statistics: Statistics, evaluation: Evaluation) -> OutcomeColumns:
    """Return the outcome of every prediction (a row) under each threshold (a column).

    Of those that are not considered it means nothing. Each threshold and size is computed once for a data set, since
    later predictions never change what earlier ones are matched to.
    """
    known: dict[tuple[tuple[float, ...], AreaRange, bool, str], OutcomeColumns] = statistics.memo.setdefault(
        "outcomes", {}
    )
    every = evaluation.thresholds, evaluation.size, evaluation.federated, evaluation.partners
    keys = [((least,), *every[1:]) for least in evaluation.thresholds]
    if any(key not in known for key in keys):
        known[every] = found = _compute_outcomes(statistics, evaluation)
        known.update({key: found[:, at : at + 1] for at, key in enumerate(keys)})
    if every not in known:
        known[every] = np.concatenate([known[key] for key in keys], axis=1)
    return known[every]


def _compute_outcomes(statistics: Statistics, evaluation: Evaluation) -> OutcomeColumns:
    data = DetectionSet.of(statistics)
    matched = detection_partners(statistics, evaluation)
    excused = evaluation.size.excludes(data.area)
    if evaluation.federated:
        excused = excused | data.excused
    unmatched = np.where(excused, IGNORED, MISS).astype(np.uint8)
    of_truth = np.where(counted_truths(data, evaluation.size), HIT, IGNORED).astype(np.uint8)
    if not of_truth.size:
        return np.repeat(unmatched[:, None], matched.shape[1], axis=1)
    return np.where(matched >= 0, of_truth[matched], unmatched[:, None])


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
    points: RecallPoints = "coco"

    @property
    def average_precision(self) -> FloatArray:
        """The mean over the recall points, or the area of the trapezoids between them, per class and threshold."""
        return _area(self.precision, self.points)


def _area(precision: FloatArray, points: str) -> FloatArray:
    ends = (precision[..., 0] + precision[..., -1]) / 2
    n = precision.shape[-1]
    values: FloatArray = precision.mean(axis=-1) if points != "trapezoid" else (precision.sum(axis=-1) - ends) / (n - 1)
    return values


def _curves(
    ranked: OutcomeColumns, starts: IntArray, n_true: IntArray, evaluation: Evaluation
) -> tuple[FloatArray, FloatArray]:
    """Return precision at the recall points and the largest recall, of every class under every threshold.

    With trapezoids precision is interpolated linearly between the points of the curve, from (0, 1) to (1, 0), as
    Ultralytics does; a class without predictions has none.
    """
    precision, recall = precision_at_recalls(ranked, starts, n_true, evaluation.recalls)
    if evaluation.recall_points == "trapezoid":
        for name, count in enumerate(n_true.tolist()):
            for column, outcome in enumerate(ranked[starts[name] : starts[name + 1]].T):
                hits = np.cumsum(outcome[outcome != IGNORED] == HIT)
                best = np.concatenate(([1.0], hits / np.arange(1, hits.size + 1), [0.0]))
                best = np.maximum.accumulate(best[::-1])[::-1] * (hits.size > 0)
                along = np.concatenate(([0.0], hits / count, [1.0]))
                precision[name, column] = np.interp(evaluation.recalls, along, best)
    return precision, recall


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
    precision, recall = _curves(ranked.outcomes, ranked.starts, ranked.n_true, evaluation)
    of_classes = tuple(names[at] for at in ranked.classes)
    return PrecisionRecall(of_classes, precision, recall, ranked.n_true, ranked.classes, evaluation.recall_points)


def ranked_outcomes(statistics: Statistics, evaluation: Evaluation, times: IntArray) -> RankedOutcomes:
    """Return the outcomes by class and descending score, each image as often as it is in a sample."""
    data, ranking = DetectionSet.of(statistics), Ranking.of(statistics)
    counted = counted_truths(data, evaluation.size)
    n_true = np.zeros(len(data.names), dtype=np.int64)
    np.add.at(n_true, data.true_class[counted], times[data.true_item[counted]])
    order = ranking.order
    kept = considered(data, evaluation)[order] & (n_true > 0)[data.pred_class[order]]
    order = _repeated_order(order[kept], ranking.tie[kept], times[data.item[order[kept]]])
    classes = np.flatnonzero(n_true)
    position = np.cumsum(n_true > 0) - 1
    starts = np.searchsorted(position[data.pred_class[order]], np.arange(classes.size + 1))
    return RankedOutcomes(classes, outcomes(statistics, evaluation).take(order, axis=0), starts, order, n_true[classes])


def _repeated_order(order: NDArray[np.intp], tie: IntArray, times: IntArray) -> NDArray[np.intp]:
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
        precision, recall = _curves(
            found[part], starts[first : last + 1] - starts[first], n_true[first:last], evaluation
        )
        yield cells[first:last] // n_classes, _area(precision, evaluation.recall_points), recall


def resampled_average_precision(
    statistics: Statistics, times: IntArray, evaluation: Evaluation
) -> tuple[FloatArray, IntArray]:
    """Return average precision, added over the criteria, and the number of true masks: classes × samples.

    ``times`` is how often each image (a row) is in each sample (a column). Precision is 0 without true masks.
    """
    ranking = Ranking.of(statistics)
    ranked, n_true = _rank_all(statistics, times, evaluation)
    total = np.zeros(n_true.shape)
    if native is not None and evaluation.recall_points != "trapezoid":
        by_sample = np.empty((times.shape[1], ranked.classes.size))
        ties = np.empty(ranking.order.size, dtype=np.int64)
        ties[ranking.order] = ranking.tie
        native.resampled_precision(
            np.ascontiguousarray(ranked.outcomes),
            np.ascontiguousarray(DetectionSet.of(statistics).item[ranked.place], dtype=np.int64),
            np.ascontiguousarray(ties[ranked.place], dtype=np.int64),
            np.ascontiguousarray(ranked.starts, dtype=np.int64),
            np.ascontiguousarray(times.T, dtype=np.int64),
            np.ascontiguousarray(n_true[ranked.classes].T, dtype=np.int64),
            evaluation.recalls,
            by_sample,
        )
        total[ranked.classes] = by_sample.T
    elif ranking.has_ties or evaluation.recall_points == "trapezoid":
        for sample, column in enumerate(times.T):
            curves = drawn_curves(statistics, evaluation, column)
            total[curves.classes, sample] = curves.average_precision.sum(axis=1)
    else:
        for at, part, weights in _by_class(statistics, times, ranked):
            for outcome in ranked.outcomes[part].T:
                counts = outcome != IGNORED
                total[at] += _interpolated_columns(
                    outcome[counts] == HIT, weights[counts], n_true[at], evaluation.recalls
                )
    return total, n_true


def resampled_average_recall(
    statistics: Statistics, times: IntArray, evaluation: Evaluation
) -> tuple[FloatArray, IntArray]:
    """Return average recall, added over the criteria, and the number of true masks: classes × samples."""
    ranked, n_true = _rank_all(statistics, times, evaluation)
    total = np.zeros(n_true.shape)
    for at, part, weights in _by_class(statistics, times, ranked):
        total[at] = ((ranked.outcomes[part] == HIT).sum(axis=1) @ weights) / np.maximum(n_true[at], 1)
    return total, n_true


def _rank_all(statistics: Statistics, times: IntArray, evaluation: Evaluation) -> tuple[RankedOutcomes, IntArray]:
    """Return the ranking of all images, and the true masks of each class (a row) in each sample."""
    data = DetectionSet.of(statistics)
    counted = counted_truths(data, evaluation.size)
    by_item = np.zeros((len(data.names), statistics.n_items), dtype=np.int64)
    np.add.at(by_item, (data.true_class[counted], data.true_item[counted]), 1)
    return ranked_outcomes(statistics, evaluation, np.ones(statistics.n_items, dtype=np.int64)), by_item @ times


def _by_class(statistics: Statistics, times: IntArray, ranked: RankedOutcomes) -> Iterator[tuple[int, slice, IntArray]]:
    """Yield each class that has true masks, its rows, and how often each row is in every sample."""
    item = DetectionSet.of(statistics).item
    for at, first, last in zip(ranked.classes.tolist(), ranked.starts[:-1], ranked.starts[1:], strict=True):
        part = slice(int(first), int(last))
        yield at, part, times[item[ranked.place[part]]]


def _interpolated_columns(hit: BoolArray, weights: IntArray, n_true: IntArray, recall_points: FloatArray) -> FloatArray:
    """Return the interpolated precision of one class under one criterion in every sample; 0 without true masks."""
    hits, n_pred = np.cumsum(weights * hit[:, None], axis=0), np.cumsum(weights, axis=0)
    best = np.zeros((hit.size + 1, weights.shape[1]))
    np.divide(hits, n_pred, out=best[:-1], where=n_pred > 0)
    np.maximum.accumulate(best[::-1], axis=0, out=best[::-1])
    # One search for all samples: their numbers of hits, each shifted beyond those of the sample before.
    least = _least_hits(n_true, recall_points)
    shift = np.arange(weights.shape[1]) * (max(int(hits.max(initial=0)), int(least.max(initial=0))) + 1)
    before = np.searchsorted((hits + shift).T.ravel(), (least + shift).T.ravel())
    rows = before.reshape(weights.shape[1], -1) - np.arange(weights.shape[1])[:, None] * hit.size
    values: FloatArray = best[rows, np.arange(weights.shape[1])[:, None]].mean(axis=1)
    return np.where(n_true > 0, values, 0.0)


def _least_hits(n_true: IntArray, recall_points: FloatArray) -> IntArray:
    """Return the least number of hits (recall points × samples) whose recall, as a float, reaches each point."""
    some = np.maximum(n_true, 1)
    least = np.ceil(recall_points[:, None] * some).astype(np.int64)
    least -= (least > 0) & ((least - 1) / some >= recall_points[:, None])
    least += least / some < recall_points[:, None]
    return least
