"""Resampled summaries against summaries of selected items; the generator, BCa against scipy, coverage, bad input."""

from __future__ import annotations

import json
import math
import random
import tracemalloc
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import segmetry as sm
from segmetry.alignments.breakdown import BySize
from segmetry.errors import OptionError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.statistics import Cells, Statistics
from segmetry.statistics import random_draws as resampling
from segmetry.statistics.bootstrap import _quantiles, interval_of
from segmetry.statistics.data_set import DataSet, MetricSource
from segmetry.statistics.random_draws import all_swaps, random_swaps, resampled_weights
from segmetry.statistics.readings import Stack, StackRows
from segmetry.statistics.resampled_intervals import Intervals, Resampling, every_place, intervals, one_interval
from segmetry.statistics.summary import Summary, summarise
from tests.statistics.oracle import SIX, Definition, additive, data_sets
from tests.statistics.test_summary import GROUPS, OPTIONS, STUFF, Item, items


def twister(seed: int) -> random.Random:
    """MT19937 as its authors initialise it, in Python's own implementation."""
    state = [seed]
    for at in range(1, 624):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + at) % 2**32)
    generator = random.Random()  # noqa: S311 - it is the generator itself that is checked
    generator.setstate((3, (*state, 624), None))
    return generator


def test_the_generator_is_the_documented_one() -> None:
    outputs = twister(5489)
    assert [outputs.getrandbits(32) for _ in range(10_000)][-1] == 4123659995  # stated by the C++ standard
    outputs = twister(7)
    numbers = [[outputs.getrandbits(32) for _ in range(37)] for _ in range(300)]
    counts = np.concatenate(list(resampled_weights(37, 300, seed=7)), axis=1)
    assert counts.T.tolist() == [[[u * 37 >> 32 for u in row].count(item) for item in range(37)] for row in numbers]
    swaps = np.concatenate(list(random_swaps(37, 300, seed=7)), axis=1)
    assert swaps.T.tolist() == [[u >> 31 for u in row] for row in numbers]


def test_blocks_of_draws_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything() -> list[Any]:
        made = (resampled_weights(5, 100, 3), random_swaps(5, 100, 3), all_swaps(5))
        return [np.concatenate(list(blocks), axis=1).tolist() for blocks in made]

    before = everything()
    draws = resampling.Draws(5, 100, 3)
    for _ in range(2):  # the second time from what was kept
        assert np.concatenate(list(draws), axis=1).tolist() == before[0]
    monkeypatch.setattr(resampling, "_MOST_KEPT", 10)
    assert np.concatenate(list(resampling.Draws(5, 100, 3)), axis=1).tolist() == before[0]
    monkeypatch.setattr(resampling, "MOST_SAMPLES", 9)
    assert everything() == before
    assert len({tuple(swap) for swap in zip(*before[2], strict=True)}) == 32


def told(summary: Summary, level: str, name: Any, key: str, word: str) -> float | None:
    row = summary.scores if level == "data set" else summary.groups.get(name) or summary.parts[name]
    score = row[key][word]
    return score.value if score.is_defined else None


def defined(definition: Definition, data: DataSet, place: tuple[Any, ...]) -> float:
    """The value of a place in a summary, by definition."""
    level, name, key, word = place
    if level == "data set" or name == "all":
        value, _ = definition.average(key, word)
    elif level == "group":
        value, _ = definition.average(key, word, data.groups[name])
    else:
        value, _ = definition.part(key, word, name)
    return math.nan if value is None else value


def check_sample(data: DataSet, definition: Definition, times: list[int]) -> None:
    """The values of one sample are those of the summary of the items it holds, each as often as it is drawn."""
    asked, drawn = every_place(data, parts=True), definition.repeated(times)
    values = Stack([one.reading for one in asked], len(times)).values(np.array(times, dtype=float)[:, None])
    for one, own in zip(asked, values, strict=True):
        for place, value in one.by_place(own[:, 0]):
            level, name, key, _ = place
            if level not in ("data set", "group") and name not in drawn.names(key):
                assert value == 0 or math.isnan(value), place  # a count of nothing, or no quotient
                continue
            expected = defined(drawn, data, place)
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True), place


KEYS = ["pq", "sq", "rq", "weighted_recall", "n_missed", "sum_iou", "npq", "recall_at"]


