r"""Boundaries in seconds, as music structure analysis compares them [turnbull2007supervised, raffel2014mireval].

The line lasts from 0 to the end of the last true span; what is predicted beyond is cut off. Both ends are boundaries,
unless they are trimmed. Times are rounded to 10 µs, as in mir_eval.

Change points of a series against one or several annotators [vandenburg2020evaluation, truong2020selective].

Precision counts the predicted change points near one of any annotator, recall is the mean over annotators; the start of
the series, 0, is a change point on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from segmetry._base import IntArray, Threshold, check_choice, checked_integer
from segmetry.errors import OptionError
from segmetry.metrics.boundaries.point_matching import most_pairs
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.label_pairs import TimeLine, seconds
from segmetry.segmentation import Spans, TimeIntervals

STEP = Fraction(1, 100_000)
"""The resolution of boundary times in seconds."""


@dataclass(frozen=True, eq=False)
class BoundaryTimes:
    """The boundaries of both sides, in steps of 10 µs."""

    true: IntArray
    pred: IntArray

    @classmethod
    def of(cls, true: Spans, pred: Spans, *, trim: bool) -> BoundaryTimes:
        """Return the boundaries of both sides; without a true span there are none."""
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


Within = Literal["at_most", "below"]
PointPairing = Literal["nearest", "every", "optimal"]
_ONE = Spans.from_boundaries([10, 20], n=45), Spans.from_boundaries([12, 30], n=45)
_SEVERAL = (
    TimeIntervals([0, 0, 10, 0, 40], [45, 10, 45, 40, 45], tracks=["1", "2", "2", "3", "3"]),
    TimeIntervals([0, 10], [10, 45]),
)
_CHANGE_NOTES = (
    "Annotators are the tracks of the truth; without tracks there is one. A change point is the first element of a "
    "segment; a gap belongs to the segment before it. "
)


def annotators(line: TimeLine) -> list[Spans]:
    """Return one segmentation for each annotator."""
    return [line] if isinstance(line, Spans) else list(line.by_track().values())


def _change_points(spans: Spans, *, start: bool) -> list[int]:
    return [*([0] if start else []), *(point for point in spans.starts.tolist() if point)]


def found_points(true: list[int], pred: list[int], margin: int, pairing: PointPairing) -> int:
    """Return how many true change points have a predicted one of their own at most ``margin`` away.

    ``nearest``: each true point, in order, takes the nearest one that is free; ``every``: all that are near and free.
    """
    if pairing == "optimal":
        from segmetry.metrics.boundaries.point_matching import most_pairs

        return most_pairs(np.array(true, dtype=np.int64), np.array(pred, dtype=np.int64), margin)
    free, found = list(pred), 0
    for point in true:
        close = sorted((abs(point - other), other) for other in free if abs(point - other) <= margin)
        found += bool(close)
        for _, other in close if pairing == "every" else close[:1]:
            free.remove(other)
    return found


@metric(
    symbol=r"F_1^{\mathrm{cp}}",
    order=410,
    formula=r"\frac{2PR}{P+R},\quad P = \frac{|\mathrm{TP}(\bigcup_k T_k, X)|}{|X|},\quad "
    r"R = \frac{1}{K}\sum_{k}\frac{|\mathrm{TP}(T_k, X)|}{|T_k|}",
    summary="F1 of change points with a margin: precision against all annotators together, recall as their mean.",
    citation="vandenburg2020evaluation",
    notes=f"{_CHANGE_NOTES}The start, 0, is a change point of every side unless start=False. within='below' and "
    "pairing='every' are the reading of ruptures. Undefined without change points on either side.",
    examples=(Example(*_ONE, 2 / 3), Example(*_ONE, 1 / 2, {"start": False}), Example(*_SEVERAL, 10 / 11)),
)
def change_point_f1(
    true: TimeLine,
    pred: TimeLine,
    *,
    margin: int = 5,
    start: bool = True,
    within: Within = "at_most",
    pairing: PointPairing = "nearest",
) -> Score:
    check_choice("within", within, Within)
    check_choice("pairing", pairing, PointPairing)
    # ruptures takes distances below its margin, and pairs a true change point with every prediction near it.
    reach = checked_integer("margin", margin, 0, "number of elements, 0 or more") - (within == "below")
    truths = [_change_points(spans, start=start) for spans in annotators(true)]
    guessed = _change_points(_only_one(pred), start=start)
    together = sorted({point for points in truths for point in points})
    counted = [points for points in truths if points]
    if not together and not guessed:
        return Score.undefined("change_point_f1", "no change points on either side")
    if not together or not guessed:
        return Score.of("change_point_f1", 0, 1, precision=0.0, recall=0.0)
    precision = Fraction(found_points(together, guessed, reach, pairing), len(guessed))
    recalls = [Fraction(found_points(points, guessed, reach, pairing), len(points)) for points in counted]
    recall = sum(recalls, Fraction(0)) / len(recalls)
    details: dict[str, Any] = {"precision": float(precision), "recall": float(recall), "annotators": len(truths)}
    if not precision + recall:
        return Score.of("change_point_f1", 0, 1, **details)
    return Score.of("change_point_f1", 2 * precision * recall, precision + recall, **details)


@metric(
    symbol=r"C^{\mathrm{cp}}",
    formula=r"\frac{1}{K}\sum_k\frac{1}{n}\sum_{t\in T_k}|t|\max_{h\in H}\frac{|t\cap h|}{|t\cup h|}",
    summary="Covering of the annotators' segments: the mean over annotators of the size-weighted best Jaccard index.",
    citation="vandenburg2020evaluation",
    notes=f"{_CHANGE_NOTES}Undefined for an empty line.",
    examples=(
        Example(*_ONE, float(Fraction(10 * 10, 12 * 45) + Fraction(10 * 8, 20 * 45) + Fraction(25 * 15, 25 * 45))),
    ),
)
def change_point_covering(true: TimeLine, pred: TimeLine) -> Score:
    if not true.n:
        return Score.undefined("change_point_covering", "an empty line")
    guessed = _segment_edges(_only_one(pred))
    values = [_covered_share(_segment_edges(spans), guessed) for spans in annotators(true)]
    return Score.of("change_point_covering", sum(values, Fraction(0)), len(values), annotators=len(values))


def _segment_edges(spans: Spans) -> IntArray:
    return np.array([*_change_points(spans, start=True), spans.n], dtype=np.int64)


def _covered_share(true: IntArray, pred: IntArray) -> Fraction:
    """Σ |t| · max IoU / n, exactly; only the segments that overlap t can be its best."""
    total = Fraction(0)
    firsts = np.searchsorted(pred, true[:-1], side="right") - 1
    lasts = np.searchsorted(pred, true[1:], side="left")
    edges = pred.tolist()
    for start, stop, first, last in zip(*(part.tolist() for part in (true[:-1], true[1:], firsts, lasts)), strict=True):
        best = max(
            Fraction(min(stop, edges[at + 1]) - max(start, edges[at]), max(stop, edges[at + 1]) - min(start, edges[at]))
            for at in range(first, last)
        )
        total += (stop - start) * best
    return total / int(true[-1])


def _only_one(pred: TimeLine) -> Spans:
    tracks = annotators(pred)
    if len(tracks) != 1:
        raise OptionError(f"pred has {len(tracks)} tracks; expected one prediction (several annotators are the truth)")
    return tracks[0]
