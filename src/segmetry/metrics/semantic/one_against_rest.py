"""One class against all others: the four counts of each class, and means over classes of their quotients.

Of a class, the elements on both sides (true positives), in the truth only (false negatives), in the prediction only
(false positives) and on neither side (true negatives), of all elements that are void on neither side. Where segments
carry no classes, equal labels are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.score import Score
from segmetry.metrics.semantic.class_counts import sum_samples
from segmetry.metrics.semantic.label_overlap import NO_LABEL, label_counts
from segmetry.overlaps.class_table import ClassCounts
from segmetry.overlaps.table import OverlapTable

FourCountQuotient = Callable[..., tuple[Any, Any]]
"""Numerator and denominator from the :class:`ClassCounts` of one class, or of columns of counts, and options."""


def elements_not_void(table: OverlapTable) -> int:
    """Return the number of elements of the domain that are void on neither side."""
    corner = table.background
    void: int = corner.outside_void + corner.void_outside + corner.void_void
    in_segments: int = sum(table.true.void.tolist()) + sum(table.pred.void.tolist())
    return table.n_elements - void - in_segments


def one_against_rest(table: OverlapTable, *, foreground: bool = False) -> dict[str, Column]:
    """Collect the elements of each class of one item on both sides and on each, and the size of its domain."""
    return {**label_counts(table, foreground=foreground), "elements": np.array([elements_not_void(table)])}


@dataclass(frozen=True)
class ClassMean:
    """A quotient of the four counts of a class, and its mean over the classes that occur on either side.

    A class whose denominator is 0 has no value and is left out of the mean. ``root`` takes the square root of the
    denominator.
    """

    key: str
    quotient: FourCountQuotient
    reason: str
    root: bool = False

    def combine(self, collected: Collected, **options: Any) -> Combined:
        """Return the value of a data set, and those of its classes."""
        counts = sum_samples(collected, collected.times)
        elements = collected.total("elements") if collected.columns else 0
        columns = (counts.shared, counts.true, counts.pred)
        classes = {
            name: self._score(_four_counts(shared, true, pred, elements), options)
            for name, shared, true, pred in zip(counts.names, *(column.tolist() for column in columns), strict=True)
            if true + pred
        }
        values = {str(name): score.value for name, score in classes.items() if score.is_defined}
        details = {"labels": values} if len(values) > 1 else {}
        reason = self.reason if classes else NO_LABEL
        return Combined(Score.of(self.key, math.fsum(values.values()), len(values), reason, **details), classes)

    def _score(self, counts: ClassCounts, options: dict[str, Any]) -> Score:
        numerator, denominator = self.quotient(counts, **options)
        if self.root and denominator:
            return Score.number(self.key, numerator / math.sqrt(denominator))
        return Score.of(self.key, numerator, denominator, self.reason)

    def resampled(self, collected: Collected, times: IntArray, **options: Any) -> FloatArray:
        """Return the values of many samples at once; counts are floats, since products may exceed 64 bits."""
        counts = sum_samples(collected, times)
        shared, true, pred = (column.astype(np.float64) for column in (counts.shared, counts.true, counts.pred))
        elements = (collected.columns["elements"] @ times).astype(np.float64)
        numerator, denominator = self.quotient(_four_counts(shared, true, pred, elements), **options)
        numerator, denominator = (
            np.broadcast_to(part, shared.shape).astype(float) for part in (numerator, denominator)
        )
        defined = (true + pred > 0) & (denominator != 0)
        divisor = np.where(defined, denominator, 1.0)
        values = np.where(defined, numerator / (np.sqrt(divisor) if self.root else divisor), 0.0)
        n_classes = defined.sum(axis=0)
        return np.where(n_classes > 0, values.sum(axis=0) / np.maximum(n_classes, 1), math.nan)

    @property
    def accumulator(self) -> Accumulator:
        """The accumulator of a metric without options of its own."""

        def combine(collected: Collected) -> Combined:
            return self.combine(collected)

        def resampled(collected: Collected, times: IntArray) -> FloatArray:
            return self.resampled(collected, times)

        return Accumulator(one_against_rest, combine, mean_over_classes=True, resampled=resampled)


def _four_counts(shared: Any, true: Any, pred: Any, elements: Any) -> ClassCounts:
    return ClassCounts(shared, true - shared, pred - shared, elements - true - pred + shared)
