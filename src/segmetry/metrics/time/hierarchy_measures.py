r"""Hierarchies of sections: how deep two moments stay together, compared as rankings
[mcfee2015hierarchical, mcfee2017evaluating].

A hierarchy is a line whose tracks are its levels, 0 the coarsest. Two moments q and i are close to the depth of the
deepest level at which they are in one section (T), or in sections of one label (L). For each moment q, the pairs (i, j)
of which i is closer to q than j in one hierarchy should be so in the other. Time is sampled as mir_eval does it: ends
are rounded down to frames in floating point, the first gap and an early end are sections of their own, and what is
predicted after the end of the truth is cut off.

Recall asks whether the prediction ranks pairs of moments as the truth does, precision the reverse, and the measure is
their harmonic mean. T looks at sections, L at their labels; reduced T compares neighbouring levels only, full T all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from segmetry._base import FloatArray, IntArray, Threshold, distinct
from segmetry.errors import KindError, OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.label_pairs import Section, TimeLine, positive_seconds, seconds, sections_in_seconds
from segmetry.segmentation import Spans, TimeIntervals

Closeness = Literal["section", "label"]


def levels_of(line: TimeLine) -> list[Spans]:
    """Return the levels of a hierarchy, the coarsest first; spans are one level."""
    if isinstance(line, Spans):
        return [line]
    by_track: dict[Hashable, Spans] = line.by_track()
    numbers = [name for name in by_track if isinstance(name, int) and not isinstance(name, bool)]
    if None in by_track:
        return list(by_track.values())
    if len(numbers) < len(by_track):
        raise KindError(f"tracks are {sorted(map(str, by_track))[:5]}; expected the levels of a hierarchy, 0, 1, …")
    return [by_track[number] for number in sorted(numbers)]


@dataclass(frozen=True, eq=False)
class Atoms:
    """Runs of frames within which both hierarchies are constant, and how close each two are on either side."""

    starts: IntArray
    stops: IntArray
    true: IntArray
    pred: IntArray

    @classmethod
    def of(cls, true: TimeLine, pred: TimeLine, frame: float, closeness: Closeness) -> Atoms | None:
        """Return the runs of a pair; None where the truth is shorter than a frame."""
        sides = [levels_of(true), levels_of(pred)]
        ends = [float(int(level.stops[-1]) * level.tick) for level in sides[0] if level.stops.size]
        end = max(ends, default=0.0)
        n = int(_rounded_to_frames(np.array([end]), frame)[0] / frame)
        if n <= 0:
            return None
        sections = [[sections_in_seconds(level, end) for level in side] for side in sides]
        frames = [[_frames_of(level, frame, n) for level in side] for side in sections]
        edges = distinct(np.concatenate([[0, n], *(cuts.ravel() for side in frames for cuts in side)]))
        starts, stops = edges[:-1], edges[1:]
        depths = [
            _depths_of(zip(sections[side], frames[side], strict=True), starts, closeness=closeness) for side in (0, 1)
        ]
        return cls(starts, stops, depths[0], depths[1])


def _rounded_to_frames(times: FloatArray, frame: float) -> FloatArray:
    """Round down to frames, in floating point as mir_eval does."""
    rounded: FloatArray = times - np.mod(times, frame)
    return rounded


def _frames_of(sections: list[Section], frame: float, n: int) -> IntArray:
    ends = np.array([row[:2] for row in sections]).reshape(-1, 2)
    cuts: IntArray = np.clip((_rounded_to_frames(ends, frame) / frame).astype(np.int64), 0, n)
    return cuts


def _depths_of(levels: Iterable[tuple[list[Section], IntArray]], starts: IntArray, *, closeness: Closeness) -> IntArray:
    """Return for each two runs the deepest level, counted from 1, at which they are together; 0 for none."""
    depths = np.zeros((starts.size, starts.size), dtype=np.int64)
    for depth, (sections, frames) in enumerate(levels, start=1):
        codes = {name: code for code, name in enumerate(dict.fromkeys(row[2] for row in sections))}
        own = np.full(starts.size, -1, dtype=np.int64)
        for at, ((_, _, name), (first, last)) in enumerate(zip(sections, frames.tolist(), strict=True)):
            own[(starts >= first) & (starts < last)] = at if closeness == "section" else codes[name]
        depths[(own[:, None] == own[None]) & (own >= 0)[:, None]] = depth
    return depths


def ranking_agreement(
    atoms: Atoms, *, swapped: bool = False, transitive: bool = False, window: int | None = None
) -> float | None:
    """Return the mean over frames of the share of pairs (i, j) that are ranked as in the other hierarchy.

    Pairs differ by one level, or with ``transitive`` by any; both frames are at most ``window`` frames from q. The mean
    is over the frames with such pairs; None if there are none.
    """
    first, second = (atoms.pred, atoms.true) if swapped else (atoms.true, atoms.pred)
    n, shares = int(atoms.stops[-1]), []
    width = n if window is None else window
    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    for at in range(atoms.starts.size):
        queries = np.arange(atoms.starts[at], atoms.stops[at])
        if width >= n:  # all frames of a run see the same
            queries = queries[:1]
        codes = first[at] * n_second + second[at]
        counts = _counts_in_window(atoms, codes, queries, width, n_first * n_second)
        counts[:, codes[at]] -= 1  # the frame itself
        ranked = counts.reshape(-1, n_first, n_second)
        wrong, total = _count_inversions(ranked, transitive=transitive)
        repeats = int(atoms.stops[at] - atoms.starts[at]) if width >= n else 1
        shares += [
            1.0 - w / t for w, t in zip(wrong.tolist(), total.tolist(), strict=True) if t for _ in range(repeats)
        ]
    return math.fsum(shares) / len(shares) if shares else None


def _counts_in_window(atoms: Atoms, codes: IntArray, queries: IntArray, width: int, n_codes: int) -> IntArray:
    """Return how many frames of each code are in the window of each query: from q − width to q + width − 1."""
    low = np.maximum(0, queries - width)[:, None]
    high = np.minimum(int(atoms.stops[-1]), queries + width)[:, None]
    inside = np.clip(np.minimum(high, atoms.stops) - np.maximum(low, atoms.starts), 0, None)
    counts: IntArray = inside @ (codes[:, None] == np.arange(n_codes)).astype(np.int64)
    return counts


def _count_inversions(ranked: IntArray, *, transitive: bool) -> tuple[IntArray, IntArray]:
    """Return the pairs whose first is closer in the first hierarchy and not in the second, and all such pairs.

    ``ranked`` counts frames by query, depth in the first and depth in the second hierarchy.
    """
    sizes = ranked.sum(axis=2)
    at_least = ranked[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]  # frames as deep or deeper in the second
    wrong, total = np.zeros(len(ranked), dtype=np.int64), np.zeros(len(ranked), dtype=np.int64)
    depths = range(ranked.shape[1])
    for low in depths:
        for high in depths[low + 1 :] if transitive else depths[low + 1 : low + 2]:
            wrong += (at_least[:, low] * ranked[:, high]).sum(axis=1)
            total += sizes[:, low] * sizes[:, high]
    return wrong, total


def window_frames(window: Threshold | None, frame: float) -> int | None:
    """Return the number of frames of a window, rounded down in floating point as mir_eval does."""
    if window is None:
        return None
    length = float(seconds(window, "window"))
    if length < frame:
        raise OptionError(f"window is {window!r}; expected at least one frame of {frame:g} seconds, or None")
    return int(_rounded_to_frames(np.array([length]), frame)[0] / frame)


NO_PAIRS = "no moment is closer to one than to another"
_NOTES = (
    "The levels of a hierarchy are the tracks 0, 1, … of intervals, the coarsest first; spans are one level. Time is "
    "sampled in frames as mir_eval does. Undefined where no two moments differ in depth; mir_eval writes 0, as "
    "if_no_pairs=0 does."
)
_RANKED = r"\frac{|\{(i,j) : d_T(q,i)>d_T(q,j),\ d_H(q,i)>d_H(q,j)\}|}{|\{(i,j) : d_%s(q,i)>d_%s(q,j)\}|}"
_RECALL = rf"\frac{{1}}{{n}}\sum_{{q}} {_RANKED % ('T', 'T')}"
_PRECISION = rf"\frac{{1}}{{n}}\sum_{{q}} {_RANKED % ('H', 'H')}"
_F = r"\frac{2PR}{P+R}"
_SONG = (
    TimeIntervals([0, 30, 0, 15, 30, 45], [30, 60, 15, 30, 45, 60], tracks=[0, 0, 1, 1, 1, 1], classes=list("ABabac")),
    TimeIntervals([0, 45, 0, 15, 30, 45], [45, 60, 15, 30, 45, 60], tracks=[0, 0, 1, 1, 1, 1], classes=list("ABaabb")),
)
"""The example of mir_eval's documentation."""


