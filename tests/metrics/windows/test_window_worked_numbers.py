"""The worked numbers of the specification for Pk, WindowDiff, Pr_error, WinPR and partial segmentations.

Fractions are compared exactly, decimals to the digits printed, None means undefined.
"""

from __future__ import annotations

import numpy as np
import pytest

import segmetry as sm
from segmetry.metrics.windows.sliding_windows import slide_windows
from segmetry.metrics.windows.window_metrics import WindowConfusion
from tests.metrics.linear_pairs import Value, assert_value, pair


@pytest.mark.parametrize(
    ("name", "k", "pk", "window_diff", "weighted"),
    [
        ("A", 2, "2/11", "2/11", "2/11"),
        ("B", 2, "3/11", "3/11", "4/11"),
        ("C", 2, "5/19", "6/19", "6/19"),
        ("SB", 3, "3/9", "3/9", "1/3"),
        ("SC", 3, "2/9", "2/9", "2/9"),
        ("SD", 3, "1/9", "1/9", "1/9"),
        ("SE", 3, "2/9", "5/9", "2/3"),
        ("M", 2, "6/11", "6/11", "6/11"),
        ("X0", 5, "0", "0", "0"),
        ("X1", 5, "1", "1", "5"),
        ("X2", 1, "1", "1", "1"),
        ("X2", 2, "1", "1", "2"),
        ("X3", 1, "0", "0", "0"),
        ("U1", 1, None, None, None),
        ("U1", 2, None, None, None),
        ("U2b", 1, "1", "1", "1"),
        ("U2b", 2, None, None, None),
    ],
)
def test_pk_and_window_diff(name: str, k: int, pk: Value, window_diff: Value, weighted: Value) -> None:
    assert_value(sm.pk(*pair(name), k=k), pk)
    assert_value(sm.window_diff(*pair(name), k=k), window_diff)
    assert_value(sm.window_diff(*pair(name), k=k, weighted=True), weighted)


@pytest.mark.parametrize(("name", "k"), [("A", 2), ("B", 2), ("C", 2), ("SB", 3), ("X0", 5), ("X2", 1), ("U2b", 1)])
def test_the_k_of_the_tables_is_the_default(name: str, k: int) -> None:
    assert sm.window_size(pair(name)[0]) == k


@pytest.mark.parametrize(
    ("name", "pk"),
    [
        ("A", 0.2),
        ("B", 0.2),
        ("C", 0.263158),
        ("SB", "1"),
        ("SC", 0.166667),
        ("SD", "0"),
        ("SE", "0"),
        ("M", 0.4),
        ("X0", "0"),
        ("X1", "1"),
        ("X2", "0"),
        ("X3", "0"),
        ("U2b", "0"),
    ],
)
def test_pk_with_the_default_k_of_nltk(name: str, pk: Value) -> None:
    assert_value(sm.pk(*pair(name), k="nltk"), pk)


@pytest.mark.parametrize(
    ("name", "k", "pk", "window_diff"),
    [
        ("A", 2, "2/13", "2/13"),
        ("B", 2, "3/13", "3/13"),
        ("C", 2, "5/21", "6/21"),
        ("SB", 3, "3/13", "3/13"),
        ("SC", 3, "2/13", "2/13"),
        ("SD", 3, "3/13", "3/13"),
        ("SE", 3, "2/13", "5/13"),
        ("X0", 5, "0", "0"),
        ("X1", 5, "1", "1"),
        ("X2", 2, "1", "1"),
        ("U2b", 1, "1", "1"),
        ("U2b", 2, "1", "1"),
        ("U1", 1, None, None),
    ],
)
def test_padded_pk_and_window_diff(name: str, k: int, pk: Value, window_diff: Value) -> None:
    assert_value(sm.pk(*pair(name), k=k, padded=True), pk)
    assert_value(sm.window_diff(*pair(name), k=k, padded=True), window_diff)


@pytest.mark.parametrize(
    ("name", "k", "miss", "false_alarm", "error"),
    [
        ("A", 2, "1/4", "1/11", "15/88"),
        ("B", 2, "1/4", "2/11", "19/88"),
        ("C", 2, "4/11", "2/19", "49/209"),
        ("SB", 3, "1", "0", "1/2"),
        ("SD", 3, "0", "1/9", "1/18"),
        ("SE", 3, "0", "5/9", "5/18"),
        ("X0", 5, None, "0", None),
        ("X1", 5, None, "1", None),
        ("X2", 2, "1", "0", "1/2"),
    ],
)
def test_pr_error(name: str, k: int, miss: Value, false_alarm: Value, error: Value) -> None:
    assert_value(sm.pr_miss(*pair(name), k=k), miss)
    assert_value(sm.pr_false_alarm(*pair(name), k=k), false_alarm)
    assert_value(sm.pr_error(*pair(name), k=k), error)


