"""The permutation test against every exchange of items written out, and against scipy."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import compress, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

import segmetry as sm
from segmetry.statistics.permutation import permutation_tests
from segmetry.statistics.random_draws import SEED
from tests.comparison.made import KEYS, blurred, labelled, systems, truth
from tests.statistics.oracle import SIX, Definition, data_sets
from tests.statistics.test_summary import STUFF, Item, items

KEYS_LISTED = KEYS.split(",")


def brute_force(first: Definition, second: Definition, places: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """By key and average: the share of all 2ⁿ exchanges whose difference of values is at least the observed one."""
    gaps: dict[tuple[str, str], list[float]] = {place: [] for place in places}
    for swaps in product((False, True), repeat=len(first.items)):
        both = list(zip(first.items, second.items, swaps, strict=True))
        one = replace(first, items=[b if swap else a for a, b, swap in both])
        two = replace(second, items=[a if swap else b for a, b, swap in both])
        for (key, word), values in gaps.items():
            ends = one.average(key, word)[0], two.average(key, word)[0]
            values.append(math.nan if ends[0] is None or ends[1] is None else abs(ends[1] - ends[0]))
    return {place: _share(values) for place, values in gaps.items()}


def _share(gaps: list[float]) -> float:
    defined = [gap for gap in gaps if not math.isnan(gap)]
    return math.nan if math.isnan(gaps[0]) else sum(gap >= gaps[0] - 1e-12 for gap in defined) / len(defined)


@pytest.mark.parametrize("n", [2, 7])
def test_small_data_sets_are_enumerated(n: int) -> None:
    comparison = sm.compare(*systems(n, (0.2, 0.3)), resamples=500)
    true = truth(n)
    definitions = []
    for seed, noise in ((5, 0.2), (6, 0.3)):
        sides = (labelled(side).values() for side in (true, blurred(true, noise, seed)))
        definitions.append(data_sets(list(zip(*sides, strict=True)), KEYS_LISTED)[1])
    places = [(key, word) for key in KEYS_LISTED for word in comparison.averages(key)]
    for key, word in places:
        difference, both = comparison.difference(key, word), definitions
        if "item" in word:  # a mean over items is over those in which both have a value
            has = [[replace(one, items=[item]).average(key, word)[0] is not None for item in one.items] for one in both]
            kept = [all(pair) for pair in zip(*has, strict=True)]
            both = [replace(one, items=[*compress(one.items, kept)]) for one in both]
            assert difference.first_lacks == tuple(f"{at:03}" for at in range(n) if has[1][at] and not has[0][at])
            values = [one.average(key, word)[0] for one in both]
            assert difference.value == pytest.approx(values[1] - values[0], abs=1e-15)
        (p,) = brute_force(*both, [(key, word)]).values()
        assert difference.exact
        assert difference.p == pytest.approx(p), (key, word)


@given(items(), st.data())
def test_undefined_values_and_lone_classes_are_exchanged_like_others(found: list[Item], data: st.DataObject) -> None:
    """The second system predicts the truth of a drawn half of the items."""
    exact = data.draw(st.lists(st.booleans(), min_size=len(found), max_size=len(found)))
    second_items = [(true, true) if same else (true, pred) for (true, pred), same in zip(found, exact, strict=True)]
    undefined = data.draw(st.sampled_from([None, 0.0]))
    (first, one), (second, two) = (
        data_sets(pairs, ["pq", "sq"], stuff=STUFF, undefined=undefined) for pairs in (found, second_items)
    )
    places = [(key, word) for key in first.sources for word in SIX]
    readings = [[made.reading(*place) for place in places] for made in (first, second)]
    permuted = permutation_tests(readings, 100, 1, np.arange(len(found)))[0, 1]
    assert permuted.exact
    for p, ((key, word), expected) in zip(permuted.p, brute_force(one, two, places).items(), strict=True):
        assert p[0] == pytest.approx(expected, nan_ok=True), (key, word)


@pytest.mark.parametrize("n", [6, 10])
def test_exact_p_is_scipys(n: int) -> None:
    first, second = systems(n, (0.2, 0.3), classes=False)
    values = [[row["pq"] for row in run.items()] for run in (first, second)]

    def gap(a: Any, b: Any, axis: int = -1) -> Any:
        return np.mean(a, axis=axis) - np.mean(b, axis=axis)

    expected = stats.permutation_test(values, gap, permutation_type="samples", vectorized=True, n_resamples=np.inf)
    assert sm.compare(first, second, resamples=1024).difference("pq").p == pytest.approx(expected.pvalue)


def test_large_data_sets_are_sampled() -> None:
    """p = (1 + count) / (1 + R), with the exchanges that random_draws documents: the highest bits of MT19937."""
    first, second = systems(40, (0.2, 0.25), classes=False)
    difference = sm.compare(first, second, metrics=["pq"]).difference("pq")
    assert (difference.exact, difference.n_permutations) == (False, 10_000)
    values = [[row["pq"] for row in run.items()] for run in (first, second)]
    gaps = np.array(values[1]) - np.array(values[0])
    drawn = np.random.RandomState(SEED).randint(0, 2**32, (10_000, 40), dtype=np.uint32)
    totals = np.where(drawn >> 31, -1, 1) @ gaps
    assert difference.p == (1 + int((np.abs(totals) >= abs(gaps.sum()) - 1e-9).sum())) / 10_001


def test_p_is_never_0() -> None:
    """All items are better: of 100 random exchanges of 40 items none has as large a difference."""
    true = {f"{at}": [[1, 1, 2, 2]] for at in range(40)}
    halves = {name: [[1, 1, 1, 2]] for name in true}
    first, second = (sm.evaluate(true, pred, metrics="pq") for pred in (halves, true))
    assert sm.compare(first, second, resamples=100).difference("pq").p == 1 / 101


def test_exchanges_of_metrics_of_the_whole_data_set_are_evaluated_again() -> None:
    """Mean IoU and Dice are quotients of the sums of all items: each exchange is a data set of its own."""
    numbers = np.random.default_rng(5)
    true, *preds = ({f"{at}": numbers.integers(1, 4, (4, 6)) for at in range(4)} for _ in range(3))
    preds[1] = {name: np.where(numbers.random((4, 6)) < 0.4, true[name], pred) for name, pred in preds[1].items()}
    keys = ["mean_iou", "dice"]

    def run(pred: dict[str, Any]) -> sm.Run:
        return sm.evaluate(true, pred, metrics=keys, read={"labels": "classes"}, engine="serial")

    def values(pred: dict[str, Any]) -> dict[tuple[str, str], float]:
        summary = run(pred).summary()
        return {(key, word): score.value for key in keys for word, score in summary[key].items()}

    gaps: dict[tuple[str, str], list[float]] = {}
    for swaps in product((False, True), repeat=4):
        sides = ({name: preds[swap == side][name] for name, swap in zip(true, swaps, strict=True)} for side in (1, 0))
        one, two = (values(side) for side in sides)
        for name, value in two.items():
            gaps.setdefault(name, []).append(abs(value - one[name]))
    comparison = sm.compare(*map(run, preds), resamples=100)
    for (key, word), found in gaps.items():
        assert comparison.difference(key, word).p == pytest.approx(_share(found)), (key, word)