@given(items(), st.data(), st.sampled_from(["none", "coco"]), st.sampled_from([None, 0.0, 1.0]), st.booleans())
def test_a_sample_is_the_summary_of_its_items(
    found: list[Item], data: st.DataObject, policy: str, undefined: float | None, with_stuff: bool
) -> None:
    stuff = STUFF if with_stuff else None
    facts: dict[str, Any] = {"policy": policy, "undefined": undefined, "groups": GROUPS, "options": OPTIONS}
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)).filter(any))
    check_sample(*data_sets(found, KEYS, stuff=stuff, **facts), times)


@given(items(), st.data(), st.sampled_from(["none", "coco"]), st.sampled_from([None, 0.0, 1.0]))
def test_every_average_of_a_sample_is_that_of_its_items(
    found: list[Item], data: st.DataObject, policy: str, undefined: float | None
) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)).filter(any))
    made, definition = data_sets(found, ["pq", "sq"], stuff=STUFF, policy=policy, undefined=undefined)
    places = [(key, word) for key in made.sources for word in SIX]
    stack = Stack([made.reading(*place) for place in places], len(found))
    weights = np.concatenate((np.array(times, dtype=float)[:, None], 1 - np.eye(len(found))), axis=1)
    samples = [times, *([int(at != other) for other in range(len(found))] for at in range(len(found)))]
    without = stack.without_each()
    for place, values, own in zip(places, stack.values(weights), without, strict=True):
        for sample, value in zip(samples, values[0].tolist(), strict=True):
            expected = definition.repeated(sample).average(*place)[0]
            assert value == pytest.approx(math.nan if expected is None else expected, abs=1e-12, nan_ok=True), place
        np.testing.assert_allclose(own[0], values[0, 1:], rtol=1e-12, atol=1e-12)


@given(items(), st.data())
def test_a_sample_by_size_is_the_summary_of_its_items(found: list[Item], data: st.DataObject) -> None:
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)).filter(any))
    check_sample(*data_sets(found, KEYS, by=BySize((2, 4)), options=OPTIONS), times)


def labelled(labels: list[int], crowd: tuple[int, ...] = ()) -> sm.LabelArray:
    return sm.LabelArray(np.array(labels), classes={1: "a", 2: "a", 3: "b", 4: "c"}, crowd=crowd)


@pytest.mark.parametrize("times", [[1, 0, 0], [0, 1, 0], [0, 0, 2], [1, 1, 0]])
def test_classes_that_are_not_drawn_or_only_ignored_do_not_count(times: list[int]) -> None:
    """Class b is in one item only, class c a crowd there; under coco an undefined class is 0, an absent one none."""
    found = [
        (labelled([1, 1, 3, 3, 4, 4], crowd=(4,)), labelled([1, 1, 0, 3, 0, 0])),
        (labelled([1, 1, 2, 2, 0, 0]), labelled([1, 1, 0, 0, 0, 2])),
        (labelled([4, 4, 0, 0, 0, 0]), labelled([4, 0, 0, 0, 0, 0])),
    ]
    check_sample(*data_sets(found, ["pq", "sq", "n_missed", "recall_at"], policy="coco", groups=GROUPS), times)


@pytest.mark.parametrize("times", [[1, 0], [0, 1], [1, 1]])
def test_stuff_that_is_only_predicted_costs_pq_dagger_nothing(times: list[int]) -> None:
    """Under coco an undefined class is 0 in every mean over classes, but not in that of PQ†."""
    found = [
        (labelled([1, 1, 0, 0]), labelled([1, 0, 0, 4])),
        (labelled([1, 1, 4, 4]), labelled([1, 1, 0, 4])),
    ]
    check_sample(*data_sets(found, ["pq", "recall"], policy="coco", stuff=STUFF, groups=GROUPS), times)


@given(items(), st.sampled_from(["none", "coco"]), st.sampled_from([None, 0.0, 1.0]), st.booleans())
def test_leaving_out_an_item_is_a_sample_without_it(
    found: list[Item], policy: str, undefined: float | None, with_stuff: bool
) -> None:
    stuff = STUFF if with_stuff else None
    data, _ = data_sets(found, KEYS, policy=policy, undefined=undefined, stuff=stuff, groups=GROUPS, options=OPTIONS)
    stack = Stack([one.reading for one in every_place(data, parts=True)], len(found))
    for left_out, expected in zip(stack.without_each(), stack.values(1 - np.eye(len(found))), strict=True):
        np.testing.assert_allclose(left_out, expected, rtol=1e-12, atol=1e-12)


def street(n: int, seed: int = 1, keys: tuple[str, ...] = ("pq", "sq", "recall", "n_missed", "npq")) -> DataSet:
    """Items of a few segments in three classes."""
    numbers = np.random.default_rng(seed)
    classes = {1: "a", 2: "a", 3: "b", 4: "c"}
    pairs = []
    for _ in range(n):
        true = numbers.integers(0, 5, 30)
        pred = np.where(numbers.random(30) < 0.8, true, numbers.integers(0, 5, 30))
        pairs.append(tuple(sm.LabelArray(side, classes=classes) for side in (true, pred)))
    return data_sets(pairs, keys, groups=GROUPS)[0]


