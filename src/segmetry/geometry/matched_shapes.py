"""Replace the weights of the pairs of an alignment, for curves and NPQ.

Shapes of matched pairs: align segments by a rule, then measure how far apart the two of a pair are.

Every measure is computed pair by pair, inside the bounding box of both segments. Elements the policy does not count
(a pred's elements in the void of the truth under ``coco``) are removed from the shapes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from segmetry._base import FloatArray, IntArray, ratio
from segmetry.alignments import Alignment, Policy, Tally, align, counted_sizes
from segmetry.errors import InputError, OptionError
from segmetry.geometry.band_overlaps import band_table, band_width
from segmetry.geometry.measured_shapes import MeasuredShapes, measure_each
from segmetry.geometry.segment_shapes import (
    BoxArray,
    Mask,
    Shapes,
    median_set_distance,
    shapes_of,
    skeleton_distance,
    trimmed,
    union_of,
)
from segmetry.overlaps import OverlapTable, count_overlaps
from segmetry.readers import read_sides
from segmetry.segmentation import Segmentation, SegmentationPair

Weight = int | float | Fraction


def reweight(alignment: Alignment, weights: Sequence[Weight] | ArrayLike, name: str = "own weight") -> Tally:
    """Return the tally of an alignment with other weights.

    PQ and SQ still use the IoU; curves and NPQ use the new weights.

    Parameters
    ----------
    alignment : Alignment
        The alignment.
    weights : sequence of numbers
        One weight in [0, 1] for each pair, in the order of the alignment; floats are converted exactly.
    name : str, default 'own weight'
        What the weights are called.

    Returns
    -------
    Tally
        The counts, with the new weights.

    Examples
    --------
    >>> import segmetry as sm
    >>> alignment = sm.align(sm.overlap([[1, 1, 1, 2, 2]], [[1, 1, 2, 2, 2]]))
    >>> tally = reweight(alignment, [Fraction(1), Fraction(1, 2)], "centre distance")
    >>> sm.curves(tally).area("f1")
    0.75
    """
    listed = list(weights.tolist() if hasattr(weights, "tolist") else weights)  # type: ignore[arg-type]
    if len(listed) != len(alignment):
        raise InputError(
            f"{len(listed)} weights for {len(alignment)} pairs; expected one for each pair of the alignment"
        )
    return replace(alignment.tally, weight=name, own=tuple(_checked_weight(w, at, name) for at, w in enumerate(listed)))


def _checked_weight(weight: Any, at: int, name: str) -> Fraction:
    is_number = isinstance(weight, int | float | Fraction) and not isinstance(weight, bool)
    if not (is_number and 0 <= weight <= 1):
        raise InputError(f"{name} of pair {at} is {weight!r}; expected a number in [0, 1]")
    return Fraction(weight)


@dataclass(frozen=True, eq=False)
class MatchedShapes(MeasuredShapes):
    """The pairs of an alignment with their segments; every measure is an array with one value per pair, in order.

    >>> shapes = matched_shapes([[1, 1, 1, 0, 2]], [[1, 0, 0, 0, 2]])
    >>> shapes.alignment.n_pairs, shapes.hausdorff().tolist()
    (1, [0.0])
    >>> matched_shapes([[1, 1, 1, 0, 2]], [[1, 1, 0, 0, 2]]).hausdorff().tolist()
    [1.0, 0.0]
    """

    alignment: Alignment
    true: Segmentation
    pred: Segmentation
    _bands: dict[tuple[float, str], OverlapTable] = field(default_factory=dict, repr=False)

    @property
    def policy(self) -> Policy:
        """How void elements and crowd segments are treated."""
        return self.alignment.policy

    def crops(self) -> Iterator[tuple[Mask, Mask]]:
        """Yield the true and the pred segment of every pair, inside the bounding box of both."""
        true, pred = self._side_shapes
        for at_true, at_pred in zip(self.alignment.at_true.tolist(), self.alignment.at_pred.tolist(), strict=True):
            box = union_of(true.boxes[at_true], pred.boxes[at_pred])
            of_true, of_pred = true.crop(at_true, box), pred.crop(at_pred, box)
            if not (self.policy.true_void or self.policy.pred_void):
                yield of_true, of_pred
                continue
            # As the policy counts elements of the pair, so are its shapes: void of the other side is not part of them.
            if self.policy.true_void:
                of_true &= ~pred.void(box)
            if self.policy.pred_void:
                of_pred &= ~true.void(box)
            first, second = trimmed(of_true, of_pred)
            yield first, second

    def whole_segments(self) -> Iterator[tuple[tuple[BoxArray, Mask], tuple[BoxArray, Mask]]]:
        """Yield the two whole segments of every pair, each in a box of its own, void elements included."""
        true, pred = self._side_shapes
        for at_true, at_pred in zip(self.alignment.at_true.tolist(), self.alignment.at_pred.tolist(), strict=True):
            boxes = true.boxes[at_true], pred.boxes[at_pred]
            yield (boxes[0], true.crop(at_true, boxes[0])), (boxes[1], pred.crop(at_pred, boxes[1]))

    @cached_property
    def _side_shapes(self) -> tuple[Shapes, Shapes]:
        table = self.alignment.table
        return shapes_of(self.true, table.true.ids), shapes_of(self.pred, table.pred.ids)

    @cached_property
    def diagonals(self) -> FloatArray:
        """The diagonal of the bounding box of every pair, from edge to edge: larger than any distance inside it."""
        return measure_each(
            lambda pair: math.hypot(*(size * step for size, step in zip(pair[0].shape, self.spacing, strict=True))),
            self.crops(),
        )

    def centre_distance(self) -> FloatArray:
        """Return the distance between the centres of mass of every pair."""
        return measure_each(lambda pair: _centre_distance(*pair, self.spacing), self.crops())

    def skeleton_distance(self) -> FloatArray:
        """Return the mean distance from the elements of both skeletons of every pair to the other skeleton.

        >>> matched_shapes([[1] * 5] * 3, [[1, 1, 1, 1, 0]] * 3, rule="theta_and").skeleton_distance().round(3).tolist()
        [0.429]
        """
        return measure_each(lambda pair: skeleton_distance(*pair, self.spacing), self.crops())

    def median_set_distance(self) -> FloatArray:
        """Return the median-set distance of every pair: the least λ for which the common elements, dilated by λ, cover
        the elements of both, eroded by λ.

        >>> matched_shapes([[1, 1, 1, 1, 1, 1]] * 9, [[1, 1, 1, 1, 0, 0]] * 9).median_set_distance().tolist()
        [1.0]
        """
        return measure_each(lambda pair: median_set_distance(*pair, self.spacing), self.crops())

    def bands(self, d: float | None = None, metric: str = "chessboard") -> OverlapTable:
        """Return the overlap table of the bands along the contours of all segments, matched or not."""
        width = band_width(d, metric, self.true.domain, self.spacing)
        if (width, metric) not in self._bands:
            self._bands[width, metric] = band_table(self.true, self.pred, width, metric)
        return self._bands[width, metric]

    def band_counts(self, d: float | None = None, metric: str = "chessboard") -> tuple[IntArray, IntArray, IntArray]:
        """Return the shared, missed and spurious elements of the bands of every pair, as the policy counts them."""
        bands, at_true, at_pred = self.bands(d, metric), self.alignment.at_true, self.alignment.at_pred
        rows = {
            pair: row for row, pair in enumerate(zip(bands.row_true.tolist(), bands.row_pred.tolist(), strict=True))
        }
        at = [rows.get(pair, -1) for pair in zip(at_true.tolist(), at_pred.tolist(), strict=True)]
        # A pair whose bands do not touch has no row: position -1 is the 0 that was appended.
        shared = np.append(bands.shared, 0)[np.array(at, dtype=np.intp)]
        true_sizes, pred_sizes = counted_sizes(bands, self.policy)
        return shared, true_sizes[at_true] - shared, pred_sizes[at_pred] - shared

    def boundary_iou(self, d: float | None = None, metric: str = "chessboard") -> FloatArray:
        """Return the IoU of the bands of every pair."""
        shared, missed, spurious = self.band_counts(d, metric)
        return ratio(shared, shared + missed + spurious)

    def weights(self, by: str, furthest: float | None = None, **options: Any) -> FloatArray:
        """Return a weight in [0, 1] of every pair: similarities unchanged, a distance d as max(0, 1 - d/D).

        ``furthest`` is D, a number in the units of spacing; by default the diagonal of the bounding box of the pair.

        >>> matched_shapes([[1, 1, 1, 0]], [[1, 1, 0, 0]]).weights("hausdorff", furthest=4).tolist()
        [0.75]
        """
        if by in SIMILARITIES:
            if furthest is not None:
                raise OptionError(f"{by} is already a similarity; furthest= applies to {', '.join(DISTANCES)}")
            return SIMILARITIES[by](self, **options)
        if by not in DISTANCES:
            raise OptionError(f"by is {by!r}; expected one of {', '.join((*DISTANCES, *SIMILARITIES))}")
        limits = self.diagonals if furthest is None else furthest
        return closeness(DISTANCES[by](self, **options), limits)

    def reweighted(self, by: str, furthest: float | None = None, **options: Any) -> Tally:
        """Return the pairs with new weights, for curves and NPQ: aligned by the rule, weighted by shape.

        >>> import segmetry as sm
        >>> tally = matched_shapes([[1, 1, 1, 0]], [[1, 1, 0, 0]]).reweighted("hausdorff", furthest=4)
        >>> sm.npq(tally).value
        0.75
        """
        return reweight(self.alignment, self.weights(by, furthest, **options), by)


DISTANCES: dict[str, Callable[..., FloatArray]] = {
    "hausdorff": MatchedShapes.hausdorff,
    "hausdorff95": MatchedShapes.hausdorff95,
    "average_surface_distance": MatchedShapes.average_surface_distance,
    "centre_distance": MatchedShapes.centre_distance,
    "skeleton_distance": MatchedShapes.skeleton_distance,
    "median_set_distance": MatchedShapes.median_set_distance,
}
SIMILARITIES: dict[str, Callable[..., FloatArray]] = {
    "surface_dice": MatchedShapes.surface_dice,
    "boundary_iou": MatchedShapes.boundary_iou,
}


def matched_shapes(true: Any, pred: Any, *, resolve: str | None = None, **options: Any) -> MatchedShapes:
    """Align two segmentations and return the matched pairs with their shapes.

    Parameters
    ----------
    true : segmentation, array or path
        The true segments: an array of integers (0 is outside), a LabelArray, Spans, Masks, Polygons or Sets, or the
        path of a file with one item.
    pred : segmentation, array or path
        The predicted segments, of the same kind and the same domain.
    resolve : str, optional
        As for :func:`segmetry.align`; ``'by_score'`` first makes overlapping predicted masks disjoint.
    **options
        Options of :func:`segmetry.align`: ``rule=``, ``policy=``, ``classes=``.

    Returns
    -------
    MatchedShapes
        The pairs, with distances between their surfaces.
    """
    pair = SegmentationPair.of(*read_sides(true, pred), resolve=resolve)
    return MatchedShapes(align(count_overlaps(pair), resolve=resolve, **options), pair.true, pair.pred)


def _centre_distance(true: Mask, pred: Mask, spacing: tuple[float, ...]) -> float:
    """Return the distance from integer sums of coordinates: the difference of the means is rounded once per axis."""
    n_true, n_pred = int(np.count_nonzero(true)), int(np.count_nonzero(pred))
    apart = []
    for axis, step in enumerate(spacing):
        others = tuple(other for other in range(true.ndim) if other != axis)
        places = np.arange(true.shape[axis])
        sums = [int(mask.sum(axis=others, dtype=np.int64) @ places) for mask in (true, pred)]
        # One quotient of integers: the difference of two rounded means would lose digits of a small shift.
        apart.append((sums[0] * n_pred - sums[1] * n_true) / (n_true * n_pred) * step)
    return math.hypot(*apart)


def closeness(distances: FloatArray, furthest: float | FloatArray) -> FloatArray:
    """Return 1 for distance 0, falling to 0 at ``furthest``, which is one number or one for each distance."""
    if not np.all((np.asarray(furthest) > 0) & np.isfinite(furthest)):
        raise OptionError(f"furthest is {furthest}; expected positive finite distances")
    weights: FloatArray = np.maximum(0.0, 1.0 - distances / furthest)
    return weights
