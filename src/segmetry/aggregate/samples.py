"""The summary of any sample of items, thousands at once: what :func:`~segmetry.aggregate.summarise` gives for it.

A sample may hold an item several times (bootstrap), leave one out (jackknife) or take some items from another system
(permutation): all that matters are the sums of its columns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry.aggregate.additive import OCCURS, Columns, Layout, by_part, is_pooled, other_keys
from segmetry.aggregate.aggregated import Summary
from segmetry.aggregate.records import ItemRecord
from segmetry.alignments import as_policy
from segmetry.exact import FloatArray
from segmetry.scores.classes import checked_groups, checked_undefined, in_class_means, mean_of, members
from segmetry.scores.dagger import KEY as DAGGER
from segmetry.scores.dagger import dagger_of_class

WORDS = ("mean", "pooled")
Place = tuple[str, Hashable]
"""Level (``data set``, ``group``, or what the parts are) and name of a row of a summary."""
DATA_SET: Place = ("data set", None)
WHOLE = object()
"""The name of the columns of whole items, beside the names of parts."""
Sums = Callable[[Any], FloatArray]
"""From the name of some columns to their sums (columns × samples)."""


@dataclass(frozen=True, eq=False)
class Samples:
    """A data set ready to be sampled: the columns of whole items (:data:`WHOLE`) and of every part (class, size, …)."""

    items: tuple[str, ...]
    by: str | None
    columns: Mapping[Any, Columns]
    groups: Mapping[str, tuple[Hashable, ...]]
    whole_layout: Layout
    part_layout: Layout
    fill: FloatArray

    @classmethod
    def of(
        cls,
        records: Sequence[ItemRecord],
        summary: Summary,
        *,
        groups: Mapping[str, Any] | None = None,
        undefined: float | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        names: Iterable[Hashable] = (),
    ) -> Samples:
        """The columns of united records and of their summary's metrics; ``names`` are parts that must be there."""
        in_items = checked_undefined(undefined)
        others = [key for key in other_keys(records) if key in summary.scores]
        keys = [key for key in summary.scores if key not in others and key != DAGGER]
        has_dagger = any(DAGGER in row for row in summary.groups.values())
        dagger = [DAGGER] if has_dagger else []
        part_layout = Layout(keys, dagger, records[0].whole, options or {})
        whole_layout = Layout(keys, [*dagger, *others], records[0].whole, options or {})
        parts = {
            name: _part(part_layout, records, name, items, tallies, in_items, has_dagger=has_dagger)
            for name, (items, tallies) in by_part(records).items()
        }
        empty = Columns(np.zeros(0, dtype=np.intp), np.zeros((part_layout.width, 0)))
        parts |= {name: empty for name in names if name not in parts}
        chosen = checked_groups(groups)
        in_classes = in_class_means(undefined, as_policy(records[0].policy))
        fills = [np.nan if key == DAGGER or in_classes is None else in_classes for key in part_layout.keys]
        return cls(
            items=tuple(record.item for record in records),
            by=summary.by,
            columns={WHOLE: _whole(whole_layout, records, in_items, has_dagger=has_dagger), **parts},
            groups={group: tuple(members(group, chosen, parts)) for group in summary.groups},
            whole_layout=whole_layout,
            part_layout=part_layout,
            fill=np.array(fills, dtype=np.float64),
        )

    @property
    def parts(self) -> list[Hashable]:
        """The names of the parts."""
        return [name for name in self.columns if name is not WHOLE]

    def sums(self, weights: FloatArray) -> Sums:
        """The sums of samples in which items (rows) occur so often."""
        return lambda name: self.columns[name].sums(weights)

    def without(self, start: int, stop: int) -> Sums:
        """The sums of the samples that leave out one of the items from ``start`` to ``stop``."""
        return lambda name: self.columns[name].without(start, stop)

    def keys(self, place: Place) -> list[str]:
        """The metrics of a row."""
        return self.whole_layout.keys if place == DATA_SET else self.part_layout.keys

    def together(self, sums: Sums) -> dict[Place, FloatArray]:
        """Mean and pooled value (words × metrics × samples) of the data set and of every group of classes."""
        of_whole = sums(WHOLE)
        whole = _quotients(self.whole_layout, of_whole)
        found: dict[Place, FloatArray] = {DATA_SET: whole}
        if self.groups:
            of_parts = {name: sums(name) for name in self.parts}
            for group, names in self.groups.items():
                found["group", group] = self._group([of_parts[name] for name in names], of_whole[OCCURS])
            whole[1, : len(self.part_layout.keys)] = found["group", "all"][1]
        return found

    def part(self, name: Hashable, sums: Sums) -> FloatArray:
        """Mean and pooled value (words × metrics × samples) of one part."""
        return _quotients(self.part_layout, sums(name))

    def _group(self, of_classes: list[FloatArray], n_items: FloatArray) -> FloatArray:
        """Means over the classes that occur in the sample; counts are added."""
        layout = self.part_layout
        shape = (len(WORDS), len(layout.keys), n_items.size)
        if not of_classes:
            found = np.full(shape, np.nan)
            found[:, layout.counts] = 0
            return found
        stacked = np.stack(of_classes)
        values = _quotients(layout, stacked)
        values = np.where(np.isnan(values), self.fill[:, None], values)
        # A class that is not in the sample is left out; PQ† asks only whether its own denominator is there.
        absent = (stacked[:, None, OCCURS] == 0) & np.array([key != DAGGER for key in layout.keys])[:, None]
        used = ~np.isnan(values) & ~absent
        added = stacked[:, layout.values[layout.counts]].sum(axis=0)
        with np.errstate(invalid="ignore"):
            means: FloatArray = np.where(used, values, 0).sum(axis=1) / used.sum(axis=1)
            means[0, layout.counts], means[1, layout.counts] = added / n_items, added
        return means


