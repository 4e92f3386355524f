"""One metric over several references: mean, least and greatest of what is defined."""

from __future__ import annotations

import math

import pytest

import segmetry as sm
from segmetry.errors import InputError, UnknownNameError
from segmetry.segmentation.spans import Spans

PRED = Spans.from_masses([4, 4, 5])
CODERS = {"Ann": Spans.from_masses([5, 3, 5]), "Bob": PRED, "Cid": Spans.from_masses([13])}


def test_against_all_scores_every_reference() -> None:
    result = sm.against_all(CODERS, PRED, "boundary_recall", tolerance=1)
    assert {name: score.value for name, score in result.scores.items() if score.is_defined} == {"Ann": 1, "Bob": 1}
    assert result.used == 2
    assert result.mean.details == {"used": 2, "of": 3}
    result = sm.against_all(CODERS, PRED, sm.boundary_f1)
    assert (result.mean.value, result.min.value, result.max.value) == (0.5, 0, 1)


def test_references_may_be_a_list() -> None:
    assert sm.against_all(list(CODERS.values()), PRED, "pk").scores[1].value == 0


def test_nothing_defined_is_undefined_with_the_reason() -> None:
    blank = Spans.from_masses([13])
    result = sm.against_all([blank, blank], blank, "boundary_f1")
    for score in (result.mean, result.min, result.max):
        assert math.isnan(score.value)
        assert score.reason == "boundary_f1 is undefined for all 2 comparisons"


def test_pairwise_takes_each_coder_as_the_truth_where_the_order_matters() -> None:
    assert sm.pairwise(CODERS, "pk").used == 6
    assert sm.pairwise(CODERS, "segmentation_similarity").used == 3
    ordered = sm.pairwise(CODERS, "winpr_recall", k=2).scores
    assert ordered["item", "Ann", "Bob"].value == 3 / 4
    assert not ordered["item", "Cid", "Bob"].is_defined


def test_bad_questions_are_rejected() -> None:
    with pytest.raises(InputError, match="references are empty"):
        sm.against_all({}, PRED, "pk")
    with pytest.raises(UnknownNameError, match="there is no metric 'pkk'"):
        sm.against_all(CODERS, PRED, "pkk")
