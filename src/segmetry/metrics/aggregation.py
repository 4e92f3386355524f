"""How the value of any selection of items follows from what they contribute: one mechanism for all metrics.

A metric states what an item contributes (``collect``: named columns of numbers, most of them by class) and how a value
is finished from sums of these columns (``finish``: numerator and denominator, for arrays of any shape). Everything else
is a selection of items and classes, or a weight of items, and is computed here once for all metrics: the value of an
item, of a class, of a group of classes, of a data set, in every average; and the rows whose weighted sums give the
values of resamples (:class:`Linear`).

>>> import segmetry as sm
>>> from segmetry.metrics.average import BY_CLASS, POOLED
>>> def lengths(table):
...     return {"class": [*table.class_names], "true": table.true.sizes, "pred": table.pred.sizes}
>>> def ratio_of_lengths(sums):
...     return Quotient(sums["pred"], sums["true"], "no true elements")
>>> lengths_ratio = Aggregation(lengths, ratio_of_lengths)
>>> sides = [sm.LabelArray(labels, classes={1: "sky", 2: "car"}) for labels in ([1, 1, 2], [1, 2, 2])]
>>> items = Statistics.of([lengths(sm.overlap(sides[0], pred)) for pred in sides])
>>> by_class, pooled = (lengths_ratio.score("ratio", items, {}, average) for average in (BY_CLASS, POOLED))
>>> by_class.value, pooled.numerator, pooled.denominator
(1.125, 6, 6)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, cached_property
from inspect import Parameter, Signature, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, ColumnsOfItem, FloatArray, IndexArray, IntArray, frozen_dataclass
from segmetry.kernels import group_order, group_sums, rounded_sum
from segmetry.metrics.average import BY_CLASS, BY_CLASS_OF_ITEMS, BY_ITEM, BY_ITEM_OF_CLASSES, POOLED, Average
from segmetry.metrics.score import Score, written_type
from segmetry.metrics.statistics import LABEL, By, Cells, ColumnRoles, Quotient, Statistics, Sums
from segmetry.overlaps import ItemTables, OverlapTable

Options = Mapping[str, Any]
NO_CLASS = "no class occurs"


@frozen_dataclass()
class Fill:
    """The numbers that stand for undefined values in means over classes and over items; None leaves them out."""

    in_classes: float | None = None
    in_items: float | None = None


NO_FILL: Fill = Fill()


@frozen_dataclass(eq=False)
class Linear:
    """Rows of numbers, and the value of a sample from their sums weighted by how often each item is in it.

    ``of_items`` are rows of numbers of items, ``of_cells`` those of cells (a class in an item), None without classes.
    ``finish`` takes their sums, rows × samples and classes × rows × samples, and returns the values of every sample:
    outputs × samples, one output, or one for each class.
    """

    of_items: FloatArray
    of_cells: FloatArray | None
    cells: Cells | None
    finish: Callable[[FloatArray, FloatArray], FloatArray]
    is_mean: bool = False
    """Whether it is a mean over items or cells: the first two of their rows are values, and whether there is one."""

    def only(self, kept: BoolArray) -> Linear:
        """Return the mean over some of the items or cells."""
        every = self.of_items if self.of_cells is None else self.of_cells
        rows = np.concatenate((np.where(kept, every[:2], 0.0), every[2:]))
        return replace(self, of_items=rows) if self.of_cells is None else replace(self, of_cells=rows)


@frozen_dataclass()
class Aggregation:
    """What an item contributes to a metric, and how a value follows from the sums.

    Parameters
    ----------
    collect
        Takes what the metric needs of one item, and returns its columns: arrays of numbers, and lists of classes. The
        numbers go with the classes of the column ``class``, row by row. Metrics with the same function share columns.
        A function of :class:`~segmetry.overlaps.ItemTables` takes all items at once and returns :class:`Statistics`.
    finish
        Takes :class:`Sums` and returns a :class:`Quotient` of the same leading axes: one formula for an item, a class,
        a data set and thousands of resamples.
    average
        How the value of a data set is averaged; a function of the options that decide it.
    of_items
        Columns with rows of the item itself, not of its classes, such as the size of its domain.
    label_columns
        The column of classes that a column goes with, where it is not ``class``.
    unit
        The column of the unit that the integers of an item count, as numerator and denominator, where items may differ
        in it: durations in ticks. Sums are then exact fractions.
    across_classes
        ``finish`` takes the sums of all classes together and returns one value (a first axis of length 1), such as a
        mean weighted by frequency; classes have no values of their own.
    classes_first
        Classes are averaged at each place of the further axis (``Quotient.along``), then these means; otherwise the
        axis is averaged in each class first. The two differ where a class has values at some places only.
    is_ranked
        ``finish`` needs rows in order: it takes :class:`Statistics` and how often each item (a row) is in each sample
        (a column), and returns the quotient and the classes of its first axis.
    absent
        The value of a class of the data set in an item without it, and of an item without any class, from the options.
    empty
        The value where nothing occurs, from the options; by default that of ``absent``.
    n_classes
        From numbers of classes that have a value (an array) and the options: the value of the others, and the numbers
        of all classes that a mean is taken over; None leaves the others out.
    describe
        The details of a score: from the quotient, the sums and the names of the classes of their first axis; those of
        every cell in a mean over classes of item means. Where all classes are pooled there are no names, and
        ``sums.of_classes`` are the sums of the classes and their quotient.
    describes_classes
        ``describe`` also returns the details of each class, from its sums alone; there are no names then either.
    describes_items
        ``describe`` also returns the details of a mean over items, from its values along the further axis alone.
    is_count
        The value is a count: that of several classes is the sum over them, and the mean of a class over items is taken
        over all of them, also those without it.
    degree
        The degree of numerator or denominator in the sums, for products that need more than 64 bits.
    group_options
        Options that name classes; by default those of the group of the same name.
    no_class
        Why a mean over no class is undefined.
    derive
        Returns further columns from :class:`Statistics`, which then go with a column of classes (``label_columns``):
        values of rows that depend on options.
    of_every_item
        For a ranked metric: takes :class:`Statistics` and returns the quotient of every item as a data set of its own.

    All functions take those of the metric's options, as keyword arguments, that they name.
    """

    collect: Callable[..., ColumnsOfItem | Statistics]
    finish: Callable[..., Any] | None = None
    average: Average | Callable[..., Average] = BY_CLASS
    of_items: tuple[str, ...] = ()
    label_columns: Mapping[str, str] = field(default_factory=dict)
    unit: str | None = None
    across_classes: bool = False
    classes_first: bool = False
    is_ranked: bool = False
    absent: Callable[..., float | None] | None = None
    empty: Callable[..., float | None] | None = None
    n_classes: Callable[..., tuple[float, IntArray] | None] | None = None
    describe: Callable[..., dict[str, Any]] | None = None
    describes_classes: bool = False
    describes_items: bool = False
    is_count: bool = False
    degree: int = 1
    group_options: tuple[str, ...] = ()
    no_class: str | None = None
    of_every_item: Callable[..., Quotient] | None = None
    derive: Callable[..., Mapping[str, NDArray[Any]]] | None = None

    @property
    def functions(self) -> list[Callable[..., Any]]:
        """The functions whose keyword arguments are the options of the metric, in the order of its signature."""
        every = (
            self.collect,
            self.derive,
            self.finish,
            self.average,
            self.absent,
            self.empty,
            self.n_classes,
            self.describe,
        )
        return [function for function in every if callable(function)]

    @property
    def name(self) -> str:
        """The name under which a run stores the columns."""
        return self.collect.__name__

    @cached_property
    def roles(self) -> ColumnRoles:
        """Which columns go with which classes."""
        return ColumnRoles(self.of_items, tuple(self.label_columns.items()), self.unit)

    @property
    def has_classes(self) -> bool:
        """Whether classes have values of their own."""
        return not self.across_classes

    @property
    def is_additive(self) -> bool:
        """Whether values follow from sums over any selection of items, not only from scores of items."""
        return True

    def collect_options(self, options: Options) -> dict[str, Any]:
        """Return those options that the columns depend on."""
        return named_options(self.collect, options)

    @cached_property
    def takes_many_items(self) -> bool:
        """Whether ``collect`` takes the overlap tables of all items at once."""
        first = next(iter(signature(self.collect).parameters.values()), None)
        return first is not None and first.annotation in ("ItemTables", ItemTables)

    @cached_property
    def takes_many_lines(self) -> bool:
        """Whether ``collect`` takes many lines at once and returns the statistics of each."""
        made = signature(self.collect)
        first = next(iter(made.parameters.values()), None)
        return first is not None and (first.annotation, made.return_annotation) == ("SpanLines", "Statistics")

    def collected(self, inputs: Sequence[Any], options: Options) -> Statistics:
        """Return the statistics of one item, or of all items of some tables, under the options of ``collect``."""
        if self.takes_many_items and isinstance(inputs[0], OverlapTable):
            inputs = (ItemTables.of(inputs[0]),)
        collected = self.collect(*inputs, **options)
        return collected if isinstance(collected, Statistics) else Statistics.of([collected])

    def average_of(self, options: Options) -> Average:
        """Return the average of the value of a data set."""
        if isinstance(self.average, Average):
            return self.average
        return self.average(**named_options(self.average, options))

    def _in(self, statistics: Statistics, average: Average | None, options: Options) -> Average:
        """Return an average, by default that of the metric; without classes, all is of one class.

        A count of several classes is the sum over them, which its formula need not give for the sums over classes: the
        elements of an item are true negatives of each of its classes.
        """
        chosen = self.average_of(options) if average is None else average
        if self.is_ranked or self.across_classes or self.roles.has_classes(statistics):
            in_classes = {POOLED: BY_CLASS, BY_ITEM: BY_ITEM_OF_CLASSES} if self.is_count else {}
            return in_classes.get(chosen, chosen)
        return BY_ITEM if chosen.over_items else POOLED

    def names(self, statistics: Statistics) -> tuple[Hashable, ...]:
        """Return all classes of the items, whether they have a value or not."""
        return self.roles.cells(statistics).names

    # Exact values: every item counts once, sums are exact or rounded once.

    def item_score(self, key: str, statistics: Statistics, options: Options) -> Score:
        """Return the value of one item; as for two masks, the mean over its only class is that class's quotient."""
        is_mean = not (self.across_classes or self.is_count or self.is_ranked or self.classes_first)
        if is_mean and len(statistics.labels.get(LABEL, ())) == 1 and self._in(statistics, None, options) is BY_CLASS:
            quotient, sums, names = self._finished(self._derived(statistics, options), options, BY_CLASS, None)
            alone = self.n_classes is None or self._others(1, options)[1] == 1
            if alone and quotient.is_one_ratio_of_integers and _occurring(quotient)[0]:
                return quotient.score(key, (0, 0), **self._details(quotient, sums, names, options))
        return self.score(key, statistics, options)

    def score(
        self,
        key: str,
        statistics: Statistics,
        options: Options,
        average: Average | None = None,
        among: BoolArray | None = None,
        fill: Fill = NO_FILL,
    ) -> Score:
        """Return the value of a data set in an average, by default that of the metric; ``among`` are classes."""
        statistics = self._derived(statistics, options)
        chosen = self._in(statistics, average, options)
        if chosen.over_items:
            return self._mean_of_items(key, statistics, options, chosen, among, fill)
        quotient, sums, names = self._finished(statistics, options, chosen, among)
        details = self._details(quotient, sums, names, options)
        if not chosen.over_classes or self.across_classes:
            score = quotient.score(key, (0, 0), **details)
            return score if score.is_defined else score.filled(self._empty(options))
        total, count = self._class_total(quotient, among, options, fill.in_classes)
        if self.is_count and np.asarray(quotient.numerator).dtype.kind in "iuO":
            return Score.of(key, int(total), count, **details)
        if not count:
            empty = self._empty(options)
            if empty is not None:
                return Score.of(key, empty, 1, **details)
            return Score.of(key, 0, 0, self._reason(quotient, names), **details)
        return Score.of(key, total, count, quotient.reason, **details)

    def class_scores(
        self, key: str, statistics: Statistics, options: Options, average: Average | None = None, fill: Fill = NO_FILL
    ) -> dict[Hashable, Score]:
        """Return the value of every class that occurs: over all items, or the mean over items where the average is."""
        statistics = self._derived(statistics, options)
        chosen = self._in(statistics, average, options)
        if self.across_classes or not self.names(statistics):
            return {}
        if chosen.over_items:
            values, totals, counts, reason = self._item_means_of_classes(statistics, options, None, fill)
            every = self.names(statistics)
            return {
                every[at]: Score.of(key, float(totals[at]), int(counts[at]), reason)
                for at in range(len(every))
                if counts[at] or not np.isnan(values[at])
            }
        quotient, sums, names = self._finished(statistics, options, BY_CLASS, None)
        occurs = _occurring(quotient) | self.is_count
        scores = {}
        for at in np.flatnonzero(occurs).tolist():
            details = {}
            if self.describes_classes and sums is not None:
                details = self._details(Quotient(quotient.values[at : at + 1]), sums.of_place(at), (), options)
            scores[names[at]] = quotient.score(key, (at, 0), **details)
        return scores

    def item_values(
        self,
        statistics: Statistics,
        options: Options,
        average: Average | None = None,
        among: BoolArray | None = None,
        fill: Fill = NO_FILL,
    ) -> FloatArray:
        """Return the value of every item, each as a data set of its own; NaN where it is undefined.

        It is the mean over the classes of the item where the average of a data set has a mean over classes.
        """
        statistics = self._derived(statistics, options)
        chosen = self._in(statistics, average, options)
        if self.of_every_item is not None and among is None:
            return self.of_every_item(statistics, **named_options(self.of_every_item, options)).values
        if self.is_ranked or self.classes_first:
            inside = BY_CLASS if chosen.over_classes else POOLED
            items = (statistics.item(at) for at in range(statistics.n_items))
            scores = [self.score("", item, options, inside, among, fill) for item in items]
            return np.array([score.value if score.is_defined else math.nan for score in scores])
        if self.across_classes or not chosen.over_classes or not self.roles.has_classes(statistics):
            return _or_empty(self._quotients_of_items(statistics, options, among).values[:, 0], self._empty(options))
        total, count = self._totals_of_items(statistics, options, among, fill.in_classes)
        return _or_empty(ratio_or_nan(total, count), self._empty(options))

    def cell_values(self, statistics: Statistics, options: Options) -> list[tuple[int, Hashable, float]]:
        """Return item, class and value of every pair that occurs; NaN where it is undefined."""
        if self.is_ranked or self.across_classes:
            return []
        cells, values, occurs, _ = self._cell_values(self._derived(statistics, options), options, None, None)
        kept = np.flatnonzero(occurs)
        columns = (cells.item[kept].tolist(), cells.code[kept].tolist(), values[kept].tolist())
        return [(item, cells.names[code], value) for item, code, value in zip(*columns, strict=True)]

    def item_scores(
        self, key: str, statistics: Statistics, options: Options, average: Average | None = None, fill: Fill = NO_FILL
    ) -> Sequence[Score | None]:
        """Return the score of every item, each as a data set of its own; None where an item has none."""
        if self.of_every_item is not None:
            quotient = self.of_every_item(statistics, **named_options(self.of_every_item, options))
            return [quotient.score(key, at) for at in range(statistics.n_items)]
        inside = None if average is None else BY_CLASS_OF_ITEMS
        if average is not None and self.average_of(options) != BY_CLASS_OF_ITEMS:
            inside = BY_CLASS if average.over_classes else POOLED
        chosen = self._in(statistics, inside, options)
        if self.describe is not None or self.is_ranked or self.classes_first or chosen.over_items:
            items = map(statistics.item, range(statistics.n_items))
            return [self.score(key, item, options, inside, fill=fill) for item in items]
        derived, empty = self._derived(statistics, options), self._empty(options)
        if self.across_classes or not chosen.over_classes:
            scores = self._quotients_of_items(derived, options, None).scores(key)
            return scores if empty is None else [score if score.is_defined else score.filled(empty) for score in scores]
        cells, values, _, reason = self._cell_values(derived, options, None, fill.in_classes)
        total, count = grouped_totals(values, cells.item, cells.n_items)
        others, n = self._others(count, options)
        if self.no_class is not None and not cells.names:
            reason = self.no_class
        without = Score.of(key, 0, 0, reason) if empty is None else Score.of(key, empty, 1)
        pairs = zip((total + others).tolist(), n.tolist(), strict=True)
        return [Score.of(key, top, below) if below else without for top, below in pairs]

    # Weighted values: rows whose weighted sums give the value of every sample.

    def linear(
        self,
        statistics: Statistics,
        options: Options,
        average: Average,
        among: BoolArray | None = None,
        fill: Fill = NO_FILL,
        *,
        each_class: bool = False,
    ) -> Linear:
        """Return the rows of an average that is not ranked, and how samples are finished from their sums.

        ``each_class`` asks for the value of every class instead of their mean.
        """
        statistics = self._derived(statistics, options)
        average = self._in(statistics, average, options)
        if each_class:
            average = BY_CLASS_OF_ITEMS if average.over_items else BY_CLASS
        if not average.over_items:
            return self._linear_sums(statistics, options, average, among, fill, each_class=each_class)
        if average.steps == BY_CLASS_OF_ITEMS.steps:
            return self._linear_class_means(statistics, options, among, fill, each_class=each_class)
        total, count = self._filled_items(statistics, options, average, among, fill)
        return Linear(np.stack((total, count)), None, None, lambda items, _: ratio_or_nan(items[:1], items[1:]), True)

    def ranked_values(
        self,
        statistics: Statistics,
        times: IntArray,
        options: Options,
        among: BoolArray | None = None,
        *,
        each_class: bool = False,
    ) -> FloatArray:
        """Return the values of every sample of a ranked metric: the mean over its classes, or each class."""
        quotient, names = self._rank(statistics, times, options)
        values = quotient.values
        if each_class or among is not None:
            every = self.names(statistics)
            values = np.full((len(every), times.shape[1]), math.nan)
            values[[every.index(name) for name in names]] = quotient.values
        if each_class:
            return values
        if among is not None:
            values = np.where(among[:, None], values, math.nan)
        return self._mean_over_classes(values, self._empty(options), options)

    # Steps of the above.

    def _derived(self, statistics: Statistics, options: Options) -> Statistics:
        if self.derive is None or "total" in statistics.columns:
            return statistics
        taken = named_options(self.derive, options)
        derive, label_of = self.derive, self.label_columns

        def with_derived() -> Statistics:
            columns, beside = derive(statistics, **taken), {}
            for name in columns:  # of as many rows of every item as another column of the same classes
                label = label_of.get(name, LABEL)
                beside[name] = next(other for other in statistics.columns if label_of.get(other, LABEL) == label)
            return statistics.with_columns(columns, beside)

        return statistics.once(("derived", derive, repr(sorted(taken.items()))), with_derived)

    def _quotient(self, sums: Sums, options: Options) -> Quotient:
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient: Quotient = self._formula(sums, **named_options(self._formula, options))
        return quotient

    def _quotients_of_items(self, statistics: Statistics, options: Options, among: BoolArray | None) -> Quotient:
        """Return the quotient of every item, of all its classes together."""
        sums = self.roles.sums(statistics, "item", among, self.degree)
        if not self.across_classes:
            return self._quotient(sums, options)
        # The formula takes all classes at once, and samples: every item is a sample of its own. An item at a time took
        # 80 µs, four of the five seconds of a summary of 50,000 small images.
        cells, by_cell = self.roles.cells(statistics), self.roles.sums(statistics, "cell", among, self.degree)
        given: dict[str, NDArray[Any]] = {}
        for name, column in by_cell.items():
            if name in self.of_items:
                given[name] = np.moveaxis(sums[name], 0, 1)
            else:
                given[name] = np.zeros((len(cells.names), cells.n_items, *column.shape[2:]), dtype=column.dtype)
                given[name][cells.code, cells.item] = column[:, 0]
        samples = sums.like(given)
        samples.codes = None
        quotient = self._quotient(samples, options)
        top, bottom = quotient.numerator.T, None if quotient.denominator is None else quotient.denominator.T
        return Quotient(top, bottom, quotient.reason)

    def _rank(self, statistics: Statistics, times: IntArray, options: Options) -> tuple[Quotient, Sequence[Hashable]]:
        ranked: tuple[Quotient, Sequence[Hashable]] = self._formula(
            statistics, times, **named_options(self._formula, options)
        )
        return ranked

    @property
    def _formula(self) -> Callable[..., Any]:
        if self.finish is None:
            raise TypeError(f"the aggregation of {self.name} has no formula; declare it with @metric(statistics=…)")
        return self.finish

    def _finished(
        self, statistics: Statistics, options: Options, average: Average, among: BoolArray | None
    ) -> tuple[Quotient, Sums | None, Sequence[Hashable]]:
        """Return the quotient of all items together, its sums, and the classes of its first axis."""
        if self.is_ranked:
            quotient, names = self._rank(statistics, np.ones((statistics.n_items, 1), dtype=np.int64), options)
            return quotient, None, names
        by: By = "class" if average.over_classes or self.across_classes else "all"
        sums = self.roles.sums(statistics, by, among, self.degree)
        if by == "all" and self.describe is not None and sums.names:
            classes = self.roles.sums(statistics, "class", among, self.degree)
            sums.of_classes = classes, self._quotient(classes, options)
        return self._quotient(sums, options), sums, sums.names if by == "class" else ()

    def _details(
        self, quotient: Quotient, sums: Sums | None, names: Sequence[Hashable], options: Options
    ) -> dict[str, Any]:
        if self.describe is None:
            return {}
        return self.describe(quotient, sums, names, **named_options(self.describe, options))

    def _absent(self, options: Options) -> float | None:
        return None if self.absent is None else self.absent(**named_options(self.absent, options))

    def _empty(self, options: Options) -> float | None:
        return self._absent(options) if self.empty is None else self.empty(**named_options(self.empty, options))

    def _reason(self, quotient: Quotient, names: Sequence[Hashable]) -> str:
        return self.no_class if self.no_class is not None and not len(names) else quotient.reason

    def _class_total(
        self, quotient: Quotient, among: BoolArray | None, options: Options, fill: float | None
    ) -> tuple[float, int]:
        values = quotient.values[:, 0]
        counted = _occurring(quotient) if among is None else _occurring(quotient) & among
        if self.classes_first:
            means = self._means_along(quotient.along, counted[:, None], options)[:, 0]
            return rounded_sum(means[~np.isnan(means)]), int((~np.isnan(means)).sum())
        numbers = values[counted]
        undefined = np.isnan(numbers)
        if undefined.any():
            numbers = numbers[~undefined] if fill is None else np.where(undefined, fill, numbers)
        others, n = self._others(numbers.size, options)
        return rounded_sum(np.append(numbers, others) if others else numbers), int(n)

    def _others(self, found: Any, options: Options) -> tuple[Any, Any]:
        """Return the sum of the values of classes that do not occur, and the number of all, from numbers of classes."""
        if self.is_count:
            return 0, found * 0 + 1
        padded = None if self.n_classes is None else self.n_classes(found, **named_options(self.n_classes, options))
        if padded is None:
            return 0, found
        value, n = padded
        return (n - found) * value, n

    def _cell_values(
        self, statistics: Statistics, options: Options, among: BoolArray | None, fill: float | None
    ) -> tuple[Cells, FloatArray, BoolArray, str]:
        """Return the cells, the value of each (NaN where it is undefined), which of them occur, and the reason."""
        cells = self.roles.cells(statistics)
        quotient = self._quotient(self.roles.sums(statistics, "cell", None, self.degree), options)
        occurs = _occurring(quotient)
        if among is not None:
            occurs = occurs & among[cells.code]
        values = np.where(occurs, quotient.values[:, 0], math.nan)
        if fill is not None:
            values = np.where(occurs & np.isnan(values), fill, values)
        return cells, values, occurs, quotient.reason

    def _totals_of_items(
        self, statistics: Statistics, options: Options, among: BoolArray | None, fill: float | None
    ) -> tuple[FloatArray, IntArray]:
        """Return the sum of the values of the classes of every item, and how many there are."""
        cells, values, _, _ = self._cell_values(statistics, options, among, fill)
        total, count = grouped_totals(values, cells.item, cells.n_items)
        others, n = self._others(count, options)
        return total + others, n

    def _filled_items(
        self, statistics: Statistics, options: Options, average: Average, among: BoolArray | None, fill: Fill
    ) -> tuple[FloatArray, IntArray]:
        """Return the value of every item and whether it counts; ``fill`` is that of items with undefined classes."""
        if average.steps not in (BY_ITEM.steps, BY_ITEM_OF_CLASSES.steps):
            return self._totals_of_items(statistics, options, among, fill.in_classes)
        values = self.item_values(statistics, options, average, among, fill)
        if fill.in_items is not None:
            present = np.ones(statistics.n_items, dtype=bool)
            if among is not None:
                cells, _, occurs, _ = self._cell_values(statistics, options, among, None)
                present = np.bincount(cells.item[occurs], minlength=statistics.n_items) > 0
            values = np.where(present & np.isnan(values), fill.in_items, values)
        return filled(values, None)

    def _item_means_of_classes(
        self, statistics: Statistics, options: Options, among: BoolArray | None, fill: Fill
    ) -> tuple[FloatArray, FloatArray, IntArray, str]:
        """Return the mean over items of every class, its sum and number of values, and the reason of undefined ones."""
        if self.is_count:
            quotient, _, names = self._finished(statistics, options, BY_CLASS, None)
            total = np.where(True if among is None else among, quotient.values[:, 0], math.nan)
            return total / statistics.n_items, total, np.full(len(names), statistics.n_items), quotient.reason
        cells, values, occurs, reason = self._cell_values(statistics, options, among, fill.in_items)
        n = len(cells.names)
        total, count = grouped_totals(values, cells.code, n)
        empty = self._absent(options)
        if empty is not None:
            found = np.bincount(cells.code[occurs], minlength=n)
            lacking = np.where(found > 0, statistics.n_items - np.diff(cells.starts), 0)
            total, count = total + empty * lacking, count + lacking
        return ratio_or_nan(total, count), total, count, reason

    def _mean_of_items(
        self, key: str, statistics: Statistics, options: Options, average: Average, among: BoolArray | None, fill: Fill
    ) -> Score:
        if average.steps == BY_CLASS_OF_ITEMS.steps:
            values, _, _, reason = self._item_means_of_classes(statistics, options, among, fill)
            defined, details = values[~np.isnan(values)], {}
            if self.describe is not None:
                sums = self.roles.sums(statistics, "cell", among, self.degree)
                names = [sums.names[code] for code in self.roles.cells(statistics).code.tolist()]
                details = self._details(self._quotient(sums, options), sums, names, options)
            empty = self._empty(options)
            if not defined.size and empty is not None:
                return Score.of(key, empty, 1, **details)
            others, n = (0, defined.size) if self.is_count else self._others(defined.size, options)
            defined = np.append(defined, others)
            return Score.of(key, rounded_sum(defined), int(n), self.no_class or reason, **details)
        total, count = self._filled_items(statistics, options, average, among, fill)
        details = {}
        if self.describes_items and average.steps[:1] == ("item",):
            along = self._item_means_along(statistics, options, average, among, fill)
            details = self._details(Quotient(along, along=along[:, None]), None, (), options)
        reason = self.no_class or "undefined in every item"
        return Score.of(key, rounded_sum(total), int(count.sum()), reason, **details)

    def _item_means_along(
        self, statistics: Statistics, options: Options, average: Average, among: BoolArray | None, fill: Fill
    ) -> FloatArray:
        """Return the means over items at each place of a further axis, as one row; NaN where no item has a value."""
        cells = self.roles.cells(statistics)
        by_class = average.over_classes and bool(cells.places)
        quotient = self._quotient(
            self.roles.sums(statistics, "cell" if by_class else "item", None if by_class else among, self.degree),
            options,
        )
        occurs = _occurring(quotient)
        if by_class and among is not None:
            occurs = occurs & among[cells.code]
        values = np.where(occurs[:, None], quotient.along[:, 0], math.nan)
        if by_class:
            of_items = (grouped_totals(column, cells.item, cells.n_items) for column in values.T)
            values = np.stack([ratio_or_nan(total, count) for total, count in of_items], axis=1)
        values = _or_empty(_or_empty(values, self._empty(options)), fill.in_items)
        defined = ~np.isnan(values)
        totals = [rounded_sum(column[used]) for column, used in zip(values.T, defined.T, strict=True)]
        return ratio_or_nan(np.array(totals), defined.sum(axis=0))[None]

    def _linear_sums(
        self,
        statistics: Statistics,
        options: Options,
        average: Average,
        among: BoolArray | None,
        fill: Fill,
        *,
        each_class: bool,
    ) -> Linear:
        """Return the rows of values that are finished after the items are weighted."""
        by_class = average.over_classes or self.across_classes
        cells = self.roles.cells(statistics) if by_class else None
        sums = self.roles.sums(statistics, "item", among)
        # A column of the item itself is added over all items of a sample, whether they have the class or not.
        of_items = {name: column for name, column in sums.items() if not by_class or name in self.of_items}
        by_cell = self.roles.sums(statistics, "cell", among) if by_class else {}
        of_cells = {name: column for name, column in by_cell.items() if name not in self.of_items}

        def finish(item_sums: FloatArray, class_sums: FloatArray) -> FloatArray:
            given = sums.like({**_unstacked(item_sums[None], of_items), **_unstacked(class_sums, of_cells)})
            given.codes = None if by_class else sums.codes
            quotient = self._quotient(given, options)
            values = np.broadcast_to(quotient.values, (quotient.values.shape[0], item_sums.shape[-1]))
            if not average.over_classes or self.across_classes:
                return _or_empty(values, self._empty(options))
            everywhere = (self.is_count and each_class) or quotient.occurs is None
            occurs = np.ones(values.shape, dtype=bool) if everywhere else quotient.occurs
            if among is not None:
                occurs = occurs & among[:, None]
            if self.classes_first and not each_class:
                means = self._means_along(quotient.along, occurs, options)
                return ratio_or_nan(np.nansum(means, axis=0), (~np.isnan(means)).sum(axis=0))[None]
            values = np.where(occurs, values, math.nan)
            if fill.in_classes is not None and not each_class:
                values = np.where(occurs & np.isnan(values), fill.in_classes, values)
            return values if each_class else self._mean_over_classes(values, self._empty(options), options)

        n_items = statistics.n_items
        return Linear(
            _stacked(of_items, n_items), _stacked(of_cells, cells.item.size) if cells else None, cells, finish
        )

    def _mean_over_classes(self, values: FloatArray, empty: float | None, options: Options) -> FloatArray:
        """Return the mean over the classes (rows) that have a value, of every sample; ``empty`` where none has."""
        defined = ~np.isnan(values)
        total, count = np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0)
        others, n = self._others(count, options)
        return _or_empty(ratio_or_nan(total + others, n)[None], empty)

    def _means_along(self, along: FloatArray, occurs: BoolArray, options: Options) -> FloatArray:
        """Return the means over classes at each place of a further axis: places × samples."""
        kept = np.where(occurs[..., None], along, math.nan)
        flat = kept.reshape(len(kept), math.prod(kept.shape[1:]))
        return self._mean_over_classes(flat, None, options).reshape(kept.shape[1:]).T

    def _linear_class_means(
        self, statistics: Statistics, options: Options, among: BoolArray | None, fill: Fill, *, each_class: bool
    ) -> Linear:
        """Return the rows of the mean over classes of means over items."""
        if self.is_count:
            whole = self._linear_sums(statistics, options, BY_CLASS, among, fill, each_class=each_class)
            rows = np.concatenate((np.ones((1, statistics.n_items)), whole.of_items))
            n = 1 if each_class else max(len(self.names(statistics)) if among is None else int(among.sum()), 1)
            return Linear(
                rows,
                whole.of_cells,
                whole.cells,
                lambda items, classes: whole.finish(items[1:], classes) / (items[0] * n),
            )
        cells, values, occurs, _ = self._cell_values(statistics, options, among, fill.in_items)
        empty = self._absent(options)
        total, count = filled(values, None)
        of_cells = np.array((total, count, occurs, np.ones(occurs.size)), dtype=np.float64)

        def finish(item_sums: FloatArray, class_sums: FloatArray) -> FloatArray:
            total, count, found, n_cells = np.moveaxis(class_sums, 1, 0)
            if empty is not None:
                lacking = np.where(found > 0, item_sums[0] - n_cells, 0.0)
                total, count = total + empty * lacking, count + lacking
            means = ratio_or_nan(total, count)
            return means if each_class else self._mean_over_classes(means, self._empty(options), options)

        # The row of ones counts the items of a sample: those without a class count ``absent`` in its mean.
        return Linear(np.ones((1, statistics.n_items)), of_cells, cells, finish, is_mean=empty is None)