def _quotients(layout: Layout, sums: FloatArray) -> FloatArray:
    """Mean and pooled value of every metric from sums (… × columns × samples): words × … × metrics × samples."""
    found = np.empty((len(WORDS), *sums.shape[:-2], len(layout.keys), sums.shape[-1]))
    bottoms = layout.bottoms @ sums
    bottoms[..., layout.counts, :] = 1
    np.matmul(layout.tops, sums, out=found[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        np.divide(sums[..., layout.values, :], sums[..., layout.used, :], out=found[0])
        found[1] /= bottoms
    found[1][..., [not is_pooled(key) and key != DAGGER for key in layout.keys], :] = np.nan
    return found


def _part(
    layout: Layout,
    records: Sequence[ItemRecord],
    name: Hashable,
    items: NDArray[np.intp],
    tallies: list[Any],
    undefined: float | None,
    *,
    has_dagger: bool,
) -> Columns:
    numbers = layout.of_tallies(tallies, undefined)
    if has_dagger:
        plain = [(records[at].plain or {}).get(name) for at in items.tolist()]
        scores = [dagger_of_class(tally, one) for tally, one in zip(tallies, plain, strict=True)]
        layout.put(numbers, DAGGER, scores, undefined)
    return Columns(items, numbers)


def _whole(layout: Layout, records: Sequence[ItemRecord], undefined: float | None, *, has_dagger: bool) -> Columns:
    numbers = layout.of_tallies([record.whole for record in records], undefined, every=True)
    for key in layout.others:
        if key == DAGGER and has_dagger:
            layout.put(numbers, key, [_item_dagger(record) for record in records], undefined)
        else:
            layout.put(numbers, key, [record.scores.get(key) for record in records], undefined)
    return Columns(np.arange(len(records)), numbers)


def _item_dagger(record: ItemRecord) -> Any:
    plain = record.plain or {}
    scores = [dagger_of_class(tally, plain.get(name)) for name, tally in record.parts.items()]
    return mean_of(DAGGER, scores, None, "no class occurs")
