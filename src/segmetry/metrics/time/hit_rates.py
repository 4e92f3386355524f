r"""Boundaries in seconds, as music structure analysis compares them [turnbull2007supervised, raffel2014mireval].

The line lasts from 0 to the end of the last true span; what is predicted beyond is cut off. Both ends are boundaries,
unless they are trimmed. Times are rounded to 10 µs, as in mir_eval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from segmetry._base import IntArray, Threshold
from segmetry.metrics.boundaries.point_matching import most_pairs
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.labelled_line import seconds
from segmetry.segmentation import Spans

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
        end = _in_steps(true, [int(true.stops[-1])])[0]
        sides = []
        for side in (true, pred):
            inner = [at for at in _in_steps(side, [*side.starts.tolist(), *side.stops.tolist()]) if 0 < at < end]
            times = np.unique(np.array([0, *inner, end], dtype=np.int64))
            sides.append(times[1:-1] if trim else times)
        return cls(*sides)

    def hits(self, window: Threshold) -> int:
        """Return the largest number of pairs at most ``window`` seconds apart."""
        return most_pairs(self.true, self.pred, int(seconds(window, "window") / STEP))


def _in_steps(side: Spans, positions: list[int]) -> list[int]:
    scale = side.tick / STEP
    return [round(position * scale) for position in positions]


_CITATION = ("turnbull2007supervised", "raffel2014mireval")
_SONG = Spans.from_masses([10, 12, 8]), Spans.from_masses([12, 18])
_NOTES = (
    "Boundaries are matched one to one, as many as possible. The line lasts from 0 to the end of the last true span, "
    "and both ends are boundaries, which always hit; trim=True leaves them out. Undefined without boundaries."
)
NO_BOUNDARIES = "no boundaries on a side"


def _hit_rate(key: str, part: str, default: Threshold) -> Callable[..., Score]:
    """Return the function that computes precision, recall or F of hits within a window."""

    def hit_rate(true: Spans, pred: Spans, *, window: Threshold = default, trim: bool = False) -> Score:
        times = BoundaryTimes.of(true, pred, trim=trim)
        hits, n_true, n_pred = times.hits(window), times.true.size, times.pred.size
        if part == "f":
            return Score.of(key, 2 * hits, n_true + n_pred, NO_BOUNDARIES)
        n, reason = (n_pred, "no pred boundaries") if part == "precision" else (n_true, "no true boundaries")
        return Score.of(key, hits, n, reason)

    hit_rate.__name__ = hit_rate.__qualname__ = key
    return hit_rate


def _declare_hit_rates(
    ending: str, default: Threshold, words: str, symbols: Sequence[str], values: Sequence[float], order: int
) -> None:
    """Declare precision, recall and F of hits within a window; ``values`` are those of the example."""
    parts = (
        ("precision", r"\frac{m}{|\partial H|}", f"The share of predicted boundaries with a true one within {words}."),
        ("recall", r"\frac{m}{|\partial T|}", f"The share of true boundaries with a predicted one within {words}."),
        ("f", r"\frac{2m}{|\partial T|+|\partial H|}", f"The F measure of boundaries that hit within {words}."),
    )
    for at, (part, formula, summary) in enumerate(parts):
        trimmed = (Example(*_SONG, 0, {"trim": True}),) if (part, default) == ("precision", "0.5") else ()
        metric(
            symbol=symbols[at],
            order=order + at,
            formula=formula,
            summary=summary,
            citation=_CITATION,
            notes=_NOTES,
            examples=(Example(*_SONG, values[at]), *trimmed),
        )(_hit_rate(f"hit_rate_{part}_{ending}", part, default))


_declare_hit_rates(
    "05",
    "0.5",
    "half a second",
    (r"P_{\mathrm{0.5}}", r"R_{\mathrm{0.5}}", r"\mathrm{HR0.5F}"),
    (2 / 3, 1 / 2, 4 / 7),
    310,
)
_declare_hit_rates("3", 3, "three seconds", ("P_{3}", "R_{3}", r"\mathrm{HR3F}"), (1, 3 / 4, 6 / 7), 313)
_deviation = partial(metric, citation=_CITATION, bounds=(0, math.inf), better="lower", notes=_NOTES)


@_deviation(
    symbol=r"d_{TH}",
    formula=r"\mathrm{median}_{t\in\partial T}\min_{h\in\partial H}|t-h|",
    summary="The median time from a true boundary to the nearest predicted one, in seconds.",
    examples=(Example(*_SONG, 1), Example(*_SONG, 6, {"trim": True})),
)
def median_deviation_true(true: Spans, pred: Spans, *, trim: bool = False) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return _median_distance("median_deviation_true", times.true, times.pred)


@_deviation(
    symbol=r"d_{HT}",
    formula=r"\mathrm{median}_{h\in\partial H}\min_{t\in\partial T}|t-h|",
    summary="The median time from a predicted boundary to the nearest true one, in seconds.",
    examples=(Example(*_SONG, 0), Example(*_SONG, 2, {"trim": True})),
)
def median_deviation_pred(true: Spans, pred: Spans, *, trim: bool = False) -> Score:
    times = BoundaryTimes.of(true, pred, trim=trim)
    return _median_distance("median_deviation_pred", times.pred, times.true)


def _median_distance(key: str, points: IntArray, others: IntArray) -> Score:
    if not points.size or not others.size:
        return Score.undefined(key, NO_BOUNDARIES)
    place = np.searchsorted(others, points)
    left, right = others[np.maximum(place - 1, 0)], others[np.minimum(place, others.size - 1)]
    nearest = np.sort(np.minimum(np.abs(points - left), np.abs(points - right)))
    middle = nearest[(nearest.size - 1) // 2] + nearest[nearest.size // 2]
    return Score.number(key, float(Fraction(int(middle), 2) * STEP))
