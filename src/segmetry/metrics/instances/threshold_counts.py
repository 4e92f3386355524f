"""Matched, true and predicted segments at a list of IoU thresholds: of one item, of a data set, of many samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IntArray, Threshold, ratio, sum_by
from segmetry.alignments.alignment import marks
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import OptionError
from segmetry.metrics.accumulator import Accumulator, Collected, Column, Combined
from segmetry.metrics.instances.threshold_matching import admitted, match_most, rounded
from segmetry.metrics.per_class import mean_of_values
from segmetry.metrics.score import Score

Compare = Literal["exact", "float32"]
Thresholds = Threshold | Sequence[Threshold]
HALF_TO_ONE = ("0.5", "0.55", "0.6", "0.65", "0.7", "0.75", "0.8", "0.85", "0.9", "0.95")
ALONE = "(all segments)"
"""The class of segments without classes."""
_KNOWN: WeakKeyDictionary[CountedOverlaps, dict[Any, dict[str, Column]]] = WeakKeyDictionary()
_COUNTS = ("pairs", "true", "pred", "iou")


def as_thresholds(thresholds: Thresholds) -> tuple[Threshold, ...]:
    """Return several thresholds, also from one.

    >>> as_thresholds(0.5), as_thresholds(["1/2", 0.75])
    ((0.5,), ('1/2', 0.75))
    """
    several = (thresholds,) if isinstance(thresholds, Threshold) else tuple(thresholds)
    if not several:
        raise OptionError("thresholds is empty; expected at least one IoU")
    return several


def threshold_counts(
    overlaps: CountedOverlaps,
    *,
    thresholds: Thresholds = HALF_TO_ONE,
    strict: bool = False,
    compare: Compare = "exact",
) -> dict[str, Column]:
    """Collect the numbers of pairs, true and pred segments, and the sum of IoUs: one row per class, one column per
    threshold. Several metrics of an item share them.
    """
    options = as_thresholds(thresholds), strict, compare
    known = _KNOWN.setdefault(overlaps, {})
    if options not in known:
        known[options] = _count(overlaps, options[0], strict=strict, compare=compare)
    return known[options]


def _count(
    overlaps: CountedOverlaps, thresholds: tuple[Threshold, ...], *, strict: bool, compare: Compare
) -> dict[str, Column]:
    names, codes = _classes(overlaps)
    pairs, sides = overlaps.pairs, (overlaps.table.true, overlaps.table.pred)
    union = pairs.shared + pairs.missed + pairs.spurious
    weights = rounded(pairs.shared, union, compare)
    columns: dict[str, list[NDArray[np.float64] | IntArray]] = {name: [] for name in _COUNTS}
    for threshold in thresholds:
        hits = admitted(pairs.shared, union, threshold, strict=strict, compare=compare)
        chosen = match_most(pairs, hits, weights, *map(len, sides))
        matched = marks(pairs.at_true[chosen], len(sides[0])), marks(pairs.at_pred[chosen], len(sides[1]))
        counted = overlaps.counted(*matched)
        place = codes[0][pairs.at_true[chosen]]
        columns["pairs"].append(np.bincount(place, minlength=len(names)))
        columns["iou"].append(
            np.bincount(place, weights=ratio(pairs.shared[chosen], union[chosen]), minlength=len(names))
        )
        for name, code, counts in zip(("true", "pred"), codes, counted, strict=True):
            columns[name].append(sum_by(code, counts.astype(np.int64), len(names)))
    return {"class": list(names), **{name: np.stack(column, axis=1) for name, column in columns.items()}}


def _classes(overlaps: CountedOverlaps) -> tuple[tuple[Hashable, ...], tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Return the classes, and the position of every segment's class; all segments are of one where classes are
    ignored.
    """
    table = overlaps.table
    if not table.class_names or overlaps.classes == "ignore":
        return (ALONE,), (np.zeros(len(table.true), dtype=np.intp), np.zeros(len(table.pred), dtype=np.intp))
    return table.class_names, (table.true.class_codes.astype(np.intp), table.pred.class_codes.astype(np.intp))


@dataclass(frozen=True, eq=False)
class CountsAtThresholds:
    """Arrays of classes × thresholds × samples."""

    pairs: IntArray
    true: IntArray
    pred: IntArray
    iou: FloatArray