def of_data(data: DataSet, *, parts: bool = True, **options: Any) -> Intervals:
    return intervals(data, summarise(data), Resampling(**options), parts=parts)


def test_the_values_are_those_of_the_summary_to_the_last_bit() -> None:
    data = street(20)
    summary, result = summarise(data), of_data(data, resamples=200)
    for row in result.rows():
        if row["average"] == "median":
            assert row["value"] == result.medians[row["key"]].value
            continue
        assert row["value"] == told(summary, row["level"], row["name"], row["key"], row["average"])
        if row["low"] is not None and row["level"] == "data set":
            assert row["low"] <= row["value"] <= row["high"]
    assert result.resampling == Resampling(200, 0.95, resampling.SEED)
    assert (result.level, result.n_items) == (0.95, 20)
    assert result.to_dict() == of_data(data, resamples=200).to_dict()
    assert result.to_dict() != of_data(data, resamples=200, rng=1).to_dict()
    assert of_data(data, resamples=200, parts=False).parts == {}
    json.dumps(result.to_dict(), allow_nan=False)


def test_chunks_of_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = of_data(street(12), resamples=100).rows()
    monkeypatch.setattr("segmetry.statistics.resampled_intervals._MOST_VALUES", 1)
    monkeypatch.setattr("segmetry.statistics.readings._BLOCK", 1)
    for row, expected in zip(of_data(street(12), resamples=100).rows(), whole, strict=True):
        assert list(row) == list(expected)
        for name, value in expected.items():
            assert row[name] == (pytest.approx(value, rel=1e-9) if isinstance(value, float) else value)


def test_equal_columns_and_consecutive_items_are_summed_as_any_others() -> None:
    numbers = np.random.default_rng(3)
    columns = numbers.integers(0, 9, (4, 11)).astype(float)[[0, 1, 1, 2, 0, 3]]
    items = np.array([0, 1, 2, 3, 0, 2, 5, 1, 2, 3, 4])  # a range, a part with gaps, none, a range
    starts = np.array([0, 4, 7, 7, 11])
    weights = numbers.integers(0, 3, (6, 5)).astype(float)
    rows = StackRows(Cells((), 6, items, np.zeros(0, dtype=np.intp), starts, {}), n_items=6)
    places = rows.add(columns)
    assert places.tolist() == [0, 1, 1, 2, 0, 3]
    sums = rows.sums(weights)[:, places]
    assert sums.shape == (4, 6, 5)
    for part, (start, stop) in enumerate(pairwise(starts.tolist())):
        expected = [[sum(column[start:stop] * sample[items[start:stop]]) for sample in weights.T] for column in columns]
        assert sums[part].tolist() == expected


def test_means_over_classes_are_the_same_whether_or_not_each_class_is_resampled() -> None:
    with_parts, without = (of_data(street(20), resamples=200, parts=parts) for parts in (True, False))
    assert with_parts.parts and not without.parts
    assert (with_parts.scores, with_parts.groups) == (without.scores, without.groups)


def test_pieces_for_one_thread_change_only_last_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = next(resampled_weights(70, 20))

    def values() -> list[Any]:
        return Stack([one.reading for one in every_place(street(70), parts=True)], 70).values(weights)

    whole = values()
    monkeypatch.setattr("segmetry.statistics.readings.ONE_THREAD", 1)
    for pieces, expected in zip(values(), whole, strict=True):
        np.testing.assert_allclose(pieces, expected, rtol=1e-13)


@pytest.mark.slow
def test_memory_grows_with_items_not_with_their_square() -> None:
    """A matrix of 20,000 × 20,000 weights would be 3.2 GB."""
    few = street(40, keys=("pq", "n_missed"))

    def peak(n: int) -> int:
        data = few.in_order(np.arange(n) % 40)
        summary = summarise(data)
        tracemalloc.start()
        intervals(data, summary, Resampling(resamples=100), parts=False)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(100)  # what is imported and kept at the first call
    first, second = peak(10_000), peak(20_000)
    assert second < 2.5 * first
    assert second < 500 * 2**20


