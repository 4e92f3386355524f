"""The class table against counts of single elements, for every kind of segmentation; merged in any order."""

from __future__ import annotations

import json
from collections.abc import Hashable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, InputError
from segmetry.overlaps.class_table import ClassCounts, ClassTable, merge_class_tables
from segmetry.segmentation.base import Segmentation
from segmetry.testing.strategies import label_pairs, mask_pairs, set_pairs, span_pairs, void_pairs
from tests.oracle import as_sets, class_cells

CLASSES: list[Hashable] = ["car", "sky", 3, 10]


def cells(table: ClassTable) -> dict[tuple[Hashable, Hashable], int]:
    return {(row["true_class"], row["pred_class"]): row["n_elements"] for row in table.rows()}


def classed(data: st.DataObject, side: Segmentation) -> Any:
    """Return the segmentation with a random class for each segment."""
    class_of = {segment: data.draw(st.sampled_from(CLASSES)) for segment in as_sets(side)}
    if isinstance(side, sm.LabelArray):
        return sm.LabelArray(side.labels, void=side.void, classes=class_of)
    if isinstance(side, sm.Spans):
        return sm.Spans(side.starts, side.stops, side.n, classes=list(class_of.values()))
    if isinstance(side, sm.Masks):
        return sm.Masks.from_dense(side.dense(), classes=class_of)
    assert isinstance(side, sm.Sets)
    return sm.Sets(side.segments, universe=side.universe, classes=class_of)


def disjoint(masks: sm.Masks) -> sm.Masks:
    dense = masks.dense()
    free = np.cumsum(dense, axis=0) <= 1
    return sm.Masks.from_dense(dense & free)


def check(data: st.DataObject, pair: tuple[Segmentation, Segmentation]) -> None:
    true, pred = (classed(data, side) for side in pair)
    table, expected = sm.overlap(true, pred).by_class(), class_cells(true, pred)
    assert cells(table) == expected
    assert table.n_elements == sum(expected.values()) == sm.overlap(true, pred).n_elements
    counted = {cell: count for cell, count in expected.items() if "(void)" not in cell}
    for name, counts in table.one_against_rest().items():
        shared = counted.get((name, name), 0)
        missed = sum(count for (t, _), count in counted.items() if t == name) - shared
        spurious = sum(count for (_, h), count in counted.items() if h == name) - shared
        assert counts == (shared, missed, spurious, sum(counted.values()) - shared - missed - spurious)
    swapped = sm.overlap(pred, true).by_class()
    assert np.array_equal(swapped.matrix(), table.matrix().T)
    json.dumps(table.to_dict())


@given(st.data())
def test_label_arrays(data: st.DataObject) -> None:
    check(data, data.draw(label_pairs()))


@given(st.data())
def test_void_elements_have_their_own_row_and_column(data: st.DataObject) -> None:
    check(data, data.draw(void_pairs()))


@given(st.data())
def test_spans(data: st.DataObject) -> None:
    check(data, data.draw(span_pairs()))


@given(st.data())
def test_sets(data: st.DataObject) -> None:
    check(data, data.draw(set_pairs()))


@given(st.data())
def test_disjoint_masks(data: st.DataObject) -> None:
    true, pred = data.draw(mask_pairs())
    check(data, (disjoint(true), disjoint(pred)))


@given(st.data())
def test_sums_over_items_are_the_same_in_every_order(data: st.DataObject) -> None:
    pairs = data.draw(st.lists(void_pairs(longest=6), min_size=1, max_size=4))
    sides = [[classed(data, side) for side in pair] for pair in pairs]
    tables = [sm.overlap(*pair).by_class() for pair in sides]
    expected: dict[tuple[Hashable, Hashable], int] = {}
    for pair in sides:
        for cell, count in class_cells(*pair).items():
            expected[cell] = expected.get(cell, 0) + count
    total = merge_class_tables(tables)
    assert cells(total) == expected
    shuffled = data.draw(st.permutations(tables))
    assert merge_class_tables(shuffled) == total
    added = shuffled[0]
    for table in shuffled[1:]:
        added = added + table
    assert added == total