def _stacked(columns: Mapping[str, Any], n: int) -> FloatArray:
    """Return columns (places × 1 × further axes) as rows of numbers."""
    rows = [column.reshape(n, math.prod(column.shape[1:])).T.astype(np.float64) for column in columns.values()]
    return np.concatenate([np.zeros((0, n)), *rows])


def _unstacked(sums: FloatArray, columns: Mapping[str, Any]) -> dict[str, FloatArray]:
    """Return the sums (classes × rows × samples) of the rows of each column: classes × samples × further axes."""
    given, start = {}, 0
    for name, column in columns.items():
        shape = column.shape[2:]
        width = math.prod(shape)
        part = sums[:, start : start + width].reshape(len(sums), *shape, sums.shape[-1])
        given[name] = np.moveaxis(part, -1, 1)
        start += width
    return given


def _or_empty(values: FloatArray, empty: float | None) -> FloatArray:
    return values if empty is None else np.where(np.isnan(values), empty, values)


def filled(values: FloatArray, fill: float | None) -> tuple[FloatArray, IntArray]:
    """Return values and whether each counts (1 or 0): undefined ones are left out, as 0, or replaced by ``fill``."""
    if fill is not None:
        values = np.where(np.isnan(values), fill, values)
    used = ~np.isnan(values)
    return np.where(used, values, 0.0), used.astype(np.int64)


