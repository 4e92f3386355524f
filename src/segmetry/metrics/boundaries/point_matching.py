r"""One-to-one matchings of two sets of points on a line, used by the boundary metrics.

The points are sorted, distinct positions (gaps with a boundary):

- :func:`most_pairs` is the maximum number of pairs within a tolerance;
- :func:`cheapest_pairs` is the matching of least cost, where a pair costs its distance and a single point a penalty;
- :func:`greedy_pairs` are the pairs of a greedy pass, nearest first, then from left to right.

An optimal matching need not cross itself: exchanging the partners of two crossing pairs makes neither the sum nor the
larger of their distances greater. So the first is computed by one sweep and the second by a dynamic program
over the two sorted lists, in which a point is compared only with points within reach: time and memory are linear in
the points for a fixed reach.

:func:`transpositions` are the pairs among the boundaries of one side only that are near misses of each other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, check_choice, checked_integer

FEW = 64
"""Points up to which Python's own sets are used: arrays cost more than they save."""

_ALONE_FIRST, _ALONE_SECOND, _PAIRED = 0, 1, 2


def most_pairs(first: IntArray, second: IntArray, tolerance: int) -> int:
    """Return the largest number of disjoint pairs at most ``tolerance`` apart."""
    if tolerance == 0:
        return only_in(first, second)[2]
    lefts, rights = first.tolist(), second.tolist()
    left = right = pairs = 0
    while left < len(lefts) and right < len(rights):
        distance = rights[right] - lefts[left]
        if distance > tolerance:
            left += 1
        elif distance < -tolerance:
            right += 1
        else:
            pairs, left, right = pairs + 1, left + 1, right + 1
    return pairs


def greedy_pairs(first: IntArray, second: IntArray, reach: int) -> IntArray:
    """Return pairs (of first, of second) by ascending distance 1 … reach, for each distance from left to right.

    Points at one distance d that may pair form chains p, p+d, p+2d …; along a chain the pass pairs the first with the
    second, the third with the fourth, so no loop over points is needed.
    """
    if first.size + second.size <= FEW:
        return _few_greedy_pairs(set(first.tolist()), set(second.tolist()), reach)
    points = np.concatenate((first, second))
    is_second = np.repeat(np.array([False, True]), (first.size, second.size))
    pairs = [np.zeros((0, 2), dtype=np.int64)]
    for distance in range(1, reach + 1):
        if is_second.all() or not is_second.any():
            break
        order = np.lexsort((points, points % distance))
        points, is_second = points[order], is_second[order]
        linked = (points[1:] - points[:-1] == distance) & (is_second[1:] != is_second[:-1])
        starts = np.flatnonzero(np.concatenate(([True], ~linked)))
        place = np.arange(points.size) - np.repeat(starts, np.diff(starts, append=points.size))
        left = np.flatnonzero(linked & (place[:-1] % 2 == 0))
        swapped = is_second[left]
        pairs.append(np.stack((points[left + swapped], points[left + ~swapped]), axis=1))
        kept = np.ones(points.size, dtype=bool)
        kept[left] = kept[left + 1] = False
        points, is_second = points[kept], is_second[kept]
    return np.concatenate(pairs)


