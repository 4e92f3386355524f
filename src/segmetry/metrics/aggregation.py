"""How the value of any selection of items follows from what they contribute: one mechanism for all metrics.

A metric states what an item contributes (``collect``: named columns of numbers, most of them by class) and how a value
is finished from sums of these columns (``finish``: numerator and denominator, for arrays of any shape). Everything else
is a selection of items and classes, or a weight of items, and is computed here once for all metrics: the value of an
item, of a class, of a group of classes, of a data set, in every average; and the rows whose weighted sums give the
values of resamples (:class:`Linear`). Each of them is a question to the statistics of items (:class:`Reading`).

>>> import segmetry as sm
>>> from segmetry.metrics.average import BY_CLASS, POOLED
>>> def lengths(table):
...     return {"class": [*table.class_names], "true": table.true.sizes, "pred": table.pred.sizes}
>>> def ratio_of_lengths(sums):
...     return Quotient(sums["pred"], sums["true"], "no true elements")
>>> lengths_ratio = Aggregation(lengths, ratio_of_lengths)
>>> sides = [sm.LabelArray(labels, classes={1: "sky", 2: "car"}) for labels in ([1, 1, 2], [1, 2, 2])]
>>> items = Statistics.of([lengths(sm.overlap(sides[0], pred)) for pred in sides])
>>> readings = (lengths_ratio.reading("ratio", items, {}, average) for average in (BY_CLASS, POOLED))
>>> by_class, pooled = (reading.score() for reading in readings)
>>> by_class.value, pooled.numerator, pooled.denominator
(1.125, 6, 6)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
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
class Aggregation:
    """What an item contributes to a metric, and how a value follows from the sums.

    Parameters
    ----------
    collect
        Takes what the metric needs of one item, and returns its columns: arrays of numbers, and lists of classes. The
        numbers go with the classes of the column ``class``, row by row. Metrics with the same function share columns.
        A function of :class:`~segmetry.overlaps.ItemTables`, or one of ``CountedOverlaps`` that returns
        :class:`Statistics`, takes all items at once.
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
        """Whether ``collect`` takes the overlap tables of all items, or their counted overlaps, at once."""
        made = signature(self.collect)
        first = next(iter(made.parameters.values()), None)
        if first is None or first.annotation in ("ItemTables", ItemTables):
            return first is not None
        return (first.annotation, made.return_annotation) == ("CountedOverlaps", "Statistics")

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

    def names(self, statistics: Statistics) -> tuple[Hashable, ...]:
        """Return all classes of the items, whether they have a value or not."""
        return self.roles.cells(statistics).names

    @property
    def formula(self) -> Callable[..., Any]:
        """What finishes a value from sums."""
        if self.finish is None:
            raise TypeError(f"the aggregation of {self.name} has no formula; declare it with @metric(statistics=…)")
        return self.finish

    def reading(
        self, key: str, statistics: Statistics, options: Options, average: Average | None = None, **how: Any
    ) -> Reading:
        """Return one question to statistics, by default in the average of the metric; ``how`` are further fields."""
        return Reading(key, self, statistics, options, self.average_of(options) if average is None else average, **how)


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


@frozen_dataclass(eq=False)
class Lone:
    """The values of items, or of classes in items, that only one of two systems has, as codes: item · names + name.

    ``first_lacks`` are those of the second system alone.
    """

    n_items: int
    names: tuple[Hashable, ...]
    codes: IndexArray
    first_lacks: BoolArray

    def codes_of(self, linear: Linear) -> IndexArray:
        """Return the code of each item or cell; those of a second system follow the first."""
        if linear.cells is None:
            return np.arange(linear.of_items.shape[1]) % self.n_items
        number = {name: at for at, name in enumerate(self.names)}
        names = np.array([number[name] for name in linear.cells.names], dtype=np.intp)
        return linear.cells.item % self.n_items * len(self.names) + names[linear.cells.code]

    def places(self, only: Hashable | None = None) -> Iterator[tuple[bool, int, Hashable | None]]:
        """Yield whether the first system lacks it, the item, and the class (None where values are those of items); or
        those of one class only.
        """
        lacks, (items, names) = self.first_lacks, np.divmod(self.codes, max(1, len(self.names)))
        if only is not None and self.names:
            own = names == self.names.index(only)
            lacks, items, names = lacks[own], items[own], names[own]
        for first_lacks, item, name in zip(lacks.tolist(), items.tolist(), names.tolist(), strict=True):
            yield first_lacks, item, self.names[name] if self.names else None


