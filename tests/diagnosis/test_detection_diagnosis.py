"""The kinds of errors of detections on numbers worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.diagnosis.detection_diagnosis import KINDS, confidence_curve
from segmetry.errors import OptionError

Bar = tuple[int, int]


def bars(*spans: Bar, **facts: Any) -> sm.Masks:
    stack = np.zeros((len(spans), 1, 40), dtype=bool)
    for mask, (start, stop) in zip(stack, spans, strict=True):
        mask[0, start:stop] = True
    return sm.Masks.from_dense(stack, **facts)


def errors(true: sm.Masks, pred: sm.Masks) -> Any:
    return sm.detection_errors(sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision"))


TRUE = bars((0, 10), (20, 30), classes=["cat", "dog"])


@pytest.mark.parametrize(
    ("kind", "span", "name"),
    [
        ("localisation", (6, 16), "cat"),  # IoU 4/16
        ("classification", (20, 30), "cat"),
        ("both", (26, 36), "cat"),
        ("duplicate", (0, 9), "cat"),
        ("background", (31, 40), "cat"),
    ],
)
def test_one_error_beside_a_hit(kind: str, span: Bar, name: str) -> None:
    """The other prediction of cats is right; of the error's score depends whether it matters."""
    pred = bars((0, 10), span, classes=["cat", name], scores=[0.9, 0.5])
    found = errors(TRUE, pred)
    assert found.counts[kind] == 1 and sum(found.counts[other] for other in KINDS[:5]) == 1
    assert found.average_precision == 0.5
    dog_is_explained = kind == "classification"
    assert found.counts["missed"] == (not dog_is_explained)
    assert found.gains["classification"] == (0.5 if dog_is_explained else 0)
    assert found.gains["missed"] == pytest.approx(0 if dog_is_explained else 0.5)


def test_fixing_a_localisation_makes_the_best_prediction_of_a_free_mask_a_hit() -> None:
    true = bars((0, 10), classes=["cat"])
    pred = bars((6, 16), (5, 15), (31, 40), classes=["cat"] * 3, scores=[0.5, 0.9, 0.95])
    found = errors(true, pred)
    assert found.counts == {**dict.fromkeys(KINDS, 0), "localisation": 2, "background": 1}
    assert found.average_precision == 0
    assert found.fixed["localisation"] == 0.5  # after the background at 0.95
    assert found.fixed["background"] == 0


def test_a_background_of_higher_score_costs_half_of_the_precision() -> None:
    found = errors(bars((0, 10)), bars((0, 10), (20, 30), scores=[0.5, 0.9]))
    assert (found.average_precision, found.gains["background"]) == (0.5, 0.5)


def test_crowds_and_what_lies_in_them_are_no_errors() -> None:
    true = bars((0, 10), (20, 40), classes=["cat", "cat"], crowd=[2])
    found = errors(true, bars((0, 10), (22, 30), classes=["cat", "cat"], scores=[0.5, 0.9]))
    assert found.average_precision == 1 and not any(found.counts.values())


def test_a_run_without_average_precision_is_rejected() -> None:
    run = sm.evaluate({"a": TRUE}, {"a": TRUE}, metrics="pq")
    with pytest.raises(OptionError, match="the run has no average_precision"):
        sm.detection_errors(run)
    with pytest.raises(OptionError, match="the run has no average_precision"):
        sm.recall_curves(run)
    scored = sm.evaluate({"a": TRUE}, {"a": bars(scores=[], classes=[])}, metrics="average_precision")
    with pytest.raises(OptionError, match=r"threshold is 0\.1; expected an IoU above 0\.1"):
        sm.detection_errors(scored, threshold=0.1)


def test_the_example_of_confidence_curve() -> None:
    import numpy as np

    import segmetry as sm

    stack = np.zeros((2, 1, 9), dtype=bool)
    stack[0, 0, :4] = stack[1, 0, 5:] = True
    true, pred = sm.Masks.from_dense(stack[:1]), sm.Masks.from_dense(stack, scores=[0.9, 0.2])
    assert confidence_curve(sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision")) == {
        "scores": [0.9, 0.2],
        "hits": [1, 1],
        "false": [0, 1],
        "n_true": 1,
        "best": 0,
    }
