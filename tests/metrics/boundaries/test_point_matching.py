"""Matchings on a line against all matchings of small sets, and greedy pairs against the loop they stand for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st

from segmetry.metrics.boundaries import point_matching
from segmetry.metrics.boundaries.point_matching import cheapest_pairs, greedy_pairs, most_pairs, only_in

points = st.sets(st.integers(0, 14), max_size=6)


def matchings(first: list[int], second: set[int], reach: int) -> Iterator[list[tuple[int, int]]]:
    """Every one-to-one matching within reach."""
    if not first:
        yield []
        return
    for rest in matchings(first[1:], second, reach):
        yield rest
    for partner in second:
        if abs(first[0] - partner) <= reach:
            for rest in matchings(first[1:], second - {partner}, reach):
                yield [(first[0], partner), *rest]


def as_array(values: set[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(sorted(values), dtype=np.int64)


@given(first=points, second=points, tolerance=st.integers(0, 5))
def test_most_pairs(first: set[int], second: set[int], tolerance: int) -> None:
    best = max(len(result) for result in matchings(sorted(first), second, tolerance))
    assert most_pairs(as_array(first), as_array(second), tolerance) == best


@given(
    first=points,
    second=points,
    reach=st.integers(0, 8),
    costs=st.tuples(*[st.integers(0, 9)] * 3),
)
def test_cheapest_pairs(first: set[int], second: set[int], reach: int, costs: tuple[int, int, int]) -> None:
    alone_first, alone_second, per_step = costs

    def cost(pairs: list[tuple[int, int]]) -> int:
        moved = sum(per_step * abs(a - b) for a, b in pairs)
        return moved + alone_first * (len(first) - len(pairs)) + alone_second * (len(second) - len(pairs))

    result = cheapest_pairs(as_array(first), as_array(second), reach, *costs).tolist()
    assert len({a for a, _ in result} & first) == len({b for _, b in result} & second) == len(result)
    assert all(abs(a - b) <= reach for a, b in result)
    assert cost(result) == min(cost(other) for other in matchings(sorted(first), second, reach))


@given(first=st.sets(st.integers(0, 40)), second=st.sets(st.integers(0, 40)), reach=st.integers(0, 9))
def test_greedy_pairs(first: set[int], second: set[int], reach: int) -> None:
    left, right = first - second, second - first
    expected: list[list[int]] = []
    free_left, free_right = set(left), set(right)
    for distance in range(1, reach + 1):
        for at in range(41):
            for a, b in ((at, at + distance), (at + distance, at)):
                if a in free_left and b in free_right:
                    expected.append([a, b])
                    free_left.remove(a)
                    free_right.remove(b)
    few = greedy_pairs(as_array(left), as_array(right), reach).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(point_matching, "FEW", -1)
        many = greedy_pairs(as_array(left), as_array(right), reach).tolist()
    assert few == many
    assert sorted(few) == sorted(expected)


@given(first=points, second=points)
def test_only_in(first: set[int], second: set[int]) -> None:
    alone, other, shared = only_in(as_array(first), as_array(second))
    assert (set(alone.tolist()), set(other.tolist()), shared) == (first - second, second - first, len(first & second))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(point_matching, "FEW", -1)
        many = only_in(as_array(first), as_array(second))
    assert (many[0].tolist(), many[1].tolist(), many[2]) == (alone.tolist(), other.tolist(), shared)


@pytest.mark.parametrize("reach", [1, 2, 50])
def test_a_long_chain_needs_no_more_than_its_band(reach: int) -> None:
    first, second = np.arange(0, 4000, 2), np.arange(1, 4001, 2)
    pairs = cheapest_pairs(first, second, reach, 100, 100, 1)
    assert len(pairs) == 2000
    assert (np.abs(pairs[:, 0] - pairs[:, 1]) == 1).all()
