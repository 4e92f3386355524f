r"""Lesion-wise Dice, 95 % Hausdorff distance and F1, as the BraTS challenges score since 2023 [saluja2023brats].

Lesions are those of :mod:`segmetry.geometry.lesions`. With TP found, FN missed and FP spurious lesions of a class:
Dice = Σ_{TP} D / (|TP| + |FN| + |FP|), HD95 = (Σ_{TP} d + m (|FN| + |FP|)) / (|TP| + |FN| + |FP|) where m is the
distance of a missed or spurious lesion, F1 = |TP| / (|TP| + ½|FN| + ½|FP|).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.lesions.lesion_counts import NO_LESION, all_lesions, lesion_counts, lesion_distances
from segmetry.metrics.per_class import checked_undefined, value_without_class
from segmetry.metrics.statistics import Quotient, Sums

KINDS = ("labels", "masks")
CITATION = "saluja2023brats"
PENALTY = 374.0
"""The distance of a lesion without a partner in BraTS: the diagonal of its 240 × 240 × 155 voxels of 1 mm, in mm."""
TWO = [[1, 1, 0, 0, 0, 0, 1, 1]], [[1, 0, 0, 0, 0, 0, 0, 0]]
_NONE = [[0, 0]], [[0, 0]]
LESION_NOTE = (
    "The truth of a class is dilated by dilation steps (neighbours that share at least an edge: 18 in a volume, 8 in "
    "an image); what lies in one connected component (26, or 8) of the dilation is one lesion. All predicted "
    "components that touch the dilation of a lesion are its prediction together, and one component may serve several "
    "lesions. True lesions of at most least_volume, in units of spacing, do not count, found or missed; spurious "
    "components of any size do. BraTS: 3 steps and 50 mm³ (GLI, SSA, PED), 1 step and 50 mm³ (MEN), 1 step and 2 mm³ "
    "(MET). "
)
_EMPTY = (
    "Without a lesion on either side the value is undefined; both_empty is that of BraTS, also for a class that other "
    "items of the data set have. The spacing of both sides must agree, or one side states it; BraTS takes that of the "
    "prediction."
)


def _lesion_mean(total: Any, lesions: Any, both_empty: float | None) -> Quotient:
    """Return the mean over lesions; ``both_empty`` is that of a class whose lesions are all too small to count."""
    empty = checked_undefined(both_empty)
    if empty is not None:
        total, lesions = np.where(lesions > 0, total, empty), np.maximum(lesions, 1)
    return Quotient(total, lesions, NO_LESION)


def _checked_distance(missing: float) -> float:
    try:
        distance = float(missing)
    except (TypeError, ValueError):
        distance = math.nan
    if not 0 <= distance < math.inf:
        raise OptionError(f"missing is {missing!r}; expected a distance of 0 or more, such as {PENALTY:g}")
    return distance


_MEAN = Aggregation(lesion_counts, average=BY_CLASS_OF_ITEMS, absent=value_without_class)
_DISTANCE_MEAN = Aggregation(lesion_distances, average=BY_CLASS_OF_ITEMS, absent=value_without_class)


@metric(
    symbol=r"D_{\mathrm{lesion}}",
    order=10,
    aliases=("lesionwise_dice", "lesion_wise_dice"),
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"D_{\mathrm{lesion}} = \frac{\sum_{(t,h)\in TP}2|t\cap h|/(|t|+|h|)}{|TP|+|FN|+|FP|}",
    summary="Lesion-wise Dice: the mean Dice coefficient of lesions, in which missed and spurious ones count 0.",
    citation=CITATION,
    notes=LESION_NOTE + _EMPTY,
    examples=(
        Example(*TWO, (2 / 3 + 0) / 2, {"dilation": 1}),
        Example(*TWO, 2 / 5, {"dilation": 3}),
        Example(*_NONE, None),
    ),
    compares_labels=True,
    statistics=_MEAN,
)
def lesion_dice(sums: Sums, *, both_empty: float | None = None) -> Quotient:
    return _lesion_mean(sums["dice"], all_lesions(sums), both_empty)


@metric(
    symbol=r"\mathrm{HD}_{95,\mathrm{lesion}}",
    aliases=("lesion_hd95", "lesionwise_hd95"),
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"\frac{\sum_{(t,h)\in TP}\mathrm{HD}_{95}(t,h)+m\,(|FN|+|FP|)}{|TP|+|FN|+|FP|}",
    summary="Lesion-wise 95 % Hausdorff distance: its mean over lesions, in which missed and spurious ones count a "
    "fixed distance.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="lower",
    value_if_equal=0,
    notes=LESION_NOTE + "The distance of a found lesion is that of 95 % of the area of both surfaces, as "
    "surface-distance measures it; missing (374 by default, as BraTS) is that of a missed or spurious one. " + _EMPTY,
    examples=(
        Example(*TWO, (1 + 374) / 2, {"dilation": 1}),
        Example(*TWO, (1 + 10) / 2, {"dilation": 1, "missing": 10}),
        Example(*_NONE, None),
    ),
    compares_labels=True,
    statistics=_DISTANCE_MEAN,
)
def lesion_hausdorff95(sums: Sums, *, missing: float = PENALTY, both_empty: float | None = None) -> Quotient:
    penalties = _checked_distance(missing) * (sums["missed"] + sums["spurious"])
    return _lesion_mean(sums["distance"] + penalties, all_lesions(sums), both_empty)


@metric(
    symbol=r"F_{1,\mathrm{lesion}}",
    aliases=("lesionwise_f1",),
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"F_{1,\mathrm{lesion}} = \frac{|TP|}{|TP|+\frac12|FN|+\frac12|FP|}",
    summary="Lesion-wise F1: how well lesions are detected, whatever their shape.",
    citation=CITATION,
    notes=LESION_NOTE + _EMPTY,
    examples=(Example(*TWO, 2 / 3, {"dilation": 1}), Example(*TWO, 1, {"dilation": 3}), Example(*_NONE, None)),
    compares_labels=True,
    statistics=_MEAN,
)
def lesion_f1(sums: Sums, *, both_empty: float | None = None) -> Quotient:
    return _lesion_mean(2 * sums["found"], sums["found"] + all_lesions(sums), both_empty)
