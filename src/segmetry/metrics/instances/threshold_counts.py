"""Matched, true and predicted segments at a list of IoU thresholds: of one item, of a data set, of many samples."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray, Threshold, fraction, ratio, sum_by
from segmetry.alignments.alignment import marks
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation, ratio_or_nan
from segmetry.metrics.instances.threshold_matching import admitted, match_most, rounded
from segmetry.metrics.statistics import Column, Quotient, Sums

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


def value_if_empty(*, empty: float | None = None) -> float | None:
    """Return the value of items without a segment."""
    return empty


def place_of(at: Threshold, thresholds: Sequence[Threshold]) -> int:
    """Return the position of a threshold among those of a metric.

    >>> place_of("1/2", ("0.1", 0.5))
    1
    """
    places = [place for place, known in enumerate(thresholds) if fraction(known) == fraction(at)]
    if not places:
        raise OptionError(f"at is {at!r}; expected one of the thresholds, {', '.join(map(str, thresholds))}")
    return places[0]


def mean_over_thresholds(
    sums: Sums, top: NDArray[Any], bottom: NDArray[Any], reason: str, empty: float | None, at: int | None = None
) -> Quotient:
    """Return the mean over thresholds (the last axis) of a quotient, or that ``at`` one of them; ``empty`` is 0/0."""
    defined = bottom > 0
    values = np.where(defined, top / np.where(defined, bottom, 1), math.nan if empty is None else empty)
    occurs = (sums["true"] + sums["pred"] > 0).any(axis=-1)
    used = ~np.isnan(values)
    if at is not None:
        used &= np.arange(values.shape[-1]) == at
    total, count = np.where(used, values, 0.0).sum(axis=-1), used.sum(axis=-1)
    return Quotient(total, count, reason, occurs, along=values)


def _details(
    quotient: Quotient,
    _sums: Sums,
    _names: Sequence[Hashable],
    *,
    thresholds: Thresholds = HALF_TO_ONE,
    empty: float | None = None,
    at: Threshold | None = None,
) -> dict[str, Any]:
    """Return the means over classes at every threshold, those that are defined, and which one is the value."""
    values = quotient.along[:, 0]
    if quotient.occurs is not None and (empty is None or quotient.occurs.any()):
        values = np.where(quotient.occurs[:, :1], values, math.nan)
    named = [str(threshold) for threshold in as_thresholds(thresholds)]
    defined = ~np.isnan(values)
    means = ratio_or_nan(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0)).tolist()
    by_threshold = {name: value for name, value in zip(named, means, strict=True) if value == value}
    chosen = {} if at is None else {"at": named[place_of(at, as_thresholds(thresholds))]}
    return {"thresholds": by_threshold, **chosen} if by_threshold else chosen


AT_THRESHOLDS = Aggregation(threshold_counts, empty=value_if_empty, describe=_details, describes_items=True)
"""Counts of all items are added, then the mean over thresholds is taken for each class, then over those that occur."""
