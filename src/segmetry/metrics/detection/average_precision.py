r"""Average precision of masks with scores [lin2014microsoft, everingham2010pascal], and the mean best IoU.

Predictions are matched in descending order of score (``detections``). After each of them precision is hits /
predictions so far and recall hits / true masks; AP is the mean over 101 recalls of the best precision reached at that
recall or beyond, averaged over the criteria (IoU at least .50, .55, …, .95 by default) and over the classes that have
true masks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import FloatArray, Threshold
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import as_policy, candidates_of
from segmetry.alignments.weights import weigh
from segmetry.errors import KindError, OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.detection.detections import Detections, put_together
from segmetry.metrics.score import Score
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.pair import SegmentationPair
from segmetry.segmentation.spans import Spans

NO_TRUE = "no true segments"


def _bars(*bars: tuple[int, int], scores: Sequence[float] | None = None) -> Masks:
    stack = np.zeros((len(bars), 1, 10), dtype=bool)
    for row, (start, stop) in zip(stack, bars, strict=True):
        row[0, start:stop] = True
    return Masks.from_dense(stack, scores=scores)


@metric(
    symbol="AP",
    family="panoptic",
    order=160,
    needs="inputs",
    formula=r"\mathrm{AP} = \frac{1}{|C||\Gamma|}\sum_{c\in C}\sum_{\gamma\in\Gamma}\frac{1}{101}\sum_{i=0}^{100}"
    r"\max_{n : R_n\ge i/100} P_n",
    summary="Average precision: the area under precision over recall as masks are accepted in descending order of "
    "score, "
    "averaged over IoU thresholds and classes.",
    citation=("lin2014microsoft", "everingham2010pascal"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean",),
    value_if_equal=1,
    kinds=("masks",),
    needs_scores=True,
    notes="Undefined without true masks; classes that have none are left out, as in the reference. IoU equal to "
    "the threshold is a match. "
    "Equal scores keep the input order, equal IoUs go to the last true mask of the input, as in the reference. "
    "recall_points='coco' are the reference's 101 floats, ten of which are just above i/100, so that a recall of "
    "7/20 does not reach 0.35; "
    "'exact' are i/100. For a data set use average_precision_over: a mean of per-image values is another number. "
    "A mask without elements matches nothing. rule= is a rule, such as theta_and, instead of the thresholds.",
    examples=(
        Example(_bars((0, 4), (5, 9)), _bars((0, 4), (5, 10), scores=(0.9, 0.8)), (7 + 3 * 51 / 101) / 10),
        Example(_bars((0, 4)), _bars((2, 7), (0, 4), scores=(0.9, 0.1)), 0.5, {"thresholds": 0.5}),
        Example(_bars((0, 4)), _bars((1, 7), scores=(0.5,)), 0, {"rule": "theta_plus"}),
        Example(_bars((0, 5)), _bars((1, 8), scores=(0.5,)), 1, {"rule": "theta_and"}),
    ),
)
def average_precision(
    true: Masks,
    pred: Masks,
    *,
    rule: MatchRule | str | None = None,
    thresholds: Threshold | Sequence[Threshold] | None = None,
    max_detections: int = 100,
    recall_points: Literal["coco", "exact"] = "coco",
) -> Score:
    points = recalls(recall_points)
    return _score(Detections.of(true, pred, rule=rule, thresholds=thresholds, max_detections=max_detections), points)


def average_precision_over(
    pairs: Iterable[tuple[Any, Any]],
    *,
    rule: MatchRule | str | None = None,
    thresholds: Threshold | Sequence[Threshold] | None = None,
    max_detections: int = 100,
    recall_points: Literal["coco", "exact"] = "coco",
) -> Score:
    """Return the average precision of a data set: predictions of all images are ranked together.

    >>> images = [(_bars((0, 4)), _bars((0, 4), scores=[0.9])), (_bars((0, 4)), _bars((5, 9), scores=[0.1]))]
    >>> average_precision_over(images).value == 51 / 101
    True
    """
    points = recalls(recall_points)
    options: dict[str, Any] = {"rule": rule, "thresholds": thresholds, "max_detections": max_detections}
    return _score(put_together(Detections.of(*_masks(at, *pair), **options) for at, pair in enumerate(pairs)), points)


def recalls(points: str) -> FloatArray:
    """Return the 101 recalls at which precision is evaluated."""
    if points == "coco":
        return np.linspace(0.0, 1.0, 101)
    if points == "exact":
        return np.arange(101) / 100
    raise OptionError(f"recall_points is {points!r}; expected 'coco' or 'exact'")


def _masks(at: int, true: Any, pred: Any) -> tuple[Masks, Masks]:
    pair = SegmentationPair.of(true, pred)
    if not isinstance(pair.true, Masks) or not isinstance(pair.pred, Masks):
        raise KindError(f"image {at} contains {pair.true.kind}; average precision takes masks")
    return pair.true, pair.pred


def _score(detections: Detections, points: FloatArray) -> Score:
    by_class = detections.average_precisions(points)
    values = [value for row in by_class.values() for value in row.tolist()]
    by_criterion = np.array(list(by_class.values())).reshape(len(by_class), len(detections.criteria))
    details: dict[str, Any] = {}
    if by_class:
        details["criteria"] = {
            name: math.fsum(column.tolist()) / len(by_class)
            for name, column in zip(detections.criteria, by_criterion.T, strict=True)
        }
        details["classes"] = {str(name): math.fsum(row.tolist()) / row.size for name, row in by_class.items()}
    return Score.of("average_precision", math.fsum(values), len(values), NO_TRUE, **details)


@metric(
    symbol=r"\overline{\mathrm{IoU}}^{*}",
    family="panoptic",
    order=170,
    needs="table",
    formula=r"\frac{1}{|T|}\sum_{t\in T}\max_{h\in H}\mathrm{IoU}(t,h)",
    summary="Mean best IoU: how well the best-fitting predicted segment covers each true one, whether or not they are "
    "matched.",
    citation="ponttuset2016supervised",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean", "pooled"),
    value_if_equal=1,
    notes="A true segment without overlap counts 0. A predicted segment may be the best for several true ones. "
    "Where both sides have classes only segments of the same class are compared. Undefined without true segments.",
    examples=(Example(Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5]), (0.8 + 0.5 + 1) / 3),),
)
def mean_best_iou(table: OverlapTable) -> Score:
    pairs, _ = candidates_of(table, as_policy("none"), "match")
    best = np.zeros(len(table.true))
    np.maximum.at(best, pairs.at_true, weigh("iou", pairs.shared, pairs.missed, pairs.spurious))
    return Score.of("mean_best_iou", math.fsum(best.tolist()), best.size, NO_TRUE)
