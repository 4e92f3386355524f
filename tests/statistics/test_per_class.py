"""A mean over classes declared here only: summarised, added by class, grouped, resampled and scored from a run file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry._base.exact import Column
from segmetry.alignments.alignment import Alignment
from segmetry.errors import ClassesError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import needs_classes
from segmetry.metrics.declare import METRICS, metric
from segmetry.metrics.statistics import ROWS, Quotient, Statistics, Sums
from segmetry.statistics.random_draws import resampled_weights
from tests.statistics.test_summary import CLASSES, Item, counts_of, items

GROUPS = {"things": ["a", "b"], "stuff": ["c"]}
KEY = "found_of_class"


def found_of_classes(alignment: Alignment) -> dict[str, Column]:
    """1 of 1 for a matched true segment, 0 of 1 for a missed one."""
    table = alignment.table
    if table.class_names is None:
        raise needs_classes(KEY)
    counted = np.flatnonzero(alignment.matched_true | alignment.missed_true)
    names = [table.class_names[code] for code in table.true.class_codes[counted].tolist()]
    return {"class": names, "found": alignment.matched_true[counted].astype(np.int64)}


@pytest.fixture(autouse=True, scope="module")
def declared() -> Iterator[None]:
    assert KEY not in METRICS

    @metric(
        symbol="F",
        family="panoptic",
        needs="alignment",
        formula="F",
        summary="Matched true segments of a class over all of them, averaged over classes.",
        citation="kirillov2019panoptic",
        bounds=(0, 1),
        better="higher",
        symmetric=False,
        value_if_equal=1,
        default_in_family=False,
        statistics=Aggregation(found_of_classes),
    )
    def found_of_class(sums: Sums) -> Quotient:
        return Quotient(sums["found"], sums[ROWS], "no true segments of this class")

    yield
    del METRICS._declared[KEY]
    METRICS._sorted = None


def cell(pair: Item, name: str) -> tuple[int, int]:
    """Matched and all true segments of a class, over sets."""
    matched, missed, _ = counts_of(pair, name)
    return len(matched), len(matched) + missed


def mean(values: list[Fraction | None]) -> float:
    used = [value for value in values if value is not None]
    return float(sum(used, Fraction(0)) / len(used)) if used else math.nan


def quotient(cells: list[tuple[int, int]]) -> Fraction | None:
    top, bottom = (sum(cell[at] for cell in cells) for at in (0, 1))
    return Fraction(top, bottom) if bottom else None


def same(value: float) -> Any:
    return pytest.approx(value, rel=1e-14, nan_ok=True)


@given(items())
def test_items_classes_and_groups_are_their_definitions(pairs: list[Item]) -> None:
    true, pred = ({f"{at}": pair[side] for at, pair in enumerate(pairs)} for side in (0, 1))
    summary = run_of(true, pred).summary()
    of_items = [mean([quotient([cell(pair, name)]) for name in "abc"]) for pair in pairs]
    for pair, value in zip(pairs, of_items, strict=True):
        scores = sm.score(*pair, ["pq", KEY], groups=GROUPS)
        assert scores[KEY].value == same(value)
        for name, row in scores.classes.items():
            value = row[KEY].value if KEY in row else math.nan  # no true segments of this class
            assert value == same(mean([quotient([cell(pair, str(name))])]))
    defined = [value for value in of_items if not math.isnan(value)]
    assert repr(summary.groups["all"][KEY]["by_class"]) == repr(summary[KEY]["by_class"])
    assert summary[KEY].n("by_item_of_classes") == len(defined)
    assert summary[KEY]["by_item_of_classes"].value == same(math.fsum(defined) / len(defined) if defined else math.nan)
    for group, names in {**GROUPS, "all": ["a", "b", "c"]}.items():
        value = summary.groups[group][KEY]["by_class"]
        assert value.value == same(mean([quotient([cell(pair, name) for pair in pairs]) for name in names]))


def sides(n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    numbers = np.random.default_rng(8)
    true, pred = {}, {}
    for at in range(n):
        labels = numbers.integers(0, 5, 30)
        changed = np.where(numbers.random(30) < 0.6, labels, numbers.integers(0, 5, 30))
        true[f"{at:02}"], pred[f"{at:02}"] = (
            sm.LabelArray(labels_of_side, classes=CLASSES) for labels_of_side in (labels, changed)
        )
    return true, pred


def value_by_class(pairs: list[Item], times: list[int], names: str = "abc") -> float:
    drawn = [pair for pair, count in zip(pairs, times, strict=True) for _ in range(count)]
    return mean([quotient([cell(pair, name) for pair in drawn]) for name in names])


def test_a_run_file_scores_resamples_and_compares_it(tmp_path: Path) -> None:
    true, pred = sides(6)
    pairs: list[Item] = [(true[name], pred[name]) for name in true]
    path = tmp_path / "run.segm"
    sm.evaluate(true, pred, metrics=f"pq,{KEY}", groups=GROUPS, out=path, rule="greedy", engine="serial")
    with sm.Run.open(path) as opened:
        assert KEY in opened.summary().scores
        run = opened.rescore("theta_plus")
        summary, intervals = run.summary(), run.intervals(resamples=100)
        by_item = {row["item"]: row[KEY] for row in run.items()}
        classes = {row["class"]: row[KEY] for row in run.classes()}
        assert run.left_out == ()
    assert by_item == {
        name: same(mean([quotient([cell(pair, class_name)]) for class_name in "abc"]))
        for name, pair in zip(true, pairs, strict=True)
    }
    assert classes == {name: same(value_by_class(pairs, [1] * 6, name)) for name in "abc"}
    assert summary[KEY]["by_class"].value == same(value_by_class(pairs, [1] * 6))
    drawn = np.concatenate(list(resampled_weights(6, 100)), axis=1).astype(int).T.tolist()
    values = [value_by_class(pairs, times) for times in drawn]
    interval = intervals[KEY]["by_class"]
    assert interval.percentile == pytest.approx(np.quantile(values, [0.025, 0.975]).tolist())
    other = run_of(true, true)
    compared = sm.compare(run_of(true, pred), other, metrics=[KEY], resamples=100).difference(KEY, "by_class")
    assert compared.value == pytest.approx(1 - value_by_class(pairs, [1] * 6))
    assert compared.p == pytest.approx(permuted_p(pairs, [(true[name], true[name]) for name in true]))


def run_of(true: dict[str, Any], pred: dict[str, Any]) -> sm.Run:
    return sm.evaluate(true, pred, metrics=f"pq,{KEY}", groups=GROUPS, engine="serial")


def permuted_p(first: list[Item], second: list[Item]) -> float:
    """The share of all exchanges of items whose difference is at least the observed one."""
    gaps = []
    for swaps in range(2 ** len(first)):
        both = list(zip(first, second, strict=True))
        one, two = ([pair[(swaps >> at & 1) ^ side] for at, pair in enumerate(both)] for side in (0, 1))
        gaps.append(abs(value_by_class(two, [1] * len(two)) - value_by_class(one, [1] * len(one))))
    return sum(gap >= gaps[0] - 1e-12 for gap in gaps) / len(gaps)


def test_segments_without_classes_are_an_error_that_names_item_and_metric() -> None:
    with pytest.raises(ClassesError, match=f"item a: {KEY} is a mean over classes, but the segments carry none"):
        sm.evaluate({"a": [[1, 2]]}, {"a": [[1, 1]]}, metrics=KEY)


@given(st.lists(st.integers(2**60, 2**61), min_size=1, max_size=6))
def test_integers_are_added_exactly(numbers: list[int]) -> None:
    """Sums that might not fit into 64 bits are numbers of Python."""
    columns = [{"class": ["a"], "x": np.array([number], dtype=object)} for number in numbers]
    aggregation = Aggregation(dict, lambda sums: Quotient(sums["x"], sums[ROWS]))
    score = aggregation.reading("x", Statistics.of(columns), {}).class_scores()["a"]
    assert (score.numerator, score.value) == (sum(numbers), sum(numbers) / len(numbers))
