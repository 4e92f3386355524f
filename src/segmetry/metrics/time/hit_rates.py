r"""Boundaries in seconds, as music structure analysis compares them [turnbull2007supervised, raffel2014mireval].

The line lasts from 0 to the end of the last true span; what is predicted beyond is cut off. Both ends are boundaries,
unless they are trimmed. Times are rounded to 10 µs, as in mir_eval.

Hit rates of boundaries within 0.5 s and 3 s, and median deviations, of music structure [turnbull2007supervised].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from segmetry._base.exact import IntArray, Threshold
from segmetry.metrics.boundaries.point_matching import most_pairs
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.labelled_line import seconds
from segmetry.segmentation.spans import Spans

STEP = Fraction(1, 100_000)
"""The resolution of boundary times in seconds."""


@dataclass(frozen=True, eq=False)
class BoundaryTimes:
    """The boundaries of both sides, in steps of 10 µs."""

    true: IntArray
    pred: IntArray

    @classmethod
    def of(cls, true: Spans, pred: Spans, *, trim: bool) -> BoundaryTimes:
        """Return the boundaries of both sides; without a true span there are none.

        >>> sides = Spans.from_seconds([(0, 2.5), (2.5, 4)]), Spans.from_seconds([(0, 3), (3, 6)])
        >>> times = BoundaryTimes.of(*sides, trim=False)
        >>> [times.true.tolist(), times.pred.tolist()]
        [[0, 250000, 400000], [0, 300000, 400000]]
        """
        if not true.starts.size:
            nothing = np.zeros(0, dtype=np.int64)
            return cls(nothing, nothing)
        end = _steps(true, [int(true.stops[-1])])[0]
        sides = []
        for side in (true, pred):
            inner = [at for at in _steps(side, [*side.starts.tolist(), *side.stops.tolist()]) if 0 < at < end]
            times = np.unique(np.array([0, *inner, end], dtype=np.int64))
            sides.append(times[1:-1] if trim else times)
        return cls(*sides)

    def hits(self, window: Threshold) -> int:
        """Return the largest number of pairs at most ``window`` seconds apart."""
        return most_pairs(self.true, self.pred, int(seconds(window, "window") / STEP))


def _steps(side: Spans, positions: list[int]) -> list[int]:
    scale = side.tick / STEP
    return [round(position * scale) for position in positions]


_CITATION = ("turnbull2007supervised", "raffel2014mireval")
_SONG = Spans.from_masses([10, 12, 8]), Spans.from_masses([12, 18])
_NOTES = (
    "Boundaries are matched one to one, as many as possible. The line lasts from 0 to the end of the last true span, "
    "and both ends are boundaries, which always hit; trim=True leaves them out. Undefined without boundaries."
)
NO_BOUNDARIES = "no boundaries on a side"


def _precision(key: str, true: Spans, pred: Spans, window: Threshold, *, trim: bool) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return Score.of(key, times.hits(window), times.pred.size, "no pred boundaries")


def _recall(key: str, true: Spans, pred: Spans, window: Threshold, *, trim: bool) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return Score.of(key, times.hits(window), times.true.size, "no true boundaries")


def _f(key: str, true: Spans, pred: Spans, window: Threshold, *, trim: bool) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return Score.of(key, 2 * times.hits(window), times.true.size + times.pred.size, NO_BOUNDARIES)


@metric(
    symbol=r"P_{\mathrm{0.5}}",
    order=310,
    formula=r"\frac{m}{|\partial H|}",
    summary="The share of predicted boundaries with a true one within half a second.",
    citation=_CITATION,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 2 / 3), Example(*_SONG, 0, {"trim": True})),
)
def hit_rate_precision_05(true: Spans, pred: Spans, *, window: Threshold = "0.5", trim: bool = False) -> Score:
    return _precision("hit_rate_precision_05", true, pred, window, trim=trim)


@metric(
    symbol=r"R_{\mathrm{0.5}}",
    formula=r"\frac{m}{|\partial T|}",
    summary="The share of true boundaries with a predicted one within half a second.",
    citation=_CITATION,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1 / 2),),
)
def hit_rate_recall_05(true: Spans, pred: Spans, *, window: Threshold = "0.5", trim: bool = False) -> Score:
    return _recall("hit_rate_recall_05", true, pred, window, trim=trim)


@metric(
    symbol=r"\mathrm{HR0.5F}",
    formula=r"\frac{2m}{|\partial T|+|\partial H|}",
    summary="The F measure of boundaries that hit within half a second.",
    citation=_CITATION,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 4 / 7),),
)
def hit_rate_f_05(true: Spans, pred: Spans, *, window: Threshold = "0.5", trim: bool = False) -> Score:
    return _f("hit_rate_f_05", true, pred, window, trim=trim)


@metric(
    symbol=r"P_{3}",
    formula=r"\frac{m}{|\partial H|}",
    summary="The share of predicted boundaries with a true one within three seconds.",
    citation=_CITATION,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1),),
)
def hit_rate_precision_3(true: Spans, pred: Spans, *, window: Threshold = 3, trim: bool = False) -> Score:
    return _precision("hit_rate_precision_3", true, pred, window, trim=trim)


@metric(
    symbol=r"R_{3}",
    formula=r"\frac{m}{|\partial T|}",
    summary="The share of true boundaries with a predicted one within three seconds.",
    citation=_CITATION,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 3 / 4),),
)
def hit_rate_recall_3(true: Spans, pred: Spans, *, window: Threshold = 3, trim: bool = False) -> Score:
    return _recall("hit_rate_recall_3", true, pred, window, trim=trim)


@metric(
    symbol=r"\mathrm{HR3F}",
    formula=r"\frac{2m}{|\partial T|+|\partial H|}",
    summary="The F measure of boundaries that hit within three seconds.",
    citation=_CITATION,
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 6 / 7),),
)
def hit_rate_f_3(true: Spans, pred: Spans, *, window: Threshold = 3, trim: bool = False) -> Score:
    return _f("hit_rate_f_3", true, pred, window, trim=trim)


@metric(
    symbol=r"d_{TH}",
    formula=r"\mathrm{median}_{t\in\partial T}\min_{h\in\partial H}|t-h|",
    summary="The median time from a true boundary to the nearest predicted one, in seconds.",
    citation=_CITATION,
    bounds=(0, math.inf),
    better="lower",
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 1), Example(*_SONG, 6, {"trim": True})),
)
def median_deviation_true(true: Spans, pred: Spans, *, trim: bool = False) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return _median("median_deviation_true", times.true, times.pred)


@metric(
    symbol=r"d_{HT}",
    formula=r"\mathrm{median}_{h\in\partial H}\min_{t\in\partial T}|t-h|",
    summary="The median time from a predicted boundary to the nearest true one, in seconds.",
    citation=_CITATION,
    bounds=(0, math.inf),
    better="lower",
    kinds=("spans",),
    notes=_NOTES,
    examples=(Example(*_SONG, 0), Example(*_SONG, 2, {"trim": True})),
)
def median_deviation_pred(true: Spans, pred: Spans, *, trim: bool = False) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return _median("median_deviation_pred", times.pred, times.true)


def _median(key: str, points: IntArray, others: IntArray) -> Score:
    if not points.size or not others.size:
        return Score.undefined(key, NO_BOUNDARIES)
    place = np.searchsorted(others, points)
    left, right = others[np.maximum(place - 1, 0)], others[np.minimum(place, others.size - 1)]
    nearest = np.sort(np.minimum(np.abs(points - left), np.abs(points - right)))
    middle = nearest[(nearest.size - 1) // 2] + nearest[nearest.size // 2]
    return Score.number(key, float(Fraction(int(middle), 2) * STEP))
