r"""What DAVIS measures of a video: for every object and frame the pixels and the boundary pixels that agree.

J = |t ∩ h| / |t ∪ h|, 1 where both are empty. With B_t and B_h the boundary pixels of an object on both sides, P the
share of B_h within the tolerance of B_t and R the share of B_t within the tolerance of B_h, F = 2PR / (P + R)
[perazzi2016benchmark, ponttuset2017davis]. Where only one side has a boundary, F is 0, where neither has one, 1.

An object is a label of the first frame of the truth. Its J and F are means over frames, those of a data set means over
the objects of all videos. Recall is the share of frames above one half, decay the mean of the first quarter of the
frames minus that of the last.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, FloatArray, IntArray, check_choice
from segmetry.errors import InputError, OptionError
from segmetry.kernels import Boundaries, best_assignment, count_near, count_pairs, label_boundaries
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import LabelArray

ObjectTask = Literal["semi-supervised", "unsupervised"]
COUNTS = ("shared", "union", "true_boundary", "pred_boundary", "true_near", "pred_near")
MOST_PROPOSALS = 20
"""The rule of the unsupervised task of DAVIS."""


def object_frames(
    true: LabelArray, pred: LabelArray, *, task: ObjectTask = "semi-supervised", tolerance: float = 0.008
) -> dict[str, IntArray]:
    """Return the counts of every object of a video (rows) in every frame that counts (columns)."""
    check_choice("task", task, ObjectTask)
    if true.axes != 3:
        raise InputError(f"a video has shape {true.domain}; expected frames on the first axis, and two axes more")
    if tolerance <= 0:
        raise OptionError(f"tolerance is {tolerance}; expected a share of the diagonal, or 1 pixel or more")
    objects = _segments_of(true, _frame_image(true, 0))
    radius = _radius_in_pixels(tolerance, true.domain[1:])
    if task == "semi-supervised":
        frames = [_matched_counts(*sides, objects, radius) for sides in _sides_of(true, pred, 1, true.domain[0] - 1)]
    else:
        frames = _assigned_counts(list(_frame_proposals(true, pred, objects, radius)))
    counted = np.array(frames, dtype=np.int64).reshape(len(frames), len(COUNTS), objects.size)
    return {name: counted[:, at].T for at, name in enumerate(COUNTS)}


def j_values(counts: dict[str, NDArray[Any]]) -> FloatArray:
    """Return J of every object and frame."""
    shared, union = counts["shared"], counts["union"]
    values: FloatArray = np.divide(shared, union, out=np.ones(union.shape), where=union > 0)
    return values


def f_values(counts: dict[str, NDArray[Any]]) -> FloatArray:
    """Return F of every object and frame, computed with the floats of the reference."""
    n_true, n_pred = counts["true_boundary"], counts["pred_boundary"]
    both, neither = (n_true > 0) & (n_pred > 0), (n_true == 0) & (n_pred == 0)
    precision = np.divide(counts["pred_near"], n_pred, out=np.zeros(n_pred.shape), where=both)
    recall = np.divide(counts["true_near"], n_true, out=np.zeros(n_true.shape), where=both)
    total = precision + recall
    values = np.divide(2 * precision * recall, total, out=np.zeros(total.shape), where=total > 0)
    return np.where(neither, 1.0, values)


def _radius_in_pixels(tolerance: float, shape: tuple[int, ...]) -> int:
    """Return the tolerance in pixels: below 1 it is a share of the diagonal, rounded up."""
    return int(tolerance) if tolerance >= 1 else math.ceil(tolerance * float(np.linalg.norm(shape)))


def _sides_of(true: LabelArray, pred: LabelArray, start: int, stop: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for at in range(start, stop):
        yield _frame_image(true, at), _frame_image(pred, at)


def _frame_image(video: LabelArray, at: int) -> NDArray[Any]:
    image: NDArray[Any] = video.read((slice(at, at + 1), *(slice(0, length) for length in video.domain[1:])))[0]
    return image


def _segments_of(video: LabelArray, image: NDArray[Any]) -> NDArray[Any]:
    labels = count_pairs(image, image).true_labels  # sorted; faster than np.unique
    return labels[~np.isin(labels, [*video.outside, *video.void])]


class _SegmentsOfFrame(NamedTuple):
    """The segments of both sides of a frame: the pixels that pairs share, their sizes, and their boundaries."""

    shared: IntArray
    sizes: tuple[IntArray, IntArray]
    boundaries: tuple[Boundaries, Boundaries]
    shape: tuple[int, int]

    @classmethod
    def of(
        cls, true: NDArray[Any], pred: NDArray[Any], true_ids: NDArray[Any], pred_ids: NDArray[Any]
    ) -> _SegmentsOfFrame:
        counted = count_pairs(true, pred)
        table = np.zeros((true_ids.size + 1, pred_ids.size + 1), dtype=np.int64)
        places = _positions_among(counted.true_labels, true_ids), _positions_among(counted.pred_labels, pred_ids)
        np.add.at(table, places, counted.counts)
        sizes = table[:-1].sum(axis=1), table[:, :-1].sum(axis=0)
        boundaries = label_boundaries(true, true_ids.tolist()), label_boundaries(pred, pred_ids.tolist())
        return cls(table[:-1, :-1], sizes, boundaries, (true.shape[0], true.shape[1]))

    def counts(self, at_true: NDArray[np.intp], at_pred: NDArray[np.intp], radius: int) -> IntArray:
        """Return :data:`COUNTS` of pairs of segments, one column each."""
        first, second = self.boundaries
        shared = self.shared[at_true, at_pred]
        union = self.sizes[0][at_true] + self.sizes[1][at_pred] - shared
        order = np.argsort(at_pred, kind="stable")  # the kernel draws a second boundary once for adjacent pairs
        true_near = np.empty_like(shared)
        true_near[order] = count_near(first, second, (at_true[order], at_pred[order]), self.shape, radius)
        pred_near = count_near(second, first, (at_pred, at_true), self.shape, radius)
        return np.stack((shared, union, first.sizes[at_true], second.sizes[at_pred], true_near, pred_near))

    def counts_without_prediction(self) -> IntArray:
        """Return :data:`COUNTS` of each true segment and a prediction without pixels."""
        nothing = np.zeros_like(self.sizes[0])
        return np.stack((nothing, self.sizes[0], self.boundaries[0].sizes, nothing, nothing, nothing))


def _positions_among(labels: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions of labels among sorted ids; the number of ids where a label is not among them."""
    if not ids.size:
        return np.zeros(labels.size, dtype=np.intp)
    at = np.searchsorted(ids, labels)
    return np.where(ids[np.minimum(at, ids.size - 1)] == labels, at, ids.size)


