"""What becomes of errors from one run to another; planes of volumes; confidence of detections; what makes right."""

from __future__ import annotations

import numpy as np

import segmetry as sm
from segmetry.diagnosis import confidence_curve
from segmetry.readers import GridAffine
from segmetry.report.error_changes import error_fates
from segmetry.report.item_pictures import planes_of
from segmetry.report.run_data import agrees_by


def test_errors_remain_at_their_true_segment_and_spurious_ones_where_predictions_agree() -> None:
    true, first, second = ({"a": [row]} for row in ([1, 1, 2, 2, 0], [0, 0, 0, 0, 5], [1, 1, 0, 0, 6]))
    runs = [sm.evaluate(true, one, metrics="pq") for one in (first, second)]
    fates = error_fates(runs, [run.errors() for run in runs])[0]
    assert [error.error for error in runs[0].errors()] == ["t1", "t2", "p5"]
    assert (fates["before"], fates["after"]) == ("022", "22")


def test_another_kind_at_the_same_place_is_a_change_and_far_predictions_are_new() -> None:
    rows = [1] * 6 + [0] * 4, [0] * 8 + [5, 5], [2, 2, 2, 3, 3, 3, 6, 6, 0, 0]
    true, first, second = ({"a": [row]} for row in rows)
    runs = [sm.evaluate(true, one, metrics="pq") for one in (first, second)]
    kinds = [[error.kind for error in run.errors()] for run in runs]
    fates = error_fates(runs, [run.errors() for run in runs])[0]
    before = dict(zip(kinds[0], fates["before"], strict=True))
    after = dict(zip(kinds[1], fates["after"], strict=True))
    assert before["missed"] == "1" and before["spurious"] == "0"
    assert after["split"] == "1" and after["spurious"] == "3"


def test_planes_are_named_by_the_affine() -> None:
    turned = ((0.0, 0.0, 2.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, -1.0, 0.0, 0.0))
    assert planes_of(GridAffine(turned, (4, 4, 4))) == ["coronal", "axial", "sagittal"]
    oblique = ((1.0, 1.0, 0.0, 0.0), (-1.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    assert planes_of(GridAffine(oblique, (4, 4, 4))) == [None, None, "axial"]
    assert planes_of(GridAffine(turned, (4, 4, 4)), "nm") == [None] * 3


def test_elements_of_classes_agree_by_their_class() -> None:
    labels = {"a": sm.LabelArray.from_classes([[1, 2]])}
    assert [agrees_by(sm.evaluate(labels, labels, metrics=keys)) for keys in ("mean_iou", "pq")] == ["classes", None]


def test_the_least_score_with_the_best_f1() -> None:
    stack = np.zeros((2, 1, 9), dtype=bool)
    stack[0, 0, :4] = stack[1, 0, 5:] = True
    true, pred = sm.Masks.from_dense(stack[:1]), sm.Masks.from_dense(stack, scores=[0.9, 0.2])
    curve = confidence_curve(sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision"))
    assert curve == {"scores": [0.9, 0.2], "hits": [1, 1], "false": [0, 1], "n_true": 1, "best": 0}