def _precision_and_recall(
    true: TimeLine,
    pred: TimeLine,
    closeness: Closeness,
    frame: Threshold,
    window: Threshold | None,
    *,
    transitive: bool,
) -> tuple[float | None, float | None]:
    length = float(positive_seconds(frame, "frame"))
    width = window_frames(window, length)
    atoms = Atoms.of(true, pred, length, closeness)
    if atoms is None:
        return None, None
    precision = ranking_agreement(atoms, swapped=True, transitive=transitive, window=width)
    return precision, ranking_agreement(atoms, transitive=transitive, window=width)


def _measure_of(key: str, part: str, closeness: Closeness, *, transitive: bool) -> Callable[..., Score]:
    """Return the function that computes precision, recall or their F; labels are compared without a window."""

    def of_sections(
        true: TimeLine,
        pred: TimeLine,
        *,
        frame: Threshold = "0.1",
        window: Threshold | None = 15,
        if_no_pairs: float | None = None,
    ) -> Score:
        sides = _precision_and_recall(true, pred, closeness, frame, window, transitive=transitive)
        precision, recall = (if_no_pairs if side is None else side for side in sides)
        value = precision if part == "precision" else recall
        if part == "measure":
            both = precision and recall and 2 * precision * recall / (precision + recall)
            value = None if precision is None or recall is None else both
        return Score.undefined(key, NO_PAIRS) if value is None else Score.number(key, value)

    def of_labels(
        true: TimeLine, pred: TimeLine, *, frame: Threshold = "0.1", if_no_pairs: float | None = None
    ) -> Score:
        return of_sections(true, pred, frame=frame, window=None, if_no_pairs=if_no_pairs)

    function: Callable[..., Score] = of_labels if closeness == "label" else of_sections
    function.__name__ = function.__qualname__ = key
    return function


