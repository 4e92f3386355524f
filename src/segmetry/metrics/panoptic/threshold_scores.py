r"""Scores on the curves over the weight of a pair: NPQ, and precision, recall and F1 at one threshold
[chazalon2021revisiting].

See :mod:`segmetry.alignments.curves` for the step functions and :func:`curves` to compute them.
"""

from __future__ import annotations

from typing import Any

from segmetry._base.exact import Threshold
from segmetry.alignments.curves import Curves, Measure
from segmetry.alignments.tally import Tally
from segmetry.metrics.count_quotient import NO_SEGMENTS
from segmetry.metrics.declare import Example, as_metric_inputs, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])
_CURVES = ("chazalon2021revisiting",)
_WEIGHTS = "weight= takes iou, dice, coverage_true, coverage_pred, min_coverage, max_coverage or half_link_force."


def curves(
    true: Any, pred: Any = None, *, weight: str | None = None, alpha: Threshold | None = None, **options: Any
) -> Curves:
    """Return P, R and F1 as exact step functions of the weight that aligned pairs must reach.

    Parameters
    ----------
    true : segmentation, array or path, OverlapTable, Alignment or Tally
        The true segments, or the counts of both sides.
    pred : segmentation, array or path, optional
        The predicted segments.
    weight : str, optional
        The weight of a pair: ``'iou'``, ``'dice'``, ``'coverage_true'``, ``'coverage_pred'``, ``'min_coverage'``,
        ``'max_coverage'`` or ``'half_link_force'``. By default the IoU.
    alpha : number, optional
        The least weight that a pair can have; by default the known lower bound of the rule.
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
    """
    (tally,) = as_metric_inputs(true, pred, **options).give("tally", "curves", **options)
    return Curves.of(tally, weight, alpha)


@metric(
    symbol="NPQ",
    family="panoptic",
    order=140,
    needs="tally",
    formula=r"\mathrm{NPQ} = \frac{1}{1-\alpha}\int_\alpha^1 F(t)\,dt = \frac{\mathrm{PQ}-\alpha F(\alpha)}{1-\alpha}",
    summary="Normalised panoptic quality: the area under the F1 curve above the least weight the rule admits, "
    "stretched to [0, 1].",
    citation=_CURVES,
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes="α is the greatest known lower bound of the weight under the rule (IoU: 1/2 for θ⁺, 1/3 for θ&; 0 where "
    "none is known) unless alpha= is set; pairs at or below alpha contribute nothing. Segments on one side only: 0. "
    "None on either side: undefined. " + _WEIGHTS,
    examples=(
        Example(*_B, 16 / 35),
        Example(*_B, 18 / 35 * 3 / 2 - 4 / 7 / 2, {"rule": "theta_and"}),
        Example(*_B, 18 / 35, {"alpha": 0}),
    ),
)
def npq(tally: Tally, *, alpha: Threshold | None = None, weight: str | None = None) -> Score:
    curve = Curves.of(tally, weight, alpha)
    return Score.of("npq", *curve.npq_parts(), NO_SEGMENTS, alpha=str(curve.alpha), weight=curve.weight)


def _at(
    key: str, tally: Tally, measure: Measure, t: Threshold, weight: str | None, reason: str, *, strict: bool
) -> Score:
    curve = Curves.of(tally, weight)
    return Score.of(key, *curve.parts_at(t, measure, strict=strict), reason, t=str(t), weight=curve.weight)


@metric(
    symbol="P(t)",
    family="curves",
    order=10,
    needs="tally",
    formula=r"P(t) = \frac{|\{(t,h)\in TP : w(t,h)\ge t\}|}{|TP|+|FP|}",
    summary="Precision when only pairs of at least this weight count as matched.",
    citation=_CURVES,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="recall_at",
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes="w ≥ t; strict=True requires w > t. Compared exactly: 0.8 is 4/5. Undefined without predicted segments. "
    + _WEIGHTS,
    examples=(Example(*_B, 0.5), Example(*_B, 0.25, {"t": 0.81}), Example(*_B, 0.25, {"t": 0.8, "strict": True})),
)
def precision_at(tally: Tally, *, t: Threshold = "1/2", weight: str | None = None, strict: bool = False) -> Score:
    return _at("precision_at", tally, "precision", t, weight, "no pred segments", strict=strict)


@metric(
    symbol="R(t)",
    family="curves",
    order=20,
    needs="tally",
    formula=r"R(t) = \frac{|\{(t,h)\in TP : w(t,h)\ge t\}|}{|TP|+|FN|}",
    summary="Recall when only pairs of at least this weight count as matched.",
    citation=_CURVES,
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="precision_at",
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes="w ≥ t; strict=True requires w > t. Compared exactly: 0.8 is 4/5. Undefined without true segments. "
    + _WEIGHTS,
    examples=(Example(*_B, 2 / 3), Example(*_B, 1 / 3, {"t": 0.81})),
)
def recall_at(tally: Tally, *, t: Threshold = "1/2", weight: str | None = None, strict: bool = False) -> Score:
    return _at("recall_at", tally, "recall", t, weight, "no true segments", strict=strict)


@metric(
    symbol="F(t)",
    family="curves",
    order=30,
    aliases={"f1@50": {"t": "1/2"}, "f1@75": {"t": "3/4"}},
    needs="tally",
    formula=r"F(t) = \frac{2|\{(t,h)\in TP : w(t,h)\ge t\}|}{2|TP|+|FP|+|FN|}",
    summary="F1 when only pairs of at least this weight count as matched; PQ is the area under this curve.",
    citation=_CURVES,
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aggregation=("by_item", "all_segments"),
    value_if_equal=1,
    notes="w ≥ t; strict=True requires w > t. Compared exactly: 0.8 is 4/5. None on either side: undefined. "
    + _WEIGHTS,
    examples=(Example(*_B, 4 / 7), Example(*_B, 2 / 7, {"t": 0.81})),
)
def f1_at(tally: Tally, *, t: Threshold = "1/2", weight: str | None = None, strict: bool = False) -> Score:
    return _at("f1_at", tally, "f1", t, weight, NO_SEGMENTS, strict=strict)
