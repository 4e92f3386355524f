"""Which items have pictures, and that a picture shows what was counted or is left out with a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import DataWarning, OptionError
from segmetry.report import item_pictures as pixels
from segmetry.report.item_pictures import pixels_of, worst_first
from segmetry.report.segment_columns import page_rows
from segmetry.run.run import Run
from tests.report import decoding

TRUE = {"good": [[1, 1, 2, 2]], "bad": [[1, 1, 2, 2]], "none": [[0, 0, 0, 0]], "fair": [[1, 1, 2, 2]]}
PRED = {"good": [[1, 1, 2, 2]], "bad": [[1, 0, 1, 1]], "none": [[0, 0, 0, 0]], "fair": [[1, 1, 0, 2]]}


def shown(true: object, pred: object, **options: object) -> pixels.Pixels:
    return pixels_of(sm.evaluate({"a": true}, {"a": pred}, metrics="pq"), **options)  # type: ignore[arg-type]


def test_worst_first_and_undefined_last() -> None:
    run = sm.evaluate(TRUE, PRED, metrics="pq")
    assert [run.names[at] for at in worst_first(run)] == ["bad", "fair", "good", "none"]


@pytest.mark.parametrize(
    ("maps", "expected"),
    [(None, [0, 1, 2, 3]), ("all", [0, 1, 2, 3]), ("none", []), (2, [1, 3]), ("1", [1]), (0, []), (9, [0, 1, 2, 3])],
)
def test_the_worst_items_have_pictures(maps: str | int | None, expected: list[int]) -> None:
    pixels = pixels_of(sm.evaluate(TRUE, PRED, metrics="pq"), maps)
    assert sorted(pixels.headers) == sorted(pixels.texts) == expected
    assert (pixels.problem is None) == (len(expected) == 4)


@pytest.mark.parametrize("maps", ["some", -1, "-3", "1.5"])
def test_a_strange_number_of_pictures_is_an_error(maps: str | int) -> None:
    with pytest.raises(OptionError, match="expected 'all', 'none' or a number"):
        pixels_of(sm.evaluate(TRUE, PRED, metrics="pq"), maps)


def test_inputs_for_no_pictures_are_an_error() -> None:
    with pytest.raises(OptionError, match="maps asks for none"):
        pixels_of(sm.evaluate(TRUE, PRED, metrics="pq"), "none", true=TRUE, pred=PRED)


def test_the_planes_of_an_item_are_those_of_its_labels() -> None:
    numbers = np.random.default_rng(3)
    true, pred = (sm.LabelArray(numbers.integers(0, 4, (2, 3, 4, 5)) * 10, void=30) for _ in range(2))
    pixels = shown(true, pred)
    header, lines = pixels.headers[0], pixels.texts[0].split("\n")
    assert header["shape"] == [2, 3, 4, 5]
    assert header["planes"] == list(range(6))
    for at in range(6):
        for line, side in ((lines[2 * at], true), (lines[2 * at + 1], pred)):
            assert np.array_equal(decoding.plane(line, 4, 5), side.labels.reshape(6, 4, 5)[at] // 10)


def test_a_volume_is_cut_along_its_shortest_axis_and_a_video_by_frames() -> None:
    numbers = np.random.default_rng(4)
    volume, spacing = numbers.integers(0, 4, (5, 6, 3)), (2.0, 1.0, 9.0)
    pixels = shown(sm.LabelArray(volume, spacing=spacing), sm.LabelArray(volume, spacing=spacing))
    header = pixels.headers[0]
    assert (header["rows"], header["columns"], header["stack"], header["tall"]) == (5, 6, [3], 2.0)
    assert np.array_equal(decoding.plane(pixels.texts[0].split("\n")[2], 5, 6), volume[:, :, 1])
    run = sm.evaluate({"a": volume}, {"a": volume}, metrics="pq,stq")
    header = pixels_of(run).headers[0]
    assert (header["rows"], header["columns"], header["stack"], header["word"]) == (6, 3, [5], "frame")


def test_a_volume_opens_where_most_is_wrong_and_knows_where_segments_are_largest() -> None:
    true = np.zeros((4, 5, 5), dtype=int)
    true[2] = true[1, 0] = 1
    true[1, 2:4] = 2
    pred = true.copy()
    pred[1, 2:4] = 0
    pred[3, 4, 3:] = 3
    spaced = [sm.LabelArray(side, spacing=(3.0, 1.0, 2.0), unit="mm") for side in (true, pred)]
    header = shown(*spaced).headers[0]
    assert (header["first"], header["peaks"]) == (1, ([2, 1], [2, 3]))
    assert (header["axis"], header["spacing"], header["unit"]) == (0, [3.0, 1.0, 2.0], "mm")
    classes = [sm.LabelArray(side, classes={1: name, 2: "b", 3: "b"}) for side, name in ((true, "a"), (pred, "c"))]
    assert shown(*classes).headers[0]["first"] == 2, "a segment of the wrong class is wrong where it is"


def test_large_planes_are_thinned_out_and_long_stacks_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "MOST_IN_PLANE", 30)
    monkeypatch.setattr(pixels, "MOST_IN_ITEM", 75)
    volume = np.random.default_rng(5).integers(0, 3, (9, 9, 10))  # of two shortest axes the first is taken
    pictures = shown(volume, volume)
    header = pictures.headers[0]
    assert (header["step"], header["rows"], header["columns"]) == (2, 5, 5)
    assert header["planes"] == [0, 4, 8]
    assert np.array_equal(decoding.plane(pictures.texts[0].split("\n")[2], 5, 5), volume[4, ::2, ::2])
    monkeypatch.setattr(pixels, "MOST_IN_ITEM", 30)
    assert shown(volume, volume).headers[0]["planes"] == [4]


def test_a_line_of_labels_is_one_row() -> None:
    header = shown(np.array([1, 1, 2]), np.array([1, 0, 2])).headers[0]
    assert (header["shape"], header["rows"], header["columns"]) == ([3], 1, 3)


def test_masks_and_spans() -> None:
    stack = np.zeros((2, 3, 4), dtype=bool)
    stack[0, :2], stack[1, 1:] = True, True
    run = sm.evaluate({"a": sm.Masks.from_dense(stack)}, {"a": sm.Masks.from_dense(stack[:1])}, resolve="keep")
    pixels = pixels_of(run)
    assert pixels.headers[0]["kind"] == "masks"
    assert np.array_equal(decoding.masks(pixels.texts[0].split("\n")[0], (3, 4)), stack)
    lines = shown(sm.Spans.from_masses([5, 3]), sm.Spans.from_spans([(1, 4)], n=8))
    colours = {"true": "01", "pred": "0"}
    assert lines.headers[0] == {
        "kind": "spans",
        "shape": [8],
        "colours": colours,
        "tick": None,
        "unit": "elements",
        "words": None,
    }
    assert [decoding.spans(line) for line in lines.texts[0].split("\n")] == [[(0, 5), (5, 8)], [(1, 4)]]


def test_painted_masks_are_drawn_as_they_were_counted() -> None:
    stack = np.zeros((2, 3, 4), dtype=bool)
    stack[0, :2], stack[1, 1:] = True, True
    scored = sm.Masks.from_dense(stack, scores=[0.2, 0.9])
    true = sm.Masks.from_dense(stack[:1])
    run = sm.evaluate({"a": true}, {"a": scored}, resolve="by_score", metrics="pq")
    drawn = decoding.masks(pixels_of(run).texts[0].split("\n")[1], (3, 4))
    assert [mask.sum() for mask in drawn] == [4, 8]


def test_sets_have_no_pictures() -> None:
    sets = sm.Sets({1: {"x", "y"}})
    pixels = shown(sets, sets)
    assert (pixels.headers, pixels.problem) == ({}, None)


def test_what_is_gone_or_changed_leaves_the_report_without_pictures(tmp_path: Path) -> None:
    for side in ("t", "p"):
        np.save(tmp_path / f"{side}.npy", np.array([[1, 1, 2]]))
    sm.evaluate(tmp_path / "t.npy", tmp_path / "p.npy", out=tmp_path / "run.segm", metrics="pq")
    run = Run.open(tmp_path / "run.segm")
    assert pixels_of(run).problem is None
    np.save(tmp_path / "p.npy", np.array([[1, 2, 2]]))
    with pytest.warns(DataWarning, match="the report has no pictures: the input"):
        problem = pixels_of(run).problem
    assert problem is not None and "the input p.npy of pred has changed since the run started" in problem
    (tmp_path / "p.npy").unlink()
    with pytest.warns(DataWarning, match="the report has no pictures"):
        problem = pixels_of(run).problem
    assert problem is not None and "is not there any more" in problem


def test_an_array_that_was_changed_in_memory_is_noticed() -> None:
    true, pred = np.array([[1, 1, 2]]), np.array([[1, 2, 2]])
    run = sm.evaluate({"a": true}, {"a": pred}, metrics="pq")
    pred[0, 1] = 1
    with pytest.warns(DataWarning, match="the report has no pictures"):
        problem = pixels_of(run).problem
    assert problem is not None and "item 'a' is not what it was" in problem


def test_pictures_need_all_rows_of_their_items(monkeypatch: pytest.MonkeyPatch) -> None:
    run = sm.evaluate(TRUE, PRED, metrics="pq")  # 2, 2, 0 and 2 rows
    monkeypatch.setattr(pixels, "MOST_ROWS", 3)
    pictures = pixels_of(run)
    assert sorted(pictures.headers) == [1]
    assert pictures.problem is not None and "of the 1 worst items (one page has room" in pictures.problem
    rows = page_rows(run, ["theta_and"], pictures.headers, most=3)
    assert not rows.are_all
    tables = run.tables_together
    assert np.array_equal(rows.kept[tables.row_item[rows.kept] == 1], np.flatnonzero(tables.row_item == 1))


def test_the_example_of_worst_first() -> None:
    import segmetry as sm

    run = sm.evaluate({"a": [[1, 1]], "b": [[1, 2]]}, {"a": [[1, 1]], "b": [[1, 0]]}, metrics="pq")
    assert worst_first(run) == [1, 0]
