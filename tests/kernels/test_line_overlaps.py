"""Overlaps of spans of a line: native code against the numpy twin against Python sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from segmetry.kernels.backend import numpy_twin
from segmetry.kernels.interval_pairs import LineOverlaps, line_overlaps, overlapping_pairs, united
from segmetry.segmentation.spans import Spans
from segmetry.testing.strategies import span_pairs
from tests.profiles import examples


def by_hand(true: Spans, pred: Spans) -> list[list[int]]:
    sides = [
        [set(range(*ends)) for ends in zip(s.starts.tolist(), s.stops.tolist(), strict=True)] for s in (true, pred)
    ]
    rows = [(i, j, len(t & h)) for i, t in enumerate(sides[0]) for j, h in enumerate(sides[1]) if t & h]
    outside = [
        [len(one - set().union(*other)) for one in side] for side, other in ((sides[0], sides[1]), (sides[1], sides[0]))
    ]
    return [[row[at] for row in rows] for at in range(3)] + outside


def plain(pairs: LineOverlaps) -> list[list[int]]:
    return [column.tolist() for column in pairs]


@given(span_pairs())
@examples(3)
def test_overlaps_of_a_line(pair: tuple[Spans, Spans]) -> None:
    ends = [(side.starts, side.stops) for side in pair]
    assert plain(line_overlaps(*ends)) == by_hand(*pair)
    assert plain(numpy_twin(line_overlaps)(*ends)) == by_hand(*pair)


def test_the_example_of_overlapping_pairs() -> None:
    first, second = np.array([[0, 4], [5, 9]]), np.array([[3, 6], [9, 10]])
    assert [at.tolist() for at in overlapping_pairs(*first.T, *second.T)] == [[0, 1], [0, 0]]


def test_the_example_of_united() -> None:
    assert [part.tolist() for part in united(np.array([0, 2, 3]), np.array([2, 3, 9]), np.array([1, 1, 0]))] == [
        [3, 0],
        [9, 3],
        [0, 1],
    ]
