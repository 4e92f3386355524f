r"""Lesion-wise Dice, 95 % Hausdorff distance and F1, and their counts, as the BraTS challenges score since 2023
[saluja2023brats].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np

from segmetry._base import Column, Threshold, fraction, whole_number
from segmetry.errors import OptionError
from segmetry.geometry import Lesion, lesions_by_class
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS, checked_undefined, value_without_class
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.surface_distances import number_or_nan
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import Segmentation, Spacing, one_spacing

DILATION = 3
NO_LESION = "no lesion on either side"
COLUMNS = ("found", "missed", "spurious")
PAIRS = ("pairs", "missed", "spurious")


def lesion_counts(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> dict[str, Column]:
    """Collect the numbers of lesions of each class, and the sum of the Dice coefficients of the found ones."""
    return _collect_lesions(true, pred, dilation, least_volume, "dice", lambda lesion, _: lesion.dice)


def lesion_distances(
    true: Segmentation, pred: Segmentation, *, dilation: int = DILATION, least_volume: Threshold = 0
) -> dict[str, Column]:
    """Collect the numbers of lesions of each class, and the sum of the 95 % Hausdorff distances of the found ones."""
    return _collect_lesions(true, pred, dilation, least_volume, "distance", Lesion.hausdorff95)


def _collect_lesions(
    true: Segmentation,
    pred: Segmentation,
    dilation: int,
    least_volume: Threshold,
    name: str,
    measure: Callable[[Lesion, Spacing], float],
) -> dict[str, Column]:
    steps, spacing = whole_number("dilation", dilation, 0, "steps"), one_spacing(true, pred)
    floor = fraction(least_volume, "least_volume")
    volume = math.prod(fraction(step) for step in spacing)
    names, rows, sums = [], [], []
    for label, (lesions, spurious) in lesions_by_class(true, pred, steps).items():
        # BraTS leaves small true lesions out of its sums, but counts spurious components of any size.
        large = [lesion for lesion in lesions if lesion.size * volume > floor]
        found = [lesion for lesion in large if lesion.found]
        names.append(label)
        rows.append((len(found), len(large) - len(found), spurious))
        sums.append(math.fsum(measure(lesion, spacing) for lesion in found))
    counts = np.array(rows, dtype=np.int64).reshape(-1, len(COLUMNS))
    return {"class": names, **dict(zip(COLUMNS, counts.T, strict=True)), name: np.array(sums, dtype=np.float64)}


def all_lesions(sums: Sums) -> Any:
    """Return the number of found, missed and spurious lesions."""
    return sums["found"] + sums["missed"] + sums["spurious"]


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
    distance = number_or_nan(missing)
    if not 0 <= distance < math.inf:
        raise OptionError(f"missing is {missing!r}; expected a distance of 0 or more, such as {PENALTY:g}")
    return distance


_MEAN = Aggregation(lesion_counts, average=BY_CLASS_OF_ITEMS, absent=value_without_class)


def _penalties(
    _quotient: Quotient, sums: Sums, _names: Sequence[Hashable], *, missing: float = PENALTY
) -> dict[str, Any]:
    """Return how many lesions are found, and how many missed and spurious ones count the penalty."""
    counts = {name: int(sums[column].sum()) for name, column in zip(PAIRS, COLUMNS, strict=True)}
    return {**counts, "penalty": missing}


_DISTANCE_MEAN = Aggregation(
    lesion_distances, average=BY_CLASS_OF_ITEMS, absent=value_without_class, describe=_penalties
)
_lesion_metric = partial(
    metric, kinds=("labels", "masks"), dimensions=(2, 3), citation="saluja2023brats", compares_labels=True
)


@_lesion_metric(
    order=10,
    aliases=("lesionwise_dice", "lesion_wise_dice"),
    formula=r"D_{\mathrm{lesion}} = \frac{\sum_{(t,h)\in TP}2|t\cap h|/(|t|+|h|)}{|TP|+|FN|+|FP|}",
    summary="Lesion-wise Dice: the mean Dice coefficient of lesions, in which missed and spurious ones count 0.",
    notes=LESION_NOTE + _EMPTY,
    examples=(
        Example(*TWO, (2 / 3 + 0) / 2, {"dilation": 1}),
        Example(*TWO, 2 / 5, {"dilation": 3}),
        Example(*_NONE, None),
    ),
    statistics=_MEAN,
)
def lesion_dice(sums: Sums, *, both_empty: float | None = None) -> Quotient:
    return _lesion_mean(sums["dice"], all_lesions(sums), both_empty)


@_lesion_metric(
    symbol=r"\mathrm{HD}_{95,\mathrm{lesion}}",
    aliases=("lesion_hd95", "lesionwise_hd95"),
    formula=r"\frac{\sum_{(t,h)\in TP}\mathrm{HD}_{95}(t,h)+m\,(|FN|+|FP|)}{|TP|+|FN|+|FP|}",
    summary="Lesion-wise 95 % Hausdorff distance: its mean over lesions, in which missed and spurious ones count a "
    "fixed distance.",
    bounds=(0, math.inf),
    better="lower",
    notes=LESION_NOTE + "The distance of a found lesion is that of 95 % of the area of both surfaces, as "
    "surface-distance measures it; missing (374 by default, as BraTS) is that of a missed or spurious one. " + _EMPTY,
    examples=(
        Example(*TWO, (1 + 374) / 2, {"dilation": 1}),
        Example(*TWO, (1 + 10) / 2, {"dilation": 1, "missing": 10}),
        Example(*_NONE, None),
    ),
    statistics=_DISTANCE_MEAN,
)
def lesion_hausdorff95(sums: Sums, *, missing: float = PENALTY, both_empty: float | None = None) -> Quotient:
    penalties = _checked_distance(missing) * (sums["missed"] + sums["spurious"])
    return _lesion_mean(sums["distance"] + penalties, all_lesions(sums), both_empty)


@_lesion_metric(
    aliases=("lesionwise_f1",),
    formula=r"F_{1,\mathrm{lesion}} = \frac{|TP|}{|TP|+\frac12|FN|+\frac12|FP|}",
    summary="Lesion-wise F1: how well lesions are detected, whatever their shape.",
    notes=LESION_NOTE + _EMPTY,
    examples=(Example(*TWO, 2 / 3, {"dilation": 1}), Example(*TWO, 1, {"dilation": 3}), Example(*_NONE, None)),
    statistics=_MEAN,
)
def lesion_f1(sums: Sums, *, both_empty: float | None = None) -> Quotient:
    return _lesion_mean(2 * sums["found"], sums["found"] + all_lesions(sums), both_empty)


_COUNTS = Aggregation(lesion_counts, is_count=True)
_NOTES = LESION_NOTE + "The value of an item and of a data set is the sum over its classes."
_lesion_count = partial(_lesion_metric, notes=_NOTES, is_count=True, statistics=_COUNTS)


@_lesion_count(
    symbol=r"|TP_{\mathrm{lesion}}|",
    order=40,
    formula=r"|TP|",
    summary="The number of true lesions that a predicted component touches.",
    value_if_equal=None,
    examples=(Example(*TWO, 1, {"dilation": 1}),),
)
def lesions_found(sums: Sums) -> Quotient:
    return Quotient(sums["found"], 1)


@_lesion_count(
    symbol=r"|FN_{\mathrm{lesion}}|",
    formula=r"|FN|",
    summary="The number of true lesions that no predicted component touches.",
    better="lower",
    examples=(Example(*TWO, 1, {"dilation": 1}), Example(*TWO, 0, {"dilation": 3})),
)
def lesions_missed(sums: Sums) -> Quotient:
    return Quotient(sums["missed"], 1)


@_lesion_count(
    symbol=r"|FP_{\mathrm{lesion}}|",
    formula=r"|FP|",
    summary="The number of predicted components that touch no true lesion.",
    better="lower",
    examples=(Example(*TWO[::-1], 1, {"dilation": 1}),),
)
def lesions_spurious(sums: Sums) -> Quotient:
    return Quotient(sums["spurious"], 1)
