r"""Segmentation and tracking quality of videos [weber2021step]."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, as_python_ints, products_fit, ratio, sum_by, widest
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.video.resampled_videos import resampled_stq
from segmetry.metrics.video.video_panoptic_quality import STEADY, SWAPPED
from segmetry.overlaps.table import OverlapTable

ANY = "all"
"""The class of all segments where they have no classes."""


def tubes_and_classes(table: OverlapTable, *, things: Collection[Hashable] | None = None) -> dict[str, Column]:
    """Collect the association of every true tube of a video, the elements of every class on both sides and on either
    side, and the number of elements of a true class that have no predicted one.
    """
    if things is not None and table.class_names is None:
        raise OptionError(
            "things= names classes, but the segments carry none; pass classes= to LabelArray on both sides"
        )
    shared, union = _class_elements(table)
    return {
        "association": _association(table, things),
        "class": [ANY] if table.class_names is None else list(table.class_names),
        "shared": shared,
        "union": union,
        "unpredicted": (table.true.outside + table.true.void).sum(keepdims=True),
    }


def _combine(collected: Collected, *, unpredicted: Literal["class", "missed"] = "class") -> Combined:
    """Tubes of all videos together, elements of each class of all videos together."""
    if unpredicted not in ("class", "missed"):
        raise OptionError(f"unpredicted is {unpredicted!r}; expected 'class' or 'missed'")
    tubes = np.repeat(collected.columns["association"], collected.times_of("association")).tolist()
    if not tubes:
        return Combined(Score.undefined("stq", "no true tubes"))
    count, times = len(collected.labels["class"]), collected.times_of("class")
    shared, union = (
        sum_by(collected.columns["class"], times * collected.columns[name], count) for name in ("shared", "union")
    )
    occurs = union > 0
    ious: list[float] = ratio(shared[occurs], union[occurs]).tolist()
    n_classes = len(ious) + (unpredicted == "class" and collected.total("unpredicted") > 0)
    quality = {
        "association_quality": math.fsum(tubes) / len(tubes),
        "segmentation_quality": math.fsum(ious) / n_classes,
    }
    return Combined(Score.number("stq", math.sqrt(math.prod(quality.values())), **quality))


_OVER_VIDEOS = Accumulator(
    tubes_and_classes, _combine, classes_by_item=False, group_options=("things",), resampled=resampled_stq
)


@metric(
    symbol="STQ",
    family="video",
    order=20,
    aliases=("segmentation_and_tracking_quality",),
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
    aggregation=("by_item",),
    value_if_equal=1,
    kinds=("labels",),
    notes="ids are tubes of the whole video, things= names the classes that are tracked (all by default). As in "
    "the reference: tubes are compared "
    "whatever their class, crowd truth is not a tube and its elements are removed from the predicted tubes, void "
    "elements "
    "of the truth do not count for the "
    "classes but stay in the predicted tubes. Elements outside of the truth are not void: a prediction there is "
    "spurious. Elements without a "
    "predicted class are missed by their true class and are, as in the reference, one more class of IoU 0; "
    "unpredicted='missed' leaves that class out. Without classes everything is one class. Over a data set the tubes of "
    "all videos are averaged together and the elements of each class added up, as in the reference. "
    "Undefined without a true tube, where the reference gives 0.",
    examples=(
        Example(STEADY, SWAPPED, math.sqrt(1 / 3)),
        Example([[1, 1, 2, 2]], [[3, 3, 3, 3]], math.sqrt(1 / 2)),
        Example([[1, 1, 1, 1]], [[1, 1, 1, 0]], math.sqrt(9 / 16 * 3 / 8)),
        Example([[1, 1, 1, 1]], [[1, 1, 1, 0]], math.sqrt(9 / 16 * 3 / 4), {"unpredicted": "missed"}),
    ),
    accumulator=_OVER_VIDEOS,
)
def stq(
    table: OverlapTable,
    *,
    things: Collection[Hashable] | None = None,
    unpredicted: Literal["class", "missed"] = "class",
) -> Score:
    return _OVER_VIDEOS.score(table, things=things, unpredicted=unpredicted)


def _association(table: OverlapTable, things: Collection[Hashable] | None) -> FloatArray:
    """Return Σ over the predicted tubes of s/|t| · IoU, for every true tube."""
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
    of_tube = np.zeros(len(table.true))
    np.add.at(of_tube, table.row_true[rows], terms)
    return of_tube[tubes]


def _tracked(
    table: OverlapTable, classes: IntArray | None, count: int, things: Collection[Hashable] | None
) -> NDArray[np.bool_]:
    if things is None or classes is None:
        return np.ones(count, dtype=bool)
    wanted = np.array([name in things for name in table.class_names or ()], dtype=bool)
    return wanted[classes]


def _class_elements(table: OverlapTable) -> tuple[IntArray, IntArray]:
    """Return the elements of every class on both sides, and on either side without the void of the truth."""
    of_true, of_pred = table.true.class_codes, table.pred.class_codes
    count = 1 if table.class_names is None else len(table.class_names)
    same = of_true[table.row_true] == of_pred[table.row_pred]
    shared = sum_by(of_true[table.row_true[same]], table.shared[same], count)
    sides = sum_by(of_true, table.true.sizes, count) + sum_by(of_pred, table.pred.sizes - table.pred.void, count)
    return shared, sides - shared
