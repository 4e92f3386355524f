r"""Errors of the volume of each label: how much too large or too small it is predicted, wherever it lies.

With V_t elements of a label in the truth and V_p in the prediction of an item: RVD = (V_p − V_t)/V_t
[heimann2009comparison], and its absolute value |V_p − V_t|/V_t [maierhein2024metrics]. The value of a label is the mean
over the items in which it is true; that of a data set is the mean over labels.
"""

from __future__ import annotations

import math

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.semantic.label_overlap import label_counts
from segmetry.metrics.statistics import Quotient, Sums

NO_TRUE = "no true elements"
_LABELS = [[1, 1, 2, 2, 2, 0]], [[1, 1, 1, 2, 2, 0]]
_NOTES = (
    "Equal labels are compared, or classes where segments carry them: one value for each label of each item. "
    "foreground=True takes all labels of a side together. Volumes are numbers of elements; their quotient does not "
    "depend on spacing. A label without a true element has no value. Void elements do not count."
)
_VOLUMES = Aggregation(label_counts, average=BY_CLASS_OF_ITEMS)


@metric(
    symbol=r"\mathrm{RVD}",
    order=16,
    aliases=("rvd",),
    kinds=("labels",),
    formula=r"\mathrm{RVD} = \frac{1}{|L|}\sum_{l\in L}\frac{p_l-t_l}{t_l}",
    summary="Relative volume difference: how much larger a label is predicted than it is, as a share of its volume.",
    citation="heimann2009comparison",
    bounds=(-1, math.inf),
    better="neither",
    value_if_equal=0,
    notes=f"{_NOTES} Positive where the prediction is too large; errors of opposite sign cancel in means.",
    examples=(Example(*_LABELS, (1 / 2 - 1 / 3) / 2), Example(*_LABELS, 0, {"foreground": True})),
    default_in_family=False,
    compares_labels=True,
    statistics=_VOLUMES,
)
def relative_volume_difference(sums: Sums) -> Quotient:
    return Quotient(sums["pred"] - sums["true"], sums["true"], NO_TRUE)


@metric(
    symbol=r"|\mathrm{RVD}|",
    aliases=("avdr", "rvae"),
    kinds=("labels",),
    formula=r"|\mathrm{RVD}| = \frac{1}{|L|}\sum_{l\in L}\frac{|p_l-t_l|}{t_l}",
    summary="Absolute volume error: by how much a label is predicted too large or too small, as a share of its volume.",
    citation="maierhein2024metrics",
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    notes=f"{_NOTES} MetricsReloaded calls it the absolute volume difference ratio, panoptica the relative volume "
    "absolute error.",
    examples=(Example(*_LABELS, (1 / 2 + 1 / 3) / 2), Example(*_LABELS, 0, {"foreground": True})),
    default_in_family=False,
    compares_labels=True,
    statistics=_VOLUMES,
)
def absolute_volume_error(sums: Sums) -> Quotient:
    return Quotient(abs(sums["pred"] - sums["true"]), sums["true"], NO_TRUE)
