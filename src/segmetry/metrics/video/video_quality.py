r"""Video: panoptic quality of tubes in windows [kim2020video], segmentation and tracking quality [weber2021step]."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, as_python_ints, products_fit, ratio, sum_by, widest
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.errors import KindError, OptionError
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.video.tubes import (
    Window,
    as_lengths,
    frame_tables,
    mean_over_classes,
    pooled_classes,
    windows_of,
)
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import SegmentationPair

_STEADY = LabelArray([[[1, 1, 2, 2]]] * 4)
_SWAPPED = LabelArray([[[1, 1, 2, 2]]] * 2 + [[[2, 2, 1, 1]]] * 2)


@metric(
    symbol="VPQ",
    family="video",
    order=10,
    needs="inputs",
    formula=r"\mathrm{VPQ} = \frac{1}{|K|}\sum_{k\in K}\frac{1}{|C|}\sum_{c\in C}"
    r"\frac{\sum_{(t,h)\in TP_c^k}\mathrm{IoU}(t,h)}{|TP_c^k|+\frac12|FP_c^k|+\frac12|FN_c^k|}",
    summary="Video panoptic quality: PQ of the tubes in all windows of k consecutive frames, averaged over classes and "
    "over k.",
    citation="kim2020video",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("mean",),
    value_if_equal=1,
    kinds=("labels",),
    notes="Frames are on the first axis, so an image of two axes is an error; "
    "windows start at every frame, ids are tubes. windows='pooled' adds up "
    "the tubes of all windows per "
    "class, then takes the mean over the classes that occur, as published; 'mean' scores every window by itself and "
    "averages the windows. "
    "The rule is theta_plus by default, as published; policy='coco' treats void and crowd as the "
    "reference does. "
    "A k longer than the video is an error. Without a segment: undefined. For several videos use vpq_over.",
    examples=(
        Example(_STEADY, _SWAPPED, 5 / 6, {"k": (1, 2)}),
        Example(_STEADY, _SWAPPED, 2 / 3, {"k": 2, "windows": "mean"}),
        Example(_STEADY, _STEADY, 1),
    ),
    dimensions=(3, 4),
    least_length=4,
)
def vpq(
    true: LabelArray,
    pred: LabelArray,
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    rule: MatchRule | str = "theta_plus",
    policy: Policy | str | None = None,
    windows: Literal["pooled", "mean"] = "pooled",
) -> Score:
    return vpq_over([(true, pred)], k=k, rule=rule, policy=policy, windows=windows)


def vpq_over(
    videos: Iterable[tuple[Any, Any]],
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    rule: MatchRule | str = "theta_plus",
    policy: Policy | str | None = None,
    windows: Literal["pooled", "mean"] = "pooled",
) -> Score:
    """Return the video panoptic quality of several videos, over the windows of all of them.

    >>> videos = [([[[1, 1]], [[1, 1]]], [[[1, 1]], [[1, 1]]]), ([[[1, 2]], [[1, 2]]], [[[1, 0]], [[1, 0]]])]
    >>> vpq_over(videos, k=2).value
    0.8
    """
    if windows not in ("pooled", "mean"):
        raise OptionError(f"windows is {windows!r}; expected 'pooled' or 'mean'")
    counted: dict[int, list[Window]] = {}
    for at, (true, pred) in enumerate(videos):
        tables = frame_tables(*_video(at, true, pred))
        for length in as_lengths(k, len(tables)):
            counted.setdefault(length, []).extend(windows_of(tables, length, rule, policy))
    by_length = {length: _quality(window_counts, windows) for length, window_counts in counted.items()}
    defined = [value for value in by_length.values() if not math.isnan(value)]
    details = {"k": {str(length): None if math.isnan(value) else value for length, value in by_length.items()}}
    if windows == "pooled":
        details["classes"] = {str(name): value for name, value in _by_class(counted).items()}
    return Score.of("vpq", math.fsum(defined), len(defined), NO_SEGMENTS, **details)


def _quality(window_counts: list[Window], windows: str) -> float:
    if windows == "pooled":
        return mean_over_classes(pooled_classes(window_counts))
    values = [mean_over_classes(window) for window in window_counts if window]
    return math.fsum(values) / len(values) if values else math.nan


def _by_class(counted: dict[int, list[Window]]) -> dict[Hashable, float]:
    """Return the mean over k of the PQ of each class; a class that occurs is in windows of every length."""
    values: dict[Hashable, list[float]] = {}
    for window_counts in counted.values():
        for name, counts in pooled_classes(window_counts).items():
            values.setdefault(name, []).append(counts.pq)
    return {name: math.fsum(listed) / len(listed) for name, listed in values.items()}


def _video(at: int, true: Any, pred: Any) -> tuple[LabelArray, LabelArray]:
    pair = SegmentationPair.of(true, pred)
    if not isinstance(pair.true, LabelArray) or not isinstance(pair.pred, LabelArray):
        raise KindError(f"video {at} contains {pair.true.kind}; vpq takes label arrays with frames on the first axis")
    return pair.true, pair.pred


@metric(
    symbol="STQ",
    family="video",
    order=20,
    needs="table",
    formula=r"\mathrm{STQ} = \sqrt{\mathrm{AQ}\cdot\mathrm{SQ}},\quad "
    r"\mathrm{AQ} = \frac{1}{|T|}\sum_{t\in T}\frac{1}{|t|}\sum_{h\in H}|t\cap h|\cdot\mathrm{IoU}(t,h),\quad "
    r"\mathrm{SQ} = \frac{1}{|C|}\sum_{c\in C}\mathrm{IoU}(c)",
    summary="Segmentation and tracking quality: the geometric mean of association quality (elements keep their tube "
    "over the whole video) and segmentation quality (elements have the right class).",
    citation="weber2021step",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean",),
    value_if_equal=1,
    kinds=("labels",),
    notes="ids are tubes of the whole video, things= names the classes that are tracked (all by default). As in "
    "the reference: tubes are compared "
    "whatever their class, crowd truth is not a tube and its elements are removed from the predicted tubes, void "
    "elements "
    "of the truth do not count for the "
    "classes but stay in the predicted tubes. Elements outside of the truth are not void: a prediction there is "
    "spurious. Elements without a "
    "predicted class are missed by their true class; the reference also counts a class of IoU 0 for them. Without "
    "classes everything is one class. "
    "Undefined without a true tube, where the reference gives 0.",
    examples=(
        Example(_STEADY, _SWAPPED, math.sqrt(1 / 3)),
        Example([[1, 1, 2, 2]], [[3, 3, 3, 3]], math.sqrt(1 / 2)),
    ),
)
def stq(table: OverlapTable, *, things: Collection[Hashable] | None = None) -> Score:
    if things is not None and table.class_names is None:
        raise OptionError(
            "things= names classes, but the segments carry none; pass classes= to LabelArray on both sides"
        )
    association, n_tubes = _association(table, things)
    if not n_tubes:
        return Score.undefined("stq", "no true tubes")
    ious = _class_ious(table)
    quality = {"association_quality": association / n_tubes, "segmentation_quality": math.fsum(ious) / len(ious)}
    return Score.number("stq", math.sqrt(math.prod(quality.values())), **quality)


def _association(table: OverlapTable, things: Collection[Hashable] | None) -> tuple[float, int]:
    """Return Σ over pairs of tubes of s/|t| · IoU, and the number of true tubes."""
    tracked_true, tracked_pred = (_tracked(table, side.classes, len(side), things) for side in (table.true, table.pred))
    crowd = np.zeros(len(table.true), dtype=bool) if table.true.crowd is None else table.true.crowd & tracked_true
    tubes = tracked_true & ~crowd
    on_crowd = crowd[table.row_true]
    sizes = table.pred.sizes - sum_by(table.row_pred[on_crowd], table.shared[on_crowd], len(table.pred))
    rows = np.flatnonzero(tubes[table.row_true] & tracked_pred[table.row_pred])
    columns: tuple[NDArray[Any], ...] = (
        table.shared[rows],
        table.true.sizes[table.row_true[rows]],
        sizes[table.row_pred[rows]],
    )
    if not products_fit(2 * widest(*columns), widest(*columns)):
        columns = tuple(map(as_python_ints, columns))
    shared, of_true, of_pred = columns
    terms = ratio(shared * shared, of_true * (of_true + of_pred - shared))
    return math.fsum(terms.tolist()), int(np.count_nonzero(tubes))


def _tracked(
    table: OverlapTable, classes: IntArray | None, count: int, things: Collection[Hashable] | None
) -> NDArray[np.bool_]:
    if things is None or classes is None:
        return np.ones(count, dtype=bool)
    wanted = np.array([name in things for name in table.class_names or ()], dtype=bool)
    return wanted[classes]


def _class_ious(table: OverlapTable) -> list[float]:
    """Return the IoU of every class that occurs: all its elements on one side against all on the other."""
    of_true = np.zeros(len(table.true), dtype=np.int64) if table.true.classes is None else table.true.classes
    of_pred = np.zeros(len(table.pred), dtype=np.int64) if table.pred.classes is None else table.pred.classes
    count = 1 if table.class_names is None else len(table.class_names)
    same = of_true[table.row_true] == of_pred[table.row_pred]
    shared = sum_by(of_true[table.row_true[same]], table.shared[same], count)
    union = (
        sum_by(of_true, table.true.sizes, count) + sum_by(of_pred, table.pred.sizes - table.pred.void, count) - shared
    )
    occurs = union > 0
    ious: list[float] = ratio(shared[occurs], union[occurs]).tolist()
    return ious