Formula = Callable[[CountsAtThresholds], tuple[NDArray[np.float64] | IntArray, IntArray]]
"""Numerator and denominator from the counts."""


def _sums(collected: Collected, times: IntArray) -> CountsAtThresholds:
    """Add up the items as often as each column of ``times`` says."""
    if "at thresholds" not in collected.memo:
        place = collected.columns["class"], collected.item_of("class")
        shape = (len(collected.labels["class"]), collected.n_items)
        tables = []
        for name in _COUNTS:
            column = collected.columns[name]
            table = np.zeros((*shape, column.shape[1]), dtype=column.dtype)
            np.add.at(table, place, column)
            tables.append(np.moveaxis(table, 1, 2))
        collected.memo["at thresholds"] = tables
    return CountsAtThresholds(*(table @ times for table in collected.memo["at thresholds"]))


def _values(formula: Formula, counts: CountsAtThresholds, empty: float | None) -> FloatArray:
    """Return the value of each class at each threshold in each sample; NaN for 0/0 and for absent classes."""
    top, bottom = formula(counts)
    occurs = (counts.true + counts.pred > 0).any(axis=1, keepdims=True)
    if empty is not None:
        occurs |= ~occurs.any(axis=0, keepdims=True)
    defined = bottom > 0
    values = np.where(defined, top / np.where(defined, bottom, 1), math.nan if empty is None else empty)
    return np.where(occurs, values, math.nan)


def _mean(values: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Return means of what is defined; NaN where nothing is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=axis)
    return np.where(count > 0, np.where(defined, values, 0).sum(axis=axis) / np.maximum(count, 1), math.nan)


@dataclass(frozen=True)
class ThresholdScore:
    """A metric at thresholds: the mean over thresholds for each class, then over the classes that occur."""

    key: str
    formula: Formula
    reason: str

    @cached_property
    def accumulator(self) -> Accumulator:
        """The value over a data set: counts of all items are added first."""

        def combine(
            collected: Collected, *, thresholds: Thresholds = HALF_TO_ONE, empty: float | None = None
        ) -> Combined:
            return self._combined(collected, as_thresholds(thresholds), empty)

        def resampled(collected: Collected, times: IntArray, *, empty: float | None = None) -> FloatArray:
            values = _values(self.formula, _sums(collected, times), empty)
            return _mean(_mean(values, 1), 0)

        return Accumulator(threshold_counts, combine, mean_over_classes=True, resampled=resampled)

    def score(self, overlaps: CountedOverlaps, **options: Any) -> Score:
        """Return the value of one item."""
        return self.accumulator.score(overlaps, **options)

    def _combined(self, collected: Collected, thresholds: tuple[Threshold, ...], empty: float | None) -> Combined:
        counts = _sums(collected, collected.times[:, np.newaxis])
        values = _values(self.formula, counts, empty)[:, :, 0]
        named = [str(threshold) for threshold in thresholds]
        classes: dict[Hashable, Score] = {
            name: mean_of_values(self.key, row.tolist(), None, self.reason, **self._details(named, row))
            for name, row in zip(collected.labels["class"], values, strict=True)
            if name != ALONE
        }
        over_classes = _mean(values, 0)
        details = self._details(named, over_classes)
        if len(thresholds) == 1 and values.shape[0] == 1 and not math.isnan(values[0, 0]) and empty is None:
            top, bottom = (int_or_float(part[0, 0, 0]) for part in self.formula(counts))
            return Combined(Score.of(self.key, top, bottom, self.reason, **details), classes)
        by_class = _mean(values, 1).tolist()
        return Combined(mean_of_values(self.key, by_class, None, self.reason, **details), classes)

    @staticmethod
    def _details(named: list[str], values: FloatArray) -> dict[str, dict[str, float]]:
        """Return the values by threshold, those that are defined."""
        by_threshold = {name: value for name, value in zip(named, values.tolist(), strict=True) if value == value}
        return {"thresholds": by_threshold} if by_threshold else {}


def int_or_float(number: np.generic) -> int | float:
    """Return a number of an array as Python has it."""
    return number.item()  # type: ignore[no-any-return]
