"""The columns that are summed over the items of a sample, and the quotients that give every mean and every total.

A mean is Σ values / number of values used, a total Σ numerators / Σ denominators. So each item has a column of
numbers (for the whole item, and for each of its parts), a sample of items has the sum of its columns, and metrics are
quotients of sums. The panoptic metrics are linear in four counts, so they share columns; any other score has its
own columns for numerator, denominator and value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray
from segmetry.alignments.iou_lower_bound import iou_lower_bound
from segmetry.alignments.tally import Tally
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import is_count
from segmetry.metrics.score import Score
from segmetry.statistics.sample_sums import ONE_THREAD, rows_first

Form = tuple[float, ...]
COUNTS = 4
"""Matched, missed and spurious segments and Σ IoU: the first columns. The next column is 1 where the part occurs."""
OCCURS = COUNTS
WORDS = ("mean", "total")
"""What is divided: Σ values by how many there are, Σ numerators by Σ denominators."""
_ONE, _NOTHING = "one", "nothing"


@dataclass(frozen=True, eq=False)
class Quotients:
    """Means and totals: parts × words × rows × samples; 0 where they are undefined.

    ``defined`` says where each distinct denominator (parts × denominators × samples) is not 0, ``bottom_of`` which
    of them a value has (words × rows), ``occurs`` in which samples a part occurs.
    """

    values: FloatArray
    defined: NDArray[np.bool_]
    bottom_of: NDArray[np.intp]
    occurs: NDArray[np.bool_]

    def with_nan(self) -> FloatArray:
        """Return the values, NaN where they are undefined."""
        if self.defined.all():
            return self.values
        return np.where(self.defined[:, self.bottom_of], self.values, np.nan)

    def take(self, parts: Any) -> Quotients:
        """Return the quotients of some parts."""
        return Quotients(self.values[parts], self.defined[parts], self.bottom_of, self.occurs[parts])


class Layout:
    """The columns of a data set, and how every metric follows from their sums.

    ``rows`` maps keys to rows of values; metrics with the same quotient share a row. Counts come last.
    """

    def __init__(
        self, keys: Sequence[str], others: Sequence[str], tally: Tally, options: Mapping[str, Mapping[str, Any]]
    ) -> None:
        forms = linear_forms(keys, tally)
        self.linear = {key: forms[key] for key in keys if key in forms and not options.get(key)}
        self.by_score = [key for key in keys if key not in self.linear]
        self.others, self.options = list(others), options
        self._at: dict[Any, int] = {}
        for top, bottom in self.linear.values():
            if bottom is not None:
                self._place(("value", top, bottom))
                self._place(("used", _scaled(bottom)))
        for key in (*self.by_score, *self.others):
            for word in ("top", "bottom", "value", "used"):
                self._place((word, key))
        self.width = OCCURS + 1 + len(self._at)
        self._lay_rows([*keys, *others])

    def _place(self, name: Any) -> int:
        return self._at.setdefault(name, OCCURS + 1 + len(self._at))

    def _lay_rows(self, keys: Sequence[str]) -> None:
        """Find the sums that every metric divides: columns, then linear forms of the counts, then 1 and 0."""
        self._forms: dict[Any, None] = {}
        wanted: dict[tuple[tuple[Any, Any], ...], list[str]] = {}
        for key in sorted(keys, key=is_count):
            wanted.setdefault(self._recipe(key), []).append(key)
        row_of = {key: row for row, same in enumerate(wanted.values()) for key in same}
        self.rows = {key: row_of[key] for key in keys}
        self.n_rows = len(wanted)
        self.n_ratios = sum(not is_count(same[0]) for same in wanted.values())
        forms = [form for form in self._forms if isinstance(form, tuple)]
        self.forms = np.array(forms, dtype=np.float64).reshape(-1, COUNTS)
        place = {form: self.width + at for at, form in enumerate([*forms, _ONE, _NOTHING])}
        at = [
            [[term if isinstance(term, int) else place[term] for term in word] for word in recipe] for recipe in wanted
        ]
        tops, bottoms = np.array(at, dtype=np.intp).reshape(-1, len(WORDS), 2).transpose(2, 1, 0)
        self.tops = tops
        self.bottoms, inverse = np.unique(bottoms, return_inverse=True)
        self.bottom_of = inverse.reshape(bottoms.shape)

    def _recipe(self, key: str) -> tuple[tuple[Any, Any], ...]:
        """Return numerator and denominator of the mean and of the total: columns, forms, 1 or nothing."""
        if key in self.linear:
            top, bottom = self.linear[key]
            if bottom is None:
                return (self._form(top), OCCURS), (self._form(top), self._form(_ONE))
            mean = self._at["value", top, bottom], self._at["used", _scaled(bottom)]
            return mean, (self._form(top), self._form(bottom))
        top_at, bottom_at, value, used = (self._at[word, key] for word in ("top", "bottom", "value", "used"))
        divisor: Any = self._form(_ONE) if is_count(key) else bottom_at
        return (value, used), (top_at, divisor if has_total(key) else self._form(_NOTHING))

    def _form(self, form: Any) -> Any:
        if isinstance(form, tuple) and sum(map(abs, form)) == max(form) == 1:
            return form.index(1)  # one of the counts itself
        self._forms.setdefault(form)
        return form

    def quotients(self, sums: FloatArray, column: IndexArray | None = None) -> Quotients:
        """Return the values of samples from the sums of their columns (parts × columns × samples).

        Where only distinct columns were summed, ``column`` says which of them each column is.
        """
        n_parts, _, n_samples = sums.shape
        at = np.arange(self.width) if column is None else column
        forms = rows_first(n_parts, len(self.forms) + 2, n_samples)
        counts = sums[:, at[:COUNTS]]
        step = max(1, ONE_THREAD // max(1, self.forms.size))
        for start in range(0, n_samples, step):
            cut = slice(start, start + step)
            np.matmul(self.forms, counts[..., cut], out=forms[:, :-2, cut])
        forms[:, -2], forms[:, -1] = 1, 0
        terms = [*(sums[:, place] for place in at.tolist()), *forms.swapaxes(0, 1)]
        # Row by row, so that no sum is copied for each quotient that it is in.
        bottoms = [terms[place] for place in self.bottoms.tolist()]
        defined = np.empty((len(bottoms), n_parts, n_samples), dtype=bool)
        for bottom, where in zip(bottoms, defined, strict=True):
            np.not_equal(bottom, 0, out=where)
        if not defined.all():
            bottoms = [np.where(where, bottom, np.inf) for bottom, where in zip(bottoms, defined, strict=True)]
        values = np.empty((*self.tops.shape, n_parts, n_samples))
        for place in np.ndindex(self.tops.shape):
            np.divide(terms[self.tops[place]], bottoms[self.bottom_of[place]], out=values[place])
        return Quotients(values.transpose(2, 0, 1, 3), defined.swapaxes(0, 1), self.bottom_of, terms[OCCURS] != 0)

    def of_counts(self, counts: FloatArray, undefined: float | None) -> FloatArray:
        """Return the columns of cells with these counts; a cell in which nothing occurs has no value."""
        occurs = counts[:3].sum(axis=0) > 0
        columns = self._of_counts(counts, occurs)
        for top, bottom in self.linear.values():
            if bottom is not None:
                with np.errstate(invalid="ignore"):
                    numbers = np.divide(np.array(top) @ counts, np.array(bottom) @ counts)
                self._put_values(columns, top, bottom, numbers, undefined, occurs)
        return columns

    def of_items(
        self,
        counts: FloatArray,
        values: Callable[[str], FloatArray],
        undefined: float | None,
        occurs: NDArray[np.bool_],
    ) -> FloatArray:
        """Return the columns of items with these counts and values of metrics; every item counts in means of counts.

        ``occurs`` are the items whose undefined values ``undefined`` replaces.
        """
        columns = self._of_counts(counts, np.ones(counts.shape[1]))
        for key, (top, bottom) in self.linear.items():
            if bottom is not None:
                self._put_values(columns, top, bottom, values(key), undefined, occurs)
        return columns

    def _of_counts(self, counts: FloatArray, occurs: NDArray[Any]) -> FloatArray:
        columns = np.zeros((self.width, counts.shape[1]))
        columns[:COUNTS], columns[OCCURS] = counts, occurs
        return columns

    def _put_values(
        self,
        columns: FloatArray,
        top: Form,
        bottom: Form,
        numbers: FloatArray,
        undefined: float | None,
        occurs: NDArray[np.bool_],
    ) -> None:
        value, used = self._at["value", top, bottom], self._at["used", _scaled(bottom)]
        columns[value], columns[used] = _used(numbers, undefined, occurs)

    def put_scores(
        self,
        columns: FloatArray,
        key: str,
        scores: Iterable[Score | None],
        undefined: float | None,
        values: FloatArray | None = None,
    ) -> None:
        """Write the columns of a score of every item, None where an item has none; ``values`` replace theirs."""
        listed = list(scores)
        has_score = np.array([score is not None for score in listed], dtype=bool)
        if values is None:
            values = np.array([math.nan if score is None or not score.is_defined else score.value for score in listed])
        tops = np.array([0.0 if score is None else float(score.numerator or 0) for score in listed])
        bottoms = np.array([0.0 if score is None else float(score.denominator or 0) for score in listed])
        self.put(columns, key, (tops, bottoms, values), undefined, has_score)

    def put(
        self,
        columns: FloatArray,
        key: str,
        numbers: tuple[FloatArray, FloatArray, FloatArray],
        undefined: float | None,
        has_score: NDArray[np.bool_] | None = None,
    ) -> None:
        """Write numerators, denominators and values (NaN where undefined) of a score, for the items that have it."""
        tops, bottoms, values = numbers
        used = _used(values, undefined, np.ones(values.size, dtype=bool) if has_score is None else has_score)
        for word, column in zip(("top", "bottom", "value", "used"), (tops, bottoms, *used), strict=True):
            columns[self._at[word, key]] = column

    def mean_columns(self, key: str) -> tuple[int, int]:
        """Return the columns of the values of a metric and of whether they are used."""
        row = self.rows[key]
        return int(self.tops[0, row]), int(self.bottoms[self.bottom_of[0, row]])


@dataclass(frozen=True)
class _SampledCounts:
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


_UNITS = [_SampledCounts(*(float(at == unit) for at in range(COUNTS))) for unit in range(COUNTS)]


def linear_forms(keys: Iterable[str], tally: Tally) -> dict[str, tuple[Form, Form | None]]:
    """Return numerator and denominator of the metrics that are quotients of counts; the denominator of a count is None.

    Both are coefficients of the four counts.

    The quotients are linear, so their values at the unit counts are the coefficients. NPQ is linear, too, because no
    pair of a rule has an IoU below the rule's own α: 2 Σ (IoU − α) / ((1−α)(|H|+|T|)).
    """
    forms: dict[str, tuple[Form, Form | None]] = {}
    for key, metric in METRICS.only(keys).items():
        if metric.quotient is not None:
            units = [metric.quotient.formula(unit) for unit in _UNITS]
            top = tuple(float(unit.numerator) for unit in units)
            forms[key] = top, None if metric.is_count else tuple(float(unit.denominator) for unit in units)
    if tally.own is None and tally.weight == "iou":
        alpha = float(iou_lower_bound(tally.rule, "iou"))
        forms["npq"] = (
            (-2 * alpha, 0.0, 0.0, 2.0),
            tuple((1 - alpha) * coefficient for coefficient in (2.0, 1.0, 1.0, 0.0)),
        )
    return forms


def has_total(key: str) -> bool:
    """Return whether numerators and denominators of a metric are added over items."""
    metric = METRICS[key]
    return metric.per_class is not None or "all_segments" in metric.aggregation or metric.needs == "tally"


def _scaled(form: Form) -> Form:
    """Return a form divided by its largest coefficient: the same for forms that are 0 together."""
    largest = max(form)
    return tuple(coefficient / largest for coefficient in form)


def _used(numbers: FloatArray, undefined: float | None, has_score: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
    """Return values in a mean and whether each is used: undefined values are left out, or replaced by ``undefined``."""
    filled = numbers if undefined is None else np.where(np.isnan(numbers) & has_score, undefined, numbers)
    used = ~np.isnan(filled)
    return np.where(used, filled, 0.0), used.astype(np.float64)
