"""Small examples of internal functions in overlaps/."""

from __future__ import annotations

import numpy as np

import segmetry as sm
from segmetry.kernels.pairs import count_pairs
from segmetry.overlaps.blocks import BlockPlan, PairSum, plan_blocks, plan_of
from segmetry.overlaps.class_table import largest_confusions, merge_class_tables
from segmetry.overlaps.count import count_together
from segmetry.overlaps.count_overlapping import count_intervals
from segmetry.overlaps.cross_table import BACKGROUNDS, contingency, pairs_inside
from segmetry.overlaps.item_tables import ItemTables
from segmetry.overlaps.line_tables import count_lines
from segmetry.overlaps.merge_tables import merge, sorted_names, sum_equal_rows
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals


def test_the_example_of_blockplan_box() -> None:
    assert repr(BlockPlan(((0, 2, 3), (0, 4, 8)), (24, 24)).box(2)) == "(slice(2, 3, None), slice(0, 4, None))"


def test_the_example_of_plan_of() -> None:
    assert plan_of(LabelArray(np.zeros((2, 2), int)), LabelArray(np.zeros((2, 2), int))) is None


def test_the_example_of_plan_blocks() -> None:
    assert plan_blocks(((0, 4, 8),), ((0, 4, 8),), least=1).edges == ((0, 4, 8),)
    assert (
        repr(plan_blocks(((0, 2, 4, 6, 8),), ((0, 4, 8),), least=1)) == "BlockPlan(edges=((0, 4, 8),), decoded=(8, 8))"
    )
    assert (
        repr(plan_blocks(((0, 3, 6, 9),), ((0, 4, 8, 9),), least=1, most=4))
        == "BlockPlan(edges=((0, 4, 8, 9),), decoded=(15, 9))"
    )


def test_the_example_of_pairsum() -> None:
    total = PairSum()
    for label in (1, 2, 1):
        total.add(count_pairs(np.array([label, label]), np.array([7, 8])))
    assert total.counted.counts.tolist() == [2, 2, 1, 1]


def test_the_example_of_merge_class_tables() -> None:
    first, second = (sm.Spans.from_masses([n], classes=[name]) for n, name in ((2, "PER"), (3, "LOC")))
    assert merge_class_tables([sm.overlap(spans, spans).by_class() for spans in (first, second)]).matrix().tolist() == [
        [3, 0, 0, 0],
        [0, 2, 0, 0],
        [0, 0, 0, 0],
        [0, 0, 0, 0],
    ]


def test_the_example_of_largest_confusions() -> None:
    table = sm.overlap(sm.LabelArray.from_classes([[1, 1, 2]]), sm.LabelArray.from_classes([[2, 2, 2]]))
    assert (
        repr(largest_confusions(table.by_class(), {1: "road"}, 3))
        == "[ClassConfusion(true_class='road', pred_class='2', n_elements=2, n_true=2)]"
    )


def test_the_example_of_count_together() -> None:
    pairs = [SegmentationPair.of(Spans.from_masses([2, 1]), Spans([0], [2], 3)), SegmentationPair.of([[1]], [[2]])]
    assert [table.shared.tolist() for table in count_together(pairs)] == [[2], [1]]


def test_the_example_of_count_intervals() -> None:
    table = count_intervals(TimeIntervals([0, 2], [4, 6], n=8), TimeIntervals([3], [8]))
    assert (table.shared.tolist(), table.pred.outside.tolist(), table.n_elements) == ([1, 3], [2], 8)


def test_the_example_of_pairs_inside() -> None:
    assert pairs_inside(np.array([2**40]), np.array([1])) == 2**39 * (2**40 - 1)


def test_the_example_of_contingency() -> None:
    table = sm.overlap([[1, 1, 1, 0, 0]], [[7, 7, 0, 0, 8]])
    assert {name: contingency(table, name).n for name in BACKGROUNDS} == {
        "segment": 5,
        "singletons": 5,
        "common": 2,
        "cremi": 3,
        "snemi": 3,
        "foreground": 3,
    }
    assert (contingency(table, "segment").true.size.tolist(), contingency(table, "singletons").true.number) == (
        [3, 2],
        3,
    )


def test_the_example_of_itemtables() -> None:
    tables = ItemTables.of(sm.overlap([1, 1, 2], [1, 1, 1]))
    assert (tables.by_id.names, tables.by_id.elements(tables.table)["shared"].tolist(), tables.not_void.tolist()) == (
        [1, 2],
        [2, 0],
        [3],
    )


def test_the_example_of_count_lines() -> None:
    true, pred = [Spans.from_masses([2, 1]), Spans([0], [2], 3)], [Spans.from_masses([3])] * 2
    table = count_lines(SpanLines.of(true), SpanLines.of(pred), has_classes=False).table
    assert (table.row_true.tolist(), table.shared.tolist(), table.pred.outside.tolist()) == (
        [0, 1, 2],
        [2, 1, 2],
        [0, 1],
    )


def test_the_example_of_merge() -> None:
    whole = sm.overlap([[1, 1, 2, 2]], [[1, 1, 1, 0]])
    assert merge([sm.overlap([[1, 1]], [[1, 1]]), sm.overlap([[2, 2]], [[1, 0]])]) == whole


def test_the_example_of_sum_equal_rows() -> None:
    assert [
        column.tolist() for column in sum_equal_rows(np.array([1, 0, 1]), np.array([2, 2, 2]), np.array([5, 6, 7]))
    ] == [[0, 1], [2, 2], [6, 12]]


def test_the_example_of_sorted_names() -> None:
    assert (sorted_names({"car", 10, 9}), sorted_names({10, 9})) == ((9, 10, "car"), (9, 10))
