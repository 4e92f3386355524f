"""The oracle on examples that can be checked by eye."""

from __future__ import annotations

from segmetry.segmentation.spans import Spans
from tests.oracle import as_partitions, as_sets, boundary_set, class_cells, overlap_rows, window_counts


def test_segments_are_sets_of_elements() -> None:
    assert as_sets(Spans.from_masses([2, 1])) == {1: frozenset({0, 1}), 2: frozenset({2})}
    assert overlap_rows({1: frozenset({1, 2})}, {5: frozenset({2, 3})}) == [(1, 5, 1)]


def test_boundaries_are_between_segments_and_gaps() -> None:
    assert sorted(boundary_set(Spans.from_spans([(2, 5), (7, 9)], n=10))) == [2, 5, 7, 9]
    assert window_counts(Spans.from_masses([2, 1]), Spans.from_masses([3]), 1, padded=False) == [(0, 0), (1, 0)]


def test_classes_are_counted_element_by_element() -> None:
    cells = class_cells(Spans.from_tags(["B-a", "O"]), Spans.from_tags(["B-a", "B-b"]))
    assert cells == {("a", "a"): 1, ("(outside)", "b"): 1}


def test_a_background_of_singletons_is_one_block_per_element() -> None:
    found = as_partitions(Spans.from_spans([(0, 2)], 3), Spans.from_masses([3]), "singletons")
    assert found == ([frozenset({0, 1}), frozenset({2})], [frozenset({0, 1, 2})])
