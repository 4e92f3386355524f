r"""Video panoptic quality: PQ of the tubes in windows of consecutive frames [kim2020video]."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import BoolArray, IntArray
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import Policy
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.video.resampled_videos import resampled_vpq
from segmetry.metrics.video.tubes import Window, as_lengths, frame_tables, pooled_classes, windows_of
from segmetry.segmentation.labels import LabelArray

STEADY = LabelArray([[[1, 1, 2, 2]]] * 4)
SWAPPED = LabelArray([[[1, 1, 2, 2]]] * 2 + [[[2, 2, 1, 1]]] * 2)


def tube_windows(
    true: LabelArray,
    pred: LabelArray,
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    rule: MatchRule | str = "theta_plus",
    policy: Policy | str | None = None,
    windows: Literal["pooled", "mean"] = "pooled",
) -> dict[str, Column]:
    """Collect the matched and unmatched tubes of one video: a row for each length of windows and each class, and for
    each window where windows are averaged.
    """
    if windows not in ("pooled", "mean"):
        raise OptionError(f"windows is {windows!r}; expected 'pooled' or 'mean'")
    lengths = as_lengths(k)
    tables = frame_tables(true, pred)
    rows: list[tuple[int, int, Hashable, float, int, int]] = []
    for length in lengths:
        listed: list[Window] = windows_of(tables, length, rule, policy)
        for number, window in enumerate(listed if windows == "mean" else [pooled_classes(listed)]):
            for name, counts in window.items():
                rows.append((length, number, name, math.fsum(counts.ious), len(counts.ious), counts.unmatched))
    length_column, number_column, names, ious, pairs, unmatched = zip(*rows, strict=True) if rows else ((),) * 6
    return {
        "frames": np.array([len(tables)], dtype=np.int64),
        "k": np.array(length_column, dtype=np.int64),
        "window": np.array(number_column, dtype=np.int64),
        "class": list(names),
        "iou": np.array(ious, dtype=np.float64),
        "pairs": np.array(pairs, dtype=np.int64),
        "unmatched": np.array(unmatched, dtype=np.int64),
    }


def _combine(
    collected: Collected,
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    windows: Literal["pooled", "mean"] = "pooled",
) -> Combined:
    lengths = as_lengths(k)
    longest = int((collected.columns["frames"] * (collected.times > 0)).max(initial=0))
    if longest < max(lengths):
        return Combined(Score.undefined("vpq", f"no video has {max(lengths)} frames, a window of k"))
    by_length: dict[int, float] = {}
    by_class: dict[Hashable, list[float]] = {}
    for length in lengths:
        mine = collected.columns["k"] == length
        values = _qualities(collected, mine) if windows == "pooled" else {}
        for name, value in values.items():
            by_class.setdefault(name, []).append(value)
        by_length[length] = _mean(list(values.values())) if windows == "pooled" else _mean_of_windows(collected, mine)
    defined = [value for value in by_length.values() if not math.isnan(value)]
    details: dict[str, Any] = {"k": {str(at): None if math.isnan(value) else value for at, value in by_length.items()}}
    classes = {name: Score.number("vpq", _mean(values)) for name, values in by_class.items()}
    if windows == "pooled":
        details["classes"] = {str(name): score.value for name, score in classes.items()}
    return Combined(Score.of("vpq", math.fsum(defined), len(defined), NO_SEGMENTS, **details), classes)


def _qualities(collected: Collected, rows: BoolArray) -> dict[Hashable, float]:
    """Return the PQ of every class that occurs in these rows: counts are added up first."""
    times = collected.times_of("class")
    qualities = {}
    for code, name in enumerate(collected.labels.get("class", ())):
        mine = np.flatnonzero(rows & (collected.columns["class"] == code))
        value = _quality(collected, mine, times[mine])
        if not math.isnan(value):
            qualities[name] = value
    return qualities


def _mean_of_windows(collected: Collected, rows: BoolArray) -> float:
    """Return the mean over windows of the mean over the classes of each window."""
    item, times = collected.item_of("class"), collected.times_of("class")
    windows: dict[tuple[int, int], list[float]] = {}
    counted: dict[tuple[int, int], int] = {}
    for at in np.flatnonzero(rows & (times > 0)).tolist():
        window = int(item[at]), int(collected.columns["window"][at])
        windows.setdefault(window, []).append(_quality(collected, np.array([at]), np.ones(1, dtype=np.int64)))
        counted[window] = int(times[at])
    return _mean([_mean(values) for window, values in windows.items() for _ in range(counted[window])])


def _quality(collected: Collected, rows: IntArray, times: IntArray) -> float:
    """Return 2·Σ IoU / (2·pairs + unmatched); NaN without a segment."""
    total = int(times @ (2 * collected.columns["pairs"][rows] + collected.columns["unmatched"][rows]))
    ious = np.repeat(collected.columns["iou"][rows], times)
    return 2 * math.fsum(ious.tolist()) / total if total else math.nan


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


_OVER_VIDEOS = Accumulator(tube_windows, _combine, mean_over_classes=True, resampled=resampled_vpq)


@metric(
    symbol="VPQ",
    family="video",
    order=10,
    aliases=("video_panoptic_quality",),
    needs="inputs",
    formula=r"\mathrm{VPQ} = \frac{1}{|K|}\sum_{k\in K}\frac{1}{|C|}\sum_{c\in C}"
    r"\frac{\sum_{(t,h)\in TP_c^k}\mathrm{IoU}(t,h)}{|TP_c^k|+\frac12|FP_c^k|+\frac12|FN_c^k|}",
    summary="Video panoptic quality: PQ of the tubes in all windows of k consecutive frames, averaged over classes and "
    "over k.",
    citation="kim2020video",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item",),
    value_if_equal=1,
    kinds=("labels",),
    notes="Frames are on the first axis, so an image of two axes is an error; "
    "windows start at every frame, ids are tubes. windows='pooled' adds up "
    "the tubes of all windows per "
    "class, then takes the mean over the classes that occur, as published; 'mean' scores every window by itself and "
    "averages the windows. "
    "The rule is theta_plus by default, as published; policy='coco' treats void and crowd as the "
    "reference does. "
    "Over a data set the tubes of the windows of all videos are added up, as published. "
    "A video shorter than k frames has no window of k; where no video has one, and without a segment: undefined.",
    examples=(
        Example(STEADY, SWAPPED, 5 / 6, {"k": (1, 2)}),
        Example(STEADY, SWAPPED, 2 / 3, {"k": 2, "windows": "mean"}),
        Example(STEADY, STEADY, 1),
    ),
    dimensions=(3, 4),
    least_length=4,
    accumulator=_OVER_VIDEOS,
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
    return _OVER_VIDEOS.score(true, pred, k=k, rule=rule, policy=policy, windows=windows)
