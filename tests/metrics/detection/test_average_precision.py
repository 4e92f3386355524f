"""Average precision by a plain greedy matching over sets, and the mean best IoU."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, KindError, OptionError, SegmetryError
from segmetry.kernels.coco_detections import HIT, MISS
from segmetry.metrics.declare import METRICS
from segmetry.metrics.detection.detections import Evaluation, detections
from segmetry.metrics.detection.precision_recall import outcomes
from segmetry.metrics.statistics import Statistics
from segmetry.testing.strategies import label_pairs, mask_pairs
from tests.metrics.detection.data_sets import over
from tests.oracle import as_sets


def iou_at_least(least: Fraction) -> Callable[[int, int, int], bool]:
    return lambda s, m, p: s >= least * (s + m + p)


def theta_and(s: int, m: int, p: int) -> bool:
    return s > m and s > p


def by_definition(true: sm.Masks, pred: sm.Masks, admits: Callable[[int, int, int], bool]) -> Fraction | None:
    """One image, one class: greedy by falling score, precision at i/100 for i = 0 … 100, in fractions."""
    trues, preds = as_sets(true), as_sets(pred)
    counted = [label for label in trues if label not in true.crowd]
    if not counted:
        return None
    assert pred.scores is not None
    score = dict(zip(pred.ids.tolist(), pred.scores.tolist(), strict=True))
    free, outcomes = set(counted), []
    for h in sorted(preds, key=lambda label: (-score[label], label)):

        def worth(t: int, h: int = h) -> tuple[bool, Fraction, int] | None:
            s, p = len(trues[t] & preds[h]), len(preds[h] - trues[t])
            m = 0 if t in true.crowd else len(trues[t] - preds[h])
            return (t not in true.crowd, Fraction(s, s + m + p), t) if s and admits(s, m, p) else None

        options = [result for t in trues if (t in free or t in true.crowd) and (result := worth(t))]
        if not options:
            outcomes.append(False)
        elif max(options)[0]:
            free.remove(max(options)[2])
            outcomes.append(True)
    hits = [sum(outcomes[: n + 1]) for n in range(len(outcomes))]
    curve = [(Fraction(hit, len(counted)), Fraction(hit, n + 1)) for n, hit in enumerate(hits)]
    reached = [max((p for r, p in curve if r >= Fraction(i, 100)), default=Fraction(0)) for i in range(101)]
    return sum(reached, Fraction(0)) / 101


def with_crowd(result: sm.Masks, labels: set[int]) -> sm.Masks:
    return sm.Masks(
        result.run_lengths, result.shape, ids=result.ids, crowd=labels & set(result.ids.tolist()), scores=result.scores
    )


@given(mask_pairs(scores=True), st.sets(st.integers(1, 4), max_size=2))
def test_average_precision_equals_its_definition(pair: tuple[sm.Masks, sm.Masks], crowd: set[int]) -> None:
    true, pred = with_crowd(pair[0], crowd), pair[1]
    criteria: list[tuple[dict[str, Any], Callable[[int, int, int], bool]]] = [
        ({"rule": "theta_and"}, theta_and),
        ({"thresholds": "1/2"}, iou_at_least(Fraction(1, 2))),
        ({"thresholds": 0.2}, iou_at_least(Fraction(1, 5))),
        ({"thresholds": [1]}, iou_at_least(Fraction(1))),
    ]
    for options, admits in criteria:
        expected = by_definition(true, pred, admits)
        result = sm.average_precision(true, pred, recall_points="exact", **options)
        assert result.value == pytest.approx(math.nan if expected is None else float(expected), abs=1e-12, nan_ok=True)


@given(mask_pairs(scores=True))
def test_thresholds_are_averaged(pair: tuple[sm.Masks, sm.Masks]) -> None:
    single = [sm.average_precision(*pair, thresholds=threshold).value for threshold in ("0.5", "0.75")]
    both = sm.average_precision(*pair, thresholds=("0.5", "0.75"))
    assert both.value == pytest.approx(float(np.mean(single)), nan_ok=True)
    if both.is_defined:
        assert both.details["criteria"] == pytest.approx(
            {"iou(at_least=1/2)": single[0], "iou(at_least=3/4)": single[1]}
        )


def bars(*spans: tuple[int, int], **facts: Any) -> sm.Masks:
    stack = np.zeros((len(spans), 1, 12), dtype=bool)
    for row, (start, stop) in zip(stack, spans, strict=True):
        row[0, start:stop] = True
    return sm.Masks.from_dense(stack, **facts)


def test_classes_without_truth_are_left_out_and_others_averaged() -> None:
    true = bars((0, 4), (5, 9), classes=["cat", "dog"])
    pred = bars((0, 4), (5, 9), (10, 12), classes=["cat", "cat", "cow"], scores=[0.9, 0.8, 0.7])
    result = sm.average_precision(true, pred)
    assert result.details["classes"] == {"cat": 1.0, "dog": 0.0}
    assert result.value == 0.5


def test_ids_do_not_matter_but_the_order_given_does() -> None:
    """Equal scores keep the order given, whatever the ids: the reference's choice."""
    true = bars((0, 4))
    right_first = bars((0, 4), (6, 9), ids=[7, 3], scores=[0.5, 0.5])
    wrong_first = bars((6, 9), (0, 4), ids=[7, 3], scores=[0.5, 0.5])
    assert sm.average_precision(true, right_first).value == 1
    assert sm.average_precision(true, wrong_first).value == 0.5