@frozen_dataclass(eq=False)
class Reading:
    """One question to the statistics of items: a metric, an average, and the classes that count.

    ``each_class`` asks it of each class. ``statistics`` are those of the items in the order of their names, in which
    items are drawn at random. ``fill`` are the numbers that stand for undefined values. ``lone`` are values that
    another system lacks, which a paired difference leaves out.
    """

    key: str
    aggregation: Aggregation
    statistics: Statistics
    options: Options
    average: Average
    classes: frozenset[Hashable] | None = None
    each_class: bool = False
    fill: Fill = NO_FILL
    lone: Lone | None = None
    chosen: BoolArray | None = None
    """The items that count, of a group of them; None where all do."""
    rows: Linear | None = None
    """Its rows, where they are known."""

    @cached_property
    def names(self) -> tuple[Hashable, ...]:
        """The classes of its statistics, whether they have a value or not."""
        return self.aggregation.names(self.statistics)

    @cached_property
    def among(self) -> BoolArray | None:
        """Which of its classes count; None where all do."""
        if self.classes is None:
            return None
        return np.array([name in self.classes for name in self.names], dtype=bool)

    @cached_property
    def means(self) -> Average:
        """The average as the statistics have it: without classes, all is of one class.

        A count of several classes is the sum over them, which its formula need not give for the sums over classes: the
        elements of an item are true negatives of each of its classes.
        """
        own = self.aggregation
        if own.is_ranked or own.across_classes or own.roles.has_classes(self.statistics):
            in_classes = {POOLED: BY_CLASS, BY_ITEM: BY_ITEM_OF_CLASSES} if own.is_count else {}
            return in_classes.get(self.average, self.average)
        return BY_ITEM if self.average.over_items else POOLED

    def of(self, statistics: Statistics, average: Average | None = None) -> Reading:
        """Return the same question to other items, or in another average."""
        return replace(self, statistics=statistics, average=average or self.average)

    # Exact values: every item counts once, sums are exact or rounded once.

    def item_score(self) -> Score:
        """Return the value of one item; as for two masks, the mean over its only class is that class's quotient."""
        own = self.aggregation
        is_mean = not (own.across_classes or own.is_count or own.is_ranked or own.classes_first)
        if is_mean and len(self.statistics.labels.get(LABEL, ())) == 1 and self.means is BY_CLASS:
            quotient, sums, names = self._finished(BY_CLASS)
            alone = own.n_classes is None or self._others(1)[1] == 1
            if alone and quotient.is_one_ratio_of_integers and _occurring(quotient)[0]:
                return quotient.score(self.key, (0, 0), **self._details(quotient, sums, names))
        return self.score()

    def score(self) -> Score:
        """Return the exact value."""
        own, key = self.aggregation, self.key
        if self.means.over_items:
            return self._mean_of_items()
        quotient, sums, names = self._finished(self.means, self.among)
        details = self._details(quotient, sums, names)
        if not self.means.over_classes or own.across_classes:
            score = quotient.score(key, (0, 0), **details)
            return score if score.is_defined else score.filled(self._empty)
        total, count = self._class_total(quotient)
        if own.is_count and np.asarray(quotient.numerator).dtype.kind in "iuO":
            return Score.of(key, int(total), count, **details)
        if not count:
            if self._empty is not None:
                return Score.of(key, self._empty, 1, **details)
            reason = own.no_class if own.no_class is not None and not len(names) else quotient.reason
            return Score.of(key, 0, 0, reason, **details)
        return Score.of(key, total, count, quotient.reason, **details)

    def class_scores(self) -> dict[Hashable, Score]:
        """Return the value of every class that occurs: over all items, or the mean over items where the average is."""
        own = self.aggregation
        if own.across_classes or not self.names:
            return {}
        if self.means.over_items:
            values, totals, counts, reason = self._item_means_of_classes()
            return {
                name: Score.of(self.key, float(totals[at]), int(counts[at]), reason)
                for at, name in enumerate(self.names)
                if counts[at] or not np.isnan(values[at])
            }
        quotient, sums, names = self._finished(BY_CLASS)
        scores = {}
        for at in np.flatnonzero(_occurring(quotient) | own.is_count).tolist():
            details = {}
            if own.describes_classes and sums is not None:
                details = self._details(Quotient(quotient.values[at : at + 1]), sums.of_place(at), ())
            scores[names[at]] = quotient.score(self.key, (at, 0), **details)
        return scores

    def item_values(self) -> FloatArray:
        """Return the value of every item, each as a data set of its own; NaN where it is undefined.

        It is the mean over the classes of the item where the average of a data set has a mean over classes.
        """
        own = self.aggregation
        if own.of_every_item is not None and self.classes is None:
            of_items: Quotient = self._asked(own.of_every_item, self._derived)
            return of_items.values
        if own.is_ranked or own.classes_first:
            inside = BY_CLASS if self.means.over_classes else POOLED
            items = (self._derived.item(at) for at in range(self.statistics.n_items))
            scores = [self.of(item, inside).score() for item in items]
            return np.array([score.value if score.is_defined else math.nan for score in scores])
        if own.across_classes or not self.means.over_classes or not own.roles.has_classes(self.statistics):
            return _or_empty(self._quotients_of_items(self.among).values[:, 0], self._empty)
        return _or_empty(ratio_or_nan(*self._totals_of_items()), self._empty)

    def cell_values(self) -> list[tuple[int, Hashable, float]]:
        """Return item, class and value of every pair that occurs; NaN where it is undefined."""
        if self.aggregation.is_ranked or self.aggregation.across_classes:
            return []
        cells, values, occurs, _ = self._cell_values(None)
        kept = np.flatnonzero(occurs)
        columns = (cells.item[kept].tolist(), cells.code[kept].tolist(), values[kept].tolist())
        return [(item, cells.names[code], value) for item, code, value in zip(*columns, strict=True)]

    def item_scores(self) -> Sequence[Score | None]:
        """Return the score of every item, each as a data set of its own; None where an item has none."""
        own, key, n_items = self.aggregation, self.key, self.statistics.n_items
        if own.of_every_item is not None:
            quotient = self._asked(own.of_every_item, self.statistics)
            return [quotient.score(key, at) for at in range(n_items)]
        inside = BY_CLASS if self.average.over_classes else POOLED
        if own.average_of(self.options) == BY_CLASS_OF_ITEMS:
            inside = BY_CLASS_OF_ITEMS
        each = self.of(self.statistics, inside)
        if own.describe is not None or own.is_ranked or own.classes_first or each.means.over_items:
            return [each.of(self.statistics.item(at)).score() for at in range(n_items)]
        if own.across_classes or not each.means.over_classes:
            scores = self._quotients_of_items(None).scores(key)
            return [score if score.is_defined else score.filled(self._empty) for score in scores]
        cells, values, _, reason = self._cell_values(self.fill.in_classes)
        total, count = grouped_totals(values, cells.item, cells.n_items)
        others, n = self._others(count)
        if own.no_class is not None and not cells.names:
            reason = own.no_class
        without = Score.of(key, 0, 0, reason) if self._empty is None else Score.of(key, self._empty, 1)
        pairs = zip((total + others).tolist(), n.tolist(), strict=True)
        return [Score.of(key, top, below) if below else without for top, below in pairs]

    # Weighted values: rows whose weighted sums give the value of every sample.

    @property
    def is_ranked(self) -> bool:
        """Whether rows of all items must be in order; scores of items are averaged like any others."""
        return self.aggregation.is_ranked and not self.average.over_items

    @cached_property
    def linear(self) -> Linear:
        """Its rows, and how samples are finished."""
        if self.rows is not None:
            return self.rows
        linear = self._linear()
        if self.lone is not None:
            linear = linear.only(~np.isin(self.lone.codes_of(linear), self.lone.codes))
        if self.chosen is None:
            return linear
        of_cells = linear.of_cells
        if of_cells is not None and linear.cells is not None:
            of_cells = np.where(self.chosen[linear.cells.item], of_cells, 0)
        return replace(linear, of_items=np.where(self.chosen, linear.of_items, 0), of_cells=of_cells)

    def _linear(self) -> Linear:
        """Return the rows of an average that is not ranked, and how samples are finished from their sums."""
        average = self.means
        if self.each_class:
            average = BY_CLASS_OF_ITEMS if average.over_items else BY_CLASS
        if not average.over_items:
            return self._linear_sums(average)
        if average.steps == BY_CLASS_OF_ITEMS.steps:
            return self._linear_class_means()
        rows: FloatArray = np.stack(self._filled_items())
        return Linear(rows, None, None, lambda items, _: ratio_or_nan(items[:1], items[1:]), True)

    def ranked(self, weights: FloatArray) -> FloatArray:
        """Return the values of samples of a metric whose rows must be in order: outputs × samples."""
        times = (weights if self.chosen is None else weights * self.chosen[:, None]).astype(np.int64)
        quotient, names = self._rank(times)
        values = quotient.values
        if self.each_class or self.among is not None:
            values = np.full((len(self.names), times.shape[1]), math.nan)
            values[[self.names.index(name) for name in names]] = quotient.values
        if self.each_class:
            return values
        if self.among is not None:
            values = np.where(self.among[:, None], values, math.nan)
        return self._mean_over_classes(values, self._empty)

    def joined(self, others: Sequence[Reading], known: dict[tuple[int, ...], Statistics]) -> Reading:
        """Return the same question to the items of several systems, one system after the other.

        ``known`` are statistics that were put together before, by the identities of their parts.
        """
        every = (self, *others)
        if self.average.over_items and not self.each_class and self.linear.cells is None:  # items have values already
            rows = np.concatenate([one.linear.of_items for one in every], axis=1)
            return replace(self, rows=replace(self.linear, of_items=rows))
        parts = [one.statistics for one in every]
        place = tuple(map(id, parts))
        if place not in known:
            known[place] = Statistics.concatenate(parts)
        chosen = None if self.chosen is None else np.tile(self.chosen, len(every))
        return replace(self, statistics=known[place], chosen=chosen)

    def paired(self, other: Reading) -> tuple[Reading, Reading]:
        """Return both means over what both systems have; ``other`` is of the same items."""
        if self.is_ranked or not self.average.over_items or not (self.linear.is_mean and other.linear.is_mean):
            return self, other
        first, second = self.linear.cells, other.linear.cells
        names = tuple(dict.fromkeys((*(first.names if first else ()), *(second.names if second else ()))))
        lone = Lone(self.statistics.n_items, names, np.zeros(0, dtype=np.intp), np.zeros(0, dtype=bool))
        own, others = (lone.codes_of(one)[_has_value(one)] for one in (self.linear, other.linear))
        codes = np.setxor1d(own, others)
        lone = replace(lone, codes=codes, first_lacks=np.isin(codes, others))
        return (replace(self, lone=lone), replace(other, lone=lone)) if codes.size else (self, other)

    # Steps of the above.

    def _asked(self, function: Callable[..., Any], *given: Any) -> Any:
        """Return what a function of the metric makes of something and of those of the options that it names."""
        return function(*given, **named_options(function, self.options))

    @cached_property
    def _derived(self) -> Statistics:
        own, statistics = self.aggregation, self.statistics
        if own.derive is None or "total" in statistics.columns:
            return statistics
        taken = named_options(own.derive, self.options)
        derive, label_of = own.derive, own.label_columns

        def with_derived() -> Statistics:
            columns, beside = derive(statistics, **taken), {}
            for name in columns:  # of as many rows of every item as another column of the same classes
                label = label_of.get(name, LABEL)
                beside[name] = next(other for other in statistics.columns if label_of.get(other, LABEL) == label)
            return statistics.with_columns(columns, beside)

        return statistics.once(("derived", derive, repr(sorted(taken.items()))), with_derived)

    @cached_property
    def _absent(self) -> float | None:
        absent = self.aggregation.absent
        return None if absent is None else self._asked(absent)

    @cached_property
    def _empty(self) -> float | None:
        empty = self.aggregation.empty
        return self._absent if empty is None else self._asked(empty)

    def _sums(self, by: By, among: BoolArray | None = None) -> Sums:
        return self.aggregation.roles.sums(self._derived, by, among, self.aggregation.degree)

    @cached_property
    def _cells(self) -> Cells:
        return self.aggregation.roles.cells(self._derived)

    def _quotient(self, sums: Sums) -> Quotient:
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient: Quotient = self._asked(self.aggregation.formula, sums)
        return quotient

    def _quotients_of_items(self, among: BoolArray | None) -> Quotient:
        """Return the quotient of every item, of all its classes together."""
        own, sums = self.aggregation, self._sums("item", among)
        if not own.across_classes:
            return self._quotient(sums)
        # The formula takes all classes at once, and samples: every item is a sample of its own. An item at a time took
        # 80 µs, four of the five seconds of a summary of 50,000 small images.
        cells, by_cell = self._cells, self._sums("cell", among)
        given: dict[str, NDArray[Any]] = {}
        for name, column in by_cell.items():
            if name in own.of_items:
                given[name] = np.moveaxis(sums[name], 0, 1)
            else:
                given[name] = np.zeros((len(cells.names), cells.n_items, *column.shape[2:]), dtype=column.dtype)
                given[name][cells.code, cells.item] = column[:, 0]
        samples = sums.like(given)
        samples.codes = None
        quotient = self._quotient(samples)
        top, bottom = quotient.numerator.T, None if quotient.denominator is None else quotient.denominator.T
        return Quotient(top, bottom, quotient.reason)

    def _rank(self, times: IntArray) -> tuple[Quotient, Sequence[Hashable]]:
        ranked: tuple[Quotient, Sequence[Hashable]] = self._asked(self.aggregation.formula, self.statistics, times)
        return ranked

    def _finished(
        self, average: Average, among: BoolArray | None = None
    ) -> tuple[Quotient, Sums | None, Sequence[Hashable]]:
        """Return the quotient of all items together, its sums, and the classes of its first axis."""
        own = self.aggregation
        if own.is_ranked:
            quotient, names = self._rank(np.ones((self.statistics.n_items, 1), dtype=np.int64))
            return quotient, None, names
        by: By = "class" if average.over_classes or own.across_classes else "all"
        sums = self._sums(by, among)
        if by == "all" and own.describe is not None and sums.names:
            classes = self._sums("class", among)
            sums.of_classes = classes, self._quotient(classes)
        return self._quotient(sums), sums, sums.names if by == "class" else ()

    def _details(self, quotient: Quotient, sums: Sums | None, names: Sequence[Hashable]) -> dict[str, Any]:
        describe = self.aggregation.describe
        return {} if describe is None else self._asked(describe, quotient, sums, names)

    def _class_total(self, quotient: Quotient) -> tuple[float, int]:
        counted = _occurring(quotient)
        if self.among is not None:
            counted = counted & self.among
        if self.aggregation.classes_first:
            means = self._means_along(quotient.along, counted[:, None])[:, 0]
            return rounded_sum(means[~np.isnan(means)]), int((~np.isnan(means)).sum())
        numbers = quotient.values[:, 0][counted]
        undefined = np.isnan(numbers)
        if undefined.any():
            fill = self.fill.in_classes
            numbers = numbers[~undefined] if fill is None else np.where(undefined, fill, numbers)
        others, n = self._others(numbers.size)
        return rounded_sum(np.append(numbers, others) if others else numbers), int(n)

    def _others(self, found: Any) -> tuple[Any, Any]:
        """Return the sum of the values of classes that do not occur, and the number of all, from numbers of classes."""
        own = self.aggregation
        if own.is_count:
            return 0, found * 0 + 1
        padded = None if own.n_classes is None else self._asked(own.n_classes, found)
        if padded is None:
            return 0, found
        value, n = padded
        return (n - found) * value, n

    def _cell_values(
        self, fill: float | None, among: BoolArray | None = None
    ) -> tuple[Cells, FloatArray, BoolArray, str]:
        """Return the cells, the value of each (NaN where it is undefined), which of them occur, and the reason."""
        quotient = self._quotient(self._sums("cell"))
        occurs = _occurring(quotient)
        if among is not None:
            occurs = occurs & among[self._cells.code]
        values = np.where(occurs, quotient.values[:, 0], math.nan)
        if fill is not None:
            values = np.where(occurs & np.isnan(values), fill, values)
        return self._cells, values, occurs, quotient.reason

    def _totals_of_items(self) -> tuple[FloatArray, IntArray]:
        """Return the sum of the values of the classes of every item, and how many there are."""
        cells, values, _, _ = self._cell_values(self.fill.in_classes, self.among)
        total, count = grouped_totals(values, cells.item, cells.n_items)
        others, n = self._others(count)
        return total + others, n

    def _filled_items(self) -> tuple[FloatArray, IntArray]:
        """Return the value of every item and whether it counts; ``fill`` is that of items with undefined classes."""
        if self.means.steps not in (BY_ITEM.steps, BY_ITEM_OF_CLASSES.steps):
            return self._totals_of_items()
        values, fill = self.item_values(), self.fill.in_items
        if fill is not None:
            present = np.ones(values.size, dtype=bool)
            if self.among is not None:
                cells, _, occurs, _ = self._cell_values(None, self.among)
                present = np.bincount(cells.item[occurs], minlength=values.size) > 0
            values = np.where(present & np.isnan(values), fill, values)
        return filled(values, None)

    def _item_means_of_classes(self) -> tuple[FloatArray, FloatArray, IntArray, str]:
        """Return the mean over items of every class, its sum and number of values, and the reason of undefined ones."""
        n_items = self.statistics.n_items
        if self.aggregation.is_count:
            quotient, _, names = self._finished(BY_CLASS)
            total = np.where(True if self.among is None else self.among, quotient.values[:, 0], math.nan)
            return total / n_items, total, np.full(len(names), n_items), quotient.reason
        cells, values, occurs, reason = self._cell_values(self.fill.in_items, self.among)
        n = len(cells.names)
        total, count = grouped_totals(values, cells.code, n)
        if self._absent is not None:
            found = np.bincount(cells.code[occurs], minlength=n)
            lacking = np.where(found > 0, n_items - np.diff(cells.starts), 0)
            total, count = total + self._absent * lacking, count + lacking
        return ratio_or_nan(total, count), total, count, reason

    def _mean_of_items(self) -> Score:
        own, key = self.aggregation, self.key
        if self.means.steps == BY_CLASS_OF_ITEMS.steps:
            values, _, _, reason = self._item_means_of_classes()
            defined, details = values[~np.isnan(values)], {}
            if own.describe is not None:
                sums = self._sums("cell", self.among)
                names = [sums.names[code] for code in self._cells.code.tolist()]
                details = self._details(self._quotient(sums), sums, names)
            if not defined.size and self._empty is not None:
                return Score.of(key, self._empty, 1, **details)
            others, n = (0, defined.size) if own.is_count else self._others(defined.size)
            defined = np.append(defined, others)
            return Score.of(key, rounded_sum(defined), int(n), own.no_class or reason, **details)
        total, count = self._filled_items()
        details = {}
        if own.describes_items and self.means.steps[:1] == ("item",):
            along = self._item_means_along()
            details = self._details(Quotient(along, along=along[:, None]), None, ())
        reason = own.no_class or "undefined in every item"
        return Score.of(key, rounded_sum(total), int(count.sum()), reason, **details)

    def _item_means_along(self) -> FloatArray:
        """Return the means over items at each place of a further axis, as one row; NaN where no item has a value."""
        cells, among = self._cells, self.among
        by_class = self.means.over_classes and bool(cells.places)
        quotient = self._quotient(self._sums("cell") if by_class else self._sums("item", among))
        occurs = _occurring(quotient)
        if by_class and among is not None:
            occurs = occurs & among[cells.code]
        values = np.where(occurs[:, None], quotient.along[:, 0], math.nan)
        if by_class:
            of_items = (grouped_totals(column, cells.item, cells.n_items) for column in values.T)
            values = np.stack([ratio_or_nan(total, count) for total, count in of_items], axis=1)
        values = _or_empty(_or_empty(values, self._empty), self.fill.in_items)
        defined = ~np.isnan(values)
        totals = [rounded_sum(column[used]) for column, used in zip(values.T, defined.T, strict=True)]
        return ratio_or_nan(np.array(totals), defined.sum(axis=0))[None]

    def _linear_sums(self, average: Average) -> Linear:
        """Return the rows of values that are finished after the items are weighted."""
        own, among, each_class = self.aggregation, self.among, self.each_class
        by_class = average.over_classes or own.across_classes
        cells = self._cells if by_class else None
        sums = own.roles.sums(self._derived, "item", among)
        # A column of the item itself is added over all items of a sample, whether they have the class or not.
        of_items = {name: column for name, column in sums.items() if not by_class or name in own.of_items}
        by_cell = own.roles.sums(self._derived, "cell", among) if by_class else {}
        of_cells = {name: column for name, column in by_cell.items() if name not in own.of_items}

        def finish(item_sums: FloatArray, class_sums: FloatArray) -> FloatArray:
            given = sums.like({**_unstacked(item_sums[None], of_items), **_unstacked(class_sums, of_cells)})
            given.codes = None if by_class else sums.codes
            quotient = self._quotient(given)
            values = np.broadcast_to(quotient.values, (quotient.values.shape[0], item_sums.shape[-1]))
            if not average.over_classes or own.across_classes:
                return _or_empty(values, self._empty)
            everywhere = (own.is_count and each_class) or quotient.occurs is None
            occurs = np.ones(values.shape, dtype=bool) if everywhere else quotient.occurs
            if among is not None:
                occurs = occurs & among[:, None]
            if own.classes_first and not each_class:
                means = self._means_along(quotient.along, occurs)
                return ratio_or_nan(np.nansum(means, axis=0), (~np.isnan(means)).sum(axis=0))[None]
            values = np.where(occurs, values, math.nan)
            if each_class:
                return values
            if self.fill.in_classes is not None:
                values = np.where(occurs & np.isnan(values), self.fill.in_classes, values)
            return self._mean_over_classes(values, self._empty)

        rows = _stacked(of_items, self.statistics.n_items)
        return Linear(rows, _stacked(of_cells, cells.item.size) if cells else None, cells, finish)

    def _mean_over_classes(self, values: FloatArray, empty: float | None) -> FloatArray:
        """Return the mean over the classes (rows) that have a value, of every sample; ``empty`` where none has."""
        defined = ~np.isnan(values)
        total, count = np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0)
        others, n = self._others(count)
        return _or_empty(ratio_or_nan(total + others, n)[None], empty)

    def _means_along(self, along: FloatArray, occurs: BoolArray) -> FloatArray:
        """Return the means over classes at each place of a further axis: places × samples."""
        kept = np.where(occurs[..., None], along, math.nan)
        flat = kept.reshape(len(kept), math.prod(kept.shape[1:]))
        return self._mean_over_classes(flat, None).reshape(kept.shape[1:]).T

    def _linear_class_means(self) -> Linear:
        """Return the rows of the mean over classes of means over items."""
        n_items, each_class = self.statistics.n_items, self.each_class
        if self.aggregation.is_count:
            whole = self._linear_sums(BY_CLASS)
            rows = np.concatenate((np.ones((1, n_items)), whole.of_items))
            n = 1 if each_class else max(len(self.names) if self.among is None else int(self.among.sum()), 1)

            def mean_count(items: FloatArray, classes: FloatArray) -> FloatArray:
                with np.errstate(invalid="ignore"):  # without its only item, a data set has no mean
                    counts: FloatArray = whole.finish(items[1:], classes) / (items[0] * n)
                return counts

            return Linear(rows, whole.of_cells, whole.cells, mean_count)
        cells, values, occurs, _ = self._cell_values(self.fill.in_items, self.among)
        total, count = filled(values, None)
        of_cells = np.array((total, count, occurs, np.ones(occurs.size)), dtype=np.float64)
        absent = self._absent

        def finish(item_sums: FloatArray, class_sums: FloatArray) -> FloatArray:
            total, count, found, n_cells = np.moveaxis(class_sums, 1, 0)
            if absent is not None:
                lacking = np.where(found > 0, item_sums[0] - n_cells, 0.0)
                total, count = total + absent * lacking, count + lacking
            means = ratio_or_nan(total, count)
            return means if each_class else self._mean_over_classes(means, self._empty)

        # The row of ones counts the items of a sample: those without a class count ``absent`` in its mean.
        return Linear(np.ones((1, n_items)), of_cells, cells, finish, is_mean=absent is None)


def _has_value(linear: Linear) -> BoolArray:
    has_value: BoolArray = (linear.of_items if linear.of_cells is None else linear.of_cells)[1] > 0
    return has_value


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
        return self.aggregation.reading(self.key, statistics, options).item_score()
