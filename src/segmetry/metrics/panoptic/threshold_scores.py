r"""Scores on the curves over the weight of a pair: NPQ, and precision, recall and F1 at one threshold
[chazalon2021revisiting].

See :mod:`segmetry.alignments.curves` for the step functions and :func:`curves` to compute them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, Threshold, as_python_ints, fraction_in, products_fit, ratio, widest
from segmetry.alignments import TVERSKY, WEIGHTS, Curves, Tally
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics.declare import Example, as_metric_inputs, metric
from segmetry.metrics.statistics import Quotient
from segmetry.metrics.tally_quotient import NO_SEGMENTS, SegmentCounts, count_quotient
from segmetry.segmentation import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_CURVES = ("chazalon2021revisiting",)
SHAPE_WEIGHTS = (
    "hausdorff",
    "hausdorff95",
    "average_surface_distance",
    "centre_distance",
    "skeleton_distance",
    "median_set_distance",
    "boundary_iou",
)
"""Weights of matched pairs by their shapes, besides those by their overlap."""
_WEIGHTS = f"weight= takes {', '.join(WEIGHTS)} or {TVERSKY}."


def curves(
    true: Any,
    pred: Any = None,
    *,
    weight: str | None = None,
    alpha: Threshold | None = None,
    furthest: float | None = None,
    **options: Any,
) -> Curves:
    """Return P, R and F1 as exact step functions of the weight that aligned pairs must reach.

    Pairs are matched by the rule and may be weighed by anything: by their overlap, or by their shapes.

    Parameters
    ----------
    true : segmentation, array or path, OverlapTable, Alignment or Tally
        The true segments, or the counts of both sides.
    pred : segmentation, array or path, optional
        The predicted segments.
    weight : str, optional
        The weight of a pair: ``'iou'``, ``'dice'``, ``'coverage_true'``, ``'coverage_pred'``, ``'min_coverage'``,
        ``'max_coverage'``, ``'half_link_force'`` or ``'tversky(alpha=…,beta=…)'``. By default the IoU. Of the two
        segmentations also by shape: ``'boundary_iou'``, or a distance d as max(0, 1 − d/D): ``'hausdorff'``,
        ``'hausdorff95'``, ``'average_surface_distance'``, ``'centre_distance'``, ``'skeleton_distance'`` or
        ``'median_set_distance'``.
    alpha : number, optional
        The least weight that a pair can have; by default the known lower bound of the rule.
    furthest : float, optional
        D, the distance of weight 0, in units of spacing; by default the diagonal of the bounding box of each pair.
    **options
        Options of :func:`segmetry.align`.

    Returns
    -------
    Curves
        The three curves, with their steps and areas.

    Examples
    --------
    >>> steps = curves([[1, 1, 1, 2]], [[1, 1, 2, 2]])
    >>> steps.steps, steps.area("f1"), steps.area("precision")
    ([Fraction(2, 3)], 0.3333333333333333, 0.3333333333333333)
    >>> curves([[1, 1, 1, 0]], [[1, 1, 0, 0]], weight="hausdorff", furthest=4).steps
    [Fraction(3, 4)]
    """
    inputs = as_metric_inputs(true, pred, **options)
    if weight is not None and weight in SHAPE_WEIGHTS:
        (shapes,) = inputs.with_pair("geometry").give("geometry", f"weight={weight!r}", **options)
        return Curves.of(shapes.reweighted(weight, furthest), weight, alpha)
    if furthest is not None:
        raise OptionError(f"furthest={furthest} is for weights that are distances; found weight={weight!r}")
    (tally,) = inputs.give("tally", "curves", **options)
    try:
        return Curves.of(tally, weight, alpha)
    except UnknownNameError as unknown:
        raise UnknownNameError(f"{unknown}, and of two segmentations {', '.join(SHAPE_WEIGHTS)}") from None


def _exact_pairs(tally: Tally, weight: str | None, factor: int) -> tuple[Curves, NDArray[Any], NDArray[Any]]:
    """Return the curves over a weight, and its numerators and denominators, ready to be multiplied by ``factor``."""
    curve = Curves.of(tally, weight)
    top, bottom = tally.quotient(curve.weight)
    if top.dtype != object and not products_fit(factor, widest(top, bottom), 2):
        return curve, as_python_ints(top), as_python_ints(bottom)
    return curve, top, bottom


def _above_alpha(tally: Tally, *, alpha: Threshold | None = None, weight: str | None = None) -> FloatArray:
    """Return max(0, w − α)/(1 − α) of every pair, correctly rounded."""
    bound = Curves.of(tally, weight, alpha).alpha
    up, down = bound.numerator, bound.denominator
    _, top, bottom = _exact_pairs(tally, weight, down)
    above = np.asarray(ratio(top * down - up * bottom, bottom * (down - up)), dtype=np.float64)
    return np.maximum(above, 0.0)


def _described_alpha(tally: Tally, *, alpha: Threshold | None = None, weight: str | None = None) -> dict[str, Any]:
    curve = Curves.of(tally, weight, alpha)
    return {"alpha": str(curve.alpha), "weight": curve.weight}


def _reaching_pairs(tally: Tally, *, t: Threshold = "1/2", weight: str | None = None, strict: bool = False) -> IntArray:
    """Return 1 for every pair of weight w ≥ t, or w > t; else 0."""
    least = fraction_in(t, "t", 0, 1)
    _, top, bottom = _exact_pairs(tally, weight, least.denominator)
    left, right = top * least.denominator, bottom * least.numerator
    return np.asarray(left > right if strict else left >= right, dtype=np.int64)


def _described_threshold(tally: Tally, *, t: Threshold = "1/2", weight: str | None = None) -> dict[str, Any]:
    return {"t": str(t), "weight": Curves.of(tally, weight).weight}


_at_threshold = count_quotient(pairs=_reaching_pairs, describe=_described_threshold)


@metric(
    symbol="NPQ",
    order=140,
    formula=r"\mathrm{NPQ} = \frac{1}{1-\alpha}\int_\alpha^1 F(t)\,dt = \frac{\mathrm{PQ}-\alpha F(\alpha)}{1-\alpha}",
    summary="Normalised panoptic quality: the area under the F1 curve above the least weight the rule admits, "
    "stretched to [0, 1].",
    citation=_CURVES,
    symmetric=True,
    notes="α is the greatest known lower bound of the weight under the rule (IoU: 1/2 for θ⁺, 1/3 for θ&; 0 where "
    "none is known) unless alpha= is set; pairs at or below alpha contribute nothing. Segments on one side only: 0. "
    "None on either side: undefined. " + _WEIGHTS,
    examples=(
        Example(*_B, 16 / 35),
        Example(*_B, 18 / 35 * 3 / 2 - 4 / 7 / 2, {"rule": "theta_and"}),
        Example(*_B, 18 / 35, {"alpha": 0}),
    ),
)
@count_quotient(pairs=_above_alpha, describe=_described_alpha)
def npq(counts: SegmentCounts) -> Quotient:
    """2 Σ max(0, w − α)/(1 − α) over |T| + |H|: a pair adds (w − α)/(1 − α)."""
    return Quotient(2 * counts.total, counts.n_true + counts.n_pred, NO_SEGMENTS)


_curve_score = partial(metric, family="curves", citation="chazalon2021revisiting")


@_curve_score(
    order=10,
    formula=r"P(t) = \frac{|\{(t,h)\in TP : w(t,h)\ge t\}|}{|TP|+|FP|}",
    summary="Precision when only pairs of at least this weight count as matched.",
    swaps_with="recall_at",
    notes="w ≥ t; strict=True requires w > t. Compared exactly: 0.8 is 4/5. Undefined without predicted segments. "
    + _WEIGHTS,
    examples=(Example(*_B, 0.5), Example(*_B, 0.25, {"t": 0.81}), Example(*_B, 0.25, {"t": 0.8, "strict": True})),
)
@_at_threshold
def precision_at(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.total, counts.n_pred, "no pred segments")


@_curve_score(
    formula=r"R(t) = \frac{|\{(t,h)\in TP : w(t,h)\ge t\}|}{|TP|+|FN|}",
    summary="Recall when only pairs of at least this weight count as matched.",
    notes="w ≥ t; strict=True requires w > t. Compared exactly: 0.8 is 4/5. Undefined without true segments. "
    + _WEIGHTS,
    examples=(Example(*_B, 2 / 3), Example(*_B, 1 / 3, {"t": 0.81})),
)
@_at_threshold
def recall_at(counts: SegmentCounts) -> Quotient:
    return Quotient(counts.total, counts.n_true, "no true segments")


@_curve_score(
    aliases={"f1@50": {"t": "1/2"}, "f1@75": {"t": "3/4"}},
    formula=r"F(t) = \frac{2|\{(t,h)\in TP : w(t,h)\ge t\}|}{2|TP|+|FP|+|FN|}",
    summary="F1 when only pairs of at least this weight count as matched; PQ is the area under this curve.",
    symmetric=True,
    notes="w ≥ t; strict=True requires w > t. Compared exactly: 0.8 is 4/5. None on either side: undefined. "
    + _WEIGHTS,
    examples=(Example(*_B, 4 / 7), Example(*_B, 2 / 7, {"t": 0.81})),
)
@_at_threshold
def f1_at(counts: SegmentCounts) -> Quotient:
    return Quotient(2 * counts.total, counts.n_true + counts.n_pred, NO_SEGMENTS)