def grouped_totals(values: FloatArray, group: IndexArray, n: int) -> tuple[FloatArray, IntArray]:
    """Return the exactly rounded sum and the number of the defined values of each of ``n`` groups."""
    used = ~np.isnan(values)
    order, starts = group_order(group[used], n)
    return group_sums(values[used][order], starts), np.diff(starts)


def _occurring(quotient: Quotient) -> BoolArray:
    """Return where there is something to score, in the first sample."""
    values, occurs = quotient.values, quotient.occurs
    if occurs is None:
        return np.ones(len(values), dtype=bool)
    return (occurs if np.shape(occurs) == values.shape else np.broadcast_to(occurs, values.shape))[:, 0]


def ratio_or_nan(total: Any, count: Any) -> FloatArray:
    """Return quotients of floats; NaN where the denominator is 0."""
    values: FloatArray = np.full(np.shape(total), math.nan)
    np.divide(total, count, out=values, where=np.asarray(count) != 0)
    return values


def named_options(function: Callable[..., Any], options: Options) -> dict[str, Any]:
    """Return those options that a function names."""
    return {name: options[name] for name in _keyword_names(function) if name in options}


@cache
def _keyword_names(function: Callable[..., Any]) -> tuple[str, ...]:
    parameters = signature(function).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY)


