r"""Video object segmentation as DAVIS evaluates it: region similarity J, contour accuracy F, and their mean
[perazzi2016benchmark, ponttuset2017davis].

An object is a label of the first frame of the truth. Its J and F are means over frames, those of a data set means over
the objects of all videos. Recall is the share of frames above one half, decay the mean of the first quarter of the
frames minus that of the last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.metrics.video.object_frames import COUNTS, ObjectTask, f_values, j_values, object_frames
from segmetry.segmentation.labels import LabelArray

NO_OBJECT = "no object in the first frame of the truth, or no frame that counts"
_QUARTERS = 4


@dataclass(frozen=True, eq=False)
class ObjectValues:
    """The item of each object, and the statistics of its frames: the last axis are mean, recall and decay."""

    item: IndexArray
    j: FloatArray
    f: FloatArray


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


def object_values(collected: Collected) -> ObjectValues:
    """Return the values of the objects of all videos, each video once."""
    if "objects" not in collected.memo:
        item, j, f = [], [np.zeros((0, 3))], [np.zeros((0, 3))]
        for at in range(collected.n_items):
            columns = collected.item(at).columns
            shape = int(columns["objects"][0]), int(columns["frames"][0])
            if not min(shape):
                continue
            counts = {name: columns[name].reshape(shape) for name in COUNTS}
            item += [at] * shape[0]
            j.append(statistics_of_frames(j_values(counts)))
            f.append(statistics_of_frames(f_values(counts)))
        collected.memo["objects"] = ObjectValues(np.array(item, dtype=np.intp), np.concatenate(j), np.concatenate(f))
    values: ObjectValues = collected.memo["objects"]
    return values


def _combine(key: str, collected: Collected, values: FloatArray) -> Combined:
    item = object_values(collected).item
    repeated = np.repeat(values, collected.times[item], axis=0)
    if not len(repeated):
        return Combined(Score.undefined(key, NO_OBJECT))
    mean, recall, decay = (math.fsum(column) / len(repeated) for column in repeated.T.tolist())
    return Combined(Score.number(key, mean, recall=recall, decay=decay, objects=len(repeated)))


def _resample(collected: Collected, times: IntArray, values: FloatArray) -> FloatArray:
    weights = times[object_values(collected).item]
    count = weights.sum(axis=0)
    result: FloatArray = np.divide(values[:, 0] @ weights, count, out=np.full(count.shape, np.nan), where=count > 0)
    return result


def _combine_j(collected: Collected) -> Combined:
    return _combine("region_similarity", collected, object_values(collected).j)


def _combine_f(collected: Collected) -> Combined:
    return _combine("contour_accuracy", collected, object_values(collected).f)


def _combine_both(collected: Collected) -> Combined:
    values = object_values(collected)
    return _combine("j_and_f", collected, (values.j + values.f) / 2)


def _resampled_j(collected: Collected, times: IntArray) -> FloatArray:
    return _resample(collected, times, object_values(collected).j)


def _resampled_f(collected: Collected, times: IntArray) -> FloatArray:
    return _resample(collected, times, object_values(collected).f)


def _resampled_both(collected: Collected, times: IntArray) -> FloatArray:
    values = object_values(collected)
    return _resample(collected, times, (values.j + values.f) / 2)


_J = Accumulator(object_frames, _combine_j, resampled=_resampled_j)
_F = Accumulator(object_frames, _combine_f, resampled=_resampled_f)
_BOTH = Accumulator(object_frames, _combine_both, resampled=_resampled_both)

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
    family="video",
    order=30,
    aliases=("davis_j",),
    needs="inputs",
    formula=r"J = \frac{1}{|O|}\sum_{o\in O}\frac{1}{|F_o|}\sum_{i\in F_o}\frac{|t_i^o\cap h_i^o|}"
    r"{|t_i^o\cup h_i^o|}",
    summary="Region similarity of DAVIS: the IoU of each object, averaged over frames, then over objects.",
    citation=("perazzi2016benchmark", "ponttuset2017davis"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=_NOTES + "A frame without the object on either side is 1, so J is also defined for objects that leave.",
    examples=(
        Example(_STEADY, _MARKED, 2 / 3),
        Example(_STEADY, _MARKED, (1 + 2 / 3 + 1) / 3, {"task": "unsupervised"}),
    ),
    dimensions=(3, 3),
    least_length=3,
    compares_labels=True,
    accumulator=_J,
)
def region_similarity(
    true: LabelArray, pred: LabelArray, *, task: ObjectTask = "semi-supervised", tolerance: float = 0.008
) -> Score:
    return _J.score(true, pred, task=task, tolerance=tolerance)


@metric(
    symbol=r"F",
    family="video",
    order=40,
    aliases=("davis_f",),
    needs="inputs",
    formula=r"F = \frac{1}{|O|}\sum_{o\in O}\frac{1}{|F_o|}\sum_{i\in F_o}\frac{2P_i^o R_i^o}{P_i^o+R_i^o}",
    summary="Contour accuracy of DAVIS: the F-measure of the one-pixel boundaries of each object, averaged over "
    "frames, then over objects.",
    citation=("perazzi2016benchmark", "ponttuset2017davis"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
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
    accumulator=_F,
)
def contour_accuracy(
    true: LabelArray, pred: LabelArray, *, task: ObjectTask = "semi-supervised", tolerance: float = 0.008
) -> Score:
    return _F.score(true, pred, task=task, tolerance=tolerance)


@metric(
    symbol=r"J\&F",
    family="video",
    order=50,
    aliases=("davis",),
    needs="inputs",
    formula=r"J\&F = \frac{J+F}{2}",
    summary="The mean of region similarity J and contour accuracy F, by which DAVIS ranks.",
    citation="ponttuset2017davis",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    value_if_equal=1,
    kinds=("labels",),
    notes=_NOTES,
    examples=(
        Example(_STEADY, _MARKED, (2 / 3 + 1 / 2) / 2),
        Example(_STEADY, _STEADY, 1),
    ),
    dimensions=(3, 3),
    least_length=3,
    compares_labels=True,
    accumulator=_BOTH,
)
def j_and_f(
    true: LabelArray, pred: LabelArray, *, task: ObjectTask = "semi-supervised", tolerance: float = 0.008
) -> Score:
    return _BOTH.score(true, pred, task=task, tolerance=tolerance)
