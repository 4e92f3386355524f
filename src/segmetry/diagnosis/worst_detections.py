"""The worst errors of detections: the largest true masks without a hit, and the misses of highest score.

They are those at the lowest threshold of the run, 0.5 by COCO: what is an error there is one at every other threshold.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np

from segmetry.diagnosis.detection_errors import PREDICTED_KINDS, wrong_kinds
from segmetry.diagnosis.recall_curves import KEY
from segmetry.kernels.detection.greedy_matches import HIT, MISS
from segmetry.metrics.detection.detection_options import Criterion, Evaluation
from segmetry.metrics.detection.detections import DetectionSet
from segmetry.metrics.detection.prediction_outcomes import considered, counted_truths, outcomes, partners
from segmetry.run.run import Run


@dataclass(frozen=True)
class MissedMask:
    """A true mask without a hit: the ``place``-th of its item; its largest overlap with one of its class."""

    item: int
    place: int
    name: Hashable
    area: float
    best_overlap: float


@dataclass(frozen=True)
class FalseAlarm:
    """A prediction that is no hit: the ``place``-th of its item by descending score, and the kind of its error."""

    item: int
    place: int
    name: Hashable
    area: float
    score: float
    kind: str


@dataclass(frozen=True)
class WorstDetections:
    """The worst errors under a criterion, and how many there are; items are numbered as in the run."""

    criterion: Criterion
    missed: tuple[MissedMask, ...]
    n_missed: int
    false_alarms: tuple[FalseAlarm, ...]
    n_false_alarms: int


def worst_detections(run: Run, most: int) -> WorstDetections:
    """Return the largest missed true masks and the false alarms of highest score, at most so many of each.

    Equal areas and equal scores are in the order of the run.

    >>> import numpy as np, segmetry as sm
    >>> stack = np.zeros((2, 1, 9), dtype=bool); stack[0, 0, :4] = stack[1, 0, 5:] = True
    >>> true, pred = sm.Masks.from_dense(stack[:1]), sm.Masks.from_dense(stack[1:], scores=[0.5])
    >>> worst = worst_detections(sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision"), 5)
    >>> worst.missed[0].area, worst.false_alarms[0].score, worst.false_alarms[0].kind
    (4.0, 0.5, 'background')
    """
    columns = run.columns.accumulated[KEY]
    collected = columns.collected
    evaluation = Evaluation.of(**{name: value for name, value in columns.options.items() if name != "iou_type"})
    criterion = min(evaluation.criteria, key=lambda one: one.least)
    evaluation = replace(evaluation, criteria=(criterion,))
    data = DetectionSet.of(collected)
    kept, counted = considered(data, evaluation), counted_truths(data, evaluation.size)
    outcome = outcomes(collected, evaluation)[:, 0]
    is_found = np.zeros(data.true_area.size, dtype=bool)
    is_found[partners(collected, evaluation)[kept & (outcome == HIT), 0]] = True
    wrong = kept & (outcome == MISS)
    kinds, _ = wrong_kinds(collected, data, wrong, counted, criterion.least)
    best = np.zeros(data.true_area.size)
    is_kept = np.repeat(kept, np.diff(data.starts))
    np.maximum.at(best, data.truths[is_kept], data.overlaps[is_kept])
    missed, alarms = np.flatnonzero(counted & ~is_found), np.flatnonzero(wrong)
    largest = missed[np.argsort(-data.true_area[missed], kind="stable")][:most].tolist()
    highest = alarms[np.argsort(-data.score[alarms], kind="stable")][:most].tolist()
    true_item, item = data.true_item.tolist(), data.item.tolist()
    return WorstDetections(
        criterion,
        tuple(
            MissedMask(
                true_item[at],
                at - int(collected.starts["true_area"][true_item[at]]),
                data.names[data.true_class[at]],
                float(data.true_area[at]),
                float(best[at]),
            )
            for at in largest
        ),
        missed.size,
        tuple(
            FalseAlarm(
                item[at],
                int(data.rank_in_image[at]),
                data.names[data.pred_class[at]],
                float(data.area[at]),
                float(data.score[at]),
                PREDICTED_KINDS[kinds[at]],
            )
            for at in highest
        ),
        alarms.size,
    )
