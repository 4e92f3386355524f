"""Half-open intervals on a line: which ones overlap, and what they cover together."""

from __future__ import annotations

import numpy as np

from segmetry._base.exact import IndexArray, IntArray, range_positions


def overlapping_pairs(
    first_starts: IntArray, first_stops: IntArray, second_starts: IntArray, second_stops: IntArray
) -> tuple[IndexArray, IndexArray]:
    """Return the positions of all pairs, one interval of each list, that share something.

    Two intervals overlap if the second starts within the first, or the first within the second, but not both at once
    unless they start together. So each pair is found once, by searching the starts.

    >>> first, second = np.array([[0, 4], [5, 9]]), np.array([[3, 6], [9, 10]])
    >>> [at.tolist() for at in overlapping_pairs(*first.T, *second.T)]
    [[0, 1], [0, 0]]
    """
    in_first = _starting_within(first_starts, first_stops, second_starts, "left")
    in_second = _starting_within(second_starts, second_stops, first_starts, "right")
    return np.concatenate((in_first[0], in_second[1])), np.concatenate((in_first[1], in_second[0]))


def _starting_within(starts: IntArray, stops: IntArray, points: IntArray, side: str) -> tuple[IndexArray, IndexArray]:
    """Return each interval with each point in it; with ``side="right"`` its own start does not count."""
    order = np.argsort(points, kind="stable")
    ranked = points[order]
    low = np.searchsorted(ranked, starts, side="left" if side == "left" else "right")
    high = np.searchsorted(ranked, stops, side="left")
    count = np.maximum(high - low, 0)
    return np.repeat(np.arange(starts.size), count), order[range_positions(low, count)]


def united(starts: IntArray, stops: IntArray, group: IntArray | None = None) -> tuple[IntArray, IntArray, IntArray]:
    """Return the maximal intervals that the intervals of each group cover together: starts, stops and groups.

    TimeIntervals that touch become one. Without groups all belong together.

    >>> [part.tolist() for part in united(np.array([0, 2, 3]), np.array([2, 3, 9]), np.array([1, 1, 0]))]
    [[3, 0], [9, 3], [0, 1]]
    """
    groups = np.zeros(starts.size, dtype=np.int64) if group is None else np.asarray(group, dtype=np.int64)
    if not starts.size:
        nothing = np.zeros(0, dtype=np.int64)
        return nothing, nothing, nothing
    order = np.lexsort((starts, groups))
    first, last, groups = starts[order], stops[order], groups[order]
    # Groups side by side on one line, too far apart to touch: one running maximum serves all of them.
    shift = (int(last.max()) - int(first.min()) + 1) * np.cumsum(np.diff(groups, prepend=groups[:1]) != 0)
    reach = np.maximum.accumulate(last + shift)
    fresh = np.concatenate(([True], (first + shift)[1:] > reach[:-1]))
    begins = np.flatnonzero(fresh)
    ends = np.append(begins[1:], first.size) - 1
    return first[begins], (reach - shift)[ends], groups[begins]
