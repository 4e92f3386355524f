"""Parts of an alignment add up to the entire alignment; segment rows agree with sets."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.breakdown import ByClass, ByColumn, ByGroup, BySize, break_down
from segmetry.alignments.segment_table import segment_rows
from segmetry.alignments.tally import add_tallies
from segmetry.errors import ClassesError, InputError, OptionError
from segmetry.testing.strategies import AWKWARD_IDS, label_pairs
from tests.oracle import as_sets

CLASSES = {segment: "odd" if segment % 2 else "even" for segment in AWKWARD_IDS}


def classed(pair: tuple[sm.LabelArray, sm.LabelArray]) -> tuple[sm.LabelArray, sm.LabelArray]:
    return tuple(sm.LabelArray(side.labels, classes=CLASSES) for side in pair)  # type: ignore[return-value]


BREAKDOWNS = (
    "class",
    "size",
    BySize((2, 5)),
    ByGroup({"odd ones": ["odd"], "even ones": ["even"]}),
    ByColumn("last digit", {i: i % 10 for i in AWKWARD_IDS}, {i: i % 10 for i in AWKWARD_IDS}),
    ("class", BySize((3,))),
)


@given(label_pairs(), st.sampled_from(BREAKDOWNS), st.sampled_from(["match", "ignore"]))
def test_parts_add_up_to_the_alignment(pair: tuple[sm.LabelArray, sm.LabelArray], by: Any, classes: str) -> None:
    alignment = sm.align(sm.overlap(*classed(pair)), classes=classes)
    parts = break_down(alignment, by)
    if not parts:
        assert not alignment.tally.occurs
        return
    total, expected = add_tallies([part.tally for part in parts.values()]), alignment.tally
    assert (total.n_pairs, total.n_unmatched_true, total.n_unmatched_pred, total.iou_sum) == (
        expected.n_pairs,
        expected.n_unmatched_true,
        expected.n_unmatched_pred,
        expected.iou_sum,
    )


@given(label_pairs(), st.integers(1, 6))
def test_sizes_are_those_of_the_true_segment_or_of_an_unmatched_pred(
    pair: tuple[sm.LabelArray, sm.LabelArray], edge: int
) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    alignment = sm.align(sm.overlap(*pair))
    small = break_down(alignment, BySize((edge,))).get(f"< {edge}")
    pairs = [(p.true_id, p.pred_id) for p in alignment.pairs()]
    matched = [t for t, _ in pairs if len(true[t]) < edge]
    missed = {t for t in true if len(true[t]) < edge} - {t for t, _ in pairs}
    spurious = {h for h in pred if len(pred[h]) < edge} - {h for _, h in pairs}
    counts = (len(matched), len(missed), len(spurious))
    if small is None:
        assert counts == (0, 0, 0)
    else:
        assert (small.n_pairs, small.n_unmatched_true, small.n_unmatched_pred) == counts


@pytest.mark.parametrize(
    ("size", "name"), [(1023, "small"), (1024, "medium"), (9215, "medium"), (9216, "large"), (1, "small")]
)
def test_coco_bins_include_their_lower_edge(size: int, name: str) -> None:
    table = sm.OverlapTable.from_rows([(1, 1, size)])
    assert list(break_down(sm.align(table), "size")) == [name]


def test_parts_have_scores() -> None:
    true, pred = [[1, 1, 1, 1, 2, 3]], [[1, 1, 1, 0, 2, 0]]
    parts = break_down(sm.align(sm.overlap(true, pred)), BySize((2, 4), ("one", "few", "many")))
    assert {name: part.pq.value for name, part in parts.items()} == {"one": pytest.approx(2 / 3), "many": 0.75}
    assert parts["one"].recall.value == 0.5


@given(label_pairs(), st.sampled_from(["theta_plus", "theta_and"]))
def test_rows_contain_every_segment_once(pair: tuple[sm.LabelArray, sm.LabelArray], rule: str) -> None:
    true, pred = as_sets(pair[0]), as_sets(pair[1])
    alignment = sm.align(sm.overlap(*pair), rule)
    rows = segment_rows(alignment, "item")
    assert sorted(row["true_id"] for row in rows if row["true_id"] is not None) == sorted(true)
    assert sorted(row["pred_id"] for row in rows if row["pred_id"] is not None) == sorted(pred)
    for row in rows:
        t, h = true.get(row["true_id"], frozenset()), pred.get(row["pred_id"], frozenset())
        assert (row["shared"], row["missed"], row["spurious"]) == (len(t & h), len(t - h), len(h - t))
        if row["outcome"] == "matched":
            assert row["iou"] == float(Fraction(len(t & h), len(t | h)))
            assert row["small"] == (len(t) < 1024)
            continue
        assert row["outcome"] == ("missed" if t else "spurious")
        own, others = (t, pred) if t else (h, true)
        touching = {i: Fraction(len(own & o), len(own | o)) for i, o in others.items() if own & o}
        best = max(touching.values(), default=None)
        assert row["nearest_iou"] == (None if best is None else float(best))
        assert row["nearest_id"] == min((i for i, w in touching.items() if w == best), default=None)


def test_rows_contain_classes_kinds_and_ignored_segments() -> None:
    true = sm.LabelArray(np.array([[1, 1, 1, 2, 2, 2, 0]]), classes={1: "car", 2: "car"}, crowd=2)
    pred = sm.LabelArray(np.array([[5, 5, 0, 6, 6, 0, 7]]), classes={5: "car", 6: "car", 7: "sky"})
    rows = segment_rows(sm.align(sm.overlap(true, pred), policy="coco"), sizes=BySize((2,)))
    columns = [
        (r["outcome"], r["true_id"], r["pred_id"], r["true_class"], r["pred_class"], r["kind"], r["size_bin"])
        for r in rows
    ]
    assert columns == [
        ("matched", 1, 5, "car", "car", "partial", "≥ 2"),
        ("ignored", 2, None, "car", None, None, "≥ 2"),
        ("ignored", None, 6, None, "car", None, "≥ 2"),
        ("spurious", None, 7, None, "sky", None, "< 2"),
    ]
    assert "item" not in rows[0]


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        ("class", ClassesError, "the segments have no classes"),
        (ByGroup({"a": ["x"], "b": ["x"]}), OptionError, "class 'x' is in the groups 'a' and 'b'"),
        (ByColumn("city", {}, {}), InputError, "true: segment 1 has no value in column 'city'"),
        ("colour", OptionError, "by is 'colour'"),
        (3, OptionError, "by is 3"),
    ],
)
def test_bad_breakdowns_are_named(by: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        break_down(sm.align(sm.overlap([[1]], [[1]])), by)


@pytest.mark.parametrize("edges", [(), (0,), (5, 5), (9, 4), (-1,), (1.5,), (True,)])
def test_bad_edges_are_named(edges: Any) -> None:
    with pytest.raises(OptionError, match="edges are"):
        BySize(edges)


def test_bad_bin_names_are_named() -> None:
    with pytest.raises(OptionError, match="expected 2 different names, one per bin"):
        BySize((5,), ("a", "a"))


def test_labels_of_a_class_breakdown_are_the_classes() -> None:
    true = sm.LabelArray(np.array([[1, 2]]), classes={1: "b", 2: "a"})
    labels: tuple[list[Hashable], list[Hashable]] = ByClass().labels(sm.overlap(true, true))
    assert labels == (["b", "a"], ["b", "a"])
