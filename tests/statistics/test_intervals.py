"""Resampled summaries against summaries of resampled records; the generator, BCa against scipy, coverage, bad input."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import segmetry as sm
from segmetry.alignments.breakdown import BySize
from segmetry.alignments.tally import Tally
from segmetry.errors import OptionError
from segmetry.statistics import random_draws as resampling
from segmetry.statistics.averages import AVERAGES
from segmetry.statistics.bootstrap import _quantiles, interval_of
from segmetry.statistics.intervals import intervals
from segmetry.statistics.jackknife import Jackknife
from segmetry.statistics.random_draws import all_swaps, random_swaps, resampled_weights
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.records import ItemRecord, record_of
from segmetry.statistics.sample_sums import PartColumns
from segmetry.statistics.samples import Samples, SummaryRow, averages_of_part
from segmetry.statistics.summary import summarise
from segmetry.statistics.summary_tables import Summary
from tests.statistics.oracle import summary_by_definition
from tests.statistics.test_summary import STUFF, Item, items

GROUPS = {"things": ["a", "b"], "stuff": ["c"]}


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


def told(summary: Summary, level: str, name: Any, key: str, word: str) -> float:
    row = summary.scores if level == "data set" else summary.groups.get(name) or summary.parts.get(name)
    score = None if row is None else getattr(row[key], word)
    return math.nan if score is None else score.value


def defined_value(summary: dict[str, Any], level: str, name: Any, key: str, word: str) -> float:
    """The same of a summary as plain data."""
    row = summary["scores"] if level == "data set" else summary["groups"].get(name) or summary["parts"].get(str(name))
    score = None if row is None else row[key][word]
    return math.nan if score is None or score["value"] is None else float(score["value"])


def values_of(samples: Samples, weights: Any) -> dict[SummaryRow, Any]:
    """The values (averages × rows × samples) of everything, where items are in samples so often."""
    values, of_classes = {}, samples.group_sums(weights.shape[1])
    for stretch, start, stop in samples.batches():
        quotients = samples.part_layout.quotients(samples.cells.sums(weights, start, stop))
        of_classes.add(stretch, quotients)
        values |= {
            samples.place(start + at): averages_of_part(part_values)
            for at, part_values in enumerate(quotients.with_nan())
        }
    return values | samples.together(samples.whole.sums(weights, 0, samples.n_units), of_classes)


def check_sample(records: list[ItemRecord], times: list[int], **options: Any) -> None:
    """The values of one sample are those of the summary of the items it holds, each as often as it is drawn."""
    samples = Samples.of(columns_of_records(records), summarise(records, **options), **_means(options))
    drawn = [
        replace(record, item=f"{record.item} {k}") for record, n in zip(records, times, strict=True) for k in range(n)
    ]
    expected = summary_by_definition(drawn, **options)
    weights = np.array(times, dtype=float)[:, None]
    level = samples.by or "part"
    for place, values in values_of(samples, weights).items():
        absent = place[0] == level and str(place[1]) not in expected["parts"]
        for key, row in samples.rows(place).items():
            for w, word in enumerate(AVERAGES):
                if word == "by_class" and samples.by != "class":
                    continue
                if absent and row >= samples.part_layout.n_ratios:
                    assert values[w, row, 0] in (0, pytest.approx(math.nan, nan_ok=True))
                    continue
                value = defined_value(expected, *place, key, word)
                assert values[w, row, 0] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), (place, key, word)


def _means(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "metrics"}


def other_scores(alignment: sm.Alignment) -> dict[str, Any]:
    return {key: getattr(alignment, key) for key in ("false_hit_fraction", "fair", "additional_pairs")}


@given(items(), st.data(), st.sampled_from(["none", "coco"]), st.sampled_from([None, 0, 1]), st.booleans())
def test_a_sample_is_the_summary_of_its_items(
    found: list[Item], data: st.DataObject, policy: str, undefined: float | None, with_stuff: bool
) -> None:
    per_class = STUFF if with_stuff else None
    alignments = [sm.align(sm.overlap(*pair), policy=policy) for pair in found]
    records = [
        record_of(f"item {at}", alignment, per_class=per_class, scores=other_scores(alignment))
        for at, alignment in enumerate(alignments)
    ]
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)).filter(any))
    keys = ["pq", "sq", "rq", "weighted_recall", "n_missed", "sum_iou", "npq", "recall_at"]
    check_sample(records, times, groups=GROUPS, undefined=undefined, metrics=keys, options={"recall_at": {"t": "3/4"}})


@given(items(), st.data())
def test_a_sample_by_size_is_the_summary_of_its_items(found: list[Item], data: st.DataObject) -> None:
    records = [record_of(f"item {at}", sm.align(sm.overlap(*p)), by=BySize((2, 4))) for at, p in enumerate(found)]
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(found), max_size=len(found)).filter(any))
    check_sample(records, times)


def labelled(labels: list[int], crowd: tuple[int, ...] = ()) -> sm.LabelArray:
    return sm.LabelArray(np.array(labels), classes={1: "a", 2: "a", 3: "b", 4: "c"}, crowd=crowd)


@pytest.mark.parametrize("times", [[1, 0, 0], [0, 1, 0], [0, 0, 2], [1, 1, 0]])
def test_classes_that_are_not_drawn_or_only_ignored_do_not_count(times: list[int]) -> None:
    """Class b is in one item only, class c a crowd there; under coco an undefined class is 0, an absent one none."""
    items = {
        "x": (labelled([1, 1, 3, 3, 4, 4], crowd=(4,)), labelled([1, 1, 0, 3, 0, 0])),
        "y": (labelled([1, 1, 2, 2, 0, 0]), labelled([1, 1, 0, 0, 0, 2])),
        "z": (labelled([4, 4, 0, 0, 0, 0]), labelled([4, 0, 0, 0, 0, 0])),
    }
    records = [record_of(name, sm.align(sm.overlap(*pair), policy="coco")) for name, pair in items.items()]
    check_sample(records, times, groups=GROUPS, metrics=["pq", "sq", "n_missed", "recall_at"])


@pytest.mark.parametrize("times", [[1, 0], [0, 1], [1, 1]])
def test_stuff_that_is_only_predicted_costs_pq_dagger_nothing(times: list[int]) -> None:
    """Under coco an undefined class is 0 in every mean over classes, but not in that of PQ†."""
    items = {
        "x": (labelled([1, 1, 0, 0]), labelled([1, 0, 0, 4])),
        "y": (labelled([1, 1, 4, 4]), labelled([1, 1, 0, 4])),
    }
    alignments = {name: sm.align(sm.overlap(*pair), policy="coco") for name, pair in items.items()}
    records = [record_of(name, alignment, per_class=STUFF) for name, alignment in alignments.items()]
    check_sample(records, times, groups=GROUPS, metrics=["pq", "recall"])


@given(items(), st.sampled_from(["none", "coco"]), st.sampled_from([None, 0, 1]), st.booleans())
def test_leaving_out_an_item_is_a_sample_without_it(
    found: list[Item], policy: str, undefined: float | None, with_stuff: bool
) -> None:
    alignments = [sm.align(sm.overlap(*pair), policy=policy) for pair in found]
    per_class = STUFF if with_stuff else None
    records = [
        record_of(f"item {at}", alignment, per_class=per_class, scores=other_scores(alignment))
        for at, alignment in enumerate(alignments)
    ]
    options: dict[str, Any] = {"groups": GROUPS, "undefined": undefined}
    samples = Samples.of(columns_of_records(records), summarise(records, **options), **options)
    expected = values_of(samples, 1 - np.eye(len(records)))
    jackknife = Jackknife(samples)
    left_out = jackknife.together() | {samples.place(part): jackknife.part(part) for part in range(len(samples.names))}
    assert left_out.keys() == expected.keys()
    for place, values in left_out.items():
        np.testing.assert_allclose(values, expected[place], rtol=1e-12, atol=1e-12)


def street_records(n: int, seed: int = 1) -> list[ItemRecord]:
    """Items of a few segments in three classes."""
    numbers = np.random.default_rng(seed)
    classes = {1: "a", 2: "a", 3: "b", 4: "c"}
    records = []
    for at in range(n):
        true = numbers.integers(0, 5, 30)
        pred = np.where(numbers.random(30) < 0.8, true, numbers.integers(0, 5, 30))
        pair = (sm.LabelArray(side, classes=classes) for side in (true, pred))
        records.append(record_of(f"{at:03}", sm.align(sm.overlap(*pair))))
    return records


def test_the_values_are_those_of_the_summary_to_the_last_bit() -> None:
    records = street_records(20)
    summary, result = summarise(records, groups=GROUPS), intervals(records, groups=GROUPS, resamples=200)
    for row in result.rows():
        assert row["value"] == told(summary, row["level"], row["name"], row["key"], row["average"])
        if row["low"] is not None and row["level"] == "data set":
            assert row["low"] <= row["value"] <= row["high"]
    assert (result.seed, result.resamples, result.level, result.n_items) == (resampling.SEED, 200, 0.95, 20)
    assert result.as_dict() == intervals(records, groups=GROUPS, resamples=200).as_dict()
    assert result.as_dict() != intervals(records, groups=GROUPS, resamples=200, seed=1).as_dict()
    assert intervals(records, resamples=200, parts=False).parts == {}
    json.dumps(result.as_dict(), allow_nan=False)


def test_chunks_of_parts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    records = street_records(12)
    whole = intervals(records, resamples=100).rows()
    monkeypatch.setattr("segmetry.statistics.intervals._MOST_VALUES", 1)
    monkeypatch.setattr("segmetry.statistics.sample_sums._IN_CACHE", 1)
    for row, expected in zip(intervals(records, resamples=100).rows(), whole, strict=True):
        assert list(row) == list(expected)
        for name, value in expected.items():
            assert row[name] == (pytest.approx(value, rel=1e-9) if isinstance(value, float) else value)


def test_equal_columns_and_consecutive_items_are_summed_as_any_others() -> None:
    numbers = np.random.default_rng(3)
    columns = numbers.integers(0, 9, (4, 11)).astype(float)[[0, 1, 1, 2, 0, 3]]
    items = np.array([0, 1, 2, 3, 0, 2, 5, 1, 2, 3, 4])  # a range, a part with gaps, none, a range
    starts = np.array([0, 4, 7, 7, 11])
    weights = numbers.integers(0, 3, (6, 5)).astype(float)
    sums = PartColumns(items, starts, columns).sums(weights, 0, 4)
    assert sums.shape == (4, 6, 5)
    for part, (start, stop) in enumerate(pairwise(starts.tolist())):
        expected = [[sum(column[start:stop] * sample[items[start:stop]]) for sample in weights.T] for column in columns]
        assert sums[part].tolist() == expected


def test_quotients_of_distinct_columns_are_those_of_all() -> None:
    """Whatever order the sums are stored in; in a sample without items every quotient is undefined."""
    records = street_records(20)
    samples = Samples.of(columns_of_records(records), summarise(records, groups=GROUPS), groups=GROUPS)
    cells, layout = samples.cells, samples.part_layout
    weights = next(resampled_weights(20, 30))
    weights[:, 7] = 0
    assert cells.n_distinct < cells.column.size
    distinct = np.full((cells.n_parts, cells.n_distinct, 40), np.nan)[..., 5:35]
    cells.sum_distinct(weights, 0, distinct)
    expected = layout.quotients(np.ascontiguousarray(cells.sums(weights, 0, cells.n_parts)))
    quotients = layout.quotients(distinct, cells.column)
    for name in ("values", "defined", "occurs"):
        assert getattr(quotients, name).tolist() == getattr(expected, name).tolist()
    assert np.isnan(quotients.with_nan()[..., : layout.n_ratios, 7]).all()
    assert not np.isnan(np.delete(quotients.with_nan()[:, 1, layout.n_ratios :], 7, axis=-1)).any()


def test_means_over_classes_are_the_same_whether_or_not_each_class_is_resampled() -> None:
    records = street_records(20)
    with_parts, without = (intervals(records, groups=GROUPS, resamples=200, parts=parts) for parts in (True, False))
    assert with_parts.parts and not without.parts
    assert (with_parts.scores, with_parts.groups) == (without.scores, without.groups)


def test_pieces_for_one_thread_change_only_last_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [Samples.of(columns_of_records(records), summarise(records)) for records in [street_records(70)] * 2]
    weights = next(resampled_weights(70, 20))
    whole = values_of(samples[0], weights)
    monkeypatch.setattr("segmetry.statistics.sample_sums.ONE_THREAD", 1)
    for place, values in values_of(samples[1], weights).items():
        np.testing.assert_allclose(values, whole[place], rtol=1e-13)


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


def simulated_tallies(numbers: np.random.Generator, n: int, rule: Any) -> list[Tally]:
    """Items of a hard and an easy kind, with 1 + Poisson(4) segments; found with an IoU that depends on the kind."""
    easy, n_true, spurious = numbers.random(n), 1 + numbers.poisson(4, n), numbers.poisson(1, n).tolist()
    matched = numbers.binomial(n_true, 0.5 + 0.45 * easy)
    shared = np.rint(1000 * numbers.beta(4 + 4 * np.repeat(easy, matched), 2)).astype(np.int64)
    missed, none = 1000 - shared, np.zeros_like(shared)
    stops, lacking, ious = np.cumsum(matched).tolist(), (n_true - matched).tolist(), (shared / 1000).tolist()
    tallies = []
    for at, (start, stop) in enumerate(pairwise([0, *stops])):
        tally = Tally(shared[start:stop], missed[start:stop], none[start:stop], lacking[at], spurious[at], rule)
        tally.__dict__["iou_sum"] = math.fsum(ious[start:stop])  # what the tally would compute, sooner
        tallies.append(tally)
    return tallies


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """2,000 simulated data sets of 50 items, each a part of one data set, so that all are resampled at once."""
    numbers, rule = np.random.default_rng(11), sm.rules.theta_and
    n_items, n_sets, keys = 50, 2000, ["pq", "sq"]
    drawn = simulated_tallies(numbers, n_items * n_sets, rule)
    truth = summarise([ItemRecord(f"{at}", "theta_and", "none", tally) for at, tally in enumerate(drawn)], metrics=keys)
    records = [
        ItemRecord(f"{at}", "theta_and", "none", drawn[0], "set", dict(enumerate(drawn[at::n_items])))
        for at in range(n_items)
    ]
    parts = intervals(records, metrics=keys, resamples=1000).parts
    assert len(parts) == n_sets
    for key in keys:
        for word in ("by_item", "all_segments"):
            true_value = getattr(truth[key], word).value
            for kind in ("percentile", "bca"):
                pairs = [getattr(getattr(row[key], word), kind) for row in parts.values()]
                covered = sum(low <= true_value <= high for low, high in pairs) / n_sets
                assert 0.92 <= covered <= 0.98, (key, word, kind, covered)


def test_where_there_is_no_interval_it_says_why() -> None:
    (only,) = street_records(1)
    alone = intervals([only], resamples=100)
    assert (alone["pq"].by_item.percentile, alone["pq"].by_item.reason) == (None, "one item only: nothing to resample")
    assert alone["pq"].by_item.value == summarise([only])["pq"].by_item.value
    pairs = {"hit": [[1, 1]], "miss": [[0, 0]], "other": [[0, 0]]}
    records = [record_of(name, sm.align(sm.overlap([[1, 1]], pred))) for name, pred in pairs.items()]
    result = intervals(records, resamples=100)
    assert result["sq"].by_item.reason == "only one item has a value"
    assert result["sq"].all_segments is not None and result["sq"].all_segments.best is None
    assert result["pq"].by_item.best is not None
    nothing = intervals(records[1:], resamples=100)["sq"]
    assert (nothing.by_item.reason, nothing.all_segments.reason) == ("undefined in every item", "no matched pair")  # type: ignore[union-attr]
    assert nothing.by_item.as_dict()["value"] is None
    same = intervals(records[1:], resamples=100)["pq"].by_item
    assert same.percentile == same.bca == (0, 0)
    one_sided = interval_of(5.0, np.array([1.0, 2, 3, 4]), np.array([1.0, 2]))
    assert one_sided.bca is None and one_sided.best == one_sided.percentile and one_sided.reason is not None
    assert interval_of(1.0, np.array([np.nan, np.nan, 1.0]), np.array([1.0, 2])).reason == "undefined in most resamples"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "seed is -1"),
        ({"seed": 2**32}, "expected an integer from 0"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"resamples": 10}, "resamples is 10"),
        ({"resamples": "many"}, "resamples is 'many'"),
        ({"level": 95}, "level is 95"),
        ({"level": 1.0}, "level is 1.0"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        intervals(street_records(2), **options)


@pytest.mark.parametrize("undefined", [None, 0])
def test_the_columns_of_a_run_give_what_its_records_give(undefined: float | None) -> None:
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
    expected = intervals(run.records(), summary=run.summary(), **run.averaging(), resamples=200)
    assert run.intervals(resamples=200).as_dict() == expected.as_dict()


def test_a_run_has_intervals() -> None:
    true = {name: [[1, 1, 2, 2, 3]] for name in "abcd"}
    pred = {"a": [[1, 1, 2, 2, 3]], "b": [[1, 2, 2, 2, 3]], "c": [[0, 0, 2, 2, 2]], "d": [[1, 1, 1, 2, 3]]}
    run = sm.evaluate(true, pred, metrics="pq,rand_index,nmi")
    result = run.intervals(resamples=500)
    assert list(result.scores) == ["pq", "rand_index", "nmi"]
    assert result["rand_index"].by_item.value == run.summary()["rand_index"].by_item.value
    assert result["nmi"].all_segments is None
    assert result["rand_index"].all_segments is not None and result["rand_index"].all_segments.best is not None