@given(
    st.lists(st.one_of(st.integers(0, 5).map(float), st.floats(-1e6, 1e6)), min_size=2, max_size=400),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0.5, 0.999),
)
def test_quantiles_are_numpys(values: list[float], low: float, high: float, level: float) -> None:
    used = np.array(values)
    pairs = [((1 - level) / 2, (1 + level) / 2), None, (low, high)]
    quantiles = _quantiles(used, pairs, float(used.mean()), float(used.std(ddof=1)))
    assert quantiles[1] is None
    for pair, result in zip(pairs, quantiles, strict=True):
        if pair is not None and result is not None:
            assert result == pytest.approx(np.quantile(used, pair).tolist(), rel=1e-9, abs=1e-9)


def scipy_intervals(data: Any, statistic: Any, distribution: Any, level: float) -> list[tuple[float, float]]:
    """Scipy's percentile and BCa intervals from a distribution that is already there."""
    given_result = SimpleNamespace(bootstrap_distribution=distribution)
    bounds = []
    for method in ("percentile", "BCa"):
        result = stats.bootstrap(
            data,
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=0,
            confidence_level=level,
            method=method,
            bootstrap_result=given_result,
        )
        bounds.append((result.confidence_interval.low, result.confidence_interval.high))
    return bounds


@pytest.mark.parametrize(("n", "level", "seed"), [(5, 0.95, 1), (9, 0.9, 2), (14, 0.99, 3), (25, 0.8, 4)])
def test_intervals_are_those_of_scipy(n: int, level: float, seed: int) -> None:
    numbers = np.random.default_rng(seed)
    top, bottom = numbers.gamma(2, size=n) ** 2, numbers.integers(1, 9, n).astype(float)
    weights = np.concatenate(list(resampled_weights(n, 2000, seed)), axis=1)
    for values in ((top / bottom, np.ones(n)), (top, bottom)):

        def statistic(a: Any, b: Any, axis: int = -1) -> Any:
            return a.sum(axis=axis) / b.sum(axis=axis)

        distribution = (values[0] @ weights) / (values[1] @ weights)
        left_out = (values[0].sum() - values[0]) / (values[1].sum() - values[1])
        ours = interval_of(float(statistic(*values)), distribution, left_out, level)
        theirs = scipy_intervals(values, statistic, distribution, level)
        assert ours.percentile == pytest.approx(theirs[0], rel=1e-12)
        assert ours.bca == pytest.approx(theirs[1], rel=1e-9)
        assert ours.standard_error == pytest.approx(distribution.std(ddof=1))


def simulated(numbers: np.random.Generator, n_items: int, n_sets: int) -> Statistics:
    """Items of a hard and an easy kind, with 1 + Poisson(4) segments; found with an IoU that depends on the kind.

    Every item has one part in each of several data sets.
    """
    n = n_items * n_sets
    easy, n_true, spurious = numbers.random(n), 1 + numbers.poisson(4, n), numbers.poisson(1, n)
    matched = numbers.binomial(n_true, 0.5 + 0.45 * easy)
    shared = np.rint(1000 * numbers.beta(4 + 4 * np.repeat(easy, matched), 2)).astype(np.int64)
    code, names = np.tile(np.arange(n_sets), n_items), tuple(range(n_sets))
    of_cells = {"matched": matched, "missed": n_true - matched, "spurious": spurious, "class": code}
    of_pairs = {
        "shared": shared,
        "missed_elements": 1000 - shared,
        "spurious_elements": np.zeros_like(shared),
        "pair_class": np.repeat(code, matched),
    }
    cells, pairs = np.arange(n_items + 1) * n_sets, np.concatenate(([0], np.cumsum(matched)))[::n_sets]
    starts = {**dict.fromkeys(of_cells, cells), **dict.fromkeys(of_pairs, pairs)}
    labels = {"class": names, "pair_class": names}
    context = {"rule": sm.rules.theta_and, "clash": None}
    return Statistics({**of_cells, **of_pairs}, starts, labels, n_items, context)


def data_of(segments: Statistics, keys: list[str], by: str | None) -> DataSet:
    names = tuple(f"{at:06}" for at in range(segments.n_items))
    sources = {key: MetricSource(METRICS[key], additive(key), segments) for key in keys}
    return DataSet(names, "theta_and", "none", by, "segments", lambda: segments, sources)


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """2,000 simulated data sets of 50 items, each a part of one data set, so that all are resampled at once."""
    n_items, n_sets, keys = 50, 2000, ["pq", "sq"]
    segments = simulated(np.random.default_rng(11), n_items, n_sets)
    parts = of_data(data_of(segments, keys, "set"), resamples=1000).parts
    assert len(parts) == n_sets
    every = data_of(segments, keys, "set")
    for key in keys:
        for word, of_all in (("pooled", "pooled"), ("by_item", "by_item_and_class")):
            score = every.reading(key, of_all).score()
            for kind in ("percentile", "bca"):
                pairs = [getattr(row[key][word], kind) for row in parts.values()]
                covered = sum(low <= score.value <= high for low, high in pairs) / n_sets
                assert 0.92 <= covered <= 0.98, (key, word, kind, covered)


