"""One metric, several references: against every annotator, or every two annotators against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segmetry.errors import InputError, KindError
from segmetry.metrics.declare import METRICS, Metric
from segmetry.metrics.score import Score
from segmetry.segmentation.annotations import Annotations


@dataclass(frozen=True)
class SeveralScores:
    """The scores by name, with their mean, least and greatest over the ``used`` ones that are defined."""

    key: str
    scores: Mapping[Any, Score]

    @property
    def used(self) -> int:
        return len(self._values)

    @property
    def mean(self) -> Score:
        """The mean of the defined scores, the same bits in every order."""
        return self._over(math.fsum(self._values), self.used)

    @property
    def min(self) -> Score:
        return self._over(min(self._values, default=0), min(self.used, 1))

    @property
    def max(self) -> Score:
        return self._over(max(self._values, default=0), min(self.used, 1))

    @property
    def _values(self) -> list[float]:
        return [found.value for found in self.scores.values() if found.is_defined]

    def _over(self, total: float, count: int) -> Score:
        reason = f"{self.key} is undefined for all {len(self.scores)} comparisons"
        return Score.of(self.key, total, count, reason, used=self.used, of=len(self.scores))

    def __repr__(self) -> str:
        mean, least, most = self.mean.value, self.min.value, self.max.value
        return f"SeveralScores({self.key}: mean {mean:.6g}, min {least:.6g}, max {most:.6g} of {self.used})"


def against_all(
    references: Mapping[str, Any] | Sequence[Any], pred: Any, metric: str | Metric, **options: Any
) -> SeveralScores:
    """A prediction scored against each of several references.

    >>> from segmetry import Spans
    >>> coders = {"Ann": Spans.from_masses([5, 3, 5]), "Bob": Spans.from_masses([4, 4, 5])}
    >>> against_all(coders, Spans.from_masses([4, 4, 5]), "boundary_similarity")
    SeveralScores(boundary_similarity: mean 0.875, min 0.75, max 1 of 2)
    """
    found = _metric(metric)
    named = dict(references) if isinstance(references, Mapping) else dict(enumerate(references))
    if not named:
        raise InputError("references are empty; expected at least one segmentation to score against")
    return SeveralScores(found.key, {name: _score(found, true, pred, options) for name, true in named.items()})


def pairwise(annotations: Any, metric: str | Metric, **options: Any) -> SeveralScores:
    """Every two coders of every item scored against each other; where the order matters, each once as the truth.

    >>> from segmetry import Spans
    >>> coders = {"Ann": Spans.from_masses([5, 3, 5]), "Bob": Spans.from_masses([4, 4, 5])}
    >>> pairwise(coders, "pk").used, pairwise(coders, "boundary_similarity").used
    (2, 1)
    """
    found, items = _metric(metric), Annotations.of(annotations)
    pairs = items.annotator_pairs if found.symmetric else items.ordered_pairs
    return SeveralScores(
        found.key,
        {
            (item, true, pred): _score(found, by_coder[true], by_coder[pred], options)
            for item, by_coder in items.items.items()
            for true, pred in pairs
        },
    )


def _metric(metric: str | Metric) -> Metric:
    return metric if isinstance(metric, Metric) else METRICS[metric]


def _score(metric: Metric, true: Any, pred: Any, options: Mapping[str, Any]) -> Score:
    result = metric(true, pred, **options)
    if not isinstance(result, Score):
        raise KindError(f"{metric.key} is several counts at once; expected a metric with one value")
    return result
