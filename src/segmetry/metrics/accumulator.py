"""Metrics of a data set that are not an average over its items: average precision, mean IoU, STQ, VPQ.

Such a metric declares an :class:`Accumulator`. ``collect`` returns the facts of one item as named columns; ``combine``
turns the columns of all items into the value of the data set and the values of its classes. A run keeps the columns,
so the value follows for any selection of items: summaries, confidence intervals and comparisons need no inputs.

>>> import segmetry as sm
>>> def lengths(table):
...     return {"true": table.true.sizes, "pred": table.pred.sizes}
>>> def ratio_of_totals(collected):
...     return Combined(Score.of("ratio", collected.total("pred"), collected.total("true")))
>>> items = [lengths(sm.overlap([1, 1, 2], pred)) for pred in ([1, 1, 0], [1, 0, 0])]
>>> ratio_of_totals(Collected.of(items)).value
Score(ratio: 0.5)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import FloatArray, IndexArray, IntArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.metrics.score import Score
from segmetry.overlaps.merge_tables import sorted_names

Column = NDArray[Any] | Sequence[Hashable]
"""An array of numbers whose first axis are rows, or a list of classes."""
ColumnsOfItem = Mapping[str, Column]
"""What ``collect`` returns for one item."""


@frozen_dataclass()
class Combined:
    """The value of a data set, and the values of its classes.

    ``class_mean`` is the mean over classes of a metric whose value counts all segments together (``pooled``).
    """

    value: Score
    classes: Mapping[Hashable, Score] = field(default_factory=dict)
    class_mean: Score | None = None


@frozen_dataclass(eq=False)
class Collected:
    """The columns of some items one after the other, and how often each item counts.

    ``columns[name]`` are the rows of all items; those of item ``i`` are ``starts[name][i] : starts[name][i + 1]``. A
    list of classes becomes positions in ``labels[name]``. ``times`` is 1 for every item, or how often a resample has
    drawn it; the columns are then the same arrays, so that ``combine`` can keep what depends on them alone in ``memo``.
    """

    columns: Mapping[str, NDArray[Any]]
    starts: Mapping[str, IndexArray]
    labels: Mapping[str, tuple[Hashable, ...]]
    times: IntArray
    memo: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, items: Sequence[ColumnsOfItem]) -> Collected:
        """Return the columns of some items, each counted once.

        >>> both = Collected.of([{"class": ["sky"], "size": np.array([3])}, {"class": ["car"], "size": np.array([4])}])
        >>> both.columns["class"].tolist(), both.labels["class"]
        ([1, 0], ('car', 'sky'))
        """
        columns, starts, labels = {}, {}, {}
        for name in dict.fromkeys(name for item in items for name in item):
            parts = [item.get(name, ()) for item in items]
            starts[name] = np.cumsum([0, *map(len, parts)])
            arrays = [part for part in parts if isinstance(part, np.ndarray)]
            if arrays:
                columns[name] = np.concatenate(arrays)
            else:
                named = [label for part in parts for label in part]
                labels[name] = sorted_names(set(named))
                code = {label: at for at, label in enumerate(labels[name])}
                columns[name] = np.array([code[label] for label in named], dtype=np.intp)
        return cls(columns, starts, labels, np.ones(len(items), dtype=np.int64))

    @property
    def n_items(self) -> int:
        return self.times.size

    def drawn(self, times: IntArray) -> Collected:
        """Return the same columns with other numbers of times."""
        return replace(self, times=times)

    def item(self, at: int) -> Collected:
        """Return one item, counted once; classes keep their positions."""
        cuts = {name: slice(int(starts[at]), int(starts[at + 1])) for name, starts in self.starts.items()}
        columns = {name: self.columns[name][cut] for name, cut in cuts.items()}
        starts = {name: np.array([0, len(column)]) for name, column in columns.items()}
        return Collected(columns, starts, self.labels, np.ones(1, dtype=np.int64))

    def facts(self, at: int) -> dict[str, Column]:
        """Return one item as ``collect`` returned it."""
        item = self.item(at)
        return {
            name: [self.labels[name][code] for code in column.tolist()] if name in self.labels else column
            for name, column in item.columns.items()
        }

    def times_of(self, name: str) -> IntArray:
        """Return how often each row of a column counts."""
        return np.repeat(self.times, np.diff(self.starts[name]))

    def item_of(self, name: str) -> IndexArray:
        """Return the item of each row of a column."""
        return np.repeat(np.arange(self.n_items), np.diff(self.starts[name]))

    def total(self, name: str) -> Any:
        """Return the sum of a column over all items."""
        total = np.tensordot(self.times_of(name), self.columns[name], axes=1)
        return total.item() if total.ndim == 0 else total


@frozen_dataclass()
class Accumulator:
    """How the value of a data set follows from its items.

    Parameters
    ----------
    collect
        Takes what the metric needs of one item, and returns its columns: arrays of numbers, and lists of classes. Two
        metrics with the same function share the columns.
    combine
        Takes the :class:`Collected` columns of all items and returns :class:`Combined`.
    mean_over_classes
        Whether the value is the mean over the values of the classes; groups of classes then have a value, too.
    classes_by_item
        Whether the values of the classes are also averaged over items. That costs one call of ``combine`` per item.
    pooled
        Whether the value counts all segments of the data set together, whatever their classes (``all_segments``); it is
        ``by_class`` otherwise, where segments carry classes.
    group_options
        Options that name classes; by default those of the group of the same name.
    resampled
        Returns the values of many samples at once, from the columns and how often each item (a row) is in each sample
        (a column); NaN where a value is undefined. Without it, ``combine`` is called for every sample.
    of_items
        Returns the scores of all items at once, each as a data set of its own. A run then computes them from the
        columns when they are asked for, instead of one by one while it is evaluated.

    All functions take those of the metric's options, as keyword arguments, that they name.
    """

    collect: Callable[..., ColumnsOfItem]
    combine: Callable[..., Combined]
    mean_over_classes: bool = False
    classes_by_item: bool = True
    pooled: bool = False
    group_options: tuple[str, ...] = ()
    resampled: Callable[..., FloatArray] | None = None
    of_items: Callable[..., list[Score]] | None = None

    @property
    def name(self) -> str:
        """The name under which the columns are kept."""
        return self.collect.__name__

    def score(self, *inputs: Any, **options: Any) -> Score:
        """Return the value of one item: the body of such a metric."""
        return self.value_of(self.collect(*inputs, **self.collect_options(options)), options)

    def value_of(self, columns: ColumnsOfItem, options: Mapping[str, Any]) -> Score:
        """Return the value of one item whose columns are known."""
        return self.combined(Collected.of([columns]), options).value

    def combined(self, collected: Collected, options: Mapping[str, Any]) -> Combined:
        """Return the value of some items."""
        return self.combine(collected, **_taken(self.combine, options))

    def values(self, collected: Collected, times: IntArray, options: Mapping[str, Any]) -> FloatArray:
        """Return the value of every sample (a column of ``times``); NaN where it is undefined."""
        if self.resampled is not None:
            return self.resampled(collected, times, **_taken(self.resampled, options))
        return np.array([self.combined(collected.drawn(column), options).value.value for column in times.T])

    def item_scores(self, collected: Collected, options: Mapping[str, Any]) -> list[Score]:
        """Return the score of every item, each as a data set of its own."""
        if self.of_items is not None:
            return self.of_items(collected, **_taken(self.of_items, options))
        return [self.combined(collected.item(at), options).value for at in range(collected.n_items)]

    def collect_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return those options that the columns depend on."""
        return _taken(self.collect, options)


def _taken(function: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options that a function names."""
    return {name: options[name] for name in _keyword_names(function) if name in options}


@cache
def _keyword_names(function: Callable[..., Any]) -> tuple[str, ...]:
    parameters = signature(function).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is Parameter.KEYWORD_ONLY)
