"""The picture of one pair: as many coloured elements as are shared, missed and spurious, for every kind of segments."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError
from segmetry.outputs.plots.pair_picture import COLOURS, SIDE, _true_runs
from segmetry.outputs.plots.picture import Picture, Rectangle, Words

TRUE = np.zeros((9, 20), dtype=np.int64)
TRUE[1:7, 2:10] = 3
PRED = np.zeros_like(TRUE)
PRED[2:8, 5:15] = 8


def coloured(picture: Picture, cells: int) -> list[int]:
    """The elements of each colour, from the widths of the rectangles; the swatches of the legend are left out."""
    found: Counter[str] = Counter()
    for shape in picture.shapes:
        if isinstance(shape, Rectangle) and shape.height != 10:
            found[shape.fill] += round(shape.width * cells / SIDE)
    return [found[colour] for colour in COLOURS]


def words(picture: Picture) -> list[str]:
    return [shape.text for shape in picture.shapes if isinstance(shape, Words)]


def counts(true: Any, pred: Any) -> list[int]:
    return [np.count_nonzero(true & pred), np.count_nonzero(true & ~pred), np.count_nonzero(pred & ~true)]


def test_a_pair_of_label_images() -> None:
    alignment = sm.align(sm.overlap(TRUE, PRED), "theta_and")
    picture = alignment.draw((3, 8))
    expected = counts(TRUE == 3, PRED == 8)
    assert coloured(picture, 15) == expected == [25, 23, 35]
    assert words(picture)[1:4] == ["shared 25", "missed 23", "spurious 35"]
    assert words(picture)[-1] == "majority overlap: no, IoU > 0.5: no"
    assert picture.title == "true 3 and pred 8: IoU 0.3012; 25 shared, 23 missed, 35 spurious"


@pytest.mark.parametrize("rows", [4, 8])
def test_a_pair_of_the_alignment_and_its_verdict(rows: int) -> None:
    true, pred = TRUE[:, :10], np.zeros_like(TRUE[:, :10])
    pred[1 : 1 + rows, 2:10] = 1
    (pair,) = sm.align(sm.overlap(true, pred), "theta_and").pairs()
    picture = sm.align(sm.overlap(true, pred), "theta_and").draw(pair)
    assert coloured(picture, 9) == counts(true == 3, pred == 1)
    assert words(picture)[-1] == "majority overlap: yes, IoU > 0.5: yes"


def test_masks_that_overlap() -> None:
    true, pred = sm.Masks.from_dense(np.stack([TRUE == 3, TRUE >= 0])), sm.Masks.from_dense(np.stack([PRED == 8]))
    picture = sm.overlap(true, pred).align("iou(above=0)", resolve="keep").draw((1, 1))
    assert coloured(picture, 15) == [25, 23, 35]


def test_the_slice_of_a_volume_with_the_most_elements() -> None:
    true, pred = np.zeros((4, 9, 20), dtype=np.int64), np.zeros((4, 9, 20), dtype=np.int64)
    true[1], pred[1], true[2, 4, 4] = TRUE, PRED, 3
    picture = sm.align(sm.overlap(true, pred)).draw((3, 8))
    assert coloured(picture, 15) == [25, 23, 35]
    assert words(picture)[-1] == "slice 2 of 4"
    assert "missed 24" in words(picture)


def test_spans_are_a_bar() -> None:
    true, pred = sm.Spans.from_masses([3, 9, 8]), sm.Spans.from_masses([6, 14])
    assert coloured(sm.overlap(true, pred).align().draw((2, 2)), 19) == [6, 3, 8]


@pytest.mark.parametrize("known", [True, False])
def test_elements_without_places_stand_in_a_row(known: bool) -> None:
    table = (
        sm.overlap(sm.Sets([{1, 2, 3, 4}]), sm.Sets([{3, 4, 5}]))
        if known
        else sm.OverlapTable.from_rows([(1, 1, 2)], {1: 4}, {1: 3})
    )
    picture = table.align().draw((1, 1))
    assert coloured(picture, 5) == [2, 2, 1]
    assert words(picture)[-1] == "elements in a row"


def test_many_elements_without_places_keep_their_shares() -> None:
    picture = sm.OverlapTable.from_rows([(1, 1, 10**9)], {1: 2 * 10**9}, {1: 10**9 + 1}).align().draw((1, 1))
    assert coloured(picture, 299) == [149, 149, 1]


def test_polygons_are_drawn_on_a_grid() -> None:
    from shapely import box

    true, pred = sm.Polygons([box(0, 0, 4, 4)]), sm.Polygons([box(2, 0, 6, 4)], precision=0.5)
    picture = sm.overlap(true, pred).align().draw((1, 1))
    shared, missed, spurious = coloured(picture, 300)
    assert shared == pytest.approx(missed, rel=0.03) == pytest.approx(spurious, rel=0.03)
    assert shared > 10_000


def test_void_elements_that_do_not_count_have_no_colour() -> None:
    labels = TRUE.copy()
    labels[2:4, 10:15] = 9
    true = sm.LabelArray(labels, void=9)
    picture = sm.overlap(true, PRED).align(policy="coco").draw((3, 8), true, PRED)
    assert coloured(picture, 15) == [25, 23, 25]
    assert "spurious 25" in words(picture)


def test_arrays_that_are_gone_can_be_given() -> None:
    alignment = sm.align(sm.overlap(TRUE.copy(), PRED.copy()))
    assert words(alignment.draw((3, 8)))[-1] == "elements in a row"
    assert coloured(alignment.draw((3, 8), TRUE, PRED), 15) == [25, 23, 35]


def test_large_segments_are_thinned_out() -> None:
    true = np.ones((1500, 1000), dtype=np.uint8)
    pred = true * 2
    assert len(sm.align(sm.overlap(true, pred)).draw((1, 2)).shapes) < 400


def test_ids_must_exist() -> None:
    with pytest.raises(InputError, match=r"there is no pred segment 5; expected one of 8$"):
        sm.align(sm.overlap(TRUE, PRED)).draw((3, 5))


def test_the_example_of_pair_picture() -> None:
    import segmetry as sm

    true, pred = sm.Spans.from_masses([3, 1]), sm.Spans.from_masses([1, 3])
    assert (
        sm.align(sm.overlap(true, pred), "theta_and").draw((1, 2)).title
        == "true 1 and pred 2: IoU 0.5000; 2 shared, 1 missed, 1 spurious"
    )


def test_the_example_of_runs() -> None:
    assert _true_runs(np.array([True, True, False, True])) == [[0, 2], [3, 4]]
