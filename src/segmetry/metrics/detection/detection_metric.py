"""One declaration for every value of a precision–recall evaluation: average precision and recall, by size and limit.

All of them collect the same columns of an image (:mod:`segmetry.metrics.detection.detections`), so a data set is
matched once for each threshold and size, however many values are asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.detection.detection_options import Evaluation, detection_options
from segmetry.metrics.detection.detections import detections
from segmetry.metrics.detection.precision_recall import PrecisionRecall, image_curves, precision_recall
from segmetry.metrics.detection.resampled_precision import resampled_average_precision, resampled_average_recall
from segmetry.metrics.score import Score

NO_TRUE = "no true segments"
NO_TRUE_OF_SIZE = "no true segments of this size"
_OPTIONS = signature(detection_options)


@dataclass(frozen=True)
class DetectionValue:
    """One value of an evaluation: its key, whether it is recall or precision, and the defaults of its options."""

    key: str
    of_recall: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accumulator(self) -> Accumulator:
        """How the value of a data set follows from its images."""
        return Accumulator(
            detections,
            self._with_options(self.combine),
            mean_over_classes=True,
            classes_by_item=False,
            resampled=self._with_options(self.resampled),
            of_items=self._with_options(self.of_images),
        )

    def metric_function(self, accumulator: Accumulator) -> Callable[..., Score]:
        """Return the function of two segmentations, with the options and the defaults of this value."""

        def compute(true: Any, pred: Any, **options: Any) -> Score:
            return accumulator.score(true, pred, **options)

        compute.__name__ = compute.__qualname__ = self.key
        compute.__module__ = detection_options.__module__  # whose names its types are written in
        sides = [Parameter(side, Parameter.POSITIONAL_OR_KEYWORD) for side in ("true", "pred")]
        options = [
            option.replace(default=self.defaults.get(option.name, option.default))
            for option in _OPTIONS.parameters.values()
        ]
        compute.__signature__ = _OPTIONS.replace(parameters=[*sides, *options])  # type: ignore[attr-defined]
        return compute

    def _with_options(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function of columns and options, from one of columns and an evaluation."""

        def with_options(*columns: Any, **options: Any) -> Any:
            return function(*columns, Evaluation.of(**{**self.defaults, **options}))

        taken = [option for option in _OPTIONS.parameters.values() if option.name != "iou_type"]
        with_options.__signature__ = Signature(taken)  # type: ignore[attr-defined]
        return with_options

    def _values(self, curves: PrecisionRecall) -> FloatArray:
        return curves.recall if self.of_recall else curves.average_precision

    @staticmethod
    def _reason(evaluation: Evaluation) -> str:
        return NO_TRUE if evaluation.every_size else NO_TRUE_OF_SIZE

    def combine(self, collected: Collected, evaluation: Evaluation) -> Combined:
        """Rank the predictions of all images together."""
        curves, reason = precision_recall(collected, evaluation), self._reason(evaluation)
        values = self._values(curves)
        classes = {
            name: Score.of(self.key, math.fsum(row), len(row), reason)
            for name, row in zip(curves.names, values.tolist(), strict=True)
        }
        details: dict[str, Any] = {}
        if classes:
            columns = zip(evaluation.criteria, values.T.tolist(), strict=True)
            details["criteria"] = {criterion.name: math.fsum(column) / len(classes) for criterion, column in columns}
            details["classes"] = {str(name): score.value for name, score in classes.items()}
        total = math.fsum(values.ravel().tolist())
        return Combined(Score.of(self.key, total, values.size, reason, **details), classes)

    def of_images(self, collected: Collected, evaluation: Evaluation) -> list[Score]:
        """Return the value of every image as a data set of its own, all of them in one pass."""
        total, count = np.zeros(collected.n_items), np.zeros(collected.n_items, dtype=np.int64)
        for image, precision, recall in image_curves(collected, evaluation):
            values = recall if self.of_recall else precision
            np.add.at(total, image, values.sum(axis=1))
            np.add.at(count, image, values.shape[1])
        reason = self._reason(evaluation)
        return [Score.of(self.key, *value, reason) for value in zip(total.tolist(), count.tolist(), strict=True)]

    def resampled(self, collected: Collected, times: IntArray, evaluation: Evaluation) -> FloatArray:
        """Return the value of every sample of images."""
        sampled = resampled_average_recall if self.of_recall else resampled_average_precision
        return sampled(collected, times, evaluation)
