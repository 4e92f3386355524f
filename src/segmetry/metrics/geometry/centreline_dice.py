r"""Skeletons of masks: thin curves along the middle of tubes, by scikit-image (the extra ``skeleton``).

Images are thinned as [zhang1984fast], volumes as [lee1994building]. Thinning depends on the order in which elements are
visited, so a mask is thinned as it is, not cropped. A small block, such as 2 × 2 × 2 voxels, may have no skeleton.

clDice [shit2021cldice]: does the other side cover the centrelines of tubes, such as vessels, roads and neurons?

With V_L and V_P the elements of a class in the truth and in the prediction, and S_L and S_P their skeletons:
Tprec = |S_P ∩ V_L| / |S_P|, Tsens = |S_L ∩ V_P| / |S_L|, clDice = 2 Tprec Tsens / (Tprec + Tsens).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from segmetry._base import Column, import_optional
from segmetry.geometry import Mask, class_masks
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import BY_CLASS_OF_ITEMS
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.geometry.class_distances import KINDS, harmonic_mean
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import Segmentation


def skeleton(mask: Mask) -> Mask:
    """Return the skeleton of a mask with two or three axes.

    >>> skeleton(np.ones((5, 5), dtype=bool)).sum() < 5
    np.True_
    """
    morphology = import_optional("skimage.morphology", "skeletons of masks", "skeleton")
    method = "zhang" if mask.ndim == 2 else "lee"
    return np.asarray(morphology.skeletonize(mask, method=method), dtype=bool)


NO_SKELETON = "no skeleton on either side"
_COUNTS = ("covered_true", "n_true", "covered_pred", "n_pred")
_NOTES = (
    "One value for each class of each item: by item it is the mean over the classes of an item, by class the mean over "
    "items. Segments of one class count together; where segments carry no classes, equal labels are the same class. "
    "Skeletons are those of scikit-image (the extra skeleton): Zhang's thinning in 2-D, Lee's in 3-D; another thinning "
    "gives another number, and so does the soft skeleton of the loss function. Elements that are void on a side are "
    "removed from both. "
)


def skeleton_counts(true: Segmentation, pred: Segmentation) -> dict[str, Column]:
    """Collect the elements of both skeletons of each class, and how many of them the other side covers."""
    names, rows = [], []
    for name, of_true, of_pred in class_masks(true, pred):
        line_true, line_pred = skeleton(of_true), skeleton(of_pred)
        counts = [
            int(np.count_nonzero(part)) for part in (line_true & of_pred, line_true, line_pred & of_true, line_pred)
        ]
        if counts[1] or counts[3]:
            names.append(name)
            rows.append(counts)
    columns = np.array(rows, dtype=np.int64).reshape(-1, len(_COUNTS)).T
    return {"class": names, **dict(zip(_COUNTS, columns, strict=True))}


_TUBES = [[1, 1, 1, 1, 1]], [[0, 1, 1, 1, 1]]
_NOTHING = [[0, 0]], [[0, 0]]
_ONE_SIDE = [[1, 1]], [[0, 0]]
_skeleton_score = partial(
    metric,
    kinds=KINDS,
    dimensions=(2, 3),
    citation="shit2021cldice",
    default_in_family=False,
    compares_labels=True,
    statistics=Aggregation(skeleton_counts, average=BY_CLASS_OF_ITEMS, degree=2),
)


@_skeleton_score(
    symbol=r"\mathrm{clDice}",
    order=110,
    aliases=("centerline_dice", "centreline_dice", "cldsc"),
    formula=r"\mathrm{clDice} = \frac{1}{|C|}\sum_{c\in C}\frac{2\,\mathrm{Tprec}_c\,\mathrm{Tsens}_c}"
    r"{\mathrm{Tprec}_c+\mathrm{Tsens}_c}",
    summary="Centreline Dice: the harmonic mean of the shares of both skeletons of a class that the other side covers, "
    "averaged over classes.",
    citation=("shit2021cldice", "zhang1984fast", "lee1994building"),
    symmetric=True,
    notes=_NOTES + "A class with a skeleton on one side only counts 0; without one on either side it is undefined. The "
    "published program divides by zero in both cases.",
    examples=(Example(*_TUBES, 2 * 0.8 / 1.8), Example(*_ONE_SIDE, 0), Example(*_NOTHING, None)),
)
def cldice(sums: Sums) -> Quotient:
    return harmonic_mean((sums["covered_pred"], sums["n_pred"]), (sums["covered_true"], sums["n_true"]), NO_SKELETON)


@_skeleton_score(
    symbol=r"\mathrm{Tprec}",
    aliases=("topology_precision",),
    formula=r"\mathrm{Tprec} = \frac{1}{|C|}\sum_{c\in C}\frac{|S_P^c\cap V_L^c|}{|S_P^c|}",
    summary="Topology precision of clDice: the share of the predicted skeleton of a class that the truth covers, "
    "averaged over classes.",
    swaps_with="cldice_sensitivity",
    notes=_NOTES + "A class without a predicted skeleton is left out.",
    examples=(Example(*_TUBES, 1),),
)
def cldice_precision(sums: Sums) -> Quotient:
    return Quotient(sums["covered_pred"], sums["n_pred"], "no predicted skeleton")


@_skeleton_score(
    symbol=r"\mathrm{Tsens}",
    aliases=("topology_sensitivity",),
    formula=r"\mathrm{Tsens} = \frac{1}{|C|}\sum_{c\in C}\frac{|S_L^c\cap V_P^c|}{|S_L^c|}",
    summary="Topology sensitivity of clDice: the share of the true skeleton of a class that the prediction covers, "
    "averaged over classes.",
    swaps_with="cldice_precision",
    notes=_NOTES + "A class without a true skeleton is left out.",
    examples=(Example(*_TUBES, 4 / 5),),
)
def cldice_sensitivity(sums: Sums) -> Quotient:
    return Quotient(sums["covered_true"], sums["n_true"], "no true skeleton")
