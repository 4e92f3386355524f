"""A score is a number: everything that takes a float takes a score, and what it says beside the number stays."""

from __future__ import annotations

import copy
import json
import math
import operator
import pickle
import statistics
from fractions import Fraction
from numbers import Real

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from tests.profiles import examples

pytestmark = pytest.mark.generated

THIRD = sm.Score.of("pq", 1, 3)
UNDEFINED = sm.Score.undefined("pq", "no true segments")
NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow)


@examples(2)
@given(NUMBERS, NUMBERS, st.sampled_from(COMPARISONS))
def test_comparison_is_that_of_the_values(first, second, compare):
    scores = sm.Score.number("pq", first), sm.Score.number("sq", second)
    expected = compare(first, second)
    assert compare(scores[0], second) is expected
    assert compare(first, scores[1]) is expected
    assert compare(*scores) is expected
    assert bool(compare(scores[0], np.float64(second))) is expected


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("other", [2, 0.25, True, np.float64(0.5), np.int64(3)])
def test_arithmetic_is_that_of_the_values(operation, other):
    assert operation(THIRD, other) == operation(1 / 3, other)
    assert operation(other, THIRD) == operation(other, 1 / 3)
    assert not isinstance(operation(THIRD, other), sm.Score)
    assert not isinstance(operation(other, THIRD), sm.Score)


def test_arithmetic_of_scores_is_a_float():
    assert type(THIRD + THIRD) is float
    assert type(-THIRD) is type(abs(THIRD)) is type(round(THIRD, 2)) is type(float(THIRD)) is float
    assert round(THIRD, 2) == 0.33
    assert sum([THIRD, THIRD, THIRD]) == 1.0


def test_equal_scores_have_equal_hashes_whatever_their_metric():
    other = sm.Score.of("sq", 2, 6)
    assert THIRD == other == 1 / 3
    assert hash(THIRD) == hash(other) == hash(1 / 3)
    assert {THIRD, other, 1 / 3} == {1 / 3}
    assert THIRD.to_dict() != other.to_dict()


def test_an_undefined_score_is_nan_and_says_why():
    assert math.isnan(UNDEFINED)
    assert np.isnan(UNDEFINED)
    assert sm.Score.undefined("pq", "no true segments") != UNDEFINED
    assert not UNDEFINED < 1
    assert not UNDEFINED >= 0
    assert math.isnan(UNDEFINED + 1)
    assert repr(UNDEFINED) == "Score(pq: undefined, no true segments)"
    assert str(UNDEFINED) == f"{UNDEFINED}" == "nan"
    assert UNDEFINED.reason == "no true segments"


def test_formatting_is_that_of_a_float():
    assert f"{THIRD:.3f}" == format(THIRD, ".3f") == f"{float(THIRD):.3f}" == "0.333"
    assert f"{THIRD:%}" == "33.333333%"
    assert str(THIRD) == "0.3333333333333333"
    assert repr(THIRD) == "Score(pq: 0.333333)"


def test_numpy_and_statistics_take_scores():
    assert np.mean([THIRD, THIRD]) == np.asarray(THIRD, float) == np.array(THIRD) == 1 / 3
    assert np.asarray([THIRD, UNDEFINED]).dtype == np.float64
    assert np.nanmean([THIRD, UNDEFINED]) == 1 / 3
    assert statistics.mean([THIRD, sm.Score.of("pq", 2, 3)]) == 0.5
    assert statistics.fmean([THIRD, 1]) == statistics.fmean([1 / 3, 1])
    assert statistics.stdev([THIRD, THIRD]) == 0
    assert math.isnan(statistics.mean([THIRD, UNDEFINED]))
    assert isinstance(THIRD, Real)
    assert Fraction(THIRD) == Fraction(1 / 3)
    assert max(THIRD, sm.Score.of("pq", 1, 2)).numerator == 1


def test_a_number_alone_stays_a_number():
    assert type(sm.Score(Fraction(1, 2))) is float
    with pytest.raises(TypeError):
        sm.Score("pq")


def test_json():
    assert json.loads(json.dumps({"pq": THIRD})) == {"pq": 1 / 3}
    scores = sm.score([[1, 2]], [[1, 2]], ["pq", "pair_counts"])
    assert json.loads(json.dumps(scores, default=sm.to_json)) == json.loads(json.dumps(scores.to_dict()))
    data = {"a": np.int64(2**60), "b": np.arange(2), "c": Fraction(1, 3)}
    assert json.loads(json.dumps(data, default=sm.to_json)) == {"a": 2**60, "b": [0, 1], "c": "1/3"}
    with pytest.raises(TypeError, match="a set is not a result of segmetry"):
        json.dumps({1}, default=sm.to_json)


@pytest.mark.parametrize("score", [THIRD, UNDEFINED, UNDEFINED.or_else(0)])
def test_copies_keep_everything(score):
    for other in (copy.copy(score), copy.deepcopy(score), pickle.loads(pickle.dumps(score))):  # noqa: S301
        assert type(other) is sm.Score
        assert repr(float(other)) == repr(score.value)
        assert other.to_dict() == score.to_dict()
        assert other.reason == score.reason


def test_a_substitute_is_the_number():
    assert UNDEFINED.or_else(0) == 0
    assert UNDEFINED.or_else(1) + 1 == 2
    assert THIRD.or_else(0) == 1 / 3


@pytest.mark.peers
def test_pandas_takes_scores():
    import pandas as pd

    assert pd.Series([THIRD, UNDEFINED]).dtype == np.float64
    assert pd.Series([THIRD, UNDEFINED]).mean() == 1 / 3


def test_results_are_equal_if_everything_is():
    """An undefined score equals nothing, but scores that are undefined for the same reason are the same scores."""
    nothing = [[0, 0]], [[0, 0]]
    assert sm.score(*nothing, ["pq", "sq"]) == sm.score(*nothing, ["pq", "sq"])
    assert sm.score(*nothing, "pq") != sm.score([[0, 1]], [[0, 0]], "pq")
    assert sm.score([[1, 1, 2]], [[1, 1, 0]], "f1") != sm.score([[1, 1, 1, 1, 2, 2, 3]], [[1, 1, 1, 1, 2, 2, 0]], "f1")
    first, second = (sm.evaluate({"a": nothing[0]}, {"a": nothing[1]}, metrics="pq").summary() for _ in "ab")
    assert first == second
    assert first != sm.evaluate({"a": [[1]]}, {"a": [[1]]}, metrics="pq").summary()
