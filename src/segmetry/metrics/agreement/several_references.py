"""One metric with several references: a prediction against every annotator, or all pairs of annotators."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segmetry.errors import InputError, KindError
from segmetry.metrics.declare import Metric
from segmetry.metrics.metric_function import MetricFunction
from segmetry.metrics.metric_names import find_metric
from segmetry.metrics.score import Result, Score
from segmetry.results import Table, Tabular, shortest
from segmetry.segmentation import Annotations

AnyMetric = str | Metric | MetricFunction[..., Result]
"""A metric by its key, its declaration or its function."""


@dataclass(frozen=True)
class SeveralScores(Tabular):
    """The scores by name, with the mean, minimum and maximum of those that are defined (``used`` is their number)."""

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
        return [score.value for score in self.scores.values() if score.is_defined]

    def _over(self, total: float, count: int) -> Score:
        reason = f"{self.key} is undefined for all {len(self.scores)} comparisons"
        return Score.of(self.key, total, count, reason, used=self.used, of=len(self.scores))

    def rows(self) -> Table:
        """Return one plain row per reference."""
        return Table("references", [{"name": name, **one.records()[0]} for name, one in self.scores.items()])

    def __repr__(self) -> str:
        mean, least, most = (shortest(score.value) for score in (self.mean, self.min, self.max))
        return f"SeveralScores({self.key}: mean {mean}, min {least}, max {most} of {self.used})"


def against_all(
    references: Mapping[str, Any] | Sequence[Any], pred: Any, metric: AnyMetric, **options: Any
) -> SeveralScores:
    """Score a prediction against each of several references.

    Parameters
    ----------
    references : mapping or sequence of segmentations
        The references; a sequence is named 0, 1, ….
    pred : segmentation, array or path
        The prediction.
    metric : str, Metric or function
        The metric: its key, its declaration or its function.
    **options
        Options of the metric, such as ``rule=``.

    Returns
    -------
    SeveralScores
        The score against each reference, with mean, minimum and maximum.

    Examples
    --------
    >>> from segmetry import Spans
    >>> annotators = {"Ann": Spans.from_masses([5, 3, 5]), "Bob": Spans.from_masses([4, 4, 5])}
    >>> against_all(annotators, Spans.from_masses([4, 4, 5]), "boundary_similarity")
    SeveralScores(boundary_similarity: mean 0.875, min 0.75, max 1 of 2)
    """
    chosen, options = _metric_and_options(metric, options)
    named = dict(references) if isinstance(references, Mapping) else dict(enumerate(references))
    if not named:
        raise InputError("references are empty; expected at least one segmentation to score against")
    return SeveralScores(chosen.key, {name: _score_pair(chosen, true, pred, options) for name, true in named.items()})


def pairwise(annotations: Any, metric: AnyMetric, **options: Any) -> SeveralScores:
    """Score all pairs of annotators of every item; a metric that is not symmetric, in both orders.

    Parameters
    ----------
    annotations : Annotations or mapping
        item → annotator → Spans, or annotator → Spans for a single item.
    metric : str, Metric or function
        The metric: its key, its declaration or its function.
    **options
        Options of the metric, such as ``rule=``.

    Returns
    -------
    SeveralScores
        The score of each pair, with mean, minimum and maximum.

    Examples
    --------
    >>> from segmetry import Spans
    >>> annotators = {"Ann": Spans.from_masses([5, 3, 5]), "Bob": Spans.from_masses([4, 4, 5])}
    >>> pairwise(annotators, "pk").used, pairwise(annotators, "boundary_similarity").used
    (2, 1)
    """
    chosen, options = _metric_and_options(metric, options)
    items = Annotations.of(annotations)
    pairs = items.annotator_pairs if chosen.symmetric else items.ordered_pairs
    return SeveralScores(
        chosen.key,
        {
            (item, true, pred): _score_pair(chosen, by_annotator[true], by_annotator[pred], options)
            for item, by_annotator in items.items.items()
            for true, pred in pairs
        },
    )


def _metric_and_options(metric: AnyMetric, options: dict[str, Any]) -> tuple[Metric, dict[str, Any]]:
    """Return a metric and its options, those of an alias included."""
    if isinstance(metric, str):
        found = find_metric(metric)
        return found.metric, {**found.options, **options}
    return metric if isinstance(metric, Metric) else metric.metric, options


def _score_pair(metric: Metric, true: Any, pred: Any, options: Mapping[str, Any]) -> Score:
    result = metric(true, pred, **options)
    if not isinstance(result, Score):
        raise KindError(f"{metric.key} has several values; expected a metric with one value")
    return result
