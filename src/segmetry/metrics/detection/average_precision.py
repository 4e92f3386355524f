r"""Average precision of masks with scores [lin2014microsoft, everingham2010pascal], and the mean best IoU.

Predictions are matched in descending order of score (``detections``). After each of them precision is hits /
predictions so far and recall hits / true masks; AP is the mean over 101 recalls of the best precision reached at that
recall or beyond, averaged over the criteria (IoU at least .50, .55, …, .95 by default) and over the classes that have
true masks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from segmetry._base.exact import FloatArray, IntArray, Threshold
from segmetry.alignments.candidates import MatchRule
from segmetry.alignments.policy import as_policy, candidates_of
from segmetry.alignments.weights import weigh
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.detection.detections import as_criteria, average_precisions, detections
from segmetry.metrics.detection.resampled_precision import resampled_average_precision
from segmetry.metrics.score import Score
from segmetry.overlaps.table import OverlapTable
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.spans import Spans

NO_TRUE = "no true segments"


def _bars(*bars: tuple[int, int], scores: Sequence[float] | None = None) -> Masks:
    stack = np.zeros((len(bars), 1, 10), dtype=bool)
    for row, (start, stop) in zip(stack, bars, strict=True):
        row[0, start:stop] = True
    return Masks.from_dense(stack, scores=scores)


def recalls(points: str) -> FloatArray:
    """Return the 101 recalls at which precision is evaluated."""
    if points == "coco":
        return np.linspace(0.0, 1.0, 101)
    if points == "exact":
        return np.arange(101) / 100
    raise OptionError(f"recall_points is {points!r}; expected 'coco' or 'exact'")


def _combine(
    collected: Collected,
    *,
    rule: MatchRule | str | None = None,
    thresholds: Threshold | Sequence[Threshold] | None = None,
    recall_points: Literal["coco", "exact"] = "coco",
) -> Combined:
    """Rank the predictions of all images together."""
    by_class = average_precisions(collected, recalls(recall_points))
    classes = {
        name: Score.of("average_precision", math.fsum(row.tolist()), row.size, NO_TRUE)
        for name, row in by_class.items()
    }
    values = [value for row in by_class.values() for value in row.tolist()]
    details: dict[str, Any] = {}
    if by_class:
        details["criteria"] = {
            criterion.name: math.fsum(column) / len(by_class)
            for criterion, column in zip(
                as_criteria(rule, thresholds), np.array(list(by_class.values())).T.tolist(), strict=True
            )
        }
        details["classes"] = {str(name): score.value for name, score in classes.items()}
    return Combined(Score.of("average_precision", math.fsum(values), len(values), NO_TRUE, **details), classes)


def _resampled(
    collected: Collected, times: IntArray, *, recall_points: Literal["coco", "exact"] = "coco"
) -> FloatArray:
    return resampled_average_precision(collected, times, recalls(recall_points))


_OVER_IMAGES = Accumulator(detections, _combine, mean_over_classes=True, classes_by_item=False, resampled=_resampled)


@metric(
    symbol="AP",
    family="panoptic",
    order=160,
    aliases={"ap": {}, "map": {}, "ap50": {"thresholds": "0.5"}, "ap75": {"thresholds": "0.75"}},
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
    aggregation=("by_item",),
    value_if_equal=1,
    kinds=("masks",),
    needs_scores=True,
    accumulator=_OVER_IMAGES,
    notes="Undefined without true masks; classes that have none are left out, as in the reference. IoU equal to "
    "the threshold is a match. "
    "Equal scores keep the input order, equal IoUs go to the last true mask of the input, as in the reference. "
    "recall_points='coco' are the reference's 101 floats, ten of which are just above i/100, so that a recall of "
    "7/20 does not reach 0.35; "
    "'exact' are i/100. Over a data set the predictions of all images are ranked together, as published; by item, it "
    "is the mean of the values of the images, which is another number. "
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
    return _OVER_IMAGES.score(
        true,
        pred,
        rule=rule,
        thresholds=thresholds,
        max_detections=max_detections,
        recall_points=recall_points,
    )


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
    aggregation=("by_item", "all_segments"),
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