def _few_greedy_pairs(first: set[int], second: set[int], reach: int) -> IntArray:
    """The same pairs in the same order; sets of a few points cost less than arrays."""
    pairs: list[tuple[int, int]] = []
    for distance in range(1, reach + 1):
        if not (first and second):
            break
        for point in sorted(first | second, key=lambda point: (point % distance, point)):
            other = point + distance
            if point in first and other in second:
                pair = point, other
            elif point in second and other in first:
                pair = other, point
            else:
                continue
            pairs.append(pair)
            first.discard(pair[0])
            second.discard(pair[1])
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def cheapest_pairs(
    first: IntArray, second: IntArray, reach: int, alone_first: int, alone_second: int, per_step: int
) -> IntArray:
    """Return the pairs of a matching of least cost among those whose pairs are at most ``reach`` apart.

    A point that stays alone costs ``alone_first`` or ``alone_second``, a pair ``per_step`` times its distance;
    integers, so that ties are exact.
    """
    pairs: list[tuple[int, int]] = []
    for lefts, rights in _connected_groups(first, second, reach):
        trail, lows = _fill_costs(lefts, rights, reach, (alone_first, alone_second, per_step))
        pairs += _walk_back(lefts, rights, trail, lows)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _connected_groups(first: IntArray, second: IntArray, reach: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield groups of points of both sets whose neighbours are within reach: no pair joins two groups."""
    points = np.concatenate((first, second))
    is_second = np.repeat(np.array([False, True]), (first.size, second.size))
    order = np.argsort(points, kind="stable")
    points, is_second = points[order], is_second[order]
    edges = np.concatenate(([0], np.flatnonzero(np.diff(points) > reach) + 1, [points.size]))
    seconds = np.diff(np.concatenate(([0], np.cumsum(is_second)))[edges])
    mixed = np.flatnonzero((seconds > 0) & (seconds < np.diff(edges)))
    for start, stop in zip(edges[mixed].tolist(), edges[mixed + 1].tolist(), strict=True):
        group, side = points[start:stop], is_second[start:stop]
        yield group[~side].tolist(), group[side].tolist()


def _fill_costs(
    lefts: list[int], rights: list[int], reach: int, costs: tuple[int, int, int]
) -> tuple[list[bytearray], list[int]]:
    r"""Return the choices of the dynamic program, one row for each left point.

    Cost C(i, j) of the first i left and the first j right points: the least of C(i-1, j) + alone, C(i, j-1) + alone
    and, within reach, C(i-1, j-1) + the pair. Row i keeps only j = low … high, where the right points low … high-1 are
    within reach of left point i: later rows never need less than low, and beyond high every further right point
    is unpaired.
    """
    alone_left, alone_right, per_step = costs
    trail: list[bytearray] = []
    lows: list[int] = []
    row, low_before = [0], 0
    for left in lefts:
        low, high = bisect_left(rights, left - reach, low_before), bisect_right(rights, left + reach, low_before)
        last = row[-1]
        before = row[low - low_before :] if low - low_before < len(row) else []
        known_until = low + len(before)
        before += [last + alone_right * (j - (low_before + len(row) - 1)) for j in range(known_until, high + 1)]
        fresh, choices = [before[0] + alone_left], bytearray([_ALONE_FIRST])
        for j in range(low + 1, high + 1):
            cost, choice = before[j - low] + alone_left, _ALONE_FIRST
            if fresh[-1] + alone_right < cost:
                cost, choice = fresh[-1] + alone_right, _ALONE_SECOND
            paired = before[j - 1 - low] + per_step * abs(left - rights[j - 1])
            if paired <= cost:
                cost, choice = paired, _PAIRED
            fresh.append(cost)
            choices.append(choice)
        row, low_before = fresh, low
        trail.append(choices)
        lows.append(low)
    return trail, lows


def _walk_back(lefts: list[int], rights: list[int], trail: list[bytearray], lows: list[int]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    j = len(rights)
    for i in range(len(lefts) - 1, -1, -1):
        j = min(j, lows[i] + len(trail[i]) - 1)
        while trail[i][j - lows[i]] == _ALONE_SECOND:
            j -= 1
        if trail[i][j - lows[i]] == _PAIRED:
            pairs.append((lefts[i], rights[j - 1]))
            j -= 1
    return pairs[::-1]


def only_in(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray, int]:
    """Return the points only in the first and only in the second sorted set, and the number of common points."""
    if first.size + second.size <= FEW:
        common = {*first.tolist()} & {*second.tolist()}
        alone = ([point for point in side.tolist() if point not in common] for side in (first, second))
        only_first, only_second = (np.array(points, dtype=np.int64) for points in alone)
        return only_first, only_second, len(common)
    in_second: NDArray[np.bool_] = _is_member(first, second)
    in_first: NDArray[np.bool_] = _is_member(second, first)
    return first[~in_second], second[~in_first], int(np.count_nonzero(in_second))


def _is_member(points: IntArray, of: IntArray) -> NDArray[np.bool_]:
    if not of.size:
        return np.zeros(points.size, dtype=bool)
    place = np.minimum(np.searchsorted(of, points), of.size - 1)
    return np.asarray(of[place] == points)


Transpositions = Literal["optimal", "greedy"]
"""How near misses are paired: at the least total cost, or as segeval pairs them."""


def transpositions(missed: IntArray, spurious: IntArray, n_t: int, match: Transpositions) -> IntArray:
    """Return the transposed pairs (true, pred) among the boundaries of one side only."""
    reach = largest_distance(n_t, match)
    # For reach 1 all transpositions cost the same and form chains, on which the greedy pass is optimal.
    if match == "greedy" or reach <= 1:
        return greedy_pairs(missed, spurious, reach)
    # A unit of cost outweighs all additions together, so that ties in cost go to fewer additions and edits.
    unit = missed.size + spurious.size + 1
    alone = n_t * unit + 1
    return cheapest_pairs(missed, spurious, reach, alone, alone, per_step=unit)


def largest_distance(n_t: int, match: Transpositions) -> int:
    """Return the largest distance of a transposition; raise if an option has none of its values."""
    expected = "of at least 1 (1: no transpositions, 2: neighbours)"
    reach = checked_integer("n_t", n_t, 1, expected) - 1
    check_choice("match", match, Transpositions)
    return reach
