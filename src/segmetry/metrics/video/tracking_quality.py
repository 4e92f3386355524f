r"""Segmentation and tracking quality of videos [weber2021step]."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
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
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.metrics.video.video_panoptic_quality import ANY, STEADY, SWAPPED
from segmetry.overlaps import OverlapTable

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


def _quality_parts(quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, float]:
    association, segmentation = quotient.along[0, 0].tolist()
    named = {"association_quality": association, "segmentation_quality": segmentation}
    return named if sums["tubes"].any() else {}


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
