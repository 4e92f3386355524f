r"""Errors of the volume of each label: how much too large or too small it is predicted, wherever it lies.

With V_t elements of a label in the truth and V_p in the prediction of an item: RVD = (V_p − V_t)/V_t
[heimann2009comparison], and its absolute value |V_p − V_t|/V_t [maierhein2024metrics]. The value of a label is the mean
over the items in which it is true; that of a data set is the mean over labels.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.item_class_means import mean_by_class, means_of_samples
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.label_overlap import label_counts
from segmetry.overlaps.table import OverlapTable

NO_TRUE = "no true elements"
_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
_NOTES = (
    "Equal labels are compared, or classes where segments carry them: one value for each label of each item. "
    "foreground=True takes all labels of a side together. Volumes are numbers of elements; their quotient does not "
    "depend on spacing. A label without a true element has no value. Void elements do not count."
)


def _differences(collected: Collected) -> FloatArray:
    true, pred = collected.columns["true"], collected.columns["pred"]
    return np.where(true > 0, (pred - true) / np.maximum(true, 1), np.nan)


def _errors(collected: Collected) -> FloatArray:
    return np.abs(_differences(collected))


def _relative(collected: Collected) -> Combined:
    return mean_by_class("relative_volume_difference", collected, _differences(collected), NO_TRUE)


def _absolute(collected: Collected) -> Combined:
    return mean_by_class("absolute_volume_error", collected, _errors(collected), NO_TRUE)


def _many_relative(collected: Collected, times: IntArray) -> FloatArray:
    return means_of_samples(collected, times, _differences(collected))


def _many_absolute(collected: Collected, times: IntArray) -> FloatArray:
    return means_of_samples(collected, times, _errors(collected))


_RELATIVE = Accumulator(label_counts, _relative, mean_over_classes=True, resampled=_many_relative)
_ABSOLUTE = Accumulator(label_counts, _absolute, mean_over_classes=True, resampled=_many_absolute)


@metric(
    symbol=r"\mathrm{RVD}",
    family="semantic",
    order=16,
    aliases=("rvd",),
    needs="table",
    kinds=("labels",),
    formula=r"\mathrm{RVD} = \frac{1}{|L|}\sum_{l\in L}\frac{p_l-t_l}{t_l}",
    summary="Relative volume difference: how much larger a label is predicted than it is, as a share of its volume.",
    citation="heimann2009comparison",
    bounds=(-1, math.inf),
    better="neither",
    symmetric=False,
    value_if_equal=0,
    notes=f"{_NOTES} Positive where the prediction is too large; errors of opposite sign cancel in means.",
    examples=(Example(*_LABELS, (1 / 2 - 1 / 3) / 2), Example(*_LABELS, 0, {"foreground": True})),
    default_in_family=False,
    compares_labels=True,
    accumulator=_RELATIVE,
)
def relative_volume_difference(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _RELATIVE.score(table, foreground=foreground)


@metric(
    symbol=r"|\mathrm{RVD}|",
    family="semantic",
    order=18,
    aliases=("avdr", "rvae"),
    needs="table",
    kinds=("labels",),
    formula=r"|\mathrm{RVD}| = \frac{1}{|L|}\sum_{l\in L}\frac{|p_l-t_l|}{t_l}",
    summary="Absolute volume error: by how much a label is predicted too large or too small, as a share of its volume.",
    citation="maierhein2024metrics",
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    value_if_equal=0,
    notes=f"{_NOTES} MetricsReloaded calls it the absolute volume difference ratio, panoptica the relative volume "
    "absolute error.",
    examples=(Example(*_LABELS, (1 / 2 + 1 / 3) / 2), Example(*_LABELS, 0, {"foreground": True})),
    default_in_family=False,
    compares_labels=True,
    accumulator=_ABSOLUTE,
)
def absolute_volume_error(table: OverlapTable, *, foreground: bool = False) -> Score:
    return _ABSOLUTE.score(table, foreground=foreground)