def _matched_counts(true: NDArray[Any], pred: NDArray[Any], objects: NDArray[Any], radius: int) -> IntArray:
    """Return the counts of each object and the predicted segment of the same label."""
    same = np.arange(objects.size)
    return _SegmentsOfFrame.of(true, pred, objects, objects).counts(same, same, radius)


class _Proposals(NamedTuple):
    """The predicted segments of a frame, :data:`COUNTS` of all pairs (objects, segments), and of objects alone."""

    ids: NDArray[Any]
    counts: IntArray
    without: IntArray


def _frame_proposals(true: LabelArray, pred: LabelArray, objects: NDArray[Any], radius: int) -> Iterator[_Proposals]:
    """Yield the proposals of each frame; the void pixels of the truth are removed."""
    for true_image, image in _sides_of(true, pred, 0, true.domain[0]):
        ids = _segments_of(pred, image)
        if true.void and (is_void := np.isin(true_image, true.void)).any():
            image = np.where(is_void, pred.outside[0] if pred.outside else int(image.max()) + 1, image)
        segments = _SegmentsOfFrame.of(true_image, image, objects, ids)
        pairs = np.repeat(np.arange(objects.size), ids.size), np.tile(np.arange(ids.size), objects.size)
        counts = segments.counts(*pairs, radius).reshape(len(COUNTS), objects.size, ids.size)
        yield _Proposals(ids, counts, segments.counts_without_prediction())


