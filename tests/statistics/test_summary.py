"""The three averages against sums written out with fractions, and bit by bit against their definition; bad records."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import segmetry as sm
from segmetry.alignments.breakdown import BySize
from segmetry.errors import ClassesError, InputError, OptionError
from segmetry.metrics.score import Score
from segmetry.statistics.record_columns import columns_of_records, records_of_columns
from segmetry.statistics.records import ItemRecord, record_of
from segmetry.statistics.summary import summarise
from segmetry.testing.oracle import as_sets
from tests.statistics.oracle import summary_by_definition

CLASSES = {1: "a", 2: "a", 3: "b", 4: "c"}
STUFF = {"pq_dagger": {"stuff": ["c"]}}
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


def records_of(items: list[Item], **options: Any) -> list[ItemRecord]:
    return [record_of(f"item {at}", sm.align(sm.overlap(*pair)), **options) for at, pair in enumerate(items)]


@given(items(), st.sampled_from(["class", "segments"]))
def test_averages_are_their_definitions(found: list[Item], how: str) -> None:
    groups = {"things": ["a", "b"], "stuff": ["c"]}
    summary = summarise(records_of(found, average=how), groups=groups)
    totals = {}
    for name in "abc":
        of_items = [counts_of(pair, name) for pair in found]
        totals[name], (mean, n) = pq_of(of_items), average([pq_of([counts]) for counts in of_items])
        if totals[name] is None:
            assert name not in summary.classes
            continue
        row = summary.classes[name]["pq"]
        assert same(row.by_class, totals[name]) and same(row.all_segments, totals[name])
        assert same(row.by_item, mean)
        assert row.n == n
    for group, names in {**groups, "all": ["a", "b", "c"]}.items():
        row = summary.groups[group]["pq"]
        assert same(row.by_class, average([totals[name] for name in names])[0])
        assert same(row.all_segments, pq_of([counts_of(pair, name) for pair in found for name in names]))
        of_pairs = [item_pq(pair, names, how) for pair in found]
        assert same(row.by_item, average(of_pairs)[0]) and row.n == average(of_pairs)[1]
        for matched in (summary.groups[group]["n_matched"].by_class, summary.groups[group]["n_matched"].all_segments):
            assert matched is not None
            assert matched.value == sum(len(counts_of(pair, name)[0]) for pair in found for name in names)
    whole, n = average([item_pq(pair, ["a", "b", "c"], how) for pair in found])
    assert same(summary["pq"].by_item, whole)
    assert summary["pq"].n == n
    assert repr(summary["pq"].by_class) == repr(summary.groups["all"]["pq"].by_class)
    assert same(summary["pq"].all_segments, pq_of([counts_of(pair, None) for pair in found]))
    json.dumps(summary.as_dict(), allow_nan=False)


def item_pq(pair: Item, names: list[str], how: str) -> Fraction | None:
    """PQ of an item restricted to some classes: the mean over them, or of all their segments."""
    if how == "segments":
        return pq_of([counts_of(pair, name) for name in names])
    return average([pq_of([counts_of(pair, name)]) for name in names])[0]


@given(
    items(),
    st.sampled_from(["none", "coco"]),
    st.sampled_from(["theta_and", "theta_plus", "greedy"]),
    st.sampled_from([None, 0, 1]),
    st.sampled_from([{}, {"by": BySize((2, 4))}, {"per_class": STUFF}, {"average": "segments"}]),
)
def test_columns_give_the_bits_of_the_definition(
    found: list[Item], policy: str, rule: str, undefined: float | None, kind: dict[str, Any]
) -> None:
    alignments = [sm.align(sm.overlap(*pair), rule, policy=policy) for pair in found]
    records = [
        record_of(f"item {at}", alignment, scores={"fair": alignment.fair, "false_hits": alignment.false_hits}, **kind)
        for at, alignment in enumerate(alignments)
    ]
    same: dict[str, Any] = {
        "metrics": ["pq", "sq", "recall", "n_missed", "sum_iou", "npq", "recall_at"],
        "groups": None if "by" in kind else {"things": ["a", "b"], "stuff": ["c"]},
        "undefined": undefined,
        "options": {"recall_at": {"t": "3/4"}},
    }
    expected = summary_by_definition(records, **same)
    assert repr(summarise(records, **same).as_dict()) == repr(expected)
    again = records_of_columns(columns_of_records(records))
    assert [record.facts() for record in again] == [record.facts() for record in records]


@given(items())
def test_reweighted_records_keep_their_weights(found: list[Item]) -> None:
    alignments = [sm.align(sm.overlap(*pair)) for pair in found]
    records = [
        replace(
            record_of(f"item {at}", alignment),
            whole=sm.reweight(alignment, [Fraction(n, 9) for n in alignment.shared.tolist()]),
        )
        for at, alignment in enumerate(alignments)
    ]
    records = [replace(record, by=None, average="segments", parts={}) for record in records]
    same: dict[str, Any] = {"metrics": ["pq", "sq", "recall_at"], "options": {"recall_at": {"t": "1/3"}}}
    assert repr(summarise(records, **same).as_dict()) == repr(summary_by_definition(records, **same))


@given(items(), st.randoms(use_true_random=False))
def test_order_and_repetition_change_no_bit(found: list[Item], rng: Any) -> None:
    records = records_of(found, per_class=STUFF)
    shuffled = [*records, *records[:2]]
    rng.shuffle(shuffled)
    assert summarise(shuffled).as_dict() == summarise(records).as_dict()


def test_one_item_of_score_agrees_with_its_summary() -> None:
    true = sm.LabelArray(np.array([[1, 1, 1, 2, 3, 4]]), classes=CLASSES)
    pred = sm.LabelArray(np.array([[1, 1, 1, 0, 3, 3]]), classes=CLASSES)
    groups = {"things": ["a", "b"], "stuff": ["c"]}
    scores = sm.score(true, pred, "panoptic", policy="coco", groups=groups)
    summary = summarise(
        [record_of("only", sm.align(sm.overlap(true, pred), policy="coco"), per_class=STUFF)], groups=groups
    )
    assert set(scores.classes) == set(summary.classes)
    for name, row in scores.classes.items():
        for key, score in row.items():
            assert score.as_dict() == summary.classes[name][key].by_class.as_dict(), (name, key)  # type: ignore[union-attr]
    for group, means in scores.groups.items():
        for key, score in means.items():
            assert score.as_dict() == summary.groups[group][key].by_class.as_dict(), (group, key)  # type: ignore[union-attr]
    assert scores.groups["all"]["sq"].value == pytest.approx(
        1 / 3
    )  # b and c have no pair; the reference counts them as 0
    skipping = sm.score(true, pred, "sq", groups=groups)
    assert (skipping.groups["all"]["sq"].value, skipping.groups["all"]["sq"].denominator) == (1, 1)
    assert set(scores.as_dict()["classes"]) == {"a", "b", "c"}


def test_undefined_values_are_left_out_unless_said_otherwise() -> None:
    pairs = {"hit": ([[1, 1]], [[1, 1]]), "miss": ([[1, 1]], [[0, 0]])}
    records = [record_of(name, sm.align(sm.overlap(*pair))) for name, pair in pairs.items()]
    assert (summarise(records)["sq"].by_item.value, summarise(records)["sq"].n) == (1.0, 1)
    assert (summarise(records, undefined=0)["sq"].by_item.value, summarise(records, undefined=0)["sq"].n) == (0.5, 2)
    assert summarise(records, undefined=math.nan)["sq"].n == 1
    nothing = summarise(records[1:])["sq"]
    assert (nothing.n, nothing.by_item.reason, nothing.all_segments.reason) == (  # type: ignore[union-attr]
        0,
        "undefined in every item",
        "no matched pair",
    )


def test_data_set_sums_are_those_of_all_ious() -> None:
    """Sums of rounded item sums would drift; the sum over all pairs does not."""
    rng = np.random.default_rng(5)
    records = []
    for at in range(30):
        true, pred = rng.integers(0, 5, (2, 200)) * 1
        keep = rng.random(200) < 0.8
        records.append(
            record_of(
                f"{at:02}", sm.align(sm.overlap(true, np.where(keep, true, pred)), "iou(above=1/5)", resolve="assign")
            )
        )
    every = [w for record in records for w in record.whole.weights("iou").tolist()]
    total = summarise(records)["sum_iou"].all_segments
    assert total is not None
    assert total.value == math.fsum(every)


def test_other_scores_are_averaged_and_added_by_their_parts() -> None:
    alignment = sm.align(sm.overlap([[1, 1, 1, 2]], [[1, 2, 2, 2]]), "theta_and")
    perfect = sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 2]]), "theta_and")
    records = [
        record_of(
            name,
            item_alignment,
            scores={key: getattr(item_alignment, key) for key in ("false_hit_fraction", "fair", "additional_pairs")},
        )
        for name, item_alignment in (("a", alignment), ("b", perfect))
    ]
    summary = summarise(records)
    share = alignment.false_hit_fraction.value
    assert summary["false_hit_fraction"].by_item.value == share / 2
    assert summary["false_hit_fraction"].all_segments.value == pytest.approx(share / 3)  # type: ignore[union-attr]
    assert summary["additional_pairs"].all_segments.value == 1  # type: ignore[union-attr]
    assert summary["fair"].all_segments is None


def test_rows_and_columns_by_size() -> None:
    preds = {"a": [[1, 1, 1, 2]], "b": [[1, 1, 1, 0]], "c": [[0, 0, 0, 0]]}
    records = [record_of(n, sm.align(sm.overlap([[1, 1, 1, 2]], p)), by=BySize((2,))) for n, p in preds.items()]
    small = summarise(records).parts["< 2"]["recall"]
    assert (small.all_segments.value, small.n) == (pytest.approx(1 / 3), 3)  # type: ignore[union-attr]
    levels = [(row["level"], row["name"]) for row in summarise(records, metrics=["pq"]).rows()]
    assert levels == [("data set", None), ("size", "< 2"), ("size", "≥ 2")]
    columns = columns_of_records(records)
    assert [columns.names[at] for at in columns.cell_part] == ["< 2"] * 3 + ["≥ 2"] * 3
    assert columns.cells.n_unmatched_true.tolist() == [0, 1, 1, 0, 0, 1]


def _bad(kind: str) -> Any:
    table = sm.overlap([[1, 1, 2]], [[1, 1, 0]])
    good = record_of("a", sm.align(table))
    other = sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 2]]))
    calls = {
        "none": lambda: summarise([]),
        "disagree": lambda: summarise([good, record_of("a", other)]),
        "rules": lambda: summarise([good, record_of("b", sm.align(table, "theta_and"))]),
        "policies": lambda: summarise([good, record_of("b", sm.align(table, policy="strict-void"))]),
        "groups": lambda: summarise([good], groups={"things": [1]}),
        "all": lambda: summarise([good], groups={"all": [1]}),
        "undefined": lambda: summarise([good], undefined=0.5),
        "not a tally": lambda: summarise([good], metrics=["fair"]),
        "unknown": lambda: summarise([good], metrics=["pqq"]),
        "classes": lambda: summarise([good]).classes,
        "stuff": lambda: record_of("a", sm.align(table), per_class={"pq_dagger": {"stuff": ["sky"]}}),
        "by size": lambda: record_of("a", sm.align(table), by="size", per_class={"pq_dagger": {"stuff": ["sky"]}}),
        "no mean over classes": lambda: record_of("a", sm.align(table), per_class={"pq": {}}),
        "groups of one": lambda: sm.score([[1]], [[1]], "pq", groups={"things": ["a"]}),
        "tallies": lambda: good.whole + replace(good.whole, weight="dice"),
        "options": lambda: sm.pq(good.whole, rule="theta_and"),
        "needs": lambda: sm.fair(good.whole),
    }
    return calls[kind]()


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("none", InputError, "no records"),
        ("disagree", InputError, "item 'a' has two records that differ"),
        ("rules", InputError, "rule theta_plus.*rule theta_and"),
        ("policies", InputError, "policy none.*policy strict-void"),
        ("groups", ClassesError, "broken down by nothing"),
        ("all", OptionError, "groups name 'all'"),
        ("undefined", OptionError, "undefined is 0.5"),
        ("not a tally", InputError, "fair does not follow from a tally"),
        ("unknown", sm.SegmetryError, "there is no metric 'pqq'"),
        ("classes", ClassesError, "broken down by nothing"),
        ("stuff", ClassesError, "pq_dagger is a mean over classes, but the segments carry none"),
        ("by size", OptionError, "pq_dagger is a mean over classes, but by= names size; expected 'class'"),
        ("no mean over classes", OptionError, "per_class names 'pq', which is not a mean over classes"),
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
        total = run.summary()[key].all_segments
        assert total is not None and total.value == pytest.approx(top if key.startswith("n_") else top / bottom), key
        interval = run.intervals(resamples=200)[key].all_segments
        assert interval is not None and interval.percentile is not None
        assert interval.percentile[0] - 1e-9 <= total.value <= interval.percentile[1] + 1e-9, key
    assert run.summary()["hausdorff"].all_segments.value == pytest.approx((1 + 1 + math.sqrt(2)) / 3)  # type: ignore[union-attr]