def test_equal_ious_take_the_last_true_mask_given() -> None:
    """The first prediction fits both true masks alike and takes the second, the only one that the other fits."""
    true = bars((0, 4), (4, 8))
    pred = bars((2, 6), (5, 8), scores=[0.9, 0.8])
    assert sm.average_precision(true, pred, thresholds="0.3").value == 51 / 101
    assert sm.average_precision(bars((4, 8), (0, 4)), pred, thresholds="0.3").value == 1


def test_at_most_so_many_detections_of_a_class_in_an_image() -> None:
    true = bars((0, 4))
    pred = bars((6, 9), (0, 4), scores=[0.9, 0.5])
    assert sm.average_precision(true, pred, max_detections=1).value == 0
    assert sm.average_precision(true, pred, max_detections=2).value == 0.5


def test_thresholds_keep_their_outcomes_in_whatever_company_they_were_computed() -> None:
    facts = detections(bars((0, 4), (6, 9)), bars((0, 3), (6, 9), (1, 4), scores=[0.9, 0.5, 0.2]))
    asked = [["0.5", "0.9"], ["0.9"], ["0.9", "0.5"], ["0.6", "0.5"], ["0.5", "0.6", "0.9"]]
    together = Statistics.of([facts])
    for thresholds in asked:
        evaluation = Evaluation.of(thresholds=thresholds)
        expected = outcomes(Statistics.of([facts]), evaluation).tolist()
        assert outcomes(together, evaluation).tolist() == expected
        assert outcomes(together, evaluation).tolist() == expected  # kept
    assert expected == [[HIT, HIT, MISS], [HIT, HIT, HIT], [MISS, MISS, MISS]]


def test_a_data_set_is_ranked_as_one() -> None:
    images = [
        (bars((0, 4)), bars((0, 4), scores=[0.3])),
        (bars((0, 4)), bars((6, 9), (0, 4), scores=[0.9, 0.2])),
    ]
    result = over(images, recall_points="exact")
    # By falling score: wrong, right, right; the best precision is 2/3 from either recall on.
    assert result.value == pytest.approx(2 / 3)
    assert np.mean([sm.average_precision(*image).value for image in images]) == 0.75


def test_the_family_has_average_precision_where_masks_have_scores() -> None:
    with_scores, without = bars((0, 4), scores=[0.5]), bars((0, 4))
    assert sm.score(without, with_scores)["average_precision"].value == 1
    assert "average_precision" not in sm.score(without, without)
    assert "average_precision" not in sm.score([[1]], [[1]], "panoptic")


