r"""Sound events matched one to one: same label, onset within a collar, offset within a collar or a share of the length.

Exact: all times are whole ticks, and the share of a length is compared as a fraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from segmetry._base.exact import BoolArray, IndexArray, IntArray, Threshold, fraction_in
from segmetry.errors import OptionError
from segmetry.metrics.time.labelled_line import LabelledLine, TimeLine, finer_ticks, seconds

Matching = Literal["optimal", "greedy"]
Ends = Literal["both", "onset", "offset"]
UNLABELLED = "event"


@dataclass(frozen=True, eq=False)
class MatchedEvents:
    """The events of both sides with the label of each, the matched pairs, and how many others are substitutions."""

    names: tuple[object, ...]
    true: IntArray
    pred: IntArray
    matched: IntArray
    """The label of each matched pair."""
    substituted: int


def labelled_events(true: TimeLine, pred: TimeLine, factor: int = 1) -> tuple[LabelledLine, LabelledLine]:
    """Return both sides with labels numbered alike; events without classes are all of one label."""
    sides = [LabelledLine.of(line, factor) for line in (true, pred)]
    if true.classes is None or pred.classes is None:
        bare = [np.zeros(side.starts.size, dtype=np.int64) for side in sides]
        first, second = (
            LabelledLine(side.starts, side.stops, label, (UNLABELLED,)) for side, label in zip(sides, bare, strict=True)
        )
        return first, second
    names = tuple(sorted({*sides[0].names, *sides[1].names}, key=str))
    place = {name: at for at, name in enumerate(names)}
    codes = [np.array([place[name] for name in side.names], dtype=np.int64)[side.label] for side in sides]
    first, second = (
        LabelledLine(side.starts, side.stops, code, names) for side, code in zip(sides, codes, strict=True)
    )
    return first, second


def match_events(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold,
    offset_share: Threshold,
    ends: Ends,
    matching: Matching,
) -> MatchedEvents:
    """Match the events of two sides.

    >>> from segmetry.segmentation.spans import Spans
    >>> true, pred = (Spans.from_seconds([(0, end)], classes=["dog"]) for end in (2.5, 2.9))
    >>> match_events(true, pred, collar="0.2", offset_share="0.5", ends="both", matching="optimal").matched.size
    1
    """
    if matching not in ("optimal", "greedy"):
        raise OptionError(f"matching is {matching!r}; expected one of optimal, greedy")
    if ends not in ("both", "onset", "offset"):
        raise OptionError(f"ends is {ends!r}; expected one of both, onset, offset")
    factor, (margin,) = finer_ticks(true.tick, seconds(collar, "collar"))
    first, second = labelled_events(true, pred, factor)
    close = _close_in_time(first, second, margin, fraction_in(offset_share, "offset_share", 0, None), ends)
    same = close & (first.label[:, None] == second.label[None, :])
    rows, columns = _greedy(same) if matching == "greedy" else _optimal(same)
    left_true, left_pred = np.ones(first.starts.size, dtype=bool), np.ones(second.starts.size, dtype=bool)
    left_true[rows], left_pred[columns] = False, False
    return MatchedEvents(
        first.names,
        first.label,
        second.label,
        first.label[rows],
        _greedy(close[np.ix_(left_true, left_pred)])[0].size,
    )


def _close_in_time(first: LabelledLine, second: LabelledLine, margin: int, share: Fraction, ends: Ends) -> BoolArray:
    close = np.ones((first.starts.size, second.starts.size), dtype=bool)
    if ends != "offset":
        close &= np.abs(first.starts[:, None] - second.starts[None, :]) <= margin
    if ends != "onset":
        away = np.abs(first.stops[:, None] - second.stops[None, :])
        lengths = (first.stops - first.starts)[:, None]
        close &= (away <= margin) | (away * share.denominator <= lengths * share.numerator)
    return close


def _greedy(hits: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Match each true event, in order, with the first predicted event that is still free."""
    free = np.ones(hits.shape[1], dtype=bool)
    rows, columns = [], []
    for row in np.flatnonzero(hits.any(axis=1)).tolist():
        candidates = np.flatnonzero(hits[row] & free)
        if candidates.size:
            free[candidates[0]] = False
            rows.append(row)
            columns.append(int(candidates[0]))
    return np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp)


def _optimal(hits: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Return a matching of the largest number of pairs."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not hits.any():
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    partner = maximum_bipartite_matching(csr_array(hits), perm_type="column")
    rows = np.flatnonzero(partner >= 0)
    return rows, partner[rows].astype(np.intp)
