r"""Video panoptic quality: PQ of the tubes in windows of consecutive frames [kim2020video].

A video is a label array whose first axis is time and whose ids are tubes, the same object in every frame. A window of k
frames is scored as a whole, so a tube whose id changes is two tubes. Frames are counted once; the table of a window is
the sum of the tables of its frames.

Segmentation and tracking quality of videos [weber2021step].
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    Column,
    FloatArray,
    IntArray,
    as_python_ints,
    check_choice,
    products_fit,
    ratio,
    sum_by,
    widest,
)
from segmetry.alignments import Alignment, MatchRule, Policy, align, clash_error
from segmetry.errors import InputError, OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS, POOLED, Average
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.tally_quotient import NO_SEGMENTS
from segmetry.overlaps import OverlapTable, count_overlaps, merge, sorted_names
from segmetry.segmentation import LabelArray, SegmentationPair

ANY = "all"
"""The class of all segments where they have no classes."""


@dataclass(frozen=True)
class TubeCounts:
    """The IoUs of the matched tubes of a class, and the number of its unmatched tubes."""

    ious: tuple[float, ...] = ()
    unmatched: int = 0

    @property
    def n_halves(self) -> int:
        """The denominator of PQ, doubled: 2·pairs + unmatched."""
        return 2 * len(self.ious) + self.unmatched


Window = Mapping[Hashable, TubeCounts]
"""The counts of each class that occurs in some frames."""


def frame_tables(true: LabelArray, pred: LabelArray) -> list[OverlapTable]:
    """Return the overlap table of every frame."""
    check_video(true)
    return tables_along_time(true, pred)


def tables_along_time(true: LabelArray, pred: LabelArray) -> list[OverlapTable]:
    """Return the overlap table of every place on the first axis."""
    boxes = [(slice(at, at + 1), *(slice(0, length) for length in true.domain[1:])) for at in range(true.domain[0])]
    return [count_overlaps(SegmentationPair(true.part(box), pred.part(box))) for box in boxes]


def check_video(true: LabelArray) -> None:
    """Raise if an array has no frames."""
    if true.axes < 3:
        raise InputError(
            f"a video has shape {true.domain}; expected frames on the first axis and at least two axes more: the rows "
            "of an image are not frames (frames that are lines need an axis of length 1: labels[:, None])"
        )


def read_frames(video: LabelArray, first: int, stop: int) -> NDArray[Any]:
    """Return the labels of some frames."""
    return video.read((slice(first, stop), *(slice(0, length) for length in video.domain[1:])))


def as_lengths(k: int | Sequence[int]) -> tuple[int, ...]:
    """Return the requested lengths of windows."""
    listed: tuple[Any, ...] = tuple(k) if isinstance(k, Iterable) else (k,)
    if not listed:
        raise OptionError("k is empty; expected at least one number of frames")
    for length in listed:
        if isinstance(length, bool) or not isinstance(length, Integral) or int(length) < 1:
            raise OptionError(f"k contains {length!r}; expected integer numbers of frames, at least 1")
    if len(set(listed)) < len(listed):
        raise OptionError(f"k is {listed}; expected each number of frames once")
    return tuple(map(int, listed))


def windows_of(
    tables: Sequence[OverlapTable], k: int, rule: MatchRule | str, policy: Policy | str | None
) -> list[Window]:
    """Return the counts by class of each window of k frames, stride 1."""
    return [
        counts_by_class(align(merge(tables[start : start + k]), rule, policy=policy))
        for start in range(len(tables) - k + 1)
    ]


def counts_by_class(alignment: Alignment) -> Window:
    """Return the matched and unmatched segments of every class that occurs."""
    if not alignment.is_one_to_one:
        raise clash_error(alignment)
    table = alignment.table
    names = (ANY,) if table.class_names is None else table.class_names
    of_true, of_pred = (side.class_codes for side in (table.true, table.pred))
    of_pair, iou = of_true[alignment.at_true], alignment.iou
    unmatched = np.concatenate((of_true[alignment.missed_true], of_pred[alignment.spurious_pred])).tolist()
    counts = {
        name: TubeCounts(tuple(iou[of_pair == code].tolist()), unmatched.count(code)) for code, name in enumerate(names)
    }
    return {name: count for name, count in counts.items() if count.ious or count.unmatched}


def pooled_classes(windows: Sequence[Window]) -> Window:
    """Return the summed counts of all windows, by class."""
    pooled = {}
    for name in sorted_names({name for window in windows for name in window}):
        parts = [window[name] for window in windows if name in window]
        pooled[name] = TubeCounts(
            tuple(chain.from_iterable(part.ious for part in parts)), sum(p.unmatched for p in parts)
        )
    return pooled


WindowAverage = Literal["pooled", "mean"]
STEADY = LabelArray([[[1, 1, 2, 2]]] * 4)
SWAPPED = LabelArray([[[1, 1, 2, 2]]] * 2 + [[[2, 2, 1, 1]]] * 2)


def tube_windows(
    true: LabelArray,
    pred: LabelArray,
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    rule: MatchRule | str = "theta_plus",
    policy: Policy | str | None = None,
    windows: WindowAverage = "pooled",
) -> dict[str, Column]:
    """Collect 2·Σ IoU and 2·pairs + unmatched by class and length of windows, or sum and number of windows."""
    check_choice("windows", windows, WindowAverage)
    lengths = as_lengths(k)
    tables = frame_tables(true, pred)
    by_length = [windows_of(tables, length, rule, policy) for length in lengths]
    long_enough = np.array([int(len(tables) >= max(lengths))])
    if windows == "mean":
        means = [[_mean_over_classes(window) for window in listed if window] for listed in by_length]
        return {
            "long_enough": long_enough,
            "quality": np.array([[math.fsum(values) for values in means]]),
            "n": np.array([list(map(len, means))]),
        }
    pooled = [pooled_classes(listed) for listed in by_length]
    names = sorted_names({name for window in pooled for name in window})
    rows = [[window.get(name, TubeCounts()) for window in pooled] for name in names]
    shape = len(names), len(lengths)
    return {
        "long_enough": long_enough,
        "class": list(names),
        "quality": np.array([[2 * math.fsum(cell.ious) for cell in row] for row in rows], np.float64).reshape(shape),
        "n": np.array([[cell.n_halves for cell in row] for row in rows], np.int64).reshape(shape),
    }


def _mean_over_classes(window: Window) -> float:
    """Return the mean over the classes of a window of 2·Σ IoU / (2·pairs + unmatched)."""
    return math.fsum(2 * math.fsum(cell.ious) / cell.n_halves for cell in window.values()) / len(window)


def _average_of(*, windows: WindowAverage = "pooled") -> Average:
    return BY_CLASS if windows == "pooled" else POOLED


def _by_length(
    quotient: Quotient,
    sums: Sums,
    names: Sequence[Hashable],
    *,
    k: int | Sequence[int] = (1, 2, 3, 4),
    windows: WindowAverage = "pooled",
) -> dict[str, Any]:
    """Return the mean over classes for each length of windows, and the value of each class."""
    if not sums["long_enough"].any():
        return {}
    of_length = [values[~np.isnan(values)].tolist() for values in quotient.along[:, 0].T]
    means = [math.fsum(values) / len(values) if values else None for values in of_length]
    details: dict[str, Any] = {"k": dict(zip(map(str, as_lengths(k)), means, strict=True))}
    if windows == "pooled":
        values = zip(map(str, names), quotient.values[:, 0].tolist(), strict=True)
        details["classes"] = {name: value for name, value in values if not math.isnan(value)}
    return details


@metric(
    symbol="VPQ",
    order=10,
    aliases=("video_panoptic_quality",),
    formula=r"\mathrm{VPQ} = \frac{1}{|K|}\sum_{k\in K}\frac{1}{|C|}\sum_{c\in C}"
    r"\frac{\sum_{(t,h)\in TP_c^k}\mathrm{IoU}(t,h)}{|TP_c^k|+\frac12|FP_c^k|+\frac12|FN_c^k|}",
    summary="Video panoptic quality: PQ of the tubes in all windows of k consecutive frames, averaged over classes and "
    "over k.",
    citation="kim2020video",
    symmetric=True,
    notes="Frames are on the first axis, so an image of two axes is an error; windows start at every frame, ids are "
    "tubes. windows='pooled' adds up the tubes of all windows per class, then takes the mean over the classes that "
    "occur, as published; 'mean' scores every window by itself and averages the windows. The rule is theta_plus by "
    "default, as published; policy='coco' treats void and crowd as the reference does. Over a data set the tubes of "
    "the windows of all videos are added up, as published. A video shorter than k frames has no window of k; where no "
    "video has one, and without a segment: undefined.",
    examples=(
        Example(STEADY, SWAPPED, 5 / 6, {"k": (1, 2)}),
        Example(STEADY, SWAPPED, 2 / 3, {"k": 2, "windows": "mean"}),
        Example(STEADY, STEADY, 1),
    ),
    dimensions=(3, 4),
    least_length=4,
    statistics=Aggregation(
        tube_windows, average=_average_of, of_items=("long_enough",), classes_first=True, describe=_by_length
    ),
)
def vpq(sums: Sums, *, k: int | Sequence[int] = (1, 2, 3, 4)) -> Quotient:
    long_enough = sums["long_enough"] > 0
    along = np.where(long_enough[..., None], Quotient(sums["quality"], sums["n"]).values, math.nan)
    n_lengths = (~np.isnan(along)).sum(axis=-1)
    too_short = f"no video has {max(as_lengths(k))} frames, a window of k"
    reason = NO_SEGMENTS if long_enough.any() else too_short
    return Quotient(np.nansum(along, axis=-1), n_lengths, reason, occurs=n_lengths > 0, along=along)


Unpredicted = Literal["class", "missed"]


def tubes_and_classes(table: OverlapTable, *, things: Collection[Hashable] | None = None) -> dict[str, Column]:
    """Collect the true tubes of a video with their association, and the elements of every class."""
    if things is not None and table.class_names is None:
        raise OptionError(
            "things= names classes, but the segments carry none; pass classes= to LabelArray on both sides"
        )
    shared, union = _class_elements(table)
    association = _tube_association(table, things)
    return {
        "association": association,
        "tubes": np.array([association.size]),
        "class": [ANY] if table.class_names is None else list(table.class_names),
        "shared": shared,
        "union": union,
        "unpredicted": (table.true.outside + table.true.void).sum(keepdims=True),
    }


def _quality_parts(quotient: Quotient, _sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
    association, segmentation = quotient.along[0, 0].tolist()
    named = {"association_quality": association, "segmentation_quality": segmentation}
    return {name: value for name, value in named.items() if not math.isnan(value)}


@metric(
    symbol="STQ",
    order=20,
    aliases=("segmentation_and_tracking_quality",),
    formula=r"\mathrm{STQ} = \sqrt{\mathrm{AQ}\cdot\mathrm{SQ}},\quad "
    r"\mathrm{AQ} = \frac{1}{|T|}\sum_{t\in T}\frac{1}{|t|}\sum_{h\in H}|t\cap h|\cdot\mathrm{IoU}(t,h),\quad "
    r"\mathrm{SQ} = \frac{1}{|C|}\sum_{c\in C}\mathrm{IoU}(c)",
    summary="Segmentation and tracking quality: the geometric mean of association quality (elements keep their tube "
    "over the whole video) and segmentation quality (elements have the right class).",
    citation="weber2021step",
    kinds=("labels",),
    notes="ids are tubes of the whole video, things= names the classes that are tracked (all by default). As in the "
    "reference: tubes are compared whatever their class, crowd truth is not a tube and its elements are removed from "
    "the predicted tubes, void elements of the truth do not count for the classes but stay in the predicted tubes. "
    "Elements outside of the truth are not void: a prediction there is spurious. Elements without a predicted class "
    "are missed by their true class and are, as in the reference, one more class of IoU 0; unpredicted='missed' leaves "
    "that class out. Without classes everything is one class. Over a data set the tubes of all videos are averaged "
    "together and the elements of each class added up, as in the reference. Undefined without a true tube, where the "
    "reference gives 0.",
    examples=(
        Example(STEADY, SWAPPED, math.sqrt(1 / 3)),
        Example([[1, 1, 2, 2]], [[3, 3, 3, 3]], math.sqrt(1 / 2)),
        Example([[1, 1, 1, 1]], [[1, 1, 1, 0]], math.sqrt(9 / 16 * 3 / 8)),
        Example([[1, 1, 1, 1]], [[1, 1, 1, 0]], math.sqrt(9 / 16 * 3 / 4), {"unpredicted": "missed"}),
    ),
    statistics=Aggregation(
        tubes_and_classes,
        of_items=("association", "tubes", "unpredicted"),
        across_classes=True,
        describe=_quality_parts,
        group_options=("things",),
    ),
)
def stq(sums: Sums, *, unpredicted: Unpredicted = "class") -> Quotient:
    check_choice("unpredicted", unpredicted, Unpredicted)
    occurs = sums["union"] > 0
    ious = np.where(occurs, Quotient(sums["shared"], sums["union"]).values, 0.0)
    n_classes = occurs.sum(axis=0, keepdims=True)
    if unpredicted == "class":
        n_classes = n_classes + (sums["unpredicted"] > 0)  # one more class, of IoU 0
    association = Quotient(sums["association"], sums["tubes"]).values
    segmentation = Quotient(ious.sum(axis=0, keepdims=True), n_classes).values
    parts = np.stack((association, segmentation), axis=-1)
    return Quotient(np.sqrt(parts.prod(axis=-1)), reason="no true tubes", along=parts)


def _tube_association(table: OverlapTable, things: Collection[Hashable] | None) -> FloatArray:
    """Return Σ over the predicted tubes of s/|t| · IoU, for every true tube."""
    names = table.class_names or ()
    is_thing = np.array([things is None or name in things for name in names] or [True], dtype=bool)
    tracked_true, tracked_pred = is_thing[table.true.class_codes], is_thing[table.pred.class_codes]
    crowd = np.zeros(len(table.true), dtype=bool) if table.true.crowd is None else table.true.crowd & tracked_true
    tubes = tracked_true & ~crowd
    on_crowd = crowd[table.row_true]
    sizes = table.pred.sizes - sum_by(table.row_pred[on_crowd], table.shared[on_crowd], len(table.pred))
    rows = np.flatnonzero(tubes[table.row_true] & tracked_pred[table.row_pred])
    at_true, at_pred = table.row_true[rows], table.row_pred[rows]
    columns: tuple[NDArray[Any], ...] = table.shared[rows], table.true.sizes[at_true], sizes[at_pred]
    if not products_fit(2 * widest(*columns), widest(*columns)):
        columns = tuple(map(as_python_ints, columns))
    shared, of_true, of_pred = columns
    terms = ratio(shared * shared, of_true * (of_true + of_pred - shared))
    of_tube = np.zeros(len(table.true))
    np.add.at(of_tube, at_true, terms)
    associations: FloatArray = of_tube[tubes]
    return associations


def _class_elements(table: OverlapTable) -> tuple[IntArray, IntArray]:
    """Return the elements of every class on both sides, and on either side without the void of the truth."""
    of_true, of_pred = table.true.class_codes, table.pred.class_codes
    count = 1 if table.class_names is None else len(table.class_names)
    same = of_true[table.row_true] == of_pred[table.row_pred]
    shared = sum_by(of_true[table.row_true[same]], table.shared[same], count)
    sides = sum_by(of_true, table.true.sizes, count) + sum_by(of_pred, table.pred.sizes - table.pred.void, count)
    return shared, sides - shared
