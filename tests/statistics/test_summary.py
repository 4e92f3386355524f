"""The six averages against sums written out with fractions, and bit by bit against their definition; bad input."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.breakdown import BySize
from segmetry.errors import ClassesError, InputError, OptionError, UnknownNameError
from segmetry.metrics.score import Score
from segmetry.statistics.data_set import DataSet
from segmetry.statistics.summary import Averages, Summary, summarise
from tests.oracle import as_sets
from tests.statistics.oracle import SIX, Definition, Mean, data_sets

CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}
STUFF = ["c"]
GROUPS = {"things": ["a", "b"], "stuff": STUFF}
KEYS = ["pq", "sq", "recall", "n_missed", "sum_iou", "npq", "recall_at"]
QUOTIENTS = ["pq", "sq", "recall", "npq"]
OPTIONS = {"recall_at": {"t": "3/4"}}
Item = tuple[sm.LabelArray, sm.LabelArray]


@st.composite
def items(draw: st.DrawFn) -> list[Item]:
    def side(n: int) -> sm.LabelArray:
        labels = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3, 3, 4]), min_size=n, max_size=n))
        return sm.LabelArray(np.array(labels), classes=CLASSES)

    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=4))
    return [(side(n), side(n)) for n in sizes]


def counts_of(pair: Item, name: Hashable | None) -> tuple[list[Fraction], int, int]:
    """IoUs, missed and spurious of one class (or of all) under θ⁺, over sets."""
    true, pred = ({i: e for i, e in as_sets(side).items() if name is None or CLASSES[i] == name} for side in pair)
    pairs = {
        (t, h): Fraction(len(a & b), len(a | b))
        for t, a in true.items()
        for h, b in pred.items()
        if CLASSES[t] == CLASSES[h] and len(a & b) > len(a ^ b)
    }
    return list(pairs.values()), len(true) - len({t for t, _ in pairs}), len(pred) - len({h for _, h in pairs})


def pq_of(counts: list[tuple[list[Fraction], int, int]]) -> Fraction | None:
    ious = [w for count in counts for w in count[0]]
    halves = 2 * len(ious) + sum(missed + spurious for _, missed, spurious in counts)
    return 2 * sum(ious, Fraction(0)) / halves if halves else None


def average(values: list[Fraction | None]) -> tuple[Fraction | None, int]:
    used = [value for value in values if value is not None]
    return (sum(used, Fraction(0)) / len(used) if used else None), len(used)


def same(score: Score | None, expected: Fraction | None) -> bool:
    assert score is not None
    return (
        math.isnan(score.value)
        if expected is None
        else math.isclose(score.value, expected, rel_tol=1e-14, abs_tol=1e-14)
    )


@given(items(), st.sampled_from(["class", "segments"]))
def test_averages_are_their_definitions(found: list[Item], how: str) -> None:
    data, _ = data_sets(found, ["pq", "n_matched"], average=how, groups=GROUPS)
    summary, of_items = summarise(data), "by_item_of_classes" if how == "class" else "by_item"
    totals = {}
    for name in "abc":
        counts = [counts_of(pair, name) for pair in found]
        totals[name], (mean, n) = pq_of(counts), average([pq_of([one]) for one in counts])
        if totals[name] is None:
            assert name not in summary.classes
            continue
        row = summary.classes[name]["pq"]
        assert same(row["pooled"], totals[name]) and same(row["by_item"], mean)
        assert row.n("by_item") == n
    for group, names in {**GROUPS, "all": ["a", "b", "c"]}.items():
        row = summary.groups[group]["pq"]
        assert same(row["by_class"], average([totals[name] for name in names])[0])
        assert same(row["pooled"], pq_of([counts_of(pair, name) for pair in found for name in names]))
        if how == "class":
            of_pairs = average([item_pq(pair, names, how) for pair in found])
            assert same(row[of_items], of_pairs[0]) and row.n(of_items) == of_pairs[1]
        matched = summary.groups[group]["n_matched"]["pooled"]
        assert matched.value == sum(len(counts_of(pair, name)[0]) for pair in found for name in names)
    whole, n = average([item_pq(pair, ["a", "b", "c"], how) for pair in found])
    assert same(summary["pq"][of_items], whole)
    assert summary["pq"].n(of_items) == n
    assert repr(summary["pq"]["by_class"]) == repr(summary.groups["all"]["pq"]["by_class"])
    assert same(summary["pq"]["pooled"], pq_of([counts_of(pair, None) for pair in found]))
    json.dumps(summary.to_dict(), allow_nan=False)


def item_pq(pair: Item, names: list[str], how: str) -> Fraction | None:
    """PQ of an item restricted to some classes: the mean over them, or of all their segments."""
    if how == "segments":
        return pq_of([counts_of(pair, name) for name in names])
    return average([pq_of([counts_of(pair, name)]) for name in names])[0]


def check(score: Score, expected: Mean, where: Any) -> None:
    """Raise an error unless the bits of a value and the number of values in it are those of the definition."""
    value, n = expected
    if where[1] == "by_item_and_class" and value is not None:  # added item by item: two roundings
        value = pytest.approx(value, rel=1e-15)
    assert (score.value if score.is_defined else None) == value, where
    assert n is None or score.denominator == n or (n == 0 and not score.is_defined), where


@given(
    items(),
    st.sampled_from(["none", "coco"]),
    st.sampled_from(["theta_and", "theta_plus", "greedy"]),
    st.sampled_from([None, 0.0, 1.0]),
)
def test_every_average_has_the_bits_of_its_definition(
    found: list[Item], policy: str, rule: str, undefined: float | None
) -> None:
    facts: dict[str, Any] = {"policy": policy, "rule": rule, "undefined": undefined, "options": OPTIONS}
    data, definition = data_sets(found, [*QUOTIENTS, "recall_at"], stuff=STUFF, groups=GROUPS, **facts)
    for key in data.sources:
        for word in SIX:
            check(data.reading(key, word).score(), definition.average(key, word), (key, word))
            for group, names in GROUPS.items():
                where = key, word, group
                check(data.reading(key, word, group).score(), definition.average(key, word, names), where)


@given(
    items(),
    st.sampled_from(["none", "coco"]),
    st.sampled_from(["theta_and", "theta_plus", "greedy"]),
    st.sampled_from([None, 0.0, 1.0]),
    st.sampled_from([{}, {"by": BySize((2, 4))}, {"stuff": STUFF}, {"average": "segments"}]),
)
def test_a_summary_has_the_bits_of_its_definition(
    found: list[Item], policy: str, rule: str, undefined: float | None, kind: dict[str, Any]
) -> None:
    facts: dict[str, Any] = {"policy": policy, "rule": rule, "undefined": undefined, "options": OPTIONS}
    groups = None if "by" in kind else GROUPS
    data, definition = data_sets(found, KEYS, groups=groups, **facts, **kind)
    check_summary(data, definition)


def check_summary(data: DataSet, definition: Definition) -> Summary:
    """Compare everything in a summary with its definition."""
    summary = summarise(data)
    assert set(summary.scores) == set(data.sources)
    for level, name, row in summary.levels():
        for key, averages in row.items():
            assert isinstance(averages, Averages) and averages
            for word, score in averages.items():
                if level == "data set" or name == "all":
                    expected = definition.average(key, word)
                elif level == "group":
                    expected = definition.average(key, word, data.groups[str(name)])
                else:
                    expected = definition.part(key, word, name)
                check(score, expected, (level, name, key, word))
    return summary


@given(items(), st.randoms(use_true_random=False))
def test_the_order_of_items_changes_no_bit(found: list[Item], rng: Any) -> None:
    data, _ = data_sets(found, KEYS, stuff=STUFF, groups=GROUPS, options=OPTIONS)
    order = list(range(len(found)))
    rng.shuffle(order)
    assert summarise(data.in_order(order)).to_dict() == summarise(data).to_dict()


def test_one_item_of_score_agrees_with_its_summary() -> None:
    true = sm.LabelArray(np.array([[1, 1, 1, 2, 3, 4]]), classes=CLASSES)
    pred = sm.LabelArray(np.array([[1, 1, 1, 0, 3, 3]]), classes=CLASSES)
    scores = sm.score(true, pred, "panoptic", policy="coco", groups=GROUPS)
    run = sm.evaluate({"only": true}, {"only": pred}, metrics="panoptic", policy="coco", groups=GROUPS)
    summary = run.summary()
    assert set(scores.classes) == set(summary.classes)
    for name, row in scores.classes.items():
        for key, score in row.items():
            assert score.to_dict() == summary.classes[name][key]["pooled"].to_dict(), (name, key)
    for group, means in scores.groups.items():
        for key, score in means.items():
            assert score.value == pytest.approx(summary.groups[group][key].usual.value, nan_ok=True), (group, key)
    assert scores.groups["all"]["sq"].value == pytest.approx(
        1 / 3
    )  # b and c have no pair; the reference counts them as 0
    skipping = sm.score(true, pred, "sq", groups=GROUPS)
    assert (skipping.groups["all"]["sq"].value, skipping.groups["all"]["sq"].denominator) == (1, 1)
    assert set(scores.to_dict()["classes"]) == {"a", "b", "c"}


def test_undefined_values_are_left_out_unless_said_otherwise() -> None:
    pairs = [([[1, 1]], [[1, 1]]), ([[1, 1]], [[0, 0]])]

    def sq(undefined: float | None = None, some: slice = slice(None)) -> Averages:
        return summarise(data_sets(pairs[some], ["sq"], by=None, undefined=undefined)[0])["sq"]

    assert (sq()["by_item"].value, sq().n("by_item")) == (1.0, 1)
    assert (sq(0)["by_item"].value, sq(0).n("by_item")) == (0.5, 2)
    nothing = sq(some=slice(1, None))
    assert (nothing.n("by_item"), nothing["by_item"].reason, nothing["pooled"].reason) == (
        0,
        "undefined in every item",
        "no matched pair",
    )


def test_data_set_sums_are_those_of_all_ious() -> None:
    """Sums of rounded item sums would drift; the sum over all pairs does not."""
    rng = np.random.default_rng(5)
    pairs = []
    for _ in range(30):
        true, pred = rng.integers(0, 5, (2, 200)) * 1
        pairs.append((true, np.where(rng.random(200) < 0.8, true, pred)))
    data, definition = data_sets(pairs, ["sum_iou"], by=None)
    every = [weight for item in definition.items for weight in item.whole.weights("iou").tolist()]
    assert summarise(data)["sum_iou"]["pooled"].value == math.fsum(every)


def test_other_scores_are_averaged_and_added_by_their_parts() -> None:
    true, pred = {"a": [[1, 1, 1, 2]], "b": [[1, 1, 2]]}, {"a": [[1, 2, 2, 2]], "b": [[1, 1, 2]]}
    keys = ["false_hit_fraction", "fair", "additional_pairs"]
    summary = sm.evaluate(true, pred, metrics=keys, rule="theta_and", engine="serial").summary()
    share = sm.align(sm.overlap(true["a"], pred["a"]), "theta_and").false_hit_fraction.value
    assert summary["false_hit_fraction"]["by_item"].value == share / 2
    assert summary["false_hit_fraction"]["pooled"].value == pytest.approx(share / 3)
    assert summary["additional_pairs"]["pooled"].value == 1
    assert "pooled" not in summary["fair"]


def test_rows_by_size() -> None:
    pairs = [([[1, 1, 1, 2]], pred) for pred in ([[1, 1, 1, 2]], [[1, 1, 1, 0]], [[0, 0, 0, 0]])]
    data, definition = data_sets(pairs, ["pq", "recall"], by=BySize((2,)))
    small = check_summary(data, definition).parts["< 2"]["recall"]
    assert (small["pooled"].value, small.n("by_item")) == (pytest.approx(1 / 3), 3)
    levels = [(row["level"], row["name"]) for row in summarise(data.with_keys(["pq"])).rows()]
    assert list(dict.fromkeys(levels)) == [("data set", None), ("size", "< 2"), ("size", "≥ 2")]
    assert data.segments.columns["missed"].tolist() == [0, 0, 1, 0, 1, 1]


def _bad(kind: str) -> Any:
    sides = {"a": [[1, 1, 2]]}, {"a": [[1, 1, 0]]}
    data, definition = data_sets([(sides[0]["a"], sides[1]["a"])], ["pq"], by=None)
    tally = definition.items[0].whole
    calls = {
        "groups": lambda: summarise(replace(data, groups={"things": frozenset([1])})),
        "all": lambda: sm.evaluate(*sides, metrics="pq", groups={"all": [1]}).summary(),
        "undefined": lambda: sm.evaluate(*sides, metrics="pq", undefined=0.5).summary(),
        "unknown": lambda: sm.evaluate(*sides, metrics="pqq"),
        "not computed": lambda: summarise(data)["fair"],
        "average": lambda: data.reading("pq", "by_folder"),
        "classes": lambda: summarise(data).classes,
        "stuff": lambda: sm.evaluate(*sides, metrics="pq_dagger", options={"pq_dagger": {"stuff": ["sky"]}}),
        "groups of one": lambda: sm.score([[1]], [[1]], "pq", groups={"things": ["a"]}),
        "tallies": lambda: tally + replace(tally, weight="dice"),
        "options": lambda: sm.pq(tally, rule="theta_and"),
        "needs": lambda: sm.fair(tally),
    }
    return calls[kind]()


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("groups", ClassesError, "broken down by nothing"),
        ("all", OptionError, "groups name 'all'"),
        ("undefined", OptionError, "undefined is 0.5"),
        ("unknown", sm.SegmetryError, "there is no metric 'pqq'"),
        ("not computed", UnknownNameError, "'fair' was not computed; found pq"),
        ("average", OptionError, "pq has no average 'by_folder'; it has by_item, pooled"),
        ("classes", ClassesError, "broken down by nothing"),
        ("stuff", ClassesError, "pq_dagger is a mean over classes, but the segments carry none"),
        ("groups of one", ClassesError, "the segments carry none"),
        ("tallies", InputError, "cannot be added"),
        ("options", sm.SegmetryError, "this tally was made with rule theta_plus"),
        ("needs", sm.SegmetryError, "fair needs more than a tally"),
    ],
)
def test_bad_input_is_named(kind: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        _bad(kind)


def test_distances_are_added_over_pairs_and_only_counts_are_sums() -> None:
    """A metric without an upper bound is no count for that."""
    true = np.zeros((12, 12), dtype=int)
    true[1:5, 1:5], true[6:10, 1:10] = 1, 2
    lone = np.where(true == 1, 1, 0)
    keys = ("hausdorff", "average_surface_distance", "centre_distance", "rbsb", "shape_index", "n_splits", "n_matched")
    trues, preds = {"x": true, "y": lone}, {"x": np.roll(true, 1, axis=1), "y": np.roll(lone, (1, 1), axis=(0, 1))}
    run = sm.evaluate(trues, preds, metrics=",".join(keys), rule="theta_and")
    for key in keys:
        scores = [sm.score(trues[name], preds[name], metrics=[key], rule="theta_and")[key] for name in trues]
        top, bottom = (math.fsum(getattr(score, side) for score in scores) for side in ("numerator", "denominator"))
        total = run.summary()[key]["pooled"]
        assert total.value == pytest.approx(top if key.startswith("n_") else top / bottom), key
        interval = run.intervals(resamples=200)[key]["pooled"]
        assert interval.percentile is not None
        assert interval.percentile[0] - 1e-9 <= total.value <= interval.percentile[1] + 1e-9, key
    assert run.summary()["hausdorff"]["pooled"].value == pytest.approx((1 + 1 + math.sqrt(2)) / 3)
