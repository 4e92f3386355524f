r"""Segmental F1, edit score and frame accuracy of actions [lea2017temporal].

Segmental F1: each predicted segment, from left to right, takes the true segment of its label with the largest IoU. It
is a hit if that IoU reaches the threshold and no prediction before it has hit the same true segment.

The edit score compares the order of labels, whatever their lengths, by the insertions, deletions and replacements
between the two sequences [levenshtein1966binary]. A frame in no span has the label *outside*.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from segmetry._base import Column, IndexArray, IntArray, Threshold, check_choice, fraction
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.instances.segment_scores import place_of
from segmetry.metrics.labelled.entity_scores import LineSpans, SpanPairs, on_one_long_line, span_pairs
from segmetry.metrics.score import Score
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import SpanLines, Spans

THRESHOLDS = ("0.1", "0.25", "0.5")
SegmentEnds = Literal["whole", "ms-tcn2"]
NO_SEGMENTS = "no segment on either side"


def segment_hits(
    true: SpanLines, pred: SpanLines, *, thresholds: Any = THRESHOLDS, ends: SegmentEnds = "whole"
) -> dict[str, Column]:
    """Collect the segments of each class on both sides, and the hits at each threshold."""
    exact = checked_thresholds(thresholds)
    check_choice("ends", ends, SegmentEnds)
    first, second, names = on_one_long_line(true, pred)
    if ends == "ms-tcn2":
        first, second = _cut_at_line_end(first, true), _cut_at_line_end(second, pred)
    n_true, n_pred = (np.bincount(side.codes, minlength=len(names)) for side in (first, second))
    hits = np.stack([_hits_of_classes(first, second, threshold, len(names)) for threshold in exact], axis=1)
    return {"class": list(names), "true": n_true, "pred": n_pred, "hits": hits}


def checked_thresholds(thresholds: Any) -> tuple[Fraction, ...]:
    """Return the thresholds, from one or several; each is above 0 and at most 1."""
    several = thresholds if isinstance(thresholds, Sequence) and not isinstance(thresholds, str) else [thresholds]
    exact = tuple(fraction(threshold, "thresholds") for threshold in several)
    if not exact or not all(0 < threshold <= 1 for threshold in exact):
        raise OptionError(f"thresholds are {thresholds!r}; expected numbers above 0 and at most 1")
    return exact


def _cut_at_line_end(side: LineSpans, lines: SpanLines) -> LineSpans:
    """Return spans that end one element early where they reach the end of their line."""
    return LineSpans(side.starts, side.stops - (lines.stops == lines.lengths[lines.lines]), side.codes)


def _hits_of_classes(true: LineSpans, pred: LineSpans, threshold: Fraction, n_classes: int) -> IntArray:
    at_true, at_pred, shared, union = _best_partners(span_pairs(true, pred))
    enough = shared * threshold.denominator >= union * threshold.numerator
    # Only the first prediction hits a true segment: a later one is spurious even if another true segment would fit,
    # as in the published script.
    _, first = np.unique(at_true[enough], return_index=True)
    return np.bincount(pred.codes[at_pred[enough][first]], minlength=n_classes)


def _best_partners(pairs: SpanPairs) -> tuple[IndexArray, IndexArray, IntArray, IntArray]:
    """Return the truth of the same class and the largest IoU of each prediction; of several, the first one."""
    kept = np.flatnonzero(pairs.same_class & (pairs.shared > 0))
    # IoUs of spans shorter than 2²⁶ elements that differ have different floats.
    order = kept[np.lexsort((-pairs.shared[kept] / np.maximum(pairs.union[kept], 1), pairs.at_pred[kept]))]
    chosen = order[np.flatnonzero(np.diff(pairs.at_pred[order], prepend=-1))]
    return pairs.at_true[chosen], pairs.at_pred[chosen], pairs.shared[chosen], pairs.union[chosen]


def _f1_at(
    _: Quotient, sums: Sums, names: Sequence[Hashable], *, thresholds: Any = THRESHOLDS, at: Threshold | None = None
) -> dict[str, Any]:
    """Return F1 at each threshold, under its name as it is written, such as 0.1, and which one is the value."""
    both = int((sums["true"] + sums["pred"]).sum())
    if len(names) or not both:
        return {}
    values = zip(checked_thresholds(thresholds), sums["hits"][0, 0].tolist(), strict=True)
    chosen = {} if at is None else {"at": f"{float(fraction(at)):g}"}
    return {"f1_at": {f"{float(threshold):g}": 2 * hits / both for threshold, hits in values}, **chosen}


_SHIFTED = (
    Spans.from_frame_labels(["cut", "cut", "pour", "pour"]),
    Spans.from_frame_labels(["cut", "cut", "cut", "pour"]),
)


@metric(
    order=30,
    aliases={
        "segmental_f1@10": {"thresholds": "0.1"},
        "segmental_f1@25": {"thresholds": "0.25"},
        "segmental_f1@50": {"thresholds": "0.5"},
    },
    formula=r"F_1@\tau = \frac{2\,\mathrm{hits}_\tau}{n_T + n_P}",
    summary="F1 of labelled segments that overlap by an IoU of at least τ, over all segments of a data set.",
    citation=("lea2017temporal", "abufarha2019multi"),
    notes="Each predicted segment, from left to right, takes the true one of its class with the largest IoU; of equal "
    "ones the first. It is a hit if the IoU reaches τ and that segment is still free, and spurious otherwise, even if "
    "another true segment would fit. Several thresholds: the mean over them, or the value at= one; details contain "
    "each. ends='ms-tcn2' ends a segment that reaches the end of its line one frame early, as MS-TCN++ and scripts "
    "derived from it do; ms-tcn itself does not. Without classes all spans have the same class. Undefined "
    "without a segment on either side.",
    examples=(
        Example(*_SHIFTED, 1, {"thresholds": "0.5"}),
        Example(*_SHIFTED, (1 + 1 + 0) / 3, {"thresholds": ["0.1", "0.5", "0.7"]}),
        Example(*_SHIFTED, 0, {"thresholds": ["0.1", "0.5", "0.7"], "at": "0.7"}),
        Example(*_SHIFTED, 1 / 2, {"thresholds": "0.5", "ends": "ms-tcn2"}),
    ),
    statistics=Aggregation(segment_hits, average=POOLED, describe=_f1_at, describes_classes=True),
)
def segmental_f1(sums: Sums, *, thresholds: Any = THRESHOLDS, at: Threshold | None = None) -> Quotient:
    both, hits = sums["true"] + sums["pred"], sums["hits"]
    if at is not None:
        place = place_of(at, checked_thresholds(thresholds))
        hits = hits[..., place : place + 1]
    return Quotient(2 * hits.sum(axis=-1), both * hits.shape[-1], NO_SEGMENTS, occurs=both > 0)


NO_SPANS = "no span on either side"


def levenshtein(first: IndexArray, second: IndexArray) -> int:
    """Return the number of insertions, deletions and replacements between two sequences."""
    steps = np.arange(second.size + 1)
    row = steps.copy()
    for label in first.tolist():
        best = np.empty_like(row)
        best[0] = row[0] + 1
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (second != label))
        # An insertion costs 1, so best[j] = min over i ≤ j of best[i] + (j − i).
        row = np.minimum.accumulate(best - steps) + steps
    return int(row[-1])


@metric(
    order=20,
    aliases=("segmental_edit_score",),
    formula=r"\mathrm{Edit} = 1 - \frac{L(t, p)}{\max(|t|, |p|)}",
    summary="One minus the edit distance of the sequences of labels, divided by the length of the longer one.",
    citation=("lea2017temporal", "levenshtein1966binary"),
    symmetric=True,
    notes="Lengths and places of spans do not matter, so it punishes wrong order and fragments alone. Frames outside "
    "have no label, so they divide two runs of one label. Without classes all spans have the same label. Papers print "
    "it times 100. Several lines: the mean over those where it is defined. Undefined without a span on either side.",
    examples=(
        Example(
            Spans.from_frame_labels(["cut", "cut", "pour", "stir"]),
            Spans.from_frame_labels(["cut", "stir", "stir", "cut"]),
            1 / 3,
        ),
    ),
)
def edit_score(true: SpanLines, pred: SpanLines) -> Score:
    first, second, _ = on_one_long_line(true, pred)
    quotients = []
    for line in range(len(true)):
        labels = [
            side.codes[slice(*np.searchsorted(lines, [line, line + 1]).tolist())]
            for side, lines in ((first, true.lines), (second, pred.lines))
        ]
        longer = max(map(len, labels))
        if longer:
            quotients.append((longer - levenshtein(*labels), longer))
    if len(true) == 1 and quotients:
        return Score.of("edit_score", *quotients[0])
    return Score.of("edit_score", math.fsum(top / bottom for top, bottom in quotients), len(quotients), NO_SPANS)


NO_FRAMES = "the line has no elements"


def correct_frames(true: SpanLines, pred: SpanLines) -> dict[str, Column]:
    """Collect the number of frames with the right label, and of all frames."""
    first, second, _ = on_one_long_line(true, pred)
    pairs = span_pairs(first, second)
    total = int(true.lengths.sum())
    covered = int((first.stops - first.starts).sum() + (second.stops - second.starts).sum() - pairs.shared.sum())
    right = int(pairs.shared[pairs.same_class].sum()) + total - covered
    return {"correct": np.array([right]), "frames": np.array([total])}


@metric(
    order=10,
    aliases=("mof", "mean_over_frames"),
    formula=r"\mathrm{MoF} = \frac{|\{i : l_T(i) = l_P(i)\}|}{n}",
    summary="The share of frames that have the right label (MoF, accuracy).",
    citation="lea2017temporal",
    symmetric=True,
    notes="A frame in no span has a label of its own, so a frame that is outside on both sides is right: ms-tcn counts "
    "background likewise. Without classes all spans have the same label. Over a data set, frames of all lines are "
    "counted together, so long videos weigh more. Undefined where a line has no elements.",
    examples=(
        Example(
            Spans.from_frame_labels(["bg", "pour", "pour", "stir"], outside="bg"),
            Spans.from_frame_labels(["bg", "pour", "stir", "stir"], outside="bg"),
            3 / 4,
        ),
    ),
    statistics=Aggregation(correct_frames, average=POOLED),
)
def frame_accuracy(sums: Sums) -> Quotient:
    return Quotient(sums["correct"], sums["frames"], NO_FRAMES)
