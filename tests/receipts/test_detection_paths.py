"""COCO's AP against that of Ultralytics, whose matching and curve are transcribed here from its source (8.3)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import segmetry as sm

THRESHOLDS = np.linspace(0.5, 0.95, 10)


def boxes(seed: int) -> tuple[dict[str, sm.Masks], dict[str, sm.Masks]]:
    """Return images of crowded rectangles of two classes, and noisy predictions with scores of their own."""
    rng = np.random.default_rng(seed)
    true, pred = {}, {}
    for at in range(6):
        sides: list[tuple[list[Any], list[str], list[float]]] = [([], [], []), ([], [], [])]
        for _ in range(int(rng.integers(2, 6))):
            x, y, w, h = (*rng.integers(0, 18, 2), *rng.integers(4, 10, 2))
            name = str(rng.choice(["cat", "dog"]))
            for side, copies in ((0, int(rng.integers(1, 3))), (1, int(rng.integers(0, 4)))):
                for copy in range(copies):
                    dx, dy = rng.integers(-1, 2, 2) * side + copy * (side == 0)  # a twin of a true mask beside it
                    mask = np.zeros((30, 30), bool)
                    mask[max(0, y + dy) : y + h + dy, max(0, x + dx) : x + w + dx] = True
                    sides[side][0].append(mask)
                    sides[side][1].append(name if rng.random() < 0.9 or side == 0 else "dog")
                    sides[side][2].append(float(rng.permutation(10_000)[0]) / 10_000)
        made = [
            sm.Masks.from_dense(
                np.array(masks, bool).reshape(-1, 30, 30),
                classes=dict(enumerate(names, 1)),
                **({"scores": scores} if side else {}),
            )
            for side, (masks, names, scores) in enumerate(sides)
        ]
        true[f"i{at}"], pred[f"i{at}"] = made
    return true, pred


def ultralytics_map(true: dict[str, sm.Masks], pred: dict[str, sm.Masks]) -> float:
    """Return mAP50-95 as DetectionValidator and ap_per_class compute it."""
    correct, scores, pred_classes, true_classes = [], [], [], []
    for item in true:
        masks = [side[item].dense().reshape(len(side[item].ids), 900).astype(float) for side in (true, pred)]
        names = [[str(side[item].classes[one]) for one in side[item].ids.tolist()] for side in (true, pred)]
        order = np.argsort(-np.asarray(pred[item].scores), kind="stable")
        detections, labels = masks[1][order], np.array(names[1])[order]
        shared = masks[0] @ detections.T
        union = masks[0].sum(axis=1)[:, None] + detections.sum(axis=1)[None] - shared
        iou = np.where(union > 0, shared / np.maximum(union, 1), 0) * (np.array(names[0])[:, None] == labels[None])
        hits = np.zeros((len(labels), 10), bool)
        for at, threshold in enumerate(THRESHOLDS):
            matches = np.array(np.nonzero(iou >= threshold)).T
            if matches.shape[0] > 1:
                matches = matches[iou[matches[:, 0], matches[:, 1]].argsort()[::-1]]
                matches = matches[np.unique(matches[:, 1], return_index=True)[1]]
                matches = matches[np.unique(matches[:, 0], return_index=True)[1]]
            hits[matches[:, 1].astype(int), at] = True
        correct.append(hits)
        scores.append(np.asarray(pred[item].scores)[order])
        pred_classes.append(labels)
        true_classes += names[0]
    hits, confidence, of_pred = map(np.concatenate, (correct, scores, pred_classes))
    order = np.argsort(-confidence, kind="stable")
    hits, of_pred = hits[order], of_pred[order]
    values = []
    for name in sorted(set(true_classes)):
        found = hits[of_pred == name]
        n_true = true_classes.count(name)
        if len(found) == 0:
            values.append(np.zeros(10))
            continue
        tp, fp = found.cumsum(0), (~found).cumsum(0)
        values.append(
            np.array([area(tp[:, at] / (n_true + 1e-16), tp[:, at] / (tp[:, at] + fp[:, at])) for at in range(10)])
        )
    return float(np.mean(values))


def area(recall: np.ndarray, precision: np.ndarray) -> float:
    mrec = np.concatenate(([0.0], recall, [1.0]))
    mpre = np.concatenate(([1.0], precision, [0.0]))
    mpre = np.flip(np.maximum.accumulate(np.flip(mpre)))
    x = np.linspace(0, 1, 101)
    return float(np.trapezoid(np.interp(x, mrec, mpre), x))


@pytest.mark.parametrize("seed", range(8))
def test_the_path_from_ultralytics_to_coco(seed: int) -> None:
    true, pred = boxes(seed)
    run = sm.evaluate(true, pred, protocol="coco-instances")
    found = sm.reconcile(run, protocol="ultralytics-ap")
    assert found.theirs is not None and found.theirs.number is not None
    assert math.isclose(float(found.theirs.number), ultralytics_map(true, pred), abs_tol=1e-9)
    assert sum((step.share for step in found.steps), Fraction(0)) == found.number - found.theirs.number
    assert {name for step in found.steps for name in step.names} == {
        "partners",
        "recall_points",
        "max_detections",
        "limit",
    }


def test_intervals_of_trapezoids_come_from_the_same_curve() -> None:
    true, pred = boxes(3)
    options = {"recall_points": "trapezoid", "partners": "best"}
    run = sm.evaluate(true, pred, metrics="average_precision", options={"average_precision": options})
    one = run.interval("average_precision", "by_class", resamples=100)
    assert one.percentile is not None and one.percentile[0] <= one.value <= one.percentile[1]
    assert one.value == run.data.score("average_precision", "by_class").value
