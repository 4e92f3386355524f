"""Bars: colours say what is matched, joints where boundaries agree, strips where windows are wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import InputError, KindError, OptionError, ShapeMismatchError
from segmetry.outputs.plots.aligned_bars import MISCOUNTED, MISSED_OR_SPURIOUS, UNMATCHED
from segmetry.outputs.plots.picture import Line, Picture, Rectangle
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.metrics.linear_pairs import pair


def segments(picture: Picture) -> list[Rectangle]:
    return [shape for shape in picture.shapes if isinstance(shape, Rectangle) and "elements" in shape.note]


def wrong_windows(picture: Picture) -> list[Rectangle]:
    return [shape for shape in picture.shapes if isinstance(shape, Rectangle) and "windows" in shape.note]


def joints(picture: Picture, *, dashed: bool) -> int:
    lines = [shape for shape in picture.shapes if isinstance(shape, Line)]
    upright = [line for line in lines if abs(line.points[-1][1] - line.points[0][1]) == 22]
    return sum((line.dashes is not None) == dashed for line in upright)


@given(pair=span_pairs(shortest=1), k=st.integers(1, 8), padded=st.booleans())
def test_a_picture_shows_what_the_metrics_count(pair: tuple[Spans, Spans], k: int, padded: bool) -> None:
    true, pred = pair
    picture = sm.draw_bars(pair, k=k, padded=padded)
    drawn = segments(picture)
    assert len(drawn) == true.starts.size + pred.starts.size
    unmatched = [shape.fill == UNMATCHED for shape in drawn[true.starts.size :]]
    assert sum(unmatched) == sm.n_spurious(true, pred).value
    assert sum("no partner" in shape.note for shape in drawn[: true.starts.size]) == sm.n_missed(true, pred).value
    edits = sm.boundary_edits(true, pred)
    assert joints(picture, dashed=False) == edits.matched
    assert joints(picture, dashed=True) == len(edits.transposed)
    wrong = dict.fromkeys((MISSED_OR_SPURIOUS, MISCOUNTED), 0)
    for shape in wrong_windows(picture):
        wrong[shape.fill] += int(shape.note.split()[0])
    pk = sm.pk(true, pred, k=k, padded=padded)
    assert wrong[MISSED_OR_SPURIOUS] == (pk.numerator if pk.is_defined else 0)
    window_diff = sm.window_diff(true, pred, k=k, padded=padded)
    assert sum(wrong.values()) == (window_diff.numerator if window_diff.is_defined else 0)


def test_matched_segments_have_one_colour() -> None:
    drawn = segments(sm.draw_bars(pair("A")))
    assert [shape.fill for shape in drawn[:3]] == [shape.fill for shape in drawn[3:]]
    assert len({shape.fill for shape in drawn}) == 3


def test_bars_of_a_part_stay_within_it() -> None:
    picture = sm.draw_bars(
        {"true": Spans.from_masses([50, 50]), "pred": Spans.from_masses([40, 60])}, start=30, stop=60
    )
    assert [shape.note.partition(":")[0] for shape in segments(picture)] == [
        "[0, 50)",
        "[50, 100)",
        "[0, 40)",
        "[40, 100)",
    ]
    assert min(shape.x for shape in segments(picture)) > 40
    assert max(shape.x + shape.width for shape in segments(picture)) <= 800


def test_more_than_two_have_a_strip_each() -> None:
    lines = [Spans.from_masses([6, 6]), Spans.from_masses([12]), Spans.from_masses([5, 7])]
    picture = sm.draw_bars(lines)
    assert len({shape.y for shape in wrong_windows(picture)}) == 2


def test_all_windows_of_a_padded_line_are_on_the_page() -> None:
    """An edge error is in k windows, most of them beyond the end of the line."""
    (strip,) = wrong_windows(sm.draw_bars(pair("SD"), k=5))
    assert strip.note.startswith("5 windows of 5 gaps: 0 true and 1 predicted")
    one_element = segments(sm.draw_bars(pair("SD"), k=5))[0].width / 6
    assert strip.width == pytest.approx(5 * one_element)


@pytest.mark.parametrize(
    ("lines", "options", "error", "message"),
    [
        ([Spans.from_masses([2])], {}, InputError, "1 segmentation to draw; expected two or more"),
        (3, {}, KindError, "segmentations are a int"),
        ([Spans.from_masses([2]), [1, 1]], {}, KindError, "pred is a list; expected Spans"),
        (pair("A")[:1] + pair("C")[:1], {}, ShapeMismatchError, "true has 13 elements and pred has 21"),
        (pair("A"), {"start": 5, "stop": 5}, OptionError, "start is 5 and stop is 5; expected 0 <= start < stop <= 13"),
        (pair("A"), {"width": 50}, OptionError, "width is 50; these names need at least"),
        ([Spans.from_masses([1] * 3000)] * 2, {}, OptionError, "6000 segments are more than a picture can show"),
    ],
)
def test_what_cannot_be_drawn_is_rejected(lines: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sm.draw_bars(lines, **options)
