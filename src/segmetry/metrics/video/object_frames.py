"""What DAVIS measures of a video: for every object and frame the pixels and the boundary pixels that agree.

J = |t ∩ h| / |t ∪ h|, 1 where both are empty. With B_t and B_h the boundary pixels of an object on both sides, P the
share of B_h within the tolerance of B_t and R the share of B_t within the tolerance of B_h, F = 2PR / (P + R)
[perazzi2016benchmark]. Where only one side has a boundary, F is 0, where neither has one, 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray
from segmetry.errors import InputError, OptionError
from segmetry.kernels.label_boundaries import Boundaries, count_near, label_boundaries
from segmetry.kernels.pairs import count_pairs
from segmetry.kernels.track_matching import best_assignment
from segmetry.segmentation.labels import LabelArray

ObjectTask = Literal["semi-supervised", "unsupervised"]
COUNTS = ("shared", "union", "true_boundary", "pred_boundary", "true_near", "pred_near")
MOST_PROPOSALS = 20


def object_frames(
    true: LabelArray, pred: LabelArray, *, task: ObjectTask = "semi-supervised", tolerance: float = 0.008
) -> dict[str, IntArray]:
    """Return the counts of every object of a video (rows) in every frame that counts (columns)."""
    if task not in ("semi-supervised", "unsupervised"):
        raise OptionError(f"task is {task!r}; expected 'semi-supervised' or 'unsupervised'")
    if true.axes != 3:
        raise InputError(f"a video has shape {true.domain}; expected frames on the first axis, and two axes more")
    if tolerance <= 0:
        raise OptionError(f"tolerance is {tolerance}; expected a share of the diagonal, or 1 pixel or more")
    objects = _segments_of(true, _image(true, 0))
    radius = _radius(tolerance, true.domain[1:])
    if task == "semi-supervised":
        frames = [_matched(*sides, objects, radius) for sides in _frames(true, pred, 1, true.domain[0] - 1)]
    else:
        frames = _assigned(list(_proposals(true, pred, objects, radius)))
    counted = np.array(frames, dtype=np.int64).reshape(len(frames), len(COUNTS), objects.size)
    return {name: counted[:, at].T for at, name in enumerate(COUNTS)}


def j_values(counts: dict[str, NDArray[Any]]) -> FloatArray:
    """Return J of every object and frame."""
    values: FloatArray = np.divide(
        counts["shared"], counts["union"], out=np.ones(counts["union"].shape), where=counts["union"] > 0
    )
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


def _radius(tolerance: float, shape: tuple[int, ...]) -> int:
    """Return the tolerance in pixels: below 1 it is a share of the diagonal, rounded up."""
    return int(tolerance) if tolerance >= 1 else math.ceil(tolerance * float(np.linalg.norm(shape)))


def _frames(true: LabelArray, pred: LabelArray, start: int, stop: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    for at in range(start, stop):
        yield _image(true, at), _image(pred, at)


def _image(video: LabelArray, at: int) -> NDArray[Any]:
    image: NDArray[Any] = video.read((slice(at, at + 1), *(slice(0, length) for length in video.domain[1:])))[0]
    return image


def _segments_of(video: LabelArray, image: NDArray[Any]) -> NDArray[Any]:
    """Return the labels of an image that are segments."""
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
        places = _positions(counted.true_labels, true_ids), _positions(counted.pred_labels, pred_ids)
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


def _positions(labels: NDArray[Any], ids: NDArray[Any]) -> NDArray[np.intp]:
    """Return the positions of labels among sorted ids; the number of ids where a label is not among them."""
    if not ids.size:
        return np.zeros(labels.size, dtype=np.intp)
    at = np.searchsorted(ids, labels)
    return np.where(ids[np.minimum(at, ids.size - 1)] == labels, at, ids.size)


def _matched(true: NDArray[Any], pred: NDArray[Any], objects: NDArray[Any], radius: int) -> IntArray:
    """Return the counts of each object and the predicted segment of the same label."""
    same = np.arange(objects.size)
    return _SegmentsOfFrame.of(true, pred, objects, objects).counts(same, same, radius)


class _Proposals(NamedTuple):
    """The predicted segments of a frame, :data:`COUNTS` of all pairs (objects, segments), and of objects alone."""

    ids: NDArray[Any]
    counts: IntArray
    without: IntArray


def _proposals(true: LabelArray, pred: LabelArray, objects: NDArray[Any], radius: int) -> Iterator[_Proposals]:
    """Yield the proposals of each frame; the void pixels of the truth are removed."""
    for true_image, image in _frames(true, pred, 0, true.domain[0]):
        ids = _segments_of(pred, image)
        if true.void and (is_void := np.isin(true_image, true.void)).any():
            image = np.where(is_void, pred.outside[0] if pred.outside else int(image.max()) + 1, image)
        segments = _SegmentsOfFrame.of(true_image, image, objects, ids)
        pairs = np.repeat(np.arange(objects.size), ids.size), np.tile(np.arange(ids.size), objects.size)
        counts = segments.counts(*pairs, radius).reshape(len(COUNTS), objects.size, ids.size)
        yield _Proposals(ids, counts, segments.counts_without_prediction())


def _assigned(frames: list[_Proposals]) -> list[IntArray]:
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
