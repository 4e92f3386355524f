"""The outcome of every prediction of a data set: hit, miss or ignored, under each threshold [lin2014microsoft].

A true mask that is a crowd, or whose area is not of the size that is evaluated, is ignored: it is not missed, and what
is matched to it is neither a hit nor a miss. A prediction that is matched to nothing is ignored if its own area is not
of that size.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import BoolArray, IntArray
from segmetry.kernels.greedy_matches import HIT, IGNORED, MISS, OutcomeColumns, PartnerColumns, match_greedily
from segmetry.metrics.detection.detection_options import AreaRange, Evaluation
from segmetry.metrics.detection.detections import DetectionSet
from segmetry.metrics.statistics import Statistics


@dataclass(frozen=True, eq=False)
class Ranking:
    """The predictions of a data set by class and descending score; equal scores keep the order of images and masks.

    Those of class ``c`` are ``order[starts[c] : starts[c + 1]]``. ``tie`` numbers the predictions of one image, class
    and score. Where an image counts twice, these come one after the other, and then again.
    """

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    tie: IntArray

    @classmethod
    def of(cls, statistics: Statistics) -> Ranking:
        """Return the ranking of a data set, computed once."""
        if "ranking" not in statistics.memo:
            statistics.memo["ranking"] = cls._of(DetectionSet.of(statistics))
        ranking: Ranking = statistics.memo["ranking"]
        return ranking

    @classmethod
    def _of(cls, data: DetectionSet) -> Ranking:
        order = np.lexsort((-data.score, data.pred_class))
        ordered = data.pred_class[order], data.score[order], data.item[order]
        new = np.ones(order.size, dtype=bool)
        new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
        return cls(order, np.searchsorted(ordered[0], np.arange(len(data.names) + 1)), np.cumsum(new))

    def tie_of(self, predictions: NDArray[np.intp]) -> IntArray:
        """Return the tie of some predictions."""
        ties = np.empty(self.order.size, dtype=np.int64)
        ties[self.order] = self.tie
        return ties[predictions]

    @property
    def has_ties(self) -> bool:
        """Whether an image has two predictions of one class and score."""
        return bool(self.tie.size) and int(self.tie[-1]) < self.tie.size


def considered(data: DetectionSet, evaluation: Evaluation) -> BoolArray:
    """Return which predictions are considered."""
    rank = data.rank_in_class if evaluation.limit == "class" else data.rank_in_image
    kept: BoolArray = rank < evaluation.max_detections
    return kept & data.judged if evaluation.federated else kept


def counted_truths(data: DetectionSet, size: AreaRange) -> BoolArray:
    """Return which true masks count: no crowds, and of the size that is evaluated."""
    counted: BoolArray = ~(data.crowd | size.excludes(data.true_area))
    return counted


def partners(statistics: Statistics, evaluation: Evaluation) -> PartnerColumns:
    """Return the true mask of each prediction under each threshold, -1 for none."""
    data = DetectionSet.of(statistics)
    return match_greedily(
        data.starts,
        data.truths,
        data.overlaps,
        ignored=~counted_truths(data, evaluation.size),
        reusable=data.crowd,
        thresholds=np.array(evaluation.thresholds),
    )


def outcomes(statistics: Statistics, evaluation: Evaluation) -> OutcomeColumns:
    """Return the outcome of every prediction (a row) under each threshold (a column).

    Of those that are not considered it means nothing. Each threshold and size is computed once for a data set, since
    later predictions never change what earlier ones are matched to.
    """
    known: dict[tuple[tuple[float, ...], AreaRange, bool], OutcomeColumns] = statistics.memo.setdefault("outcomes", {})
    every = evaluation.thresholds, evaluation.size, evaluation.federated
    keys = [((least,), *every[1:]) for least in evaluation.thresholds]
    if any(key not in known for key in keys):
        known[every] = found = _outcomes(statistics, evaluation)
        known.update({key: found[:, at : at + 1] for at, key in enumerate(keys)})
    if every not in known:
        known[every] = np.concatenate([known[key] for key in keys], axis=1)
    return known[every]


def _outcomes(statistics: Statistics, evaluation: Evaluation) -> OutcomeColumns:
    data = DetectionSet.of(statistics)
    matched = partners(statistics, evaluation)
    excused = evaluation.size.excludes(data.area)
    if evaluation.federated:
        excused = excused | data.excused
    unmatched = np.where(excused, IGNORED, MISS).astype(np.uint8)
    of_truth = np.where(counted_truths(data, evaluation.size), HIT, IGNORED).astype(np.uint8)
    if not of_truth.size:
        return np.repeat(unmatched[:, None], matched.shape[1], axis=1)
    return np.where(matched >= 0, of_truth[matched], unmatched[:, None])
