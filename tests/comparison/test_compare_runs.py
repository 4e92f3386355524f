"""Differences, corrections, ranks and what is detectable, each against the same thing written out."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import segmetry as sm
from segmetry.errors import OptionError, UnknownNameError
from segmetry.statistics.difference import Outcomes, detectable_difference, holm, items_needed
from segmetry.statistics.random_draws import resampled_weights
from tests.comparison.made import systems


@pytest.mark.slow
def test_differences_come_from_the_same_resamples_of_items() -> None:
    first, second = systems(30, classes=False)
    comparison = sm.compare(first, second, resamples=400, rng=9)
    first_values, second_values = (np.array([row["pq"] for row in run.items()]) for run in (first, second))
    weights = np.concatenate(list(resampled_weights(30, 400, 9)), axis=1)
    gaps = (second_values - first_values) @ weights / 30
    difference = comparison.difference("pq")
    assert difference.value == second.summary()["pq"]["by_item"].value - first.summary()["pq"]["by_item"].value
    assert difference.interval.percentile == pytest.approx(np.quantile(gaps, [0.025, 0.975]))
    assert difference.interval.standard_error == pytest.approx(gaps.std(ddof=1))
    assert difference.detectable == pytest.approx(gaps.std(ddof=1) * (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)))
    assert comparison.values["run 1"]["pq"]["by_item"].value == first.summary()["pq"]["by_item"].value
    assert comparison.seed == 9
    assert difference.items_needed == math.ceil(30 * (difference.detectable / difference.value) ** 2)


def test_values_are_the_intervals_of_each_run() -> None:
    first, second = systems(12)
    comparison = sm.compare(first, second, resamples=200, parts=True)
    for name, run in zip(comparison.systems, (first, second), strict=True):
        own = run.intervals(resamples=200)
        assert comparison.values[name].to_dict()["scores"] == own.to_dict()["scores"]
        assert comparison.values[name].to_dict()["parts"] == own.to_dict()["parts"]
    levels = {(row["level"], row["name"]) for row in comparison.rows()}
    assert levels == {("data set", None), ("group", "all"), ("class", "a"), ("class", "b"), ("class", "c")}
    json.dumps(comparison.to_dict(), allow_nan=False)
    assert "<table>" in comparison._repr_html_()


def test_differences_stand_in_the_order_of_the_summary() -> None:
    groups = {"things": ["a", "c"], "stuff": ["b"]}
    comparison = sm.compare(*systems(12, groups=groups, metrics="pq"), resamples=100, parts=True)
    levels = dict.fromkeys((row["level"], row["name"]) for row in comparison.rows())
    of_groups = [("data set", None), ("group", "things"), ("group", "stuff"), ("group", "all")]
    assert list(levels) == [*of_groups, ("class", "a"), ("class", "b"), ("class", "c")]
    assert list(comparison.values["run 1"].parts) == ["a", "b", "c"]


def test_items_won_tied_and_lost() -> None:
    true = {name: [[1, 1, 1, 1, 2, 2]] for name in "abcde"}
    fair, exact, none = [[1, 1, 1, 2, 2, 2]], [[1, 1, 1, 1, 2, 2]], [[0, 0, 0, 0, 0, 0]]
    first = sm.evaluate(true, {"a": fair, "b": fair, "c": exact, "d": none, "e": exact}, metrics="pq,sq,n_missed,fair")
    second = sm.evaluate(true, {"a": exact, "b": fair, "c": fair, "d": none, "e": none}, metrics="pq,sq,n_missed,fair")
    comparison = sm.compare(first, second, resamples=100)
    assert comparison.difference("pq").outcomes == Outcomes(won=1, tied=2, lost=2, undefined=0)
    assert comparison.difference("sq").outcomes == Outcomes(won=1, tied=1, lost=1, undefined=2)
    assert comparison.difference("n_missed").outcomes == Outcomes(won=0, tied=4, lost=1, undefined=0)


def test_ties_are_exact(tmp_path: Path) -> None:
    """11/21 + 11/21 + 13/21 and 11/21 + 12/21 + 12/21 are the same number, but not the same float; told from files,
    which are closed by then.
    """
    true = {"a": np.repeat([1, 2, 3], 21)}
    runs = []
    for sizes in ((11, 11, 13), (11, 12, 12)):
        pred = np.concatenate([np.repeat([at, 0], [size, 21 - size]) for at, size in enumerate(sizes, start=1)])
        runs.append(tmp_path / f"{max(sizes)}.segm")
        sm.evaluate(true, {"a": pred}, metrics="pq,sq,npq", out=runs[-1]).close()
    comparison = sm.compare(*runs, resamples=100)
    assert comparison.difference("pq").value != 0
    for key in ("pq", "sq", "npq"):
        assert comparison.difference(key).outcomes == Outcomes(won=0, tied=1, lost=0, undefined=0)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=7))
def test_holm_is_its_definition(p_values: list[float | None]) -> None:
    """Hypothesis i is rejected at α when all those with smaller p are, and p ≤ α / (those left)."""
    found = holm(p_values)
    defined = sorted(p for p in p_values if p is not None)
    for p, adjusted in zip(p_values, found, strict=True):
        if p is None:
            assert adjusted is None
            continue
        assert adjusted is not None
        for alpha in (0.001, 0.01, 0.05, 0.2, 0.9):
            stopped = next((k for k, one in enumerate(defined) if one > alpha / (len(defined) - k)), len(defined))
            assert (adjusted <= alpha) == (p in defined[:stopped]) or adjusted == pytest.approx(alpha)


@pytest.mark.slow
def test_several_systems_are_corrected_and_ranked() -> None:
    runs = systems(25, (0.05, 0.2, 0.25))
    comparison = sm.compare({"good": runs[0], "fair": runs[1], "poor": runs[2]}, resamples=300)
    of_items = ("data set", "pq", "by_item_of_classes")
    pairs = [one for one in comparison.differences if (one.level, one.key, one.average) == of_items]
    assert [(one.first, one.second) for one in pairs] == [("good", "fair"), ("good", "poor"), ("fair", "poor")]
    assert [one.p_holm for one in pairs] == holm([one.p for one in pairs])
    ranks = next(one for one in comparison.ranks if (one.key, one.average) == of_items[1:])
    values = np.array([[row["pq"] for row in run.items()] for run in runs])
    drawn = values @ np.concatenate(list(resampled_weights(25, 300, comparison.seed)), axis=1) / 25
    order = np.argsort(-drawn, axis=0)
    for at in range(3):
        assert ranks.shares[at] == pytest.approx([float((order[rank] == at).mean()) for rank in range(3)])
    own = np.argsort(-values.mean(axis=1))
    assert ranks.same_order == pytest.approx(float((order == own[:, None]).all(axis=0).mean()))
    assert [ranks.ranks[at] for at in own] == [1, 2, 3]
    missed = next(one for one in comparison.ranks if (one.key, one.average) == ("n_missed", "by_item"))
    assert missed.ranks[0] == 1  # fewer missed segments are better


def test_equal_systems_share_a_rank() -> None:
    true = {name: [[1, 1, 2, 2]] for name in "abc"}
    runs = [sm.evaluate(true, dict.fromkeys("abc", pred), metrics="pq") for pred in ([[1, 1, 2, 3]], [[1, 3, 2, 2]])]
    comparison = sm.compare(*runs, resamples=100)
    assert comparison.ranks[0].ranks == (1, 1)
    difference = comparison.difference("pq")
    assert (difference.value, difference.p, difference.interval.percentile, difference.items_needed) == (
        0,
        1,
        (0, 0),
        None,
    )


def test_power_is_what_it_says() -> None:
    """Of differences as large as the detectable one, the test at 5 % finds about 80 %."""
    numbers = np.random.default_rng(4)
    n, spread = 60, 0.1
    least = detectable_difference(spread / math.sqrt(n))
    drawn = numbers.normal(least, spread, (4000, n))
    detected = stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05
    assert float(detected.mean()) == pytest.approx(0.8, abs=0.03)
    assert items_needed(n, least, least) == n
    assert items_needed(n, 0.0, least) is None
    assert items_needed(n, least, 0.0) == 2


def test_one_item_and_undefined_values_say_so() -> None:
    true = {"a": [[1, 1, 2, 2]], "b": [[1, 1, 2, 2]]}
    none = sm.evaluate(true, {"a": [[0, 0, 0, 0]], "b": [[0, 0, 0, 0]]}, metrics="pq,sq")
    some = sm.evaluate(true, {"a": [[1, 1, 2, 2]], "b": [[1, 1, 0, 0]]}, metrics="pq,sq")
    difference = sm.compare(none, some, resamples=100).difference("sq")
    assert math.isnan(difference.value) and difference.p is None and difference.p_holm is None
    assert difference.interval.reason == "undefined in every item"
    assert difference.to_dict()["difference"] is None
    first, second = systems(1, (0.3, 0.5))
    alone = sm.compare(first, second, resamples=100).difference("pq")
    assert alone.interval.best is None and alone.interval.reason == "one item only: nothing to resample"
    assert (alone.exact, alone.p, alone.n_permutations) == (True, 1.0, 2)


def test_metrics_are_chosen_among_the_common_ones() -> None:
    true = {"a": [[1, 1, 2, 2]], "b": [[1, 1, 2, 2]]}
    first = sm.evaluate(true, {"a": [[1, 1, 2, 0]], "b": [[1, 1, 2, 2]]}, metrics="pq,sq")
    two = sm.evaluate(true, {"a": [[1, 0, 2, 2]], "b": [[1, 0, 2, 2]]}, metrics="pq,rand_index")
    assert {row["key"] for row in sm.compare(first, two, resamples=100).rows()} == {"pq"}
    with pytest.raises(UnknownNameError, match="there is no metric 'sq' in all of the runs; they contain pq"):
        sm.compare(first, two, metrics="sq")
    with pytest.raises(OptionError, match="names no metric; the runs contain pq"):
        sm.compare(first, two, metrics=[])
    with pytest.raises(UnknownNameError, match="no difference in sq of"):
        sm.compare(first, two, resamples=100).difference("sq")


def test_scores_that_are_no_tallies_are_compared() -> None:
    first, second = systems(10, (0.2, 0.3), metrics="pq,rand_index,nmi")
    comparison = sm.compare(first, second, resamples=200)
    assert {(row["key"], row["average"]) for row in comparison.rows() if row["key"] == "nmi"} == {("nmi", "by_item")}
    difference = comparison.difference("rand_index", "pooled")
    assert difference.interval.best is not None and difference.p is not None


@pytest.mark.parametrize("unit", [1e-13, 1000 * math.pi, 1e7 * math.pi])
def test_the_unit_of_length_changes_nothing_but_values(unit: float) -> None:
    """Sums are rounded: what is a tie in metres must be one in nanometres."""
    numbers = np.random.default_rng(3)
    true = np.zeros((12, 14), dtype=int)
    true[2:6, 2:6], true[7:11, 3:10] = 1, 2
    moves = [[numbers.integers(-1, 2, 2).tolist() for _ in range(7)] for _ in range(3)]

    def found(length: float) -> sm.Comparison:
        def side(moved: list[list[int]]) -> dict[str, sm.LabelArray]:
            arrays = {f"{at}": np.roll(true, move, axis=(0, 1)) for at, move in enumerate(moved)}
            return {name: sm.LabelArray(array, spacing=(length, 1.1 * length)) for name, array in arrays.items()}

        keys = "hausdorff,average_surface_distance,centre_distance"
        runs = [sm.evaluate(side([[0, 0]] * 7), side(moved), metrics=keys) for moved in moves]
        return sm.compare(*runs, resamples=200)

    one, other = found(1.0), found(unit)
    for first, second in zip(one.differences, other.differences, strict=True):
        assert (first.key, first.p, first.outcomes) == (second.key, second.p, second.outcomes)
        assert first.value == pytest.approx(second.value / unit)
    assert [row.to_dict() for row in one.ranks] == [row.to_dict() for row in other.ranks]
