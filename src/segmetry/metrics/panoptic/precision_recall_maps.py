"""Precision and recall maps: every segment has the weight of its best partner [chazalon2021revisiting].

The precision map shows the predicted segments, the recall map the true ones. *Best* is the best weight among all
segments of the other side that overlap it and may be matched under the policy (same class, no crowd); the published
tool takes the largest intersection instead. A segment without overlap has the value 0; elements in no segment, void
elements, and segments the policy ignores have no value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, ratio, short_repr
from segmetry.alignments import (
    Alignment,
    MatchRule,
    PairThreshold,
    Policy,
    align,
    argsort_descending,
    attains_bound,
    candidates_of,
    iou_lower_bound,
    quotient,
)
from segmetry.errors import KindError
from segmetry.kernels import paint
from segmetry.overlaps import Ids, count_overlaps
from segmetry.readers import read_sides
from segmetry.segmentation import LabelArray, Masks, Segmentation, SegmentationPair, Spans


@dataclass(frozen=True, eq=False)
class SegmentValues:
    """The painted segments of one side: their values, whether each is in the matched zone, and its best partner.

    ``partners`` are ids of the other side, the edges of G_precision or G_recall; a segment of value 0 has none.
    """

    segmentation: Segmentation
    ids: Ids
    values: FloatArray
    above: NDArray[np.bool_]
    partners: Ids

    @cached_property
    def array(self) -> FloatArray:
        """The map: for every element the value of its segment, NaN outside of segments."""
        return self.painted(self.values, np.nan)

    def painted(self, values: NDArray[Any], fill: Any) -> NDArray[Any]:
        """Return the map with other values, one per segment: numbers, or rows of four bytes (RGBA)."""
        labels, numbers = self._labels
        return paint(labels, numbers, values, fill)

    @cached_property
    def _labels(self) -> tuple[NDArray[Any], Ids]:
        return _painted_labels(self.segmentation, self.ids, self.values)


@dataclass(frozen=True, eq=False)
class Maps:
    """The precision and the recall map of two segmentations, as arrays and per segment, and the pairs of their rule."""

    __repr__ = short_repr

    pred_values: SegmentValues
    true_values: SegmentValues
    weight: str
    alpha: Fraction
    alignment: Alignment

    @property
    def rule(self) -> str:
        """The name of the rule."""
        return self.alignment.rule.name

    @property
    def policy(self) -> str:
        """The name of the policy."""
        return self.alignment.policy.name

    @property
    def precision(self) -> FloatArray:
        """The precision map: predicted segments."""
        return self.pred_values.array

    @property
    def recall(self) -> FloatArray:
        """The recall map: true segments."""
        return self.true_values.array

    def edges(self) -> list[dict[str, Any]]:
        """Return one plain row per segment: its side, best partner and weight, and whether it is in the matched zone.

        >>> maps([[1, 1, 2, 0]], [[3, 3, 3, 3]]).edges()[1:]  # doctest: +NORMALIZE_WHITESPACE
        [{'side': 'true', 'id': 1, 'partner': 3, 'weight': 0.5, 'matched_zone': False},
         {'side': 'true', 'id': 2, 'partner': 3, 'weight': 0.25, 'matched_zone': False}]
        """
        return [
            {"side": side, "id": own, "partner": other if value else None, "weight": value, "matched_zone": above}
            for side, found in (("pred", self.pred_values), ("true", self.true_values))
            for own, other, value, above in zip(
                *(column.tolist() for column in (found.ids, found.partners, found.values, found.above)), strict=True
            )
        ]


def maps(
    true: Any,
    pred: Any,
    *,
    weight: str = "iou",
    rule: MatchRule | str | None = None,
    policy: Policy | str | None = None,
    classes: str = "match",
) -> Maps:
    """Return precision and recall maps of label arrays, spans or masks.

    Where masks overlap, the best value is on top. The rule sets where the matched zone begins: above α, the greatest
    known lower bound of the weight under the rule (at α, where the rule accepts pairs of that weight, as ``at_least=``
    does).

    Parameters
    ----------
    true : segmentation, array or path
        The true segments: an array of integers (0 is outside), a LabelArray, Spans, Masks, Polygons or Sets, or the
        path of a file with one item.
    pred : segmentation, array or path
        The predicted segments, of the same kind and the same domain.
    weight : str, default 'iou'
        The weight of a pair: ``'iou'``, ``'dice'``, ``'coverage_true'``, ``'coverage_pred'``, ``'min_coverage'``,
        ``'max_coverage'``, ``'half_link_force'`` or ``'tversky(alpha=…,beta=…)'``.
    rule : MatchRule or str, optional
        A rule or its text, such as ``'theta_plus'`` (IoU > 1/2), ``'theta_and'`` (majority overlap) or
        ``'iou(above=3/4)'``.
    policy : Policy or str, optional
        How void elements and crowd segments are treated: a policy or its name. By default void elements are removed
        (``'strict-void'``) if there are any.
    classes : {'match', 'ignore'}, default 'match'
        ``'match'`` pairs only segments of the same class, ``'ignore'`` any two.

    Returns
    -------
    Maps
        The value of each segment, and both maps as arrays.

    Examples
    --------
    >>> pair = maps([[1, 1, 2, 0]], [[1, 1, 1, 1]])
    >>> pair.recall.tolist(), pair.precision.tolist(), str(pair.alpha)
    ([[0.5, 0.5, 0.25, nan]], [[0.5, 0.5, 0.5, 0.5]], '1/2')
    """
    pair = SegmentationPair.of(*read_sides(true, pred))
    for side, segmentation in (("true", pair.true), ("pred", pair.pred)):
        if not isinstance(segmentation, LabelArray | Spans | Masks):
            raise KindError(
                f"{side} is {segmentation.kind}; maps are painted for label arrays, spans and masks "
                "(draw polygons with --grid LEFT,BOTTOM,RIGHT,TOP,CELL)"
            )
    alignment = align(count_overlaps(pair), rule, policy=policy, classes=classes, resolve="keep")
    alpha = iou_lower_bound(alignment.rule, weight)
    zone = PairThreshold(alpha, not attains_bound(alignment.rule, weight), "alpha")
    return Maps(
        pred_values=_side_values(alignment, pair.pred, "pred", weight, zone),
        true_values=_side_values(alignment, pair.true, "true", weight, zone),
        weight=weight,
        alpha=alpha,
        alignment=alignment,
    )


def _side_values(
    alignment: Alignment, segmentation: Segmentation, side: str, weight: str, zone: PairThreshold
) -> SegmentValues:
    table = alignment.table
    candidates, _ = candidates_of(table, alignment.policy, alignment.classes)
    own, segments, ignored, other, others = (
        (candidates.at_true, table.true, alignment.ignored_true, candidates.at_pred, table.pred)
        if side == "true"
        else (candidates.at_pred, table.pred, alignment.ignored_pred, candidates.at_true, table.true)
    )
    top, bottom = quotient(weight, candidates.shared, candidates.missed, candidates.spurious)
    order = argsort_descending(top, bottom)
    touched, first = np.unique(own[order], return_index=True)
    best = order[first]
    values, above = np.zeros(len(segments)), np.zeros(len(segments), dtype=bool)
    values[touched] = ratio(top[best], bottom[best])
    above[touched] = zone.admits(top[best], bottom[best])
    partners = np.zeros(len(segments), dtype=others.ids.dtype)
    partners[touched] = others.ids[other[best]]
    counted = ~ignored
    return SegmentValues(segmentation, segments.ids[counted], values[counted], above[counted], partners[counted])


def _painted_labels(segmentation: Segmentation, ids: Ids, values: FloatArray) -> tuple[NDArray[Any], Ids]:
    """Return a label array and the label of each segment; where masks overlap, the best value is on top."""
    if isinstance(segmentation, LabelArray):
        return segmentation.labels, ids
    numbers = np.arange(1, ids.size + 1, dtype=np.int64)
    if isinstance(segmentation, Spans):
        line = np.zeros(segmentation.n, dtype=np.int64)
        for number, segment in zip(numbers.tolist(), ids.tolist(), strict=True):
            line[segmentation.starts[segment - 1] : segmentation.stops[segment - 1]] = number
        return line, numbers
    if not isinstance(segmentation, Masks):
        raise KindError(f"segmentations of kind {segmentation.kind!r} cannot be painted")
    flat, run_lengths = np.zeros(segmentation.n_elements, dtype=np.int64), segmentation.run_lengths
    at = {segment: position for position, segment in enumerate(segmentation.ids.tolist())}
    for number in np.lexsort((-numbers, values)).tolist():
        mask = at[int(ids[number])]
        for run in range(int(run_lengths.offsets[mask]), int(run_lengths.offsets[mask + 1])):
            flat[run_lengths.starts[run] : run_lengths.stops[run]] = number + 1
    return flat.reshape(segmentation.shape, order="F"), numbers
