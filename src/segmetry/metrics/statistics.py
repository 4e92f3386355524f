"""The additive statistics of items: what each contributes to a metric, and their sums by class, by item, and by both.

A sum of integers is exact and a sum of floats is rounded once, from the rows themselves, so that no value depends on
the order of the items, on shards, or on the engine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from segmetry._base import (
    BoolArray,
    Column,
    ColumnsOfItem,
    FloatArray,
    IndexArray,
    Number,
    as_python_ints,
    common_step,
    distinct,
    frozen_dataclass,
    ratio,
    sum_by,
    translate_errors,
)
from segmetry.errors import FormatError
from segmetry.kernels import group_order, group_sums, rounded_sum
from segmetry.metrics.score import Score
from segmetry.overlaps import LabelCells, sorted_names

Derived = TypeVar("Derived")
LABEL = "class"
"""The column of classes that the numbers of an item go with, unless a metric names another."""
ROWS = "rows"
"""The sum of how often a class occurs: rows of its column, each as often as its item counts."""
By = Literal["class", "item", "cell", "all"]
"""What sums are by: classes, items, cells (a class in an item), or nothing."""
_EXACT = 2**53
"""Integers below are floats too, so that dividing the floats rounds correctly."""


class _Columns(dict[str, NDArray[Any]]):
    """Columns by name, of which one that a damaged run file lacks is an error that says so."""

    def __init__(self, place: str = "", columns: Mapping[str, NDArray[Any]] = MappingProxyType({})) -> None:
        super().__init__(columns)
        self.place = place

    def __missing__(self, name: str) -> NDArray[Any]:
        raise FormatError(f"corrupt run file: the collected column {name!r} is missing").within(self.place)


@frozen_dataclass(eq=False)
class Statistics:
    """The columns of n ≥ 1 items, one after the other; one item is n = 1, there is no other type for it.

    ``columns[name]`` are the rows of all items; those of item ``i`` are ``starts[name][i] : starts[name][i + 1]``. A
    list of classes becomes positions in ``labels[name]``. ``context`` is what holds for all items, such as the rule of
    the alignment. ``memo`` keeps what several metrics derive from the columns.
    """

    columns: Mapping[str, NDArray[Any]]
    starts: Mapping[str, IndexArray]
    labels: Mapping[str, tuple[Hashable, ...]]
    n_items: int
    context: Mapping[str, Any] = field(default_factory=dict)
    memo: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Sequence[ColumnsOfItem], place: str = "") -> Statistics:
        """Return the columns of the given items; ``place`` is the run file that has them, for messages.

        >>> both = Statistics.of([{"class": ["sky"], "size": np.array([3])}, {"class": ["car"], "size": np.array([4])}])
        >>> both.columns["class"].tolist(), both.labels["class"]
        ([1, 0], ('car', 'sky'))
        """
        columns, starts, labels = _Columns(place), {}, {}
        for name in dict.fromkeys(name for item in items for name in item):
            parts = [item.get(name, ()) for item in items]
            starts[name] = np.array([0, *accumulate(map(len, parts))], dtype=np.intp)
            arrays = [part for part in parts if isinstance(part, np.ndarray)]
            if arrays:
                columns[name] = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
            else:
                named = [label for part in parts for label in part]
                labels[name] = sorted_names(set(named))
                code = {label: at for at, label in enumerate(labels[name])}
                columns[name] = np.array([code[label] for label in named], dtype=np.intp)
        return cls(columns, starts, labels, len(items))

    @classmethod
    def of_cells(
        cls, n_items: int, cells: LabelCells, columns: Mapping[str, NDArray[Any]], of_items: Mapping[str, NDArray[Any]]
    ) -> Statistics:
        """Return columns with a number for every pair of an item and a label, and others with one for every item."""
        used = cells.code if n_items == 1 else distinct(cells.code)
        names = [cells.names[at] for at in used.tolist()]
        labels, codes = sorted_names(set(names)), np.searchsorted(used, cells.code)
        if labels != tuple(names):
            position = {label: at for at, label in enumerate(labels)}
            codes = np.array([position[name] for name in names], dtype=np.intp)[codes]
        of_cells, of_rows = np.searchsorted(cells.item, np.arange(n_items + 1)), np.arange(n_items + 1)
        starts = dict.fromkeys((LABEL, *columns), of_cells) | dict.fromkeys(of_items, of_rows)
        return cls({LABEL: codes, **columns, **of_items}, starts, {LABEL: labels}, n_items)

    @classmethod
    def of_items(cls, n_items: int, columns: Mapping[str, NDArray[Any]]) -> Statistics:
        """Return columns with a number for every item."""
        return cls(columns, dict.fromkeys(columns, np.arange(n_items + 1)), {}, n_items)

    @property
    def place(self) -> str:
        """The run file that has the columns, or nothing."""
        return self.columns.place if isinstance(self.columns, _Columns) else ""

    def item(self, at: int) -> Statistics:
        """Return one item; classes keep their positions."""
        cuts = {name: slice(int(starts[at]), int(starts[at + 1])) for name, starts in self.starts.items()}
        columns = _Columns(self.place, {name: self.columns[name][cut] for name, cut in cuts.items()})
        starts = {name: np.array([0, len(column)]) for name, column in columns.items()}
        return Statistics(columns, starts, self.labels, 1, self.context)

    def facts(self, at: int) -> dict[str, Column]:
        """Return one item as ``collect`` returned it."""
        item = self.item(at)
        return {
            name: [self.labels[name][code] for code in column.tolist()] if name in self.labels else column
            for name, column in item.columns.items()
        }

    def select(self, items: Sequence[int] | IndexArray) -> Statistics:
        """Return some items, in this order; those that are named twice count twice."""
        columns, starts = _Columns(self.place), {}
        for name, own in self.starts.items():
            sizes = np.diff(own)[items]
            starts[name] = np.concatenate(([0], np.cumsum(sizes)))
            rows = np.repeat(own[items] - starts[name][:-1], sizes) + np.arange(int(starts[name][-1]))
            columns[name] = self.columns[name][rows]
        return Statistics(columns, starts, self.labels, len(items), self.context)

    @classmethod
    def concatenate(cls, parts: Sequence[Statistics]) -> Statistics:
        """Return the items of several statistics, such as those of shards or of two systems, one after the other.

        >>> one, two = (Statistics.of([{"class": [name], "size": np.array([3])}]) for name in ("sky", "car"))
        >>> both = Statistics.concatenate([one, two])
        >>> both.labels["class"], both.columns["class"].tolist()
        (('car', 'sky'), [1, 0])
        """
        columns, starts, labels = _Columns(parts[0].place), {}, {}
        for name in dict.fromkeys(name for part in parts for name in part.columns):
            known = [part for part in parts if name in part.labels]
            if known:
                labels[name] = sorted_names({label for part in known for label in part.labels[name]})
            sizes = [
                np.diff(part.starts[name]) if name in part.starts else np.zeros(part.n_items, int) for part in parts
            ]
            starts[name] = np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.intp)
            columns[name] = np.concatenate([part.codes_in(name, labels) for part in parts if name in part.columns])
        return cls(columns, starts, labels, sum(part.n_items for part in parts), parts[0].context)

    def codes_in(self, name: str, labels: Mapping[str, tuple[Hashable, ...]]) -> NDArray[Any]:
        """Return a column; that of classes as positions in other labels."""
        if name not in labels or self.labels[name] == labels[name]:
            return self.columns[name]
        number = {label: at for at, label in enumerate(labels[name])}
        codes: NDArray[Any] = np.array([number[label] for label in self.labels[name]], dtype=np.intp)
        renamed: NDArray[Any] = codes[self.columns[name]]
        return renamed

    def with_classes(self, names: Collection[Hashable]) -> Statistics:
        """Return the statistics with classes that the data set declares, also those that no item has; statistics
        without classes as they are.
        """
        if LABEL not in self.labels:
            return self
        labels = {**self.labels, LABEL: sorted_names({*self.labels[LABEL], *names})}
        columns = {**self.columns, LABEL: self.codes_in(LABEL, labels)}
        context = {**self.context, "declared": frozenset(names)}
        return replace(self, columns=columns, labels=labels, context=context, memo={})

    def with_columns(self, columns: Mapping[str, NDArray[Any]], beside: Mapping[str, str]) -> Statistics:
        """Return the statistics with further columns, each with a row for each row of the column it stands beside."""
        starts = {name: self.starts[beside[name]] for name in columns}
        cells = {key: made for key, made in self.memo.items() if key[0] == "cells"}
        return replace(self, columns={**self.columns, **columns}, starts={**self.starts, **starts}, memo=cells)

    def once(self, key: Any, make: Callable[[], Derived]) -> Derived:
        """Return what was made of the columns under a key, made on first use."""
        if key not in self.memo:
            with translate_errors(self.place, "run file") if self.place else nullcontext():
                self.memo[key] = make()
        made: Derived = self.memo[key]
        return made

    def item_of(self, name: str) -> IndexArray:
        """Return the item of each row of a column."""
        return np.repeat(np.arange(self.n_items), np.diff(self.starts[name]))

    def total(self, name: str) -> Any:
        """Return the sum of a column over all items, as a number of Python."""
        column = self.columns[name]
        return rounded_sum(column) if column.dtype.kind == "f" else sum(column.tolist())

    def differing(self, other: Statistics) -> IndexArray:
        """Return the items (the same in both, in the same order) whose columns differ."""
        both = Statistics.concatenate([self, other])
        n = self.n_items
        differs = np.zeros(n, dtype=bool)
        for name, column in both.columns.items():
            sizes = np.diff(both.starts[name])
            differs |= sizes[:n] != sizes[n:]
            items = np.flatnonzero((sizes[:n] == sizes[n:]) & ~differs)
            within = np.repeat(np.arange(items.size), sizes[items])
            steps = np.arange(within.size) - np.repeat(np.cumsum(sizes[items]) - sizes[items], sizes[items])
            first, second = (column[both.starts[name][items + shift][within] + steps] for shift in (0, n))
            unequal = (first != second) & ~((first != first) & (second != second))
            differs[items[within[unequal.any(axis=tuple(range(1, unequal.ndim)))]]] = True
        return np.flatnonzero(differs)


class Sums(dict[str, Any]):
    """Sums of columns: the first axis are classes, items, or pairs of both, the second samples; then the column's own.

    Integers that are not sampled are exact: 64 bits where the formula cannot overflow them, else numbers of Python.
    ``names`` are all classes; ``codes`` those of the first axis, None where it is all of them in order. ``labels`` are
    the names of every column of names, such as the units of the items. ``of_classes`` are the sums of the classes and
    their quotient, where all of them are pooled and described.
    """

    names: tuple[Hashable, ...] = ()
    codes: IndexArray | None = None
    labels: Mapping[str, tuple[Hashable, ...]] = MappingProxyType({})
    context: Mapping[str, Any] = MappingProxyType({})
    of_classes: tuple[Sums, Quotient] | None = None
    place: str = ""

    def __missing__(self, name: str) -> Any:
        raise FormatError(f"corrupt run file: the collected column {name!r} is missing").within(self.place)

    def like(self, sums: Mapping[str, Any]) -> Sums:
        """Return other sums of the same classes."""
        made = Sums(sums)
        made.names, made.codes, made.labels, made.context = self.names, self.codes, self.labels, self.context
        made.place = self.place
        return made

    @property
    def is_by_class(self) -> bool:
        """Whether the first axis are classes or pairs of a class and an item, so that columns of items go with them."""
        return self.codes is None or self.codes.size > 0

    def of_place(self, at: int) -> Sums:
        """Return the sums of one place of the first axis, which is kept."""
        sums = self.like({name: column if len(column) == 1 else column[at : at + 1] for name, column in self.items()})
        sums.codes = (np.arange(len(self.names)) if self.codes is None else self.codes)[[at]]
        return sums

    def marked(self, classes: Collection[Hashable]) -> BoolArray:
        """Return which places of the first axis are of one of these classes, as a column."""
        marked = np.array([name in classes for name in self.names], dtype=bool)
        return (marked if self.codes is None else marked[self.codes])[:, None]


@frozen_dataclass()
class Quotient:
    """A numerator and a denominator of every class and sample; undefined for ``reason`` where the denominator is 0.

    Without a denominator the numerator is the value itself, NaN where it is undefined. Where ``occurs`` is False there
    is nothing to score, so that no number stands for an undefined value there; by default that is nowhere. ``along``
    are the values along a further axis that were averaged, such as thresholds, for the details of a score.
    """

    numerator: Any
    denominator: Any = None
    reason: str = "0/0"
    occurs: Any = None
    along: Any = None

    @cached_property
    def values(self) -> FloatArray:
        """The quotients, correctly rounded where they are of integers; NaN where they are undefined."""
        top, bottom = np.asarray(self.numerator), self.denominator
        if bottom is None:
            return top.astype(np.float64, copy=False)
        bottom = np.asarray(bottom)
        if top.shape != bottom.shape:
            top, bottom = np.broadcast_arrays(top, bottom)
        if top.dtype.kind in "iuOb" and bottom.dtype.kind in "iuOb":
            return ratio(top.ravel(), bottom.ravel()).reshape(top.shape)
        values: FloatArray = np.full(top.shape, np.nan)
        return np.divide(top.astype(np.float64), bottom.astype(np.float64), out=values, where=bottom != 0)

    @property
    def is_one_ratio_of_integers(self) -> bool:
        """Whether there is one quotient alone, of integers, so that it is exact, and it is defined."""
        if self.denominator is None or self.values.size != 1 or math.isnan(self.values[0, 0]):
            return False
        return all(np.asarray(part).dtype.kind in "iu" for part in (self.numerator, self.denominator))

    def score(self, key: str, place: Any, **details: Any) -> Score:
        """Return the value at a place of the arrays as a score."""
        value = float(self.values[place])
        if self.denominator is None:
            if math.isnan(value):
                return Score.undefined(key, self.reason, **details)
            return Score.number(key, value, **details)
        shape = self.values.shape
        top, bottom = (
            (part if np.shape(part) == shape else np.broadcast_to(part, shape))[place]
            for part in (self.numerator, self.denominator)
        )
        return Score.of(key, _python_number(top), _python_number(bottom), self.reason, **details)

    def scores(self, key: str) -> list[Score]:
        """Return the values of the first sample as scores."""
        if self.denominator is None:
            return [self.score(key, (at, 0)) for at in range(len(self.values))]
        both = (np.broadcast_to(part, self.values.shape)[:, 0].tolist() for part in (self.numerator, self.denominator))
        return [Score.of(key, top, bottom, self.reason) for top, bottom in zip(*both, strict=True)]


@frozen_dataclass(eq=False)
class Cells:
    """The pairs of a class and an item that occur, sorted by class, then by item.

    ``places`` are the item, the class and the cell of every row of each column of classes; ``starts`` says where the
    cells of every class begin.
    """

    names: tuple[Hashable, ...]
    n_items: int
    item: IndexArray
    code: IndexArray
    starts: IndexArray
    places: Mapping[str, tuple[IndexArray, IndexArray, IndexArray]]

    def equals(self, other: Cells) -> bool:
        """Return whether these are the same pairs of a class and an item."""
        same = self is other or (self.names == other.names and self.n_items == other.n_items)
        return same and np.array_equal(self.code, other.code) and np.array_equal(self.item, other.item)

    @classmethod
    def of(cls, statistics: Statistics, label_columns: Sequence[str]) -> Cells:
        """Return the cells of all columns of classes."""
        n = max(1, statistics.n_items)
        names = statistics.labels[label_columns[0]] if len(label_columns) == 1 else None
        if names is None:
            names = sorted_names({name for column in label_columns for name in statistics.labels[column]})
        number = {name: at for at, name in enumerate(names)}
        keys = {}
        for column in label_columns:
            own = statistics.labels[column]
            codes = statistics.columns[column]
            if own != names:
                codes = np.array([number[name] for name in own], dtype=np.intp)[codes]
            keys[column] = codes * n + statistics.item_of(column)
        every = np.concatenate([np.zeros(0, dtype=np.intp), *keys.values()])
        present, inverse = np.unique(every, return_inverse=True)
        code, item = np.divmod(present, n)
        places, start = {}, 0
        for column, key in keys.items():
            of_row = inverse[start : start + key.size]
            places[column] = item[of_row], code[of_row], of_row
            start += key.size
        return cls(tuple(names), n, item, code, np.searchsorted(code, np.arange(len(names) + 1)), places)

    def size(self, by: By) -> int:
        """Return the number of sums."""
        return {"class": len(self.names), "item": self.n_items, "cell": self.item.size, "all": 1}[by]

    def group(self, column: str, by: By) -> IndexArray:
        """Return which sum every row of a column of classes belongs to."""
        item, code, cell = self.places[column]
        return {"class": code, "item": item, "cell": cell, "all": np.zeros_like(item)}[by]

    def kept(self, column: str, among: BoolArray | None) -> Any:
        """Return the rows whose class counts."""
        return slice(None) if among is None else among[self.places[column][1]]


@frozen_dataclass()
class ColumnRoles:
    """Which columns have rows of the item itself, not of its classes, and which with other classes than ``class``.

    ``unit`` is the column of the unit that the integers of an item count, as numerator and denominator.
    """

    of_items: tuple[str, ...] = ()
    label_columns: tuple[tuple[str, str], ...] = ()
    unit: str | None = None

    def has_classes(self, statistics: Statistics) -> bool:
        """Return whether numbers go with classes, also if none occurs."""
        return LABEL in statistics.labels or any(label in statistics.labels for _, label in self.label_columns)

    def cells(self, statistics: Statistics) -> Cells:
        """Return the pairs of a class and an item that occur."""
        named = tuple(sorted({LABEL, *dict(self.label_columns).values()} & statistics.labels.keys()))
        return statistics.once(("cells", named), lambda: Cells.of(statistics, named))

    def sums(self, statistics: Statistics, by: By, among: BoolArray | None = None, degree: int = 1) -> Sums:
        """Return the exact sums of all columns; ``among`` says which classes count.

        ``degree`` is that of the formula in the sums: where a product might overflow 64 bits, integers are Python's.
        """
        key = (self, by, None if among is None else among.tobytes())
        sums = statistics.once(key, lambda: self._sums(statistics, by, among))
        # A sum itself stays far below 64 bits; quotients of integers beyond 2⁵³ are rounded correctly elsewhere.
        if degree == 1 or max((_largest(column) for column in sums.values()), default=0) ** degree * 16 < _EXACT:
            return sums
        return sums.like(
            {name: as_python_ints(column) if column.dtype.kind in "iu" else column for name, column in sums.items()}
        )

    def _one_item(self, statistics: Statistics) -> Sums | None:
        """Return the sums by class of one item that lists every class once, in order: its columns; None for any other.

        A metric of a single pair of arrays takes half the time so.
        """
        names = statistics.labels.get(LABEL)
        if statistics.n_items != 1 or names is None or self.label_columns or self.unit is not None:
            return None
        columns, n = statistics.columns, len(names)
        codes = columns[LABEL].tolist()
        if codes != list(range(n)):
            return None
        sums = Sums()
        for name, column in columns.items():
            if name in self.of_items:
                sums[name] = _added(column, np.zeros(len(column), dtype=np.intp), 1)
            elif name not in statistics.labels:
                if len(column) != n:
                    return None
                numbers = column if column.dtype.kind in "fO" else column.astype(np.int64, copy=False)
                sums[name] = numbers.reshape(n, 1, *column.shape[1:])
        sums[ROWS] = np.ones((n, 1), dtype=np.int64)
        sums.names, sums.labels, sums.context = names, statistics.labels, statistics.context
        return sums

    def _sums(self, statistics: Statistics, by: By, among: BoolArray | None) -> Sums:
        if by == "class" and among is None and (plain := self._one_item(statistics)) is not None:
            return plain
        cells, label_of = self.cells(statistics), dict(self.label_columns)
        sums = Sums()
        sums.place = statistics.columns.place if isinstance(statistics.columns, _Columns) else ""
        columns, unit = self._in_one_unit(statistics)
        for name, column in columns.items():
            if name in statistics.labels:
                continue
            if name in self.of_items or not cells.places:
                sums[name] = _of_items(column, statistics.item_of(name), by, cells)
            else:
                label = label_of.get(name, LABEL)
                kept = cells.kept(label, among)
                sums[name] = _added(column[kept], cells.group(label, by)[kept], cells.size(by))
            if unit is not None and column.dtype.kind in "iuO":
                sums[name] = sums[name] * np.array(unit, dtype=object)
        if LABEL in cells.places:
            kept = cells.kept(LABEL, among)
            sums[ROWS] = np.bincount(cells.group(LABEL, by)[kept], minlength=cells.size(by))[:, None]
        sums.names, sums.codes = cells.names, {"class": None, "cell": cells.code}.get(by, _NONE)
        sums.labels, sums.context = statistics.labels, statistics.context
        return sums

    def _in_one_unit(self, statistics: Statistics) -> tuple[Mapping[str, NDArray[Any]], Fraction | None]:
        """Return the columns, integers of all items in one unit, and that unit."""
        if self.unit is None:
            return statistics.columns, None
        pairs = list(map(tuple, statistics.columns[self.unit].tolist()))
        unit_of = {pair: Fraction(*pair) for pair in pairs}
        columns = {name: column for name, column in statistics.columns.items() if name != self.unit}
        one = reduce(common_step, unit_of.values(), next(iter(unit_of.values()), Fraction(1)))
        if len(unit_of) > 1:
            times = {pair: int(unit / one) for pair, unit in unit_of.items()}
            of_item = np.array([times[pair] for pair in pairs], dtype=object)
            columns = {
                name: column * of_item[statistics.item_of(name)] if column.dtype.kind in "iu" else column
                for name, column in columns.items()
            }
        return columns, one


_NONE: IndexArray = np.zeros(0, dtype=np.intp)


def _of_items(column: NDArray[Any], item: IndexArray, by: By, cells: Cells) -> NDArray[Any]:
    """Return the sums of a column of items: each class and each cell has those of its items."""
    if by in ("class", "all"):
        return _added(column, np.zeros_like(item), 1)
    added = _added(column, item, cells.n_items)
    return added[cells.item] if by == "cell" else added


def _added(column: NDArray[Any], group: IndexArray, n: int) -> NDArray[Any]:
    """Return the sums of each of ``n`` groups of rows: n × 1 × the further axes of the column."""
    shape = (n, 1, *column.shape[1:])
    if column.dtype.kind == "i" and column.ndim == 1 and column.size and int(column.min()) >= 0:
        return sum_by(group, column, n).reshape(shape)
    if column.dtype.kind != "f":
        totals = np.zeros((n, *column.shape[1:]), dtype=object if column.dtype == object else np.int64)
        np.add.at(totals, group, column)
        return totals.reshape(shape)
    order, starts = group_order(group, n)
    flat = column.reshape(len(column), math.prod(column.shape[1:]))[order]
    sums = [group_sums(np.ascontiguousarray(part), starts) for part in flat.T]
    return (np.stack(sums, axis=1) if sums else np.zeros((n, 0))).reshape(shape)


def _largest(column: NDArray[Any]) -> int:
    return 0 if column.dtype.kind not in "iu" or not column.size else int(np.abs(column).max())


def _python_number(number: Any) -> Number:
    plain: Number = number.item() if isinstance(number, np.generic) else number
    return plain