def test_where_there_is_no_interval_it_says_why() -> None:
    only = street(1)
    alone = of_data(only, resamples=100)["pq"]["by_item_of_classes"]
    assert (alone.percentile, alone.reason) == (None, "one item only: nothing to resample")
    assert alone.value == summarise(only)["pq"]["by_item_of_classes"].value
    pairs = [([[1, 1]], pred) for pred in ([[1, 1]], [[0, 0]], [[0, 0]])]
    data, _ = data_sets(pairs, ["pq", "sq"], by=None)
    result = of_data(data, resamples=100)
    assert result["sq"]["by_item"].reason == "only one item has a value"
    assert result["sq"]["pooled"].best is None
    assert result["pq"]["by_item"].best is not None
    without = of_data(data.in_order([1, 2]), resamples=100)
    nothing = without["sq"]
    assert (nothing["by_item"].reason, nothing["pooled"].reason) == ("undefined in every item", "no matched pair")
    assert nothing["by_item"].to_dict()["value"] is None
    same = without["pq"]["by_item"]
    assert same.percentile == same.bca == (0, 0)
    one_sided = interval_of(5.0, np.array([1.0, 2, 3, 4]), np.array([1.0, 2]))
    assert one_sided.bca is None and one_sided.percentile and one_sided.best is None and one_sided.reason
    assert interval_of(1.0, np.array([np.nan, np.nan, 1.0]), np.array([1.0, 2])).reason == "undefined in most resamples"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rng": -1}, r"the seed \(rng\) is -1"),
        ({"rng": 2**32}, "expected an integer from 0"),
        ({"rng": 1.5}, "is 1.5; expected an integer"),
        ({"rng": np.random.default_rng(1)}, "expected an integer from 0"),
        ({"resamples": 10}, "resamples is 10"),
        ({"resamples": "many"}, "resamples is 'many'"),
        ({"level": 95}, "level is 95"),
        ({"level": 1.0}, "level is 1.0"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        of_data(street(2), **options)


@pytest.mark.parametrize("undefined", [None, 0])
def test_one_interval_is_that_among_all(undefined: float | None) -> None:
    numbers = np.random.default_rng(4)
    classes = {1: "a", 2: "b", 3: "c", 4: "c"}
    sides: list[dict[str, Any]] = [{}, {}]
    for name in ("zebra", "apple", "mango", "cherry", "fig"):  # sampled by name, kept in the order of the data set
        true = numbers.integers(0, 5, 40)
        pred = np.where(numbers.random(40) < 0.7, true, numbers.integers(0, 5, 40))
        for side, labels in zip(sides, (true, pred), strict=True):
            side[name] = sm.LabelArray(labels, classes=classes)
    metrics = "pq,sq,npq,n_missed,recall_at,pq_dagger,mean_best_iou"
    run = sm.evaluate(*sides, metrics=metrics, groups=GROUPS, undefined=undefined, options={"recall_at": {"t": "3/4"}})
    assert set(run.summary().scores) == set(metrics.split(","))
    every = run.intervals(resamples=200)
    for key, averages in every.scores.items():
        for word, interval in averages.items():
            assert run.interval(key, word, resamples=200).to_dict() == interval.to_dict(), (key, word)
    backwards = run.data.in_order(range(5)[::-1])
    again = intervals(backwards, summarise(backwards), Resampling(resamples=200))
    assert again.to_dict() == every.to_dict()
    assert one_interval(backwards, "pq", None, Resampling(200)) == next(iter(every["pq"].values()))


def test_a_run_has_intervals() -> None:
    true = {name: [[1, 1, 2, 2, 3]] for name in "abcd"}
    pred = {"a": [[1, 1, 2, 2, 3]], "b": [[1, 2, 2, 2, 3]], "c": [[0, 0, 2, 2, 2]], "d": [[1, 1, 1, 2, 3]]}
    run = sm.evaluate(true, pred, metrics="pq,rand_index,nmi")
    result = run.intervals(resamples=500)
    assert list(result.scores) == ["pq", "rand_index", "nmi"]
    assert result["rand_index"]["by_item"].value == run.summary()["rand_index"]["by_item"].value
    assert "pooled" not in result["nmi"]
    assert result["rand_index"]["pooled"].best is not None
