"""Metrics that are a mean over classes of a quotient of sums: the value of a class is Σ numerators / Σ denominators.

Such a metric declares ``per_class=ClassQuotient(terms, reason)``. ``terms(alignment, **options)`` returns what every
true and every pred segment adds to the numerator and to the denominator of its class. All values are computed from
this declaration, by key: the value of a class in an item, the mean over the classes of an item, sums by class
over a data set, groups of classes, resampling, and another rule for a run file. Terms are added per item and class; a
sum of integers is exact, a sum of floats is rounded once, so that neither depends on the order of the items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IndexArray, IntArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.alignment import Alignment
from segmetry.errors import ClassesError
from segmetry.metrics.score import Score

BY_CLASS = "by_class"
Numbers = NDArray[Any]
"""Integers, whose sums are exact, or floats, whose sums are rounded once."""


@frozen_dataclass(eq=False)
class ClassTerms:
    """The terms that segments of one side add to the quotients of their classes.

    ``segment`` are positions in ``table.true`` or ``table.pred``; a segment may occur any number of times. A class
    without any term in a data set, not even zeros, is left out of the mean.
    """

    segment: IndexArray
    numerator: Numbers
    denominator: IntArray

    @classmethod
    def joined(cls, *terms: tuple[NDArray[np.intp], Any, Any]) -> ClassTerms:
        """Return the terms of several arrays of segments, with a numerator and a denominator for each segment or for
        all.

        >>> ClassTerms.joined((np.array([0, 2]), 1, [3, 4]), (np.array([1]), 0, 1)).denominator.tolist()
        [3, 4, 1]
        """
        segments = [segment for segment, _, _ in terms]
        numerators, denominators = (
            np.concatenate([np.broadcast_to(term[at], term[0].shape) for term in terms]) for at in (1, 2)
        )
        return cls(np.concatenate(segments), numerators, denominators.astype(np.int64))


Terms = tuple[ClassTerms, ClassTerms]
"""The terms of the true and of the pred segments."""


@frozen_dataclass()
class ClassQuotient:
    """The terms of a mean over classes, and the reason why a class whose denominator is 0 has no value.

    ``group_options`` are options of the metric that name classes; they default to the classes of the group of the
    same name.
    """

    terms: Callable[..., Terms]
    reason: str
    group_options: tuple[str, ...] = ()


@frozen_dataclass(eq=False)
class ClassSum:
    """The numerator terms and the denominator of one class, in one item or in several."""

    terms: Numbers
    denominator: int

    @property
    def numerator(self) -> int | float:
        """The sum of the terms."""
        return _total(self.terms)

    def score(self, key: str, reason: str) -> Score:
        """Return the quotient."""
        return Score.of(key, self.numerator, self.denominator, reason)


def added(sums: Sequence[ClassSum]) -> ClassSum:
    """Return the sum of several classes."""
    terms = [np.zeros(0, dtype=np.int64), *(cell.terms for cell in sums)]
    return ClassSum(np.concatenate(terms), sum(cell.denominator for cell in sums))


@frozen_dataclass(eq=False)
class ClassSums:
    """The sums of many cells (a class in an item): cell ``i`` has the terms ``starts[i] : starts[i + 1]``."""

    terms: Numbers
    starts: IndexArray
    denominators: IntArray

    @classmethod
    def of(cls, terms: Terms, of_true: IndexArray, of_pred: IndexArray, n: int) -> ClassSums:
        """Return the sums of ``n`` cells from the cell of every true and every pred segment."""
        true, pred = terms
        cell = np.concatenate((of_true[true.segment], of_pred[pred.segment]))
        numerators = np.concatenate((true.numerator, pred.numerator))
        denominators = np.zeros(n, dtype=np.int64)
        np.add.at(denominators, cell, np.concatenate((true.denominator, pred.denominator)))
        order = np.argsort(cell, kind="stable")
        return cls(numerators[order], np.searchsorted(cell[order], np.arange(n + 1)), denominators)

    @classmethod
    def listed(cls, sums: Sequence[ClassSum | None]) -> ClassSums:
        """Return cells one by one; None is a cell without terms."""
        terms = [np.zeros(0, dtype=np.int64) if cell is None else cell.terms for cell in sums]
        starts = np.cumsum([0, *(part.size for part in terms)])
        denominators = np.array([0 if cell is None else cell.denominator for cell in sums], dtype=np.int64)
        return cls(np.concatenate([np.zeros(0, dtype=np.int64), *terms]), starts, denominators)

    @cached_property
    def has_terms(self) -> NDArray[np.bool_]:
        """Which cells have a term."""
        return np.diff(self.starts) > 0

    @cached_property
    def numerators(self) -> list[int | float]:
        """The numerator of every cell."""
        listed = self.terms.tolist()
        add = sum if self.terms.dtype.kind == "i" else math.fsum
        return [add(listed[start:stop]) for start, stop in pairwise(self.starts.tolist())]

    @cached_property
    def values(self) -> list[float]:
        """The quotient of every cell; NaN where it is undefined."""
        cells = zip(self.numerators, self.denominators.tolist(), strict=True)
        return [top / bottom if bottom else math.nan for top, bottom in cells]

    def cut(self, start: int, stop: int) -> ClassSum:
        """Return the sum of some consecutive cells."""
        terms = self.terms[int(self.starts[start]) : int(self.starts[stop])]
        return ClassSum(terms, sum(self.denominators[start:stop].tolist()))


def sums_by_class(
    key: str, quotient: ClassQuotient, alignment: Alignment, options: Mapping[str, Any]
) -> dict[Hashable, ClassSum]:
    """Return the sums of every class of one item that has a term; segments without classes are an error."""
    table = alignment.table
    if table.class_names is None or table.true.classes is None or table.pred.classes is None:
        raise needs_classes(key)
    terms = quotient.terms(alignment, **options)
    sums = ClassSums.of(terms, table.true.classes, table.pred.classes, len(table.class_names))
    present = np.flatnonzero(sums.has_terms).tolist()
    return {table.class_names[code]: sums.cut(code, code + 1) for code in present}


def sums_in_scores(scores: Mapping[str, Score]) -> dict[str, dict[Hashable, ClassSum]]:
    """Return the sums by class of those scores of an item that carry them in ``details["by_class"]``.

    A metric that needs the segmentations themselves cannot be computed again from a table; it writes class, numerator
    and denominator of every class into its details.

    >>> score = Score.of("boundary_pq", 1.5, 2, by_class=[["car", 0.5, 1]])
    >>> sums_in_scores({"boundary_pq": score})["boundary_pq"]["car"].denominator
    1
    """
    return {
        key: {
            name: ClassSum(np.array([top], dtype=np.float64), bottom) for name, top, bottom in score.details[BY_CLASS]
        }
        for key, score in scores.items()
        if BY_CLASS in score.details
    }


def mean_over_classes(key: str, quotient: ClassQuotient, alignment: Alignment, **options: Any) -> Score:
    """Return the metric of one item: the mean over the classes that have a value. The body of such a metric.

    >>> import segmetry as sm
    >>> def terms(alignment):
    ...     return (ClassTerms.joined((np.arange(len(alignment.table.true)), alignment.matched_true.astype(int), 1)),
    ...             ClassTerms.joined((np.zeros(0, dtype=np.intp), 0, 0)))
    >>> true, pred = sm.Spans.from_tags(["B-a", "B-a", "B-b"]), sm.Spans.from_tags(["B-a", "O", "B-b"])
    >>> mean_over_classes("detected", ClassQuotient(terms, "no true segments"), sm.align(sm.overlap(true, pred)))
    Score(detected: 0.75)
    """
    return mean_over_sums(key, sums_by_class(key, quotient, alignment, options))


def mean_over_sums(key: str, sums: Mapping[Hashable, ClassSum]) -> Score:
    """Return the mean over the classes of one item that have a value."""
    scores = (cell.score(key, "") for cell in sums.values())
    defined = [score.value for score in scores if score.is_defined]
    return Score.of(key, math.fsum(defined), len(defined), "no class occurs", classes=len(defined))


def needs_classes(key: str) -> ClassesError:
    """Return the error of segments without classes."""
    return ClassesError(f"{key} is a mean over classes, but the segments carry none; give classes= on both sides")


def _total(terms: Numbers) -> int | float:
    return sum(terms.tolist()) if terms.dtype.kind == "i" else math.fsum(terms.tolist())
