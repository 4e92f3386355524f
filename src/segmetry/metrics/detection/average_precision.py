r"""One declaration for every value of a precision–recall evaluation: average precision and recall, by size and limit.

All of them collect the same columns of an image (:mod:`segmetry.metrics.detection.detections`), so a data set is
matched once for each threshold and size, however many values are asked for.

AP is the mean over 101 recalls of the best precision reached at that recall or beyond [everingham2010pascal], averaged
over the criteria (IoU at least .50, .55, …, .95 by default) and over the classes that have true masks; AR the mean over
the same of the recall of the first ``max_detections`` predictions of each class in each image [lin2014microsoft].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import Signature, signature
from typing import Any

import numpy as np

from segmetry._base import IntArray
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Example, Metric, metric
from segmetry.metrics.detection.detections import EVERY_SIZE, DetectionSet, Evaluation, detections
from segmetry.metrics.detection.precision_recall import (
    image_curves,
    precision_recall,
    resampled_average_precision,
    resampled_average_recall,
)
from segmetry.metrics.statistics import Quotient, Statistics
from segmetry.segmentation import DetectionFacts, Masks

NO_TRUE = "no true segments"
NO_TRUE_OF_SIZE = "no true segments of this size"


def declare_value(
    key: str, *, of_recall: bool = False, defaults: Mapping[str, Any] | None = None, **facts: Any
) -> Metric:
    """Declare average precision or recall, with other defaults of its options."""
    own = {} if defaults is None else defaults
    options = [
        option.replace(default=own.get(option.name, option.default))
        for option in signature(Evaluation.of).parameters.values()
    ]

    def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of statistics and options, from one of statistics and an evaluation."""

        def of_options(*given: Any, **options: Any) -> Any:
            return function(*given, Evaluation.of(**{**own, **options}))

        of_options.__name__ = of_options.__qualname__ = key
        of_options.__module__ = Evaluation.__module__  # whose names the types of its options are written in
        of_options.__signature__ = Signature(options)  # type: ignore[attr-defined]
        return of_options

    def ranked(statistics: Statistics, times: IntArray, evaluation: Evaluation) -> tuple[Quotient, Sequence[Hashable]]:
        """Rank the predictions of all images together; a class without true masks in a sample has no value in it."""
        names, along = DetectionSet.of(statistics).names, None
        if times.shape[1] == 1 and (times == 1).all():
            curves = precision_recall(statistics, evaluation)
            values = curves.recall if of_recall else curves.average_precision
            total, n_true = np.zeros((len(names), 1)), np.zeros((len(names), 1), dtype=np.int64)
            along = np.full((len(names), 1, len(evaluation.criteria)), np.nan)
            total[curves.classes, 0] = [math.fsum(row) for row in values.tolist()]
            n_true[curves.classes, 0], along[curves.classes, 0] = curves.n_true, values
        else:
            resampled = resampled_average_recall if of_recall else resampled_average_precision
            total, n_true = resampled(statistics, times, evaluation)
        occurs = n_true > 0
        return Quotient(total, len(evaluation.criteria) * occurs, _undefined_reason(evaluation), occurs, along), names

    def of_images(statistics: Statistics, evaluation: Evaluation) -> Quotient:
        """Return the value of every image as a data set of its own, all of them in one pass."""
        total, count = np.zeros(statistics.n_items), np.zeros(statistics.n_items, dtype=np.int64)
        for image, precision, recall in image_curves(statistics, evaluation):
            values = recall if of_recall else precision
            np.add.at(total, image, values.sum(axis=1))
            np.add.at(count, image, values.shape[1])
        return Quotient(total, count, _undefined_reason(evaluation))

    declare = metric(
        **facts,
        citation=("lin2014microsoft",) if of_recall else ("lin2014microsoft", "everingham2010pascal"),
        needs="inputs",
        needs_scores=True,
        statistics=Aggregation(
            detections, is_ranked=True, describe=with_options(_score_details), of_every_item=with_options(of_images)
        ),
    )
    return declare(with_options(ranked))


def _undefined_reason(evaluation: Evaluation) -> str:
    return NO_TRUE if evaluation.size == EVERY_SIZE else NO_TRUE_OF_SIZE


def _score_details(quotient: Quotient, _: None, names: Sequence[Hashable], evaluation: Evaluation) -> dict[str, Any]:
    """Return the means over classes under each criterion, and the values of the classes that have true masks."""
    scored = np.flatnonzero(quotient.occurs[:, 0])
    if not scored.size:
        return {}
    columns = zip(evaluation.criteria, quotient.along[scored, 0].T.tolist(), strict=True)
    return {
        "criteria": {criterion.name: math.fsum(column) / scored.size for criterion, column in columns},
        "classes": {str(names[at]): float(quotient.values[at, 0]) for at in scored.tolist()},
    }


NOTES = (
    "Undefined without true masks; classes that have none are left out, as in the reference. IoU equal to the "
    "threshold is a match. Equal scores keep the input order, equal IoUs go to the last true mask of the input, as in "
    "the reference. Over a data set the predictions of all images are ranked together, as published; by item, it is "
    "the mean of the values of the images, which is another number. A mask without elements matches nothing."
)
SIZE_NOTES = (
    "The area of a true mask is the one that its file states. True masks of another area are ignored; so are "
    "predictions matched to them, and unmatched predictions of another area. Both ends of a size are included, so a "
    "mask of 32² pixels is small and medium."
)


