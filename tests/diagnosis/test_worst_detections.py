"""The worst errors of detections, against a matching written anew for one threshold."""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.detection_diagnosis import worst_detections
from tests.report.detection_runs import scored_masks


def iou(first: np.ndarray, second: np.ndarray) -> float:
    return float((first & second).sum() / (first | second).sum())


def errors(true: sm.Masks, pred: sm.Masks) -> tuple[set[int], set[int]]:
    """The positions of missed masks, and of false alarms by descending score."""
    truth, masks = true.dense(), pred.dense()
    assert true.classes is not None and pred.classes is not None and pred.scores is not None
    names = [true.classes[number] for number in true.ids.tolist()]
    free, alarms = set(range(len(truth))), set()
    for rank, at in enumerate(np.argsort(-pred.scores, kind="stable").tolist()):
        own = pred.classes[int(pred.ids[at])]
        fits = [(iou(truth[one], masks[at]), one) for one in free if names[one] == own]
        best = max(fits, default=(0.0, -1))
        if best[0] >= 0.5:
            free.remove(best[1])
        else:
            alarms.add(rank)
    return free, alarms


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("protocol", ["coco-instances", "lvis"])
def test_all_errors_are_found_and_ordered(seed: int, protocol: str) -> None:
    true, pred = scored_masks(seed)
    worst = worst_detections(sm.evaluate(true, pred, protocol=protocol), 1000)
    by_item = [errors(true[name], pred[name]) for name in true]
    missed = {(item, place) for item, (free, _) in enumerate(by_item) for place in free}
    alarms = {(item, place) for item, (_, wrong) in enumerate(by_item) for place in wrong}
    assert {(error.item, error.place) for error in worst.missed} == missed and worst.n_missed == len(missed)
    assert {(error.item, error.place) for error in worst.false_alarms} == alarms
    assert worst.n_false_alarms == len(alarms)
    areas, scores = [error.area for error in worst.missed], [error.value for error in worst.false_alarms]
    assert areas == sorted(areas, reverse=True) and scores == sorted(scores, reverse=True)
    names = list(true)
    for error in worst.missed:
        mask, item = true[names[error.item]].dense()[error.place], pred[names[error.item]]
        assert item.classes is not None
        own = [
            one
            for number, one in zip(item.ids.tolist(), item.dense(), strict=True)
            if item.classes[number] == error.name
        ]
        assert error.area == mask.sum() and error.value == max((iou(mask, one) for one in own), default=0.0)


def test_only_so_many_are_returned_and_predictions_beyond_the_limit_do_not_count() -> None:
    true, pred = scored_masks()
    run = sm.evaluate(true, pred, protocol="coco-instances")
    full, few = worst_detections(run, 1000), worst_detections(run, 2)
    assert few.false_alarms == full.false_alarms[:2] and few.missed == full.missed[:2]
    assert few.n_missed == full.n_missed
    limited = sm.evaluate(true, pred, metrics="average_precision", options={"average_precision": {"max_detections": 1}})
    assert worst_detections(limited, 1000).n_missed > full.n_missed
    assert worst_detections(limited, 1000).n_false_alarms < full.n_false_alarms


def test_errors_under_a_rule_are_those_of_the_rule() -> None:
    true, pred = scored_masks()
    run = sm.evaluate(true, pred, metrics="average_precision", options={"average_precision": {"rule": "theta_and"}})
    strict = sm.evaluate(true, pred, metrics="average_precision", options={"average_precision": {"thresholds": 0.5}})
    worst = worst_detections(run, 1000)
    assert worst.criterion.name == "theta_and" and worst.n_missed <= worst_detections(strict, 1000).n_missed