@pytest.mark.parametrize(
    ("name", "k", "table", "precision", "recall", "f1"),
    [
        ("A", 2, (3, 1, 1, 19), "3/4", "3/4", "3/4"),
        ("B", 2, (3, 3, 1, 17), "1/2", "3/4", "3/5"),
        ("C", 2, (8, 2, 4, 26), "4/5", "2/3", "8/11"),
        ("SB", 3, (0, 0, 3, 30), None, "0", "0"),
        ("SC", 3, (2, 1, 1, 29), "2/3", "2/3", "2/3"),
        ("SD", 3, (3, 3, 0, 27), "1/2", "1", "2/3"),
        ("SE", 3, (3, 6, 0, 24), "1/3", "1", "1/2"),
        ("X0", 5, (0, 0, 0, 45), None, None, None),
        ("X1", 5, (0, 45, 0, 0), "0", None, "0"),
        ("X2", 2, (0, 0, 18, 0), None, "0", "0"),
        ("X3", 2, (18, 0, 0, 0), "1", "1", "1"),
        ("U1", 1, (0, 0, 0, 0), None, None, None),
    ],
)
def test_winpr(name: str, k: int, table: tuple[int, int, int, int], precision: Value, recall: Value, f1: Value) -> None:
    assert sm.window_confusion(*pair(name), k) == WindowConfusion(k, *table)
    assert_value(sm.winpr_precision(*pair(name), k=k), precision)
    assert_value(sm.winpr_recall(*pair(name), k=k), recall)
    assert_value(sm.winpr_f1(*pair(name), k=k), f1)


@pytest.mark.parametrize(
    ("name", "k", "table"),
    [
        ("A", 2, (3, 1, 1, 17)),
        ("B", 2, (3, 3, 1, 15)),
        ("C", 2, (8, 2, 4, 24)),
        ("SB", 3, (0, 0, 3, 24)),
        ("SC", 3, (2, 1, 1, 23)),
        ("SD", 3, (3, 1, 0, 23)),
        ("SE", 3, (3, 6, 0, 18)),
        ("X0", 5, (0, 0, 0, 25)),
        ("X1", 5, (0, 25, 0, 0)),
        ("X2", 2, (0, 0, 16, 0)),
        ("X3", 2, (16, 0, 0, 0)),
    ],
)
def test_without_padding_the_windows_give_the_table_of_the_author_s_program(
    name: str, k: int, table: tuple[int, int, int, int]
) -> None:
    result = slide_windows(*pair(name), k)
    _, lengths, r, c = result.runs()
    values = np.minimum(r, c), np.maximum(c - r, 0), np.maximum(r - c, 0), k - np.maximum(r, c)
    assert tuple(int(value @ lengths) for value in values) == table


@pytest.mark.parametrize(
    ("spans", "n", "masses"),
    [([(2, 5), (7, 9)], 10, [2, 3, 2, 2, 1]), ([], 5, [5]), ([(0, 1), (1, 2)], 6, [1, 1, 4])],
)
def test_gaps_are_filled_by_one_segment_each(spans: list[tuple[int, int]], n: int, masses: list[int]) -> None:
    assert sm.Spans.from_spans(spans, n).masses.tolist() == masses


def test_the_filled_line_cannot_tell_a_gap_from_a_segment() -> None:
    true = sm.Spans.from_spans([(0, 3), (5, 8)], n=8)
    pred = sm.Spans.from_spans([(0, 3), (3, 5), (5, 8)], n=8)
    assert true.masses.tolist() == pred.masses.tolist() == [3, 2, 3]
    assert sm.pk(true, pred).value == sm.window_diff(true, pred, padded=True).value == 0
    assert_value(sm.precision(true, pred), "2/3")
    assert_value(sm.recall(true, pred), "1")


def test_partial_segmentations_in_windows() -> None:
    true = sm.Spans.from_spans([(2, 5), (7, 9)], n=10)
    pred = sm.Spans.from_spans([(2, 6), (7, 9)], n=10)
    assert_value(sm.pk(true, pred, k=1), "2/9")
    assert_value(sm.window_diff(true, pred, k=1), "2/9")
    assert_value(sm.pk(true, pred, k=2), "1/8")
    assert_value(sm.window_diff(true, pred, k=2), "1/4")
    assert sm.window_confusion(true, pred, 2) == WindowConfusion(2, 7, 1, 1, 9)
