"""The permutation test against every exchange of records written out, and against scipy."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import segmetry as sm
from segmetry.statistics.averages import AVERAGES
from segmetry.statistics.permutation import permutation_test
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.samples import Samples
from segmetry.statistics.summary import summarise
from tests.comparison.made import KEYS, systems
from tests.statistics.test_summary import Item, items, records_of

GROUPS = {"things": ["a", "b"], "stuff": ["c"]}


def brute_force(first: list[Any], second: list[Any], keys: list[str], **options: Any) -> dict[tuple[str, str], float]:
    """By key and word: the share of all 2ⁿ exchanges whose difference of summaries is at least the observed one."""
    gaps: dict[tuple[str, str], list[float]] = {(key, word): [] for key in keys for word in _averages(first[0])}
    for swaps in product((False, True), repeat=len(first)):
        pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(first, second, swaps, strict=True)]
        one, two = (summarise(side, metrics=keys, **options) for side in zip(*pairs, strict=True))
        for (key, word), values in gaps.items():
            values.append(abs(getattr(two[key], word).value - getattr(one[key], word).value))
    return {name: _share(values) for name, values in gaps.items()}


def _averages(record: Any) -> tuple[str, ...]:
    return AVERAGES if record.by == "class" else ("by_item", "all_segments")


def _share(gaps: list[float]) -> float:
    defined = [gap for gap in gaps if not math.isnan(gap)]
    return math.nan if math.isnan(gaps[0]) else sum(gap >= gaps[0] - 1e-12 for gap in defined) / len(defined)


@pytest.mark.parametrize("n", [2, 7])
def test_small_data_sets_are_enumerated(n: int) -> None:
    first, second = systems(n, (0.2, 0.3))
    comparison = sm.compare(first, second, resamples=500)
    for (key, word), p in brute_force(first.records(), second.records(), KEYS.split(",")).items():
        difference = comparison.difference(key, word)
        assert difference.exact
        assert difference.p == pytest.approx(p), (key, word)


@given(items(), st.data())
def test_undefined_values_and_lone_classes_are_exchanged_like_others(found: list[Item], data: st.DataObject) -> None:
    """The second system predicts the truth of a drawn half of the items."""
    exact = data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    second_items = [(true, true) if same else (true, pred) for (true, pred), same in zip(found, exact, strict=True)]
    first, second = records_of(found), records_of(second_items)
    options: dict[str, Any] = {"groups": GROUPS, "undefined": data.draw(st.sampled_from([None, 0]))}
    metrics = ["pq", "sq", "n_spurious"]
    names = {name for record in (*first, *second) for name in record.parts}
    ready = [
        Samples.of(columns_of_records(records), summarise(records, metrics=metrics, **options), **options, names=names)
        for records in (first, second)
    ]
    permuted = permutation_test(*ready, (), 100, 1)
    assert permuted.exact
    for (key, word), expected in brute_force(first, second, metrics, **options).items():
        p = permuted.p["data set", None][AVERAGES.index(word), ready[0].whole_layout.rows[key]]
        assert p == pytest.approx(expected, nan_ok=True), (key, word)


@pytest.mark.parametrize("n", [6, 10])
def test_exact_p_is_scipys(n: int) -> None:
    first, second = systems(n, (0.2, 0.3), classes=False)
    values = [[row["pq"] for row in run.items()] for run in (first, second)]

    def gap(a: Any, b: Any, axis: int = -1) -> Any:
        return np.mean(a, axis=axis) - np.mean(b, axis=axis)

    expected = stats.permutation_test(values, gap, permutation_type="samples", vectorized=True, n_resamples=np.inf)
    assert sm.compare(first, second, resamples=1024).difference("pq").p == pytest.approx(expected.pvalue)


def test_large_data_sets_are_sampled() -> None:
    first, second = systems(40, (0.2, 0.25), classes=False)
    difference = sm.compare(first, second, metrics=["pq"]).difference("pq")
    assert (difference.exact, difference.n_permutations) == (False, 10_000)
    values = [[row["pq"] for row in run.items()] for run in (first, second)]
    gaps = np.array(values[1]) - np.array(values[0])
    signs = np.random.default_rng(3).choice([-1, 1], (100_000, gaps.size))
    expected = float((np.abs(signs @ gaps) >= abs(gaps.sum()) - 1e-12).mean())
    assert difference.p == pytest.approx(expected, abs=0.02)
    assert difference.p is not None and difference.p > 0
