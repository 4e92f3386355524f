"""The worked numbers of the specification for boundary edits, B, S, the Hamming distance and boundary matching."""

from __future__ import annotations

import pytest

import segmetry as sm
from tests.metrics.linear_pairs import Value, assert_value, pair


@pytest.mark.parametrize(
    ("name", "n_t", "edits", "s", "b"),
    [
        ("A", 2, (1, 0, [1]), "23/24", "3/4"),
        ("A", 3, (1, 0, [1]), "35/36", "5/6"),
        ("B", 2, (1, 1, [1]), "7/8", "1/2"),
        ("B", 3, (1, 1, [1]), "8/9", "5/9"),
        ("C", 2, (4, 3, []), "17/20", "4/7"),
        ("C", 3, (4, 3, []), "17/20", "4/7"),
        ("SB", 2, (0, 1, []), "10/11", "0"),
        ("SB", 3, (0, 1, []), "10/11", "0"),
        ("SC", 2, (0, 0, [1]), "21/22", "1/2"),
        ("SC", 3, (0, 0, [1]), "32/33", "2/3"),
        ("SD", 2, (1, 1, []), "10/11", "1/2"),
        ("SD", 3, (1, 1, []), "10/11", "1/2"),
        ("M", 2, (0, 2, [1]), "19/24", "1/6"),
        ("M", 3, (0, 0, [1, 2]), "11/12", "1/2"),
        ("X0", 2, (0, 0, []), "1", None),
        ("U1", 2, (0, 0, []), None, None),
        ("X1", 2, (0, 9, []), "0", "0"),
        ("X2", 2, (0, 9, []), "0", "0"),
        ("X3", 2, (9, 0, []), "1", "1"),
    ],
)
@pytest.mark.parametrize("match", ["optimal", "greedy"])
def test_boundary_edits(name: str, n_t: int, edits: tuple[int, int, list[int]], s: Value, b: Value, match: str) -> None:
    result = sm.boundary_edits(*pair(name), n_t=n_t, match=match)
    assert (result.matched, result.additions, result.spans.tolist()) == edits
    assert_value(sm.segmentation_similarity(*pair(name), n_t=n_t, match=match), s)
    assert_value(sm.boundary_similarity(*pair(name), n_t=n_t, match=match), b)


def test_se_has_a_match_and_two_boundaries_that_may_not_be_transposed_onto_it() -> None:
    """5, 6, 7 against 6: the true boundary matches, so neither neighbour has a partner left."""
    result = sm.boundary_edits(*pair("SE"))
    assert (result.matched, result.additions, result.spans.tolist()) == (1, 2, [])
    assert_value(sm.segmentation_similarity(*pair("SE")), "9/11")
    assert_value(sm.boundary_similarity(*pair("SE")), "1/3")


def test_the_smallest_pair_on_which_greedy_transpositions_are_not_minimal() -> None:
    true, pred = sm.Spans.from_masses([4, 1, 1]), sm.Spans.from_masses([1, 2, 3])
    greedy = sm.boundary_edits(true, pred, n_t=4, match="greedy")
    assert (greedy.additions, greedy.spans.tolist()) == (2, [1])
    assert_value(sm.boundary_similarity(true, pred, n_t=4, match="greedy"), "1/4")
    least = sm.boundary_edits(true, pred, n_t=4)
    assert (least.additions, least.spans.tolist()) == (0, [2, 3])
    assert_value(sm.boundary_similarity(true, pred, n_t=4), "3/8")


@pytest.mark.parametrize(
    ("name", "distance"),
    [("A", 1), ("B", 3), ("C", 6), ("SB", 2), ("SC", 1), ("SD", 2), ("SE", 4), ("X0", 0), ("X1", 18), ("X2", 18)],
)
def test_generalized_hamming(name: str, distance: int) -> None:
    assert_value(sm.generalized_hamming(*pair(name)), str(distance))


@pytest.mark.parametrize(
    ("name", "tolerance", "precision", "recall", "f1"),
    [
        ("A", 0, "1/2", "1/2", "1/2"),
        ("A", 1, "1", "1", "1"),
        ("B", 0, "1/3", "1/2", "2/5"),
        ("B", 1, "2/3", "1", "4/5"),
        ("C", 0, "4/5", "2/3", "8/11"),
        ("C", 1, "4/5", "2/3", "8/11"),
        ("X0", 0, None, None, None),
        ("X1", 0, "0", None, "0"),
        ("X2", 0, None, "0", "0"),
        ("X3", 0, "1", "1", "1"),
    ],
)
def test_boundary_precision_recall_f1(name: str, tolerance: int, precision: Value, recall: Value, f1: Value) -> None:
    assert_value(sm.boundary_precision(*pair(name), tolerance=tolerance), precision)
    assert_value(sm.boundary_recall(*pair(name), tolerance=tolerance), recall)
    assert_value(sm.boundary_f1(*pair(name), tolerance=tolerance), f1)