def test_an_image_that_counts_twice_is_ranked_as_two_images() -> None:
    """Equal scores keep the order of the images: right, wrong, right, wrong; not right, right, wrong, wrong."""
    facts = detections(bars((0, 4)), bars((0, 4), (6, 9), scores=[0.5, 0.5]))
    aggregation = METRICS["average_precision"].statistics
    assert aggregation is not None
    options = {"recall_points": "exact"}
    twice = aggregation.reading("", Statistics.of([facts]), options).ranked(np.array([[2.0]])).item()
    assert twice == pytest.approx(
        aggregation.reading("", Statistics.of([facts, facts]), options).score().value, abs=1e-15
    )
    assert twice == pytest.approx((51 + 50 * 2 / 3) / 101)


def test_a_run_file_keeps_the_detections(tmp_path: Path) -> None:
    """Values by class, intervals and a reopened run follow from the stored columns."""
    images = [
        (bars((0, 4), classes=["cat"]), bars((0, 4), classes=["cat"], scores=[0.3])),
        (bars((0, 4), classes=["dog"]), bars((6, 9), (0, 4), classes=["dog", "cat"], scores=[0.9, 0.2])),
    ]
    out = tmp_path / "run.segm"
    whole = over(images, out=out)
    again = sm.Run.open(out)
    aggregated = again.summary()["average_precision"].over_data_set
    assert aggregated is not None and aggregated.value == whole.value == 0.5
    by_class = {name: row["average_precision"].over_data_set for name, row in again.summary().parts.items()}
    assert {name: score and score.value for name, score in by_class.items()} == {"cat": 1, "dog": 0}
    assert again.intervals(rng=1)["average_precision"]["by_class"].value == 0.5


@given(label_pairs())
def test_mean_best_iou_equals_its_definition(pair: tuple[sm.LabelArray, sm.LabelArray]) -> None:
    trues, preds = as_sets(pair[0]), as_sets(pair[1])
    best = [
        max((Fraction(len(t & h), len(t | h)) for h in preds.values()), default=Fraction(0)) for t in trues.values()
    ]
    expected = float(sum(best) / len(best)) if best else math.nan
    assert sm.mean_best_iou(*pair).value == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_mean_best_iou_compares_segments_of_one_class() -> None:
    true = sm.LabelArray([[1, 1, 2, 2]], classes={1: "cat", 2: "dog"})
    pred = sm.LabelArray([[1, 1, 1, 2]], classes={1: "dog", 2: "dog"})
    assert sm.mean_best_iou(true, pred).value == 0.25


ONE = bars((0, 4), scores=[0.5])
CASES: dict[str, tuple[Callable[[], Any], type[SegmetryError], str]] = {
    "no scores": (
        lambda: sm.average_precision(ONE, bars((0, 4))),
        OptionError,
        "needs a score for every predicted mask",
    ),
    "label arrays": (
        lambda: sm.average_precision([[1]], [[1]]),
        KindError,
        "average_precision takes masks; found labels",
    ),
    "threshold of 0": (
        lambda: sm.average_precision(ONE, ONE, thresholds=0),
        OptionError,
        r"thresholds is 0; expected .* in \(0",
    ),
    "threshold above 1": (
        lambda: sm.average_precision(ONE, ONE, thresholds=[0.5, 50]),
        OptionError,
        "thresholds is 50",
    ),
    "no threshold": (lambda: sm.average_precision(ONE, ONE, thresholds=[]), OptionError, "thresholds are empty"),
    "rule and thresholds": (
        lambda: sm.average_precision(ONE, ONE, rule="theta_and", thresholds=0.5),
        OptionError,
        "rule and thresholds are both set; expected only one of them",
    ),
    "a rule that needs all pairs": (
        lambda: sm.average_precision(ONE, ONE, rule="maximum_weight"),
        OptionError,
        "decides on a pair alone",
    ),
    "max_detections": (lambda: sm.average_precision(ONE, ONE, max_detections=0), OptionError, "max_detections is 0"),
    "recall points": (
        lambda: sm.average_precision(ONE, ONE, recall_points="voc"),
        OptionError,
        "recall_points is 'voc'",
    ),
    "classes on one side": (
        lambda: over([(bars((0, 4), classes=["cat"]), ONE)]),
        ClassesError,
        "pred has no classes",
    ),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_one_clear_error(case: str) -> None:
    act, error, message = CASES[case]
    with pytest.raises(error, match=message):
        act()