def _declare_measures(
    name: str,
    symbol: str,
    pairs: str,
    summary: str,
    values: Sequence[float],
    closeness: Closeness,
    order: int,
    *,
    transitive: bool,
) -> None:
    """Declare precision, recall and F of one way to compare levels; ``values`` are those of the example."""
    ranked = f"How many pairs of moments {pairs}."
    words = ranked.format("prediction", "truth"), ranked.format("truth", "prediction"), summary
    parts = ("precision", "recall", "measure"), "PRF", (_PRECISION, _RECALL, _F), words, values
    for at, (part, letter, formula, text, value) in enumerate(zip(*parts, strict=True)):
        metric(
            symbol=letter + symbol,
            order=order + at,
            formula=formula,
            summary=text,
            citation="mcfee2017evaluating" if closeness == "label" else "mcfee2015hierarchical",
            notes=_NOTES,
            examples=(Example(*_SONG, value),),
        )(_measure_of(name % part, part, closeness, transitive=transitive))


_declare_measures(
    "t_%s_reduced",
    r"^{T}_{\mathrm{red}}",
    "one level apart in the {} the {} ranks alike, by their sections",
    "The T-measure of a hierarchy of sections, comparing neighbouring levels: F of precision and recall.",
    (0.8993907513701879, 0.8485779995369492, 0.8732458222764804),
    "section",
    order=510,
    transitive=False,
)
_declare_measures(
    "t_%s_full",
    r"^{T}_{\mathrm{full}}",
    "at any two levels of the {} the {} ranks alike, by their sections",
    "The T-measure of a hierarchy of sections, comparing any two levels: F of precision and recall.",
    (0.9656917909469306, 0.9313835818938612, 0.9482274580485346),
    "section",
    order=513,
    transitive=True,
)
_declare_measures(
    "l_%s",
    "^{L}",
    "whose labels the {} ranks by level the {} ranks alike",
    "The L-measure of a hierarchy of labelled sections: the harmonic mean of its precision and recall.",
    (0.72549227207504, 0.650686174065376, 0.6860560738390433),
    "label",
    order=516,
    transitive=True,
)