def bars(*bars: tuple[int, int], scores: Sequence[float] | None = None, areas: Sequence[float] | None = None) -> Masks:
    """Return masks of one row, for examples."""
    stack = np.zeros((len(bars), 1, 10), dtype=bool)
    for row, (start, stop) in zip(stack, bars, strict=True):
        row[0, start:stop] = True
    return Masks.from_dense(stack, scores=scores, detection=None if areas is None else DetectionFacts(areas=areas))


_OVER_ALL = r" = \frac{1}{|C||\Gamma|}\sum_{c\in C}\sum_{\gamma\in\Gamma}"
_INNER = r"\frac{1}{101}\sum_{i=0}^{100}\max_{n : R_n\ge i/100} P_n"
_TWO = bars((0, 4), (5, 9)), bars((0, 4), (5, 10), scores=(0.9, 0.8))

average_precision = declare_value(
    "average_precision",
    order=10,
    symbol="AP",
    aliases=("ap", "map"),
    formula=rf"\mathrm{{AP}}{_OVER_ALL}{_INNER}",
    summary="Average precision: the area under precision over recall as masks are accepted in descending order of "
    "score, averaged over IoU thresholds and classes.",
    notes=f"{NOTES} recall_points='coco' are the reference's 101 floats, ten of which are just above i/100, so that a "
    "recall of 7/20 does not reach 0.35; 'exact' are i/100. rule= is a rule, such as theta_and, instead of the "
    "thresholds.",
    examples=(
        Example(*_TWO, (7 + 3 * 51 / 101) / 10),
        Example(bars((0, 4)), bars((2, 7), (0, 4), scores=(0.9, 0.1)), 0.5, {"thresholds": 0.5}),
        Example(bars((0, 4)), bars((1, 7), scores=(0.5,)), 0, {"rule": "theta_plus"}),
        Example(bars((0, 5)), bars((1, 8), scores=(0.5,)), 1, {"rule": "theta_and"}),
    ),
)

for _least in ("0.5", "0.75"):
    declare_value(
        f"ap{_least[2:].ljust(2, '0')}",
        defaults={"thresholds": _least},
        symbol=rf"\mathrm{{AP}}_{{{_least[2:].ljust(2, '0')}}}",
        formula=rf"\mathrm{{AP}}_{{{_least[2:].ljust(2, '0')}}} = \frac{{1}}{{|C|}}\sum_{{c\in C}}{_INNER}",
        summary=f"Average precision at IoU {_least}: masks are found if they overlap a true one by at least that much.",
        notes=NOTES,
        examples=(Example(*_TWO, 1.0),),
    )

_RECALL = r"\frac{|M_{c,\gamma}|}{|T_c|}"
_NOTES = (
    "M are the true masks that are matched. Undefined without true masks; classes that have none are left out, as in "
    "the reference. Matching is that of average precision; the order of scores matters only where it decides which "
    "predictions are considered. Over a data set, recall is counted over all images; by item, it is the mean of the "
    "values of the images."
)
_BOTH_FOUND = (7 * 2 + 3) / 20

for _order, _key, _limit in ((70, "ar_1", 1), (80, "ar_10", 10), (90, "average_recall", 100)):
    declare_value(
        _key,
        of_recall=True,
        defaults={"max_detections": _limit},
        order=_order,
        symbol=rf"\mathrm{{AR}}_{{{_limit}}}",
        aliases=("ar", "ar_100") if _key == "average_recall" else (),
        formula=rf"\mathrm{{AR}}_{{{_limit}}}{_OVER_ALL}{_RECALL}",
        summary="Average recall: the share of true masks that are found by at most "
        + (f"{_limit} predictions" if _limit > 1 else "one prediction")
        + " of each class in an image, averaged over IoU thresholds and classes.",
        notes=_NOTES,
        examples=(Example(*_TWO, 0.5 if _limit == 1 else _BOTH_FOUND),),
        value_if_equal=None if _limit == 1 else 1,
    )

for _key, _name, _inner, _notes, _order in (
    ("ap", "precision", _INNER, NOTES, 13),
    ("ar", "recall", _RECALL, _NOTES, 91),
):
    for _at, (_size, _areas) in enumerate({"small": (4, 2000), "medium": (2000, 4), "large": (4, 9300)}.items()):
        declare_value(
            f"{_key}_{_size}",
            of_recall=_key == "ar",
            defaults={"size": _size},
            order=_order + _at,
            symbol=rf"\mathrm{{{_key.upper()}}}_{{\mathrm{{{_size}}}}}",
            formula=rf"\mathrm{{{_key.upper()}}}_{{\mathrm{{{_size}}}}}{_OVER_ALL}{_inner}",
            summary=f"Average {_name} of {_size} masks, by COCO's limits of 32² and 96² pixels.",
            notes=f"{_notes} {SIZE_NOTES}",
            examples=(Example(bars((0, 4), (5, 9), areas=_areas), bars((0, 4), (5, 9), scores=(0.9, 0.8)), 1.0),),
            value_if_equal=1 if _size == "small" else None,
        )
