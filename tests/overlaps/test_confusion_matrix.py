"""The confusion matrix: of a pair, of a run, as shares, as a plot, and against counting by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import ClassesError, InputError
from segmetry.overlaps.class_table import OUTSIDE, TRUE_CLASS, largest_confusions

NAMES = {0: OUTSIDE, 1: "1", 2: "2", 3: "3"}
ROWS = st.lists(st.tuples(st.sampled_from([0, 1, 2, 3, 255]), st.sampled_from([0, 1, 2, 3])), min_size=1, max_size=12)


def sides(pairs: list[tuple[int, int]]) -> tuple[sm.LabelArray, sm.LabelArray]:
    true, pred = (np.array([[pair[side] for pair in pairs]]) for side in (0, 1))
    return sm.LabelArray.from_classes(true, void=255), sm.LabelArray.from_classes(pred)


@given(ROWS)
def test_counts_and_shares(pairs: list[tuple[int, int]]) -> None:
    cells = Counter((NAMES[true], NAMES[pred]) for true, pred in pairs if true != 255)
    counts, shares = (sm.confusion_matrix(*sides(pairs), shares=asked) for asked in (False, True))
    assert {(row[TRUE_CLASS], name): row[name] for row in counts for name in row if name != TRUE_CLASS} == {
        (true, pred): cells[true, pred] for true in counts[TRUE_CLASS] for pred in counts[TRUE_CLASS]
    }
    assert sum(cells.values()) == sum(sum(counts[name]) for name in counts.columns if name != TRUE_CLASS)
    for row, row_shares in zip(counts, shares, strict=True):
        total = sum(value for name, value in row.items() if name != TRUE_CLASS)
        expected = {name: row[name] / total if total else None for name in row if name != TRUE_CLASS}
        assert {name: row_shares[name] for name in expected} == expected


def test_of_a_run_it_is_the_sum_over_items_also_from_a_file(tmp_path: Path) -> None:
    items = {"a": sides([(1, 1), (1, 2), (255, 3)]), "b": sides([(2, 2), (0, 1), (1, 1)])}
    run = sm.evaluate(
        {name: pair[0] for name, pair in items.items()},
        {name: pair[1] for name, pair in items.items()},
        metrics="mean_iou",
        out=tmp_path / "run.segm",
    )
    whole = sm.confusion_matrix(*sides([(1, 1), (1, 2), (255, 3), (2, 2), (0, 1), (1, 1)]))
    assert run.confusion_matrix() == whole == sm.Run.open(tmp_path / "run.segm").confusion_matrix()
    assert sm.confusion_matrix(run.class_table()) == whole
    assert [tuple(cell) for cell in largest_confusions(run.class_table(), {2: "car"}, 1)] == [("1", "car", 1, 3)]


def test_without_classes_there_is_none() -> None:
    with pytest.raises(ClassesError, match="give classes="):
        sm.confusion_matrix([[1, 2]], [[1, 2]])


def test_the_plot_shows_shares_and_counts() -> None:
    matrix = sm.confusion_matrix(*sides([(1, 1), (1, 1), (1, 2), (1, 1), (2, 2), (0, 3)]))
    picture = sm.confusion_matrix_plot(matrix)
    assert "1 predicted as 2: 25.00 %, 1 elements" in picture.svg and ">75</text>" in picture.svg
    assert "3 predicted as 1: the true class does not occur" in picture.svg
    assert picture.png()[1:4] == b"PNG"
    with pytest.raises(InputError, match="expected a confusion matrix"):
        sm.confusion_matrix_plot(sm.Table("items", [{"item": "a"}]))
