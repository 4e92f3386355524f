r"""Segmental F1 at an overlap of τ, over all segments of a data set [lea2017temporal].

Each predicted segment, from left to right, takes the true segment of its label with the largest IoU. It is a hit if
that IoU is at least τ and no prediction before it has hit the same true segment:

    F1@τ = 2 · hits / (n_true + n_pred)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray, IntArray, fraction
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.span_pairs import LineSpans, SpanPairs, on_one_long_line, span_pairs
from segmetry.metrics.score import Score
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans

THRESHOLDS = ("0.1", "0.25", "0.5")
SegmentEnds = Literal["whole", "ms-tcn2"]
NO_SEGMENTS = "no segment on either side"


def segment_hits(
    true: SpanLines, pred: SpanLines, *, thresholds: Any = THRESHOLDS, ends: SegmentEnds = "whole"
) -> dict[str, Column]:
    """Collect the segments of each class on both sides, and the hits at each threshold."""
    exact = checked_thresholds(thresholds)
    first, second, names = on_one_long_line(true, pred)
    if ends == "ms-tcn2":
        first, second = _cut(first, true), _cut(second, pred)
    elif ends != "whole":
        raise OptionError(f"ends is {ends!r}; expected 'whole' or 'ms-tcn2'")
    n_true, n_pred = (np.bincount(side.codes, minlength=len(names)) for side in (first, second))
    hits = np.stack([_hits(first, second, threshold, len(names)) for threshold in exact], axis=1)
    return {"class": list(names), "true": n_true, "pred": n_pred, "hits": hits}


def checked_thresholds(thresholds: Any) -> tuple[Fraction, ...]:
    """Return the thresholds, from one or several; each is above 0 and at most 1.

    >>> checked_thresholds(0.25), checked_thresholds(["0.1", 0.5])
    ((Fraction(1, 4),), (Fraction(1, 10), Fraction(1, 2)))
    """
    several = thresholds if isinstance(thresholds, Sequence) and not isinstance(thresholds, str) else [thresholds]
    exact = tuple(fraction(threshold, "thresholds") for threshold in several)
    if not exact or not all(0 < threshold <= 1 for threshold in exact):
        raise OptionError(f"thresholds are {thresholds!r}; expected numbers above 0 and at most 1")
    return exact


def _cut(side: LineSpans, lines: SpanLines) -> LineSpans:
    """Return spans that end one element early where they reach the end of their line."""
    return LineSpans(side.starts, side.stops - (lines.stops == lines.lengths[lines.lines]), side.codes)


def _hits(true: LineSpans, pred: LineSpans, threshold: Fraction, n_classes: int) -> IntArray:
    """Return the number of hits of each class."""
    at_true, at_pred, shared, union = _best(span_pairs(true, pred))
    enough = shared * threshold.denominator >= union * threshold.numerator
    _, first = np.unique(at_true[enough], return_index=True)
    return np.bincount(pred.codes[at_pred[enough][first]], minlength=n_classes)


def _best(pairs: SpanPairs) -> tuple[IndexArray, IndexArray, IntArray, IntArray]:
    """Return the truth of the same class and the largest IoU of each prediction; of several, the first one."""
    kept = np.flatnonzero(pairs.same_class & (pairs.shared > 0))
    # IoUs of spans shorter than 2²⁶ elements that differ have different floats.
    order = kept[np.lexsort((-pairs.shared[kept] / np.maximum(pairs.union[kept], 1), pairs.at_pred[kept]))]
    chosen = order[np.flatnonzero(np.diff(pairs.at_pred[order], prepend=-1))]
    return pairs.at_true[chosen], pairs.at_pred[chosen], pairs.shared[chosen], pairs.union[chosen]


def _f1(collected: Collected, *, thresholds: Any = THRESHOLDS) -> Combined:
    """The mean over thresholds of F1, of all segments, and of each class."""
    names = [_shown(threshold) for threshold in checked_thresholds(thresholds)]
    both = collected.times_of("class") * (collected.columns["true"] + collected.columns["pred"])
    hits = collected.times_of("class")[:, None] * collected.columns["hits"]
    value = _score(hits.sum(axis=0), int(both.sum()), names)
    classes = {}
    for at, name in enumerate(collected.labels["class"]):
        rows = collected.columns["class"] == at
        if both[rows].any():
            classes[name] = _score(hits[rows].sum(axis=0), int(both[rows].sum()), names)
    mean = Score.of("segmental_f1", math.fsum(score.value for score in classes.values()), len(classes), NO_SEGMENTS)
    return Combined(value, classes, mean)


def _score(hits: IntArray, both: int, names: Sequence[str]) -> Score:
    details = {} if not both else {"f1_at": {name: 2 * int(n) / both for name, n in zip(names, hits, strict=True)}}
    return Score.of("segmental_f1", 2 * int(hits.sum()), both * len(names), NO_SEGMENTS, **details)


def _shown(threshold: Fraction) -> str:
    """Return a threshold as it is written, such as 0.1."""
    return f"{float(threshold):g}"


def _f1s(collected: Collected, times: IntArray, *, thresholds: Any = THRESHOLDS) -> FloatArray:
    """The value of many samples at once."""
    if "by item" not in collected.memo:
        rows = collected.item_of("class")
        both, hits = np.zeros((2, collected.n_items), dtype=np.int64)
        np.add.at(both, rows, collected.columns["true"] + collected.columns["pred"])
        np.add.at(hits, rows, collected.columns["hits"].sum(axis=1))
        collected.memo["by item"] = both * len(checked_thresholds(thresholds)), 2 * hits
    both, hits = (column @ times for column in collected.memo["by item"])
    return np.where(both > 0, hits / np.maximum(both, 1), math.nan)


_POOLED = Accumulator(segment_hits, _f1, pooled=True, classes_by_item=False, resampled=_f1s)
_SHIFTED = (
    Spans.from_frame_labels(["cut", "cut", "pour", "pour"]),
    Spans.from_frame_labels(["cut", "cut", "cut", "pour"]),
)


@metric(
    symbol=r"F_1@\tau",
    family="labelled",
    order=30,
    aliases={
        "segmental_f1@10": {"thresholds": "0.1"},
        "segmental_f1@25": {"thresholds": "0.25"},
        "segmental_f1@50": {"thresholds": "0.5"},
    },
    needs="lines",
    kinds=("spans",),
    formula=r"F_1@\tau = \frac{2\,\mathrm{hits}_\tau}{n_T + n_P}",
    summary="F1 of labelled segments that overlap by an IoU of at least τ, over all segments of a data set.",
    citation=("lea2017temporal", "abufarha2019multi"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes="Each predicted segment, from left to right, takes the true one of its class with the largest IoU; of equal "
    "ones the first. It is a hit if the IoU reaches τ and that segment is still free, and spurious otherwise, even if "
    "another true segment would fit. Several thresholds: the mean over them; details contain each. ends='ms-tcn2' ends "
    "a segment that reaches the end of its line one frame early, as MS-TCN++ and scripts derived from it do; ms-tcn "
    "itself does not. Without classes all spans have the same class. Undefined without a segment on either side.",
    examples=(
        Example(*_SHIFTED, 1, {"thresholds": "0.5"}),
        Example(*_SHIFTED, (1 + 1 + 0) / 3, {"thresholds": ["0.1", "0.5", "0.7"]}),
        Example(*_SHIFTED, 1 / 2, {"thresholds": "0.5", "ends": "ms-tcn2"}),
    ),
    accumulator=_POOLED,
)
def segmental_f1(
    true: SpanLines, pred: SpanLines, *, thresholds: Any = THRESHOLDS, ends: SegmentEnds = "whole"
) -> Score:
    return _POOLED.score(true, pred, thresholds=thresholds, ends=ends)
