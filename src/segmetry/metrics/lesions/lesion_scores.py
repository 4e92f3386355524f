r"""Lesion-wise Dice, 95 % Hausdorff distance and F1, as the BraTS challenges score since 2023 [saluja2023brats].

Lesions are those of :mod:`segmetry.geometry.lesions`. With TP found, FN missed and FP spurious lesions of a class:
Dice = Σ_{TP} D / (|TP| + |FN| + |FP|), HD95 = (Σ_{TP} d + m (|FN| + |FP|)) / (|TP| + |FN| + |FP|) where m is the
distance of a missed or spurious lesion, F1 = |TP| / (|TP| + ½|FN| + ½|FP|).
"""

from __future__ import annotations

import math

from segmetry._base.exact import FloatArray, IntArray, Threshold
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.item_class_means import mean_by_class, means_of_samples
from segmetry.metrics.lesions.lesion_counts import (
    DILATION,
    NO_LESION,
    all_lesions,
    lesion_counts,
    lesion_distances,
    means,
)
from segmetry.metrics.per_class import checked_undefined
from segmetry.metrics.score import Score
from segmetry.segmentation.base import Segmentation

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


def _dice_values(collected: Collected, both_empty: float | None) -> FloatArray:
    return means(collected.columns["dice"], all_lesions(collected), both_empty)


def _f1_values(collected: Collected, both_empty: float | None) -> FloatArray:
    found = collected.columns["found"]
    return means(2.0 * found, found + all_lesions(collected), both_empty)


def _distance_values(collected: Collected, both_empty: float | None, missing: float) -> FloatArray:
    unpaired = collected.columns["missed"] + collected.columns["spurious"]
    penalties = (unpaired > 0) * missing * unpaired.clip(1)
    return means(collected.columns["distance"] + penalties, all_lesions(collected), both_empty)


def _dice(collected: Collected, *, both_empty: float | None = None) -> Combined:
    empty = checked_undefined(both_empty)
    return mean_by_class("lesion_dice", collected, _dice_values(collected, empty), NO_LESION, absent=empty)


def _many_dice(collected: Collected, times: IntArray, *, both_empty: float | None = None) -> FloatArray:
    empty = checked_undefined(both_empty)
    return means_of_samples(collected, times, _dice_values(collected, empty), absent=empty)


def _f1(collected: Collected, *, both_empty: float | None = None) -> Combined:
    empty = checked_undefined(both_empty)
    return mean_by_class("lesion_f1", collected, _f1_values(collected, empty), NO_LESION, absent=empty)


def _many_f1(collected: Collected, times: IntArray, *, both_empty: float | None = None) -> FloatArray:
    empty = checked_undefined(both_empty)
    return means_of_samples(collected, times, _f1_values(collected, empty), absent=empty)


def _distance(collected: Collected, *, both_empty: float | None = None, missing: float = PENALTY) -> Combined:
    empty = checked_undefined(both_empty)
    values = _distance_values(collected, empty, _checked_distance(missing))
    return mean_by_class("lesion_hausdorff95", collected, values, NO_LESION, absent=empty)


def _many_distances(
    collected: Collected, times: IntArray, *, both_empty: float | None = None, missing: float = PENALTY
) -> FloatArray:
    empty = checked_undefined(both_empty)
    values = _distance_values(collected, empty, _checked_distance(missing))
    return means_of_samples(collected, times, values, absent=empty)


def _checked_distance(missing: float) -> float:
    try:
        distance = float(missing)
    except (TypeError, ValueError):
        distance = math.nan
    if not 0 <= distance < math.inf:
        raise OptionError(f"missing is {missing!r}; expected a distance of 0 or more, such as {PENALTY:g}")
    return distance


_DICE = Accumulator(lesion_counts, _dice, mean_over_classes=True, resampled=_many_dice)
_F1 = Accumulator(lesion_counts, _f1, mean_over_classes=True, resampled=_many_f1)
_DISTANCE = Accumulator(lesion_distances, _distance, mean_over_classes=True, resampled=_many_distances)


