"""Change points: tracks, readers' cases and worked numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import KindError, OptionError
from segmetry.segmentation.spans import Spans
from segmetry.segmentation.time_intervals import TimeIntervals

CUTS = st.sets(st.integers(1, 11), max_size=5).map(sorted)


@given(CUTS, CUTS)
def test_covering_is_the_best_jaccard_index_by_sets(true: list[int], pred: list[int]) -> None:
    def parts(cuts: list[int]) -> list[set[int]]:
        edges = [0, *cuts, 12]
        return [set(range(*edges[at : at + 2])) for at in range(len(edges) - 1)]

    expected = sum(len(t) * max(len(t & p) / len(t | p) for p in parts(pred)) for t in parts(true)) / 12
    sides = Spans.from_boundaries(true, 12), Spans.from_boundaries(pred, 12)
    assert sm.change_point_covering(*sides).value == pytest.approx(expected, abs=1e-12)


@given(CUTS, CUTS, st.integers(0, 4))
def test_an_optimal_pairing_finds_no_fewer(true: list[int], pred: list[int], margin: int) -> None:
    sides = Spans.from_boundaries(true, 12), Spans.from_boundaries(pred, 12)
    nearest, optimal = (sm.change_point_f1(*sides, margin=margin, pairing=how) for how in ("nearest", "optimal"))
    assert optimal.value >= nearest.value


def test_tracks_are_annotators() -> None:
    line = TimeIntervals([0, 0, 10], [30, 10, 30], tracks=["a", "b", "b"])
    assert {name: spans.boundaries.tolist() for name, spans in line.by_track().items()} == {"a": [], "b": [10]}
    assert line.rescaled(2).tracks == line.tracks == ("b", "a", "b")


def test_a_shorter_prediction_ends_with_its_last_segment() -> None:
    true, pred = TimeIntervals([0, 10], [10, 30]), TimeIntervals([0, 10], [10, 11])
    assert sm.change_point_covering(true, pred).value == 1 and sm.change_point_f1(true, pred).value == 1


def test_overlapping_intervals_need_tracks() -> None:
    with pytest.raises(KindError, match="intervals overlap within track None; expected tracks="):
        sm.change_point_f1(TimeIntervals([0, 1], [5, 6]), TimeIntervals([0], [6]))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"margin": -1}, "margin is -1; expected an integer number of elements, 0 or more"),
        ({"within": "x"}, "within is 'x'; expected 'at_most' or 'below'"),
        ({"pairing": "x"}, "pairing is 'x'; expected one of nearest, every, optimal"),
    ],
)
def test_a_wrong_option_is_an_error(option: dict[str, object], words: str) -> None:
    line = Spans.from_masses([3, 4])
    with pytest.raises(OptionError, match=words):
        sm.change_point_f1(line, line, **option)


def test_a_prediction_has_one_track() -> None:
    several = TimeIntervals([0, 0], [3, 3], tracks=["a", "b"])
    with pytest.raises(OptionError, match="pred has 2 tracks; expected one prediction"):
        sm.change_point_f1(several, several)