def _assigned_counts(frames: list[_Proposals]) -> list[IntArray]:
    """Return the counts of each object and its proposal: the assignment with the largest sum of mean J and mean F.

    The sums are compared as the floats of the reference.
    """
    ids = np.unique(np.concatenate([frame.ids for frame in frames]))
    if ids.size > MOST_PROPOSALS:
        raise InputError(f"{ids.size} predicted segments; DAVIS allows at most {MOST_PROPOSALS} proposals for a video")
    n_objects = frames[0].without.shape[1]
    dense = np.empty((len(COUNTS), max(ids.size, n_objects), n_objects, len(frames)), dtype=np.int64)
    for at, frame in enumerate(frames):
        dense[..., at] = frame.without[:, None]
        dense[:, np.searchsorted(ids, frame.ids), :, at] = frame.counts.transpose(2, 0, 1)
    by_name = dict(zip(COUNTS, dense, strict=True))
    quality = (np.mean(j_values(by_name), axis=2) + np.mean(f_values(by_name), axis=2)) / 2
    rows, columns = best_assignment(quality)
    kept = dense[:, rows[np.argsort(columns)], np.sort(columns)]
    return [kept[..., at] for at in range(len(frames))]


NO_OBJECT = "no object in the first frame of the truth, or no frame that counts"
_QUARTERS = 4
_STATISTICS = ("mean", "recall", "decay")


def statistics_of_frames(values: FloatArray) -> FloatArray:
    """Return mean, recall and decay of the frames, the last axis."""
    length = values.shape[-1]
    # The bins of DAVIS; 1e-10 rounds halves up. Its own bins overflow beyond 255 frames, as they have 8 bits.
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
_object_score = partial(
    metric,
    citation=("perazzi2016benchmark", "ponttuset2017davis"),
    dimensions=(3, 3),
    least_length=3,
    compares_labels=True,
    statistics=_OBJECTS,
)


@_object_score(
    order=30,
    aliases=("davis_j",),
    formula=r"J = \frac{1}{|O|}\sum_{o\in O}\frac{1}{|F_o|}\sum_{i\in F_o}\frac{|t_i^o\cap h_i^o|}"
    r"{|t_i^o\cup h_i^o|}",
    summary="Region similarity of DAVIS: the IoU of each object, averaged over frames, then over objects.",
    notes=_NOTES + "A frame without the object on either side is 1, so J is also defined for objects that leave.",
    examples=(
        Example(_STEADY, _MARKED, 2 / 3),
        Example(_STEADY, _MARKED, (1 + 2 / 3 + 1) / 3, {"task": "unsupervised"}),
    ),
)
def region_similarity(sums: Sums) -> Quotient:
    return _mean_over_objects(sums, "j")


@_object_score(
    aliases=("davis_f",),
    formula=r"F = \frac{1}{|O|}\sum_{o\in O}\frac{1}{|F_o|}\sum_{i\in F_o}\frac{2P_i^o R_i^o}{P_i^o+R_i^o}",
    summary="Contour accuracy of DAVIS: the F-measure of the one-pixel boundaries of each object, averaged over "
    "frames, then over objects.",
    notes=f"{_NOTES}A boundary pixel is found if one of the other side is at most the tolerance away; boundaries lie "
    "half a pixel towards the origin, as in the reference.",
    examples=(Example(_STEADY, _MARKED, 1 / 2), Example(_STEADY, _STEADY, 1)),
)
def contour_accuracy(sums: Sums) -> Quotient:
    return _mean_over_objects(sums, "f")


@_object_score(
    aliases=("davis",),
    formula=r"J\&F = \frac{J+F}{2}",
    summary="The mean of region similarity J and contour accuracy F, by which DAVIS ranks.",
    citation="ponttuset2017davis",
    notes=_NOTES,
    examples=(Example(_STEADY, _MARKED, (2 / 3 + 1 / 2) / 2), Example(_STEADY, _STEADY, 1)),
)
def j_and_f(sums: Sums) -> Quotient:
    return _mean_over_objects(sums, "j", "f")