def test_counts_beyond_int64_are_python_integers() -> None:
    huge = sm.OverlapTable.from_rows([(1, 1, 2**61)], true_classes={1: "car"}, pred_classes={1: "car"}).by_class()
    assert huge.counts.dtype == np.int64
    total = merge_class_tables([huge] * 5)
    assert total.one_against_rest() == {"car": ClassCounts(5 * 2**61, 0, 0, 0)}
    assert total.n_elements == 5 * 2**61 and total.matrix()[0, 0] == 5 * 2**61
    assert total + huge == merge_class_tables([huge] * 6)


def test_tables_of_a_run_file_give_the_same_class_tables(tmp_path: Path) -> None:
    classes = {1: "car", 2: "sky", 3: "sky"}
    sides = [
        {name: sm.LabelArray(labels, void=255, classes=classes) for name, labels in side.items()}
        for side in (
            {"a": [[1, 1, 2, 0, 255]], "b": [[3, 3, 0, 0]]},
            {"a": [[1, 2, 2, 2, 1]], "b": [[0, 3, 1, 255]]},
        )
    ]
    direct = [sm.overlap(sides[0][name], sides[1][name]).by_class() for name in ("a", "b")]
    sm.evaluate(*sides, metrics="pq", out=tmp_path / "run.segm")
    with sm.Run.open(tmp_path / "run.segm") as run:
        stored = run.tables_together
        assert [stored.table(item).by_class() for item in range(2)] == direct


def test_classes_without_elements_stay_in_the_table() -> None:
    dense = np.zeros((2, 1, 3), dtype=bool)
    dense[0, 0, :2] = True
    masks = sm.Masks.from_dense(dense, classes=["car", "sky"])
    assert sm.overlap(masks, masks).by_class().one_against_rest()["sky"] == (0, 0, 0, 3)


def test_segments_without_classes_are_rejected_with_the_remedy() -> None:
    with pytest.raises(ClassesError, match=r"give classes= on both sides, such as LabelArray\(labels, classes="):
        sm.overlap([[1, 1]], [[1, 2]]).by_class()


def test_overlapping_segments_are_rejected() -> None:
    dense = np.ones((2, 1, 3), dtype=bool)
    masks = sm.Masks.from_dense(dense, classes=["car", "sky"])
    with pytest.raises(InputError, match="the true segments overlap, so elements would count several times"):
        sm.overlap(masks, masks).by_class()


def test_the_sum_of_no_tables_is_empty() -> None:
    empty = merge_class_tables([])
    assert (empty.names, empty.n_elements, empty.one_against_rest()) == ((), 0, {})
    table = sm.overlap(*[sm.Spans.from_masses([2], classes=["a"])] * 2).by_class()
    assert table + empty == table


def test_iou_per_class_from_the_counts() -> None:
    true = sm.Spans.from_tags(["B-a", "I-a", "I-a", "O", "B-b"])
    pred = sm.Spans.from_tags(["B-a", "I-a", "B-b", "I-b", "I-b"])
    counts = sm.overlap(true, pred).by_class().one_against_rest()
    ious = {name: Fraction(c.shared, c.shared + c.missed + c.spurious) for name, c in counts.items()}
    assert ious == {"a": Fraction(2, 3), "b": Fraction(1, 3)}


def test_the_example_of_class_table() -> None:
    import segmetry as sm

    classes = {1: "car", 2: "sky", 3: "sky"}
    true = sm.LabelArray([[1, 1, 1, 2, 3, 0]], classes=classes)
    pred = sm.LabelArray([[1, 1, 2, 2, 0, 0]], classes=classes)
    table = sm.overlap(true, pred).by_class()
    assert repr(table) == "ClassTable(2 classes, 6 elements)"
    assert table.matrix().tolist() == [[2, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert table.one_against_rest()["sky"] == ClassCounts(shared=1, missed=1, spurious=1, rest=3)


def test_the_example_of_rows() -> None:
    import segmetry as sm

    table = sm.overlap(sm.Spans.from_tags(["B-PER", "O"]), sm.Spans.from_tags(["B-PER", "B-LOC"])).by_class()
    assert [tuple(row.values()) for row in table.rows()] == [("PER", "PER", 1), ("(outside)", "LOC", 1)]