def score_signature(inputs: Iterable[Parameter], functions: Iterable[Callable[..., Any] | None]) -> Signature:
    """Return the signature of a metric: its inputs, and the options of several functions, as modules write them."""
    options: dict[str, Parameter] = {}
    for function in functions:
        for parameter in () if function is None else signature(function).parameters.values():
            if parameter.kind is Parameter.KEYWORD_ONLY:
                written = parameter.replace(annotation=written_type(parameter.annotation, function.__module__))
                options.setdefault(parameter.name, written)
    return Signature([*inputs, *options.values()], return_annotation=written_type(Score, Score.__module__))


@frozen_dataclass(eq=False)
class AggregatedMetric:
    """The body of a metric with an aggregation: the value of one item, from what the metric needs of it."""

    key: str
    aggregation: Aggregation
    __module__: str

    @property
    def __name__(self) -> str:
        return self.key

    @property
    def __signature__(self) -> Signature:
        """What the metric needs, and the options of all functions of the aggregation, each in words of its module."""
        collect = signature(self.aggregation.collect).parameters.values()
        inputs = [parameter for parameter in collect if parameter.kind is not Parameter.KEYWORD_ONLY]
        return score_signature(inputs, self.aggregation.functions)

    def __call__(self, *inputs: Any, **options: Any) -> Score:
        """Return the value of one item."""
        statistics = self.aggregation.collected(inputs, self.aggregation.collect_options(options))
        return self.aggregation.item_score(self.key, statistics, options)