@metric(
    symbol=r"D_{\mathrm{lesion}}",
    family="lesions",
    order=10,
    aliases=("lesionwise_dice", "lesion_wise_dice"),
    needs="inputs",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"D_{\mathrm{lesion}} = \frac{\sum_{(t,h)\in TP}2|t\cap h|/(|t|+|h|)}{|TP|+|FN|+|FP|}",
    summary="Lesion-wise Dice: the mean Dice coefficient of lesions, in which missed and spurious ones count 0.",
    citation=CITATION,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=LESION_NOTE + _EMPTY,
    examples=(
        Example(*TWO, (2 / 3 + 0) / 2, {"dilation": 1}),
        Example(*TWO, 2 / 5, {"dilation": 3}),
        Example(*_NONE, None),
    ),
    compares_labels=True,
    accumulator=_DICE,
)
def lesion_dice(
    true: Segmentation,
    pred: Segmentation,
    *,
    dilation: int = DILATION,
    least_volume: Threshold = 0,
    both_empty: float | None = None,
) -> Score:
    return _DICE.score(true, pred, dilation=dilation, least_volume=least_volume, both_empty=both_empty)


@metric(
    symbol=r"\mathrm{HD}_{95,\mathrm{lesion}}",
    family="lesions",
    order=20,
    aliases=("lesion_hd95", "lesionwise_hd95"),
    needs="inputs",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"\frac{\sum_{(t,h)\in TP}\mathrm{HD}_{95}(t,h)+m\,(|FN|+|FP|)}{|TP|+|FN|+|FP|}",
    summary="Lesion-wise 95 % Hausdorff distance: its mean over lesions, in which missed and spurious ones count a "
    "fixed distance.",
    citation=CITATION,
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    value_if_equal=0,
    notes=LESION_NOTE + "The distance of a found lesion is that of 95 % of the area of both surfaces, as "
    "surface-distance measures it; missing (374 by default, as BraTS) is that of a missed or spurious one. " + _EMPTY,
    examples=(
        Example(*TWO, (1 + 374) / 2, {"dilation": 1}),
        Example(*TWO, (1 + 10) / 2, {"dilation": 1, "missing": 10}),
        Example(*_NONE, None),
    ),
    compares_labels=True,
    accumulator=_DISTANCE,
)
def lesion_hausdorff95(
    true: Segmentation,
    pred: Segmentation,
    *,
    dilation: int = DILATION,
    least_volume: Threshold = 0,
    missing: float = PENALTY,
    both_empty: float | None = None,
) -> Score:
    options = {"dilation": dilation, "least_volume": least_volume, "missing": missing, "both_empty": both_empty}
    return _DISTANCE.score(true, pred, **options)


@metric(
    symbol=r"F_{1,\mathrm{lesion}}",
    family="lesions",
    order=30,
    aliases=("lesionwise_f1",),
    needs="inputs",
    kinds=KINDS,
    dimensions=(2, 3),
    formula=r"F_{1,\mathrm{lesion}} = \frac{|TP|}{|TP|+\frac12|FN|+\frac12|FP|}",
    summary="Lesion-wise F1: how well lesions are detected, whatever their shape.",
    citation=CITATION,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    notes=LESION_NOTE + _EMPTY,
    examples=(Example(*TWO, 2 / 3, {"dilation": 1}), Example(*TWO, 1, {"dilation": 3}), Example(*_NONE, None)),
    compares_labels=True,
    accumulator=_F1,
)
def lesion_f1(
    true: Segmentation,
    pred: Segmentation,
    *,
    dilation: int = DILATION,
    least_volume: Threshold = 0,
    both_empty: float | None = None,
) -> Score:
    return _F1.score(true, pred, dilation=dilation, least_volume=least_volume, both_empty=both_empty)
