r"""T-measures and L-measures of hierarchies of sections [mcfee2015hierarchical, mcfee2017evaluating].

Recall asks whether the prediction ranks pairs of moments as the truth does, precision the reverse, and the measure is
their harmonic mean. T looks at sections, L at their labels; reduced T compares neighbouring levels only, full T all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from segmetry._base.exact import Threshold
from segmetry.metrics.declare import Example, Metric, metric
from segmetry.metrics.score import Score
from segmetry.metrics.time.hierarchy_levels import (
    Atoms,
    Closeness,
    frame_seconds,
    ranking_agreement,
    window_frames,
)
from segmetry.metrics.time.labelled_line import LINE_KINDS, TimeLine
from segmetry.segmentation.time_intervals import TimeIntervals

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


def _agreement(
    true: TimeLine,
    pred: TimeLine,
    closeness: Closeness,
    frame: Threshold,
    window: Threshold | None,
    *,
    transitive: bool,
) -> tuple[float | None, float | None]:
    """Return precision and recall."""
    length = frame_seconds(frame)
    width = window_frames(window, length)
    atoms = Atoms.of(true, pred, length, closeness)
    if atoms is None:
        return None, None
    precision = ranking_agreement(atoms, swapped=True, transitive=transitive, window=width)
    return precision, ranking_agreement(atoms, transitive=transitive, window=width)


def _score(key: str, value: float | None, if_no_pairs: float | None) -> Score:
    if value is None:
        return Score.undefined(key, NO_PAIRS) if if_no_pairs is None else Score.number(key, if_no_pairs)
    return Score.number(key, value)


def _measure(key: str, parts: tuple[float | None, float | None], if_no_pairs: float | None) -> Score:
    precision, recall = (if_no_pairs if part is None else part for part in parts)
    if precision is None or recall is None:
        return Score.undefined(key, NO_PAIRS)
    return Score.number(key, 2 * precision * recall / (precision + recall) if precision + recall else 0)


def _t(
    true: TimeLine, pred: TimeLine, frame: Threshold, window: Threshold | None, *, full: bool
) -> tuple[float | None, float | None]:
    return _agreement(true, pred, "section", frame, window, transitive=full)


def _l(true: TimeLine, pred: TimeLine, frame: Threshold) -> tuple[float | None, float | None]:
    return _agreement(true, pred, "label", frame, None, transitive=True)


def _declared(
    symbol: str, formula: str, value: float, summary: str, **facts: Any
) -> Callable[[Callable[..., Score]], Metric]:
    """Return the declaration of one of the measures; ``value`` is that of the example."""
    return metric(
        symbol=symbol,
        kinds=LINE_KINDS,
        formula=formula,
        summary=summary,
        citation="mcfee2017evaluating" if "^{L}" in symbol else "mcfee2015hierarchical",
        notes=_NOTES,
        examples=(Example(*_SONG, value),),
        **facts,
    )


@_declared(
    r"P^{T}_{\mathrm{red}}",
    _PRECISION,
    0.8993907513701879,
    "How many pairs of moments one level apart in the prediction the truth ranks alike, by their sections.",
    order=510,
)
def t_precision_reduced(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    window: Threshold | None = 15,
    if_no_pairs: float | None = None,
) -> Score:
    return _score("t_precision_reduced", _t(true, pred, frame, window, full=False)[0], if_no_pairs)


@_declared(
    r"R^{T}_{\mathrm{red}}",
    _RECALL,
    0.8485779995369492,
    "How many pairs of moments one level apart in the truth the prediction ranks alike, by their sections.",
)
def t_recall_reduced(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    window: Threshold | None = 15,
    if_no_pairs: float | None = None,
) -> Score:
    return _score("t_recall_reduced", _t(true, pred, frame, window, full=False)[1], if_no_pairs)


@_declared(
    r"F^{T}_{\mathrm{red}}",
    _F,
    0.8732458222764804,
    "The T-measure of a hierarchy of sections, comparing neighbouring levels: F of precision and recall.",
)
def t_measure_reduced(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    window: Threshold | None = 15,
    if_no_pairs: float | None = None,
) -> Score:
    return _measure("t_measure_reduced", _t(true, pred, frame, window, full=False), if_no_pairs)


@_declared(
    r"P^{T}_{\mathrm{full}}",
    _PRECISION,
    0.9656917909469306,
    "How many pairs of moments at any two levels of the prediction the truth ranks alike, by their sections.",
)
def t_precision_full(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    window: Threshold | None = 15,
    if_no_pairs: float | None = None,
) -> Score:
    return _score("t_precision_full", _t(true, pred, frame, window, full=True)[0], if_no_pairs)


@_declared(
    r"R^{T}_{\mathrm{full}}",
    _RECALL,
    0.9313835818938612,
    "How many pairs of moments at any two levels of the truth the prediction ranks alike, by their sections.",
)
def t_recall_full(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    window: Threshold | None = 15,
    if_no_pairs: float | None = None,
) -> Score:
    return _score("t_recall_full", _t(true, pred, frame, window, full=True)[1], if_no_pairs)


@_declared(
    r"F^{T}_{\mathrm{full}}",
    _F,
    0.9482274580485346,
    "The T-measure of a hierarchy of sections, comparing any two levels: F of precision and recall.",
)
def t_measure_full(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    window: Threshold | None = 15,
    if_no_pairs: float | None = None,
) -> Score:
    return _measure("t_measure_full", _t(true, pred, frame, window, full=True), if_no_pairs)


@_declared(
    r"P^{L}",
    _PRECISION,
    0.72549227207504,
    "How many pairs of moments whose labels the prediction ranks by level the truth ranks alike.",
)
def l_precision(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    if_no_pairs: float | None = None,
) -> Score:
    return _score("l_precision", _l(true, pred, frame)[0], if_no_pairs)


@_declared(
    r"R^{L}",
    _RECALL,
    0.650686174065376,
    "How many pairs of moments whose labels the truth ranks by level the prediction ranks alike.",
)
def l_recall(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    if_no_pairs: float | None = None,
) -> Score:
    return _score("l_recall", _l(true, pred, frame)[1], if_no_pairs)


@_declared(
    r"F^{L}",
    _F,
    0.6860560738390433,
    "The L-measure of a hierarchy of labelled sections: the harmonic mean of its precision and recall.",
)
def l_measure(
    true: TimeLine,
    pred: TimeLine,
    *,
    frame: Threshold = "0.1",
    if_no_pairs: float | None = None,
) -> Score:
    return _measure("l_measure", _l(true, pred, frame), if_no_pairs)
