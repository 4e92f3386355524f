"""What adds up over the items of a data set: columns from which every mean and pooled value of a sample follows.

A mean is Σ values / number of values used, a pooled value Σ numerators / Σ denominators. So each item has a column of
numbers (for the whole item, and for each of its parts), a sample of items has the sum of its columns, and metrics are
quotients of sums. The panoptic metrics are linear in four counts, so they share columns; any other score brings its
own numerator, denominator and value.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.aggregate.records import ItemRecord
from segmetry.alignments.floors import floor_of
from segmetry.alignments.tally import Tally
from segmetry.exact import FloatArray
from segmetry.scores.classes import is_count, tally_score
from segmetry.scores.count_quotients import QUOTIENTS
from segmetry.scores.metric import METRICS
from segmetry.scores.score import Score

Form = tuple[float, ...]
COUNTS = 4
"""Matched, missed and spurious segments and Σ IoU: the first columns. The next one is 1 where the part occurs."""
OCCURS = COUNTS
_ONE_THREAD = 2**18


@dataclass(frozen=True, eq=False)
class Columns:
    """The columns of some items: one row per column, at the positions ``items`` of the data set."""

    items: NDArray[np.intp]
    numbers: FloatArray

    def sums(self, weights: FloatArray) -> FloatArray:
        """The sums of some samples: ``weights`` says how often each item (a row) is in each sample (a column)."""
        chosen = weights if self.items.size == weights.shape[0] else weights[self.items]
        return _product(self.numbers, chosen)

    def total(self) -> FloatArray:
        """The sums of the whole data set, as one sample."""
        found: FloatArray = self.numbers.sum(axis=1, keepdims=True)
        return found

    def without(self, start: int, stop: int) -> FloatArray:
        """The sums of the samples that leave out one item each, from ``start`` to ``stop``."""
        found = np.repeat(self.total(), stop - start, axis=1)
        low, high = np.searchsorted(self.items, [start, stop])
        found[:, self.items[low:high] - start] -= self.numbers[:, low:high]
        return found


@dataclass(frozen=True)
class Recipe:
    """How one metric follows from sums of columns; ``bottom`` is None for a count."""

    top: FloatArray
    bottom: FloatArray | None
    value: int
    used: int


class Layout:
    """Which columns there are, and the recipe of every metric."""

    def __init__(
        self, keys: Sequence[str], others: Sequence[str], like: Tally, options: Mapping[str, Mapping[str, Any]]
    ) -> None:
        forms = linear_forms(like)
        self.linear = {key: forms[key] for key in keys if key in forms and not options.get(key)}
        self.by_score = [key for key in keys if key not in self.linear]
        self.others = list(others)
        self.options = options
        self.keys = [*keys, *others]
        self._at: dict[Any, int] = {}
        for top, bottom in self.linear.values():
            if bottom is not None:
                self._place(("value", top, bottom))
                self._place(("used", bottom))
        for key in (*self.by_score, *self.others):
            for word in ("top", "bottom", "value", "used"):
                self._place((word, key))
        self.width = OCCURS + 1 + len(self._at)
        self.recipes = [self._recipe(key) for key in self.keys]
        self.tops = np.stack([one.top for one in self.recipes]) if self.recipes else np.zeros((0, self.width))
        self.counts = np.array([one.bottom is None for one in self.recipes], dtype=bool)
        nothing = np.zeros(self.width)
        bottoms = [nothing if one.bottom is None else one.bottom for one in self.recipes]
        self.bottoms = np.stack(bottoms) if bottoms else self.tops
        self.values = np.array([one.value for one in self.recipes], dtype=np.intp)
        self.used = np.array([one.used for one in self.recipes], dtype=np.intp)

    def _place(self, name: Any) -> int:
        return self._at.setdefault(name, OCCURS + 1 + len(self._at))

    def _recipe(self, key: str) -> Recipe:
        def unit(at: int) -> FloatArray:
            found = np.zeros(self.width)
            found[at] = 1
            return found

        def spread(form: Form) -> FloatArray:
            return np.concatenate((form, np.zeros(self.width - COUNTS)))

        if key in self.linear:
            top, bottom = self.linear[key]
            if bottom is None:
                return Recipe(spread(top), None, top.index(1), OCCURS)
            places = self._at["value", top, bottom], self._at["used", bottom]
            return Recipe(spread(top), spread(bottom), *places)
        top_at, bottom_at, value, used = (self._at[word, key] for word in ("top", "bottom", "value", "used"))
        return Recipe(unit(top_at), None if is_count(key) else unit(bottom_at), value, used)

    def of_tallies(self, tallies: Sequence[Tally], undefined: float | None, *, every: bool = False) -> FloatArray:
        """The columns of some tallies; ``every`` counts those in which nothing occurs as well."""
        found = np.zeros((self.width, len(tallies)))
        if not tallies:
            return found
        counts = [(t.n_pairs, t.n_unmatched_true, t.n_unmatched_pred, t.total_iou()) for t in tallies]
        base = np.array(counts, dtype=np.float64).T
        found[:COUNTS] = base
        found[OCCURS] = 1 if every else base[:3].sum(axis=0) > 0
        for top, bottom in self.linear.values():
            if bottom is not None:
                value, used = self._at["value", top, bottom], self._at["used", bottom]
                with np.errstate(invalid="ignore"):
                    numbers = np.divide(np.array(top) @ base, np.array(bottom) @ base)
                found[value], found[used] = _used(numbers, undefined, found[OCCURS])
        for key in self.by_score:
            own = self.options.get(key, {})
            self.put(found, key, [tally_score(key, t, own) if every or t.occurs else None for t in tallies], undefined)
        return found

    def put(self, found: FloatArray, key: str, scores: Iterable[Score | None], undefined: float | None) -> None:
        """Write the columns of a score of every item, None where an item has none."""
        listed = list(scores)
        there = np.array([score is not None for score in listed], dtype=np.float64)
        numbers = np.array([math.nan if score is None or not score.is_defined else score.value for score in listed])
        for word in ("numerator", "denominator"):
            parts = [None if score is None else getattr(score, word) for score in listed]
            found[self._at["top" if word == "numerator" else "bottom", key]] = [float(part or 0) for part in parts]
        value, used = _used(numbers, undefined, there)
        found[self._at["value", key]], found[self._at["used", key]] = value, used


def _product(left: FloatArray, right: FloatArray) -> FloatArray:
    """left @ right in pieces that a BLAS computes in one thread: waiting threads would cost more than they save, and
    the last digits would depend on their number.
    """
    step = max(16, _ONE_THREAD // max(1, left.shape[0] * right.shape[1]))
    found: FloatArray = left[:, :step] @ right[:step]
    for start in range(step, left.shape[1], step):
        found += left[:, start : start + step] @ right[start : start + step]
    return found


@dataclass(frozen=True)
class _Counts:
    """The four counts as the quotients of the panoptic scores read them."""

    n_pairs: float
    missed: float
    spurious: float
    iou_sum: float

    @property
    def n_true(self) -> float:
        return self.n_pairs + self.missed

    @property
    def n_pred(self) -> float:
        return self.n_pairs + self.spurious


_UNITS = [_Counts(*(float(at == one) for at in range(COUNTS))) for one in range(COUNTS)]


def linear_forms(like: Tally) -> dict[str, tuple[Form, Form | None]]:
    """Numerator and denominator of the panoptic metrics as coefficients of the four counts; None for counts.

    The quotients are linear, so their values at the unit counts are the coefficients. NPQ is linear, too, because no
    pair of a rule lies below the rule's own α: 2 Σ (IoU − α) / ((1−α)(|H|+|T|)).
    """
    found: dict[str, tuple[Form, Form | None]] = {}
    for key, quotient in QUOTIENTS.items():
        top = tuple(float(quotient.numerator(unit)) for unit in _UNITS)
        found[key] = top, None if is_count(key) else tuple(float(quotient.denominator(unit)) for unit in _UNITS)
    if like.own is None and like.weight == "iou":
        alpha = float(floor_of(like.rule, "iou"))
        found["npq"] = (-2 * alpha, 0.0, 0.0, 2.0), tuple((1 - alpha) * one for one in (2.0, 1.0, 1.0, 0.0))
    return found


def other_keys(records: Iterable[ItemRecord]) -> list[str]:
    """The scores of the records that are no functions of a tally, in the order of the summary."""
    return list({key: None for record in records for key in record.scores})


def is_pooled(key: str) -> bool:
    """Whether a metric has a pooled value at all."""
    return "pooled" in METRICS[key].aggregation or METRICS[key].needs == "tally"


def by_part(records: Sequence[ItemRecord]) -> dict[Hashable, tuple[NDArray[np.intp], list[Tally]]]:
    """The positions of the items that hold a part, and their tallies, for every part."""
    places: dict[Hashable, list[int]] = {}
    tallies: dict[Hashable, list[Tally]] = {}
    for at, record in enumerate(records):
        for name, tally in record.parts.items():
            places.setdefault(name, []).append(at)
            tallies.setdefault(name, []).append(tally)
    return {name: (np.array(found, dtype=np.intp), tallies[name]) for name, found in places.items()}


def _used(numbers: FloatArray, undefined: float | None, there: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Values in a mean and whether each is used: undefined ones are left out, or replaced where they stand for one."""
    filled = numbers if undefined is None else np.where(np.isnan(numbers) & (there > 0), undefined, numbers)
    used = ~np.isnan(filled)
    return np.where(used, filled, 0.0), used.astype(np.float64)
