r"""Video object segmentation as DAVIS evaluates it: region similarity J, contour accuracy F, and their mean
[perazzi2016benchmark, ponttuset2017davis].

An object is a label of the first frame of the truth. Its J and F are means over frames, those of a data set means over
the objects of all videos. Recall is the share of frames above one half, decay the mean of the first quarter of the
frames minus that of the last.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Column, Quotient, Sums
from segmetry.metrics.video.object_frames import ObjectTask, f_values, j_values, object_frames
from segmetry.segmentation.labels import LabelArray

NO_OBJECT = "no object in the first frame of the truth, or no frame that counts"
_QUARTERS = 4
_STATISTICS = ("mean", "recall", "decay")


def statistics_of_frames(values: FloatArray) -> FloatArray:
    """Return mean, recall and decay of the frames, the last axis.

    >>> statistics_of_frames(np.array([1, 1, 1, 0.5, 0.5])).tolist()
    [0.8, 0.6, 0.5]
    """
    length = values.shape[-1]
    cuts = (np.round(np.linspace(1, length, _QUARTERS + 1) + 1e-10) - 1).astype(np.intp)
    first, last = values[..., cuts[0] : cuts[1] + 1], values[..., cuts[3] : cuts[4] + 1]
    decay = first.mean(axis=-1) - last.mean(axis=-1)
    return np.stack((values.mean(axis=-1), (values > 0.5).mean(axis=-1), decay), axis=-1)


def object_statistics(
    true: LabelArray, pred: LabelArray, *, task: ObjectTask = "semi-supervised", tolerance: float = 0.008
) -> dict[str, Column]:
    """Collect mean, recall and decay of J and of F for every object of a video that has frames, and their number."""
    counts = object_frames(true, pred, task=task, tolerance=tolerance)
    n_objects = len(counts["shared"]) if counts["shared"].size else 0
    j, f = (
        statistics_of_frames(values(counts)) if n_objects else np.zeros((0, len(_STATISTICS)))
        for values in (j_values, f_values)
    )
    return {"j": j, "f": f, "objects": np.array([n_objects])}


def _mean_over_objects(sums: Sums, *sides: str) -> Quotient:
    total = np.mean([sums[side] for side in sides], axis=0)
    means = Quotient(total, sums["objects"][..., None]).values
    return Quotient(means[..., 0], reason=NO_OBJECT, along=means)


def _recall_and_decay(quotient: Quotient, sums: Sums, _names: Sequence[Hashable]) -> dict[str, Any]:
    _, recall, decay = quotient.along[0, 0].tolist()
    n_objects = int(sums["objects"][0, 0])
    return {"recall": recall, "decay": decay, "objects": n_objects} if n_objects else {}


_OBJECTS = Aggregation(object_statistics, average=POOLED, describe=_recall_and_decay)
_STEADY = LabelArray([[[1, 1, 0, 0, 0, 0, 0]]] * 3)
_MARKED = LabelArray([[[1, 1, 0, 0, 0, 0, 0]], [[1, 1, 0, 0, 1, 0, 0]], [[1, 1, 0, 0, 0, 0, 0]]])
_NOTES = (
    "Frames are on the first axis; the objects are the labels of the first true frame, and a prediction names them by "
    "the same labels. task='semi-supervised' leaves out the first and the last frame and counts void pixels as "
    "background, as the reference; 'unsupervised' counts all frames, removes void pixels of the truth, and assigns at "
    "most 20 proposals to the objects so that the sum of J and F is largest. Labels that no object has are ignored. "
    "A frame in which neither side has the object counts 1. Details give recall (share of frames above 1/2) and decay "
    "(first quarter of the frames minus the last). Over a data set all objects of all videos count alike. "
)


@metric(
    symbol=r"J",
    order=30,
    aliases=("davis_j",),
    formula=r"J = \frac{1}{|O|}\sum_{o\in O}\frac{1}{|F_o|}\sum_{i\in F_o}\frac{|t_i^o\cap h_i^o|}"
    r"{|t_i^o\cup h_i^o|}",
    summary="Region similarity of DAVIS: the IoU of each object, averaged over frames, then over objects.",
    citation=("perazzi2016benchmark", "ponttuset2017davis"),
    kinds=("labels",),
    notes=_NOTES + "A frame without the object on either side is 1, so J is also defined for objects that leave.",
    examples=(
        Example(_STEADY, _MARKED, 2 / 3),
        Example(_STEADY, _MARKED, (1 + 2 / 3 + 1) / 3, {"task": "unsupervised"}),
    ),
    dimensions=(3, 3),
    least_length=3,
    compares_labels=True,
    statistics=_OBJECTS,
)
def region_similarity(sums: Sums) -> Quotient:
    return _mean_over_objects(sums, "j")


@metric(
    symbol=r"F",
    aliases=("davis_f",),
    formula=r"F = \frac{1}{|O|}\sum_{o\in O}\frac{1}{|F_o|}\sum_{i\in F_o}\frac{2P_i^o R_i^o}{P_i^o+R_i^o}",
    summary="Contour accuracy of DAVIS: the F-measure of the one-pixel boundaries of each object, averaged over "
    "frames, then over objects.",
    citation=("perazzi2016benchmark", "ponttuset2017davis"),
    kinds=("labels",),
    notes=_NOTES
    + "A boundary pixel is found if one of the other side is at most the tolerance away; boundaries lie half "
    "a pixel towards the origin, as in the reference.",
    examples=(
        Example(_STEADY, _MARKED, 1 / 2),
        Example(_STEADY, _STEADY, 1),
    ),
    dimensions=(3, 3),
    least_length=3,
    compares_labels=True,
    statistics=_OBJECTS,
)
def contour_accuracy(sums: Sums) -> Quotient:
    return _mean_over_objects(sums, "f")


@metric(
    symbol=r"J\&F",
    aliases=("davis",),
    formula=r"J\&F = \frac{J+F}{2}",
    summary="The mean of region similarity J and contour accuracy F, by which DAVIS ranks.",
    citation="ponttuset2017davis",
    kinds=("labels",),
    notes=_NOTES,
    examples=(
        Example(_STEADY, _MARKED, (2 / 3 + 1 / 2) / 2),
        Example(_STEADY, _STEADY, 1),
    ),
    dimensions=(3, 3),
    least_length=3,
    compares_labels=True,
    statistics=_OBJECTS,
)
def j_and_f(sums: Sums) -> Quotient:
    return _mean_over_objects(sums, "j", "f")
