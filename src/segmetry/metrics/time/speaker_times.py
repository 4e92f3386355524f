r"""How long each true and each predicted speaker talks, and how long both at once, within the time that is scored.

One sweep over time: between two neighbouring ends of turns nothing changes, so the number of speakers on each side and
whether the time is scored are step functions, and everything is a sum over their steps, in whole ticks.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from segmetry._base.exact import BoolArray, FloatArray, IntArray, Threshold, distinct
from segmetry.errors import OptionError
from segmetry.kernels.interval_pairs import overlapping_pairs
from segmetry.metrics.time.labelled_line import LabelledLine, TimeLine, finer_ticks, seconds
from segmetry.segmentation.time_intervals import TimeIntervals

Width = Literal["each_side", "whole"]
Overlap = Literal["scored", "skipped"]
EvaluatedRegion = Literal["both", "true"]
MapWithin = Literal["scored", "region"]


@dataclass(frozen=True, eq=False)
class SpeakerTimes:
    """Durations in ticks of ``tick`` seconds.

    ``true_time`` counts a moment once for each true speaker; ``missed``, ``false_alarm`` and ``both`` are the sums of
    max(N_r − N_h, 0), max(N_h − N_r, 0) and min(N_r, N_h). ``together[r, h]`` is the scored time in which both speakers
    talk, ``together_in_region`` that of the whole evaluated region, collars and overlapped speech included.
    """

    true_time: int
    missed: int
    false_alarm: int
    both: int
    true_speakers: IntArray
    pred_speakers: IntArray
    together: IntArray
    together_in_region: IntArray
    tick: Fraction


def speaker_times(
    true: TimeLine,
    pred: TimeLine,
    *,
    collar: Threshold = 0,
    collar_width: Width = "each_side",
    overlap: Overlap = "scored",
    region: EvaluatedRegion = "both",
) -> SpeakerTimes:
    """Return the durations that DER and JER are made of.

    >>> from segmetry.segmentation.spans import Spans
    >>> true, pred = (Spans.from_masses(masses, classes=["a", "b"]) for masses in ([4, 6], [5, 5]))
    >>> times = speaker_times(true, pred)
    >>> times.true_time, times.together.tolist()
    (10, [[4, 0], [1, 5]])
    """
    for name, value, words in (
        ("collar_width", collar_width, ("each_side", "whole")),
        ("overlap", overlap, ("scored", "skipped")),
        ("region", region, ("both", "true")),
    ):
        if value not in words:
            raise OptionError(f"{name} is {value!r}; expected one of {', '.join(words)}")
    reach = seconds(collar, "collar") / (2 if collar_width == "whole" else 1)
    factor, (margin,) = finer_ticks(true.tick, reach)
    turns, guesses = LabelledLine.of(true, factor), LabelledLine.of(pred, factor)
    first, second = turns.united, guesses.united
    parts = _evaluated(true, pred, region, factor)
    zones = _collars(turns, margin) if margin else (np.zeros(0, dtype=np.int64),) * 2
    edges = distinct(np.concatenate((first.starts, first.stops, second.starts, second.stops, *parts, *zones)))
    lengths = np.diff(edges)
    n_true, n_pred = (step_depth(edges, side.starts, side.stops) for side in (first, second))
    evaluated = step_depth(edges, *parts) > 0
    scored = evaluated & (step_depth(edges, *zones) == 0)
    if overlap == "skipped":
        scored &= n_true < 2
    during = np.where(scored, lengths, 0)
    return SpeakerTimes(
        true_time=int((n_true * during).sum()),
        missed=int((np.maximum(n_true - n_pred, 0) * during).sum()),
        false_alarm=int((np.maximum(n_pred - n_true, 0) * during).sum()),
        both=int((np.minimum(n_true, n_pred) * during).sum()),
        true_speakers=_talking(first, edges, during),
        pred_speakers=_talking(second, edges, during),
        together=_together(first, second, edges, during),
        together_in_region=_together(first, second, edges, np.where(evaluated, lengths, 0)),
        tick=true.tick / factor,
    )


def _evaluated(true: TimeLine, pred: TimeLine, region: EvaluatedRegion, factor: int) -> tuple[IntArray, IntArray]:
    """Return the parts of the line that are evaluated: those that are stated, else from the first to the last turn."""
    for side in (true, pred):
        if isinstance(side, TimeIntervals) and side.scored is not None:
            return side.scored[0] * factor, side.scored[1] * factor
    sides = (true,) if region == "true" else (true, pred)
    starts, stops = (np.concatenate([getattr(side, name) for side in sides]) for name in ("starts", "stops"))
    if not starts.size:
        return starts, stops
    return starts.min(keepdims=True) * factor, stops.max(keepdims=True) * factor


def _collars(turns: LabelledLine, margin: int) -> tuple[IntArray, IntArray]:
    ends = np.concatenate((turns.starts, turns.stops))
    return ends - margin, ends + margin


def step_depth(edges: IntArray, starts: IntArray, stops: IntArray) -> IntArray:
    """Return how many of some intervals cover each step between neighbouring edges."""
    change = np.zeros(edges.size + 1, dtype=np.int64)
    np.add.at(change, np.searchsorted(edges, starts), 1)
    np.add.at(change, np.searchsorted(edges, stops), -1)
    return np.cumsum(change)[: max(edges.size - 1, 0)]


def _before(edges: IntArray, during: IntArray, points: IntArray) -> IntArray:
    """Return the counted time before each point, which is an edge."""
    return np.concatenate(([0], np.cumsum(during)))[np.searchsorted(edges, points)]


def _talking(side: LabelledLine, edges: IntArray, during: IntArray) -> IntArray:
    times = _before(edges, during, side.stops) - _before(edges, during, side.starts)
    total = np.zeros(len(side.names), dtype=np.int64)
    np.add.at(total, side.label, times)
    return total


def _together(first: LabelledLine, second: LabelledLine, edges: IntArray, during: IntArray) -> IntArray:
    at_first, at_second = overlapping_pairs(first.starts, first.stops, second.starts, second.stops)
    starts = np.maximum(first.starts[at_first], second.starts[at_second])
    stops = np.minimum(first.stops[at_first], second.stops[at_second])
    times = _before(edges, during, stops) - _before(edges, during, starts)
    total = np.zeros((len(first.names), len(second.names)), dtype=np.int64)
    np.add.at(total, (first.label[at_first], second.label[at_second]), times)
    return total


def best_map(gain: IntArray | FloatArray) -> tuple[IntArray, IntArray]:
    """Return the one-to-one map of rows to columns of the largest total gain, without pairs that gain nothing.

    >>> [at.tolist() for at in best_map(np.array([[4, 0], [1, 5]]))]
    [[0, 1], [0, 1]]
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(gain, maximize=True)
    gains: BoolArray = gain[rows, columns] > 0
    return rows[gains].astype(np.int64), columns[gains].astype(np.int64)
