"""A data set prepared for sampling: the values of ``summarise`` for thousands of samples at once.

A sample may contain an item several times (bootstrap), leave one out (jackknife) or take some items from another system
(permutation): all that matters are the sums of its columns.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IndexArray
from segmetry.alignments.policy import as_policy
from segmetry.metrics.declare import METRICS
from segmetry.metrics.per_class import (
    ALL,
    checked_groups,
    checked_undefined,
    in_class_means,
    members,
)
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.accumulated import AccumulatedColumns
from segmetry.statistics.averages import AVERAGES
from segmetry.statistics.class_group_sums import GroupSums, Stretch
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.sample_layout import Layout
from segmetry.statistics.sample_sums import PartColumns
from segmetry.statistics.summary_tables import Summary

SummaryRow = tuple[str, Hashable]
"""Level (``data set``, ``group``, or what the parts are) and name of a row of a summary."""
DATA_SET: SummaryRow = ("data set", None)


@dataclass(frozen=True, eq=False)
class Samples:
    """The columns of items and of every part (class, size, …).

    ``whole`` has one part for the data set and one for each of ``groups``, with every item in each. ``names`` are the
    parts of ``cells``, those of the same groups one after the other: these are ``stretches``. ``accumulated`` are
    metrics of the data set, with their rows of values.
    """

    items: tuple[str, ...]
    by: str | None
    names: tuple[Hashable, ...]
    whole: PartColumns
    cells: PartColumns
    groups: tuple[str, ...]
    stretches: tuple[Stretch, ...]
    whole_layout: Layout
    part_layout: Layout
    fill: float | None
    accumulated: Mapping[int, AccumulatedColumns] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        columns: ItemColumns,
        summary: Summary,
        *,
        groups: Mapping[str, Any] | None = None,
        undefined: float | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        names: Iterable[Hashable] = (),
    ) -> Samples:
        """Return the columns of a summary's metrics; ``names`` are parts that must be there."""
        in_items, in_classes = checked_undefined(undefined), in_class_means(undefined, as_policy(columns.policy))
        class_keys = [key for key in columns.class_sums if any(key in row for row in summary.groups.values())]
        others = [key for key in columns.other_keys if key in summary.scores and key not in class_keys]
        keys = [key for key in summary.scores if key not in others and key not in class_keys]
        tally = columns.whole.tally(0, 0)
        part_layout = Layout(keys, class_keys, tally, options or {})
        whole_layout = Layout(keys, [*class_keys, *others], tally, options or {})
        chosen = checked_groups(groups)
        ordered, stretches = _stretches({*columns.names, *names}, summary.groups, chosen)
        return cls(
            items=tuple(columns.items[at] for at in columns.by_name),
            by=summary.by,
            names=ordered,
            whole=_whole(
                whole_layout, columns, class_keys, _units(columns, summary.groups, chosen), in_items, in_classes
            ),
            cells=_cells(part_layout, columns, ordered, in_items),
            groups=tuple(summary.groups),
            stretches=stretches,
            whole_layout=whole_layout,
            part_layout=part_layout,
            fill=in_classes,
            accumulated={
                whole_layout.rows[key]: metric
                for key, metric in columns.accumulated.items()
                if key in whole_layout.rows
            },
        )

    def rows(self, place: SummaryRow) -> Mapping[str, int]:
        """Return the row of values of every metric."""
        if place == DATA_SET:
            return self.whole_layout.rows
        if place[0] == "group":
            return {key: self.whole_layout.rows[key] for key in self.part_layout.rows}
        return self.part_layout.rows

    def place(self, part: int) -> SummaryRow:
        """Return the place of a part."""
        return self.by or "part", self.names[part]

    def batches(self, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, int, int]]:
        """Yield consecutive parts of one stretch each, with its number: few enough for the processor's cache."""
        end = len(self.names) if stop is None else stop
        for number, stretch in enumerate(self.stretches):
            for low, high in self.cells.batches(max(start, stretch.start), min(end, stretch.stop)):
                yield number, low, high

    def parts(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield these parts in turn, each after the number of its stretch."""
        for number, stretch in enumerate(self.stretches):
            for part in range(max(start, stretch.start), min(stop, stretch.stop)):
                yield number, part

    def group_sums(self, n_samples: int) -> GroupSums:
        """Return empty sums over classes."""
        return GroupSums(self.part_layout, self.groups, self.stretches, self.fill, n_samples)

    def together(
        self, whole: FloatArray, of_classes: GroupSums, column: IndexArray | None = None
    ) -> dict[SummaryRow, FloatArray]:
        """Return all averages (averages × rows × samples) of the data set and of every group of classes.

        ``whole`` are the sums of the columns of items, or of the distinct ones, which ``column`` then tells apart.
        """
        quotients = self.whole_layout.quotients(whole, column).with_nan()
        values: dict[SummaryRow, FloatArray] = {}
        for place, (mean, total) in zip([DATA_SET, *(("group", name) for name in self.groups)], quotients, strict=True):
            by_class = np.full_like(mean, np.nan)
            if self.groups:
                rows = self.part_layout.rows
                group = ALL if place == DATA_SET else str(place[1])
                by_class[[self.whole_layout.rows[key] for key in rows]] = of_classes.values(group)[list(rows.values())]
            values[place] = np.stack((mean, by_class, total))
        return values

    def of_data_set(self, metric: AccumulatedColumns) -> int:
        """Return the average (a position in ``AVERAGES``) that the value of a metric of the data set is: by class where
        there are classes, unless it counts all segments together.
        """
        return AVERAGES.index("by_class" if self.groups and not metric.accumulator.pooled else "all_segments")

    @property
    def n_units(self) -> int:
        """The data set and its groups."""
        return 1 + len(self.groups)


def averages_of_part(values: FloatArray) -> FloatArray:
    """Return the averages of a part from its mean and its total: a class is a mean over one class."""
    return values[[0, 1, 1]]


def _stretches(
    parts: Collection[Hashable], groups: Collection[str], chosen: Mapping[str, frozenset[Hashable]]
) -> tuple[tuple[Hashable, ...], tuple[Stretch, ...]]:
    """Return the parts in an order in which those of the same groups are consecutive."""
    of_groups: dict[frozenset[str], list[Hashable]] = {}
    for name in sorted_names(set(parts)):
        own = frozenset(group for group in groups if group == ALL or name in chosen[group])
        of_groups.setdefault(own, []).append(name)
    ordered: list[Hashable] = []
    stretches = []
    for own in sorted(of_groups, key=sorted):
        stretches.append(Stretch(len(ordered), len(ordered) + len(of_groups[own]), own))
        ordered += of_groups[own]
    return tuple(ordered), tuple(stretches)


def _cells(layout: Layout, columns: ItemColumns, names: Sequence[Hashable], undefined: float | None) -> PartColumns:
    number = {name: at for at, name in enumerate(names)}
    part = np.array([number[name] for name in columns.names], dtype=np.intp)[columns.cell_part]
    place = np.empty(columns.n_items, dtype=np.intp)
    place[columns.by_name] = np.arange(columns.n_items)
    item = place[columns.cell_item]
    numbers = layout.of_counts(columns.cells.counts(), undefined)
    for key in layout.by_score:
        fractions = columns.cells.fractions(key, layout.options.get(key, {}), columns.occurs)
        layout.put(numbers, key, fractions, undefined, columns.occurs)
    for key in layout.others:
        layout.put(numbers, key, columns.class_fractions(key), undefined)
    order = np.lexsort((item, part))
    starts = np.searchsorted(part[order], np.arange(len(names) + 1))
    return PartColumns(item[order], starts, numbers[:, order])


Unit = tuple[Hashable, ...] | None
"""The classes of a group that occur; None for all segments, of whatever class."""


def _units(columns: ItemColumns, groups: Collection[str], chosen: Mapping[str, frozenset[Hashable]]) -> list[Unit]:
    return [None, *(tuple(members(group, chosen, columns.parts)) for group in groups)]


def _whole(
    layout: Layout,
    columns: ItemColumns,
    class_keys: Sequence[str],
    units: Sequence[Unit],
    in_items: float | None,
    in_classes: float | None,
) -> PartColumns:
    """Return the columns of every item: whole, and restricted to the classes of each group."""
    n_items = columns.n_items
    numbers = np.concatenate(
        [_unit(layout, columns, class_keys, names, in_items, in_classes) for names in units], axis=1
    )
    return PartColumns(np.tile(np.arange(n_items), len(units)), np.arange(len(units) + 1) * n_items, numbers)


def _unit(
    layout: Layout,
    columns: ItemColumns,
    class_keys: Sequence[str],
    names: Unit,
    in_items: float | None,
    in_classes: float | None,
) -> FloatArray:
    order = columns.by_name
    tallies = columns.whole if names is None else columns.sum_of_parts(names)
    occurs = np.ones(columns.n_items, dtype=bool) if names is None else columns.items_with(names)[order]

    def values(key: str) -> FloatArray:
        return columns.item_values(key, layout.options.get(key, {}), in_classes, names)[order]

    numbers = layout.of_items(tallies.counts()[:, order], values, in_items, occurs)
    for key in layout.by_score:
        wanted = np.ones(columns.n_items, dtype=bool) if names is None else columns.items_with(names)
        tops, bottoms, own = (column[order] for column in tallies.fractions(key, layout.options.get(key, {}), wanted))
        layout.put(numbers, key, (tops, bottoms, own if METRICS[key].is_count else values(key)), in_items, occurs)
    for key in layout.others:
        if key in class_keys:
            tops, bottoms = columns.sums_by_item(key, names)
            means = columns.means_over_classes(key, names)[order]
            layout.put(numbers, key, (tops[order], bottoms[order], means), in_items, occurs | ~np.isnan(means))
        elif names is None:
            layout.put_scores(numbers, key, columns.item_scores(key), in_items)
    return numbers
