"""One declaration for every value of a precision–recall evaluation: average precision and recall, by size and limit.

All of them collect the same columns of an image (:mod:`segmetry.metrics.detection.detections`), so a data set is
matched once for each threshold and size, however many values are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from inspect import Signature, signature
from typing import Any

import numpy as np

from segmetry._base.exact import IntArray
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.declare import Metric, metric
from segmetry.metrics.detection.detection_options import Evaluation
from segmetry.metrics.detection.detections import DetectionSet, detections
from segmetry.metrics.detection.precision_recall import image_curves, precision_recall
from segmetry.metrics.detection.resampled_precision import resampled_average_precision, resampled_average_recall
from segmetry.metrics.statistics import Quotient, Statistics

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
        return Quotient(total, len(evaluation.criteria) * occurs, _reason(evaluation), occurs, along), names

    def of_images(statistics: Statistics, evaluation: Evaluation) -> Quotient:
        """Return the value of every image as a data set of its own, all of them in one pass."""
        total, count = np.zeros(statistics.n_items), np.zeros(statistics.n_items, dtype=np.int64)
        for image, precision, recall in image_curves(statistics, evaluation):
            values = recall if of_recall else precision
            np.add.at(total, image, values.sum(axis=1))
            np.add.at(count, image, values.shape[1])
        return Quotient(total, count, _reason(evaluation))

    declare = metric(
        **facts,
        citation=("lin2014microsoft",) if of_recall else ("lin2014microsoft", "everingham2010pascal"),
        kinds=("masks",),
        needs="inputs",
        needs_scores=True,
        statistics=Aggregation(
            detections, is_ranked=True, describe=with_options(_details), of_every_item=with_options(of_images)
        ),
    )
    return declare(with_options(ranked))


def _reason(evaluation: Evaluation) -> str:
    return NO_TRUE if evaluation.every_size else NO_TRUE_OF_SIZE


def _details(quotient: Quotient, _: None, names: Sequence[Hashable], evaluation: Evaluation) -> dict[str, Any]:
    """Return the means over classes under each criterion, and the values of the classes that have true masks."""
    scored = np.flatnonzero(quotient.occurs[:, 0])
    if not scored.size:
        return {}
    columns = zip(evaluation.criteria, quotient.along[scored, 0].T.tolist(), strict=True)
    return {
        "criteria": {criterion.name: math.fsum(column) / scored.size for criterion, column in columns},
        "classes": {str(names[at]): float(quotient.values[at, 0]) for at in scored.tolist()},
    }
