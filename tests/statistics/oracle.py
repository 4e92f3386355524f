"""The averages of a data set by their definition: one item after the other, one tally after the other.

Nothing here knows of columns or weights. Sums of IoUs are exactly rounded sums over the pairs of added tallies, terms
of classes are added as fractions, and means are exactly rounded sums over lists of values, so that the columns have to
give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

import segmetry as sm
from segmetry.alignments.breakdown import Breakdown, break_down
from segmetry.alignments.policy import as_policy
from segmetry.alignments.tally import Tally, add_tallies
from segmetry.metrics.average import AVERAGES, checked_groups
from segmetry.metrics.declare import METRICS
from segmetry.metrics.panoptic.weighted_quality import dagger_terms
from segmetry.metrics.statistics import Statistics
from segmetry.metrics.tally_quotient import segment_counts, segments_by
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.data_set import DataSet, MetricSource

Options = Mapping[str, Mapping[str, Any]]
Mean = tuple[float | None, int | None]
"""A value, and the number of values in it; None for a total."""
DAGGER = "pq_dagger"


def emptied(tally: Tally) -> Tally:
    """Return a tally of nothing with the same rule."""
    empty = np.zeros(0, dtype=np.int64)
    return Tally(empty, empty, empty, 0, 0, tally.rule)


@dataclass(frozen=True)
class OneItem:
    """The tally of an item, those of its classes, and the terms that its classes add to PQ†."""

    name: str
    whole: Tally
    classes: Mapping[Hashable, Tally]
    terms: Mapping[Hashable, tuple[Fraction, int]] = field(default_factory=dict)

    def cells(self, key: str) -> Collection[Hashable]:
        return self.terms if key == DAGGER else self.classes


def item_of(name: str, alignment: sm.Alignment, by: Breakdown | str | None, stuff: Collection[str] | None) -> OneItem:
    tallies = {} if by is None else {part: made.tally for part, made in break_down(alignment, by).items()}
    terms: dict[Hashable, tuple[Fraction, int]] = {}
    if stuff is not None:
        columns = dagger_terms(alignment, stuff=stuff)
        for label, top, bottom in zip(*(columns[key] for key in ("class", "numerator", "denominator")), strict=True):
            known = terms.get(label, (Fraction(0), 0))
            terms[label] = known[0] + Fraction(float(top)), known[1] + int(bottom)
    return OneItem(name, alignment.tally, {part: tally for part, tally in tallies.items() if tally.occurs}, terms)


@dataclass(frozen=True)
class Definition:
    """The items of a data set and how their values are averaged."""

    items: Sequence[OneItem]
    policy: str
    by: str | None = "class"
    options: Options = field(default_factory=dict)
    undefined: float | None = None

    def repeated(self, times: Sequence[int]) -> Definition:
        """The data set in which every item occurs so often."""
        drawn = [item for item, count in zip(self.items, times, strict=True) for _ in range(count)]
        return Definition(drawn, self.policy, self.by, self.options, self.undefined)

    def names(self, key: str, among: Collection[Hashable] | None = None) -> list[Hashable]:
        """The classes that occur, or those of a group."""
        every = sorted_names({name for item in self.items for name in item.cells(key)})
        return [name for name in every if among is None or name in among]

    def value(self, key: str, cells: Iterable[tuple[OneItem, Hashable]]) -> float | None:
        """The value of classes of items, added before the quotient is taken."""
        listed = list(cells)
        if key == DAGGER:
            top, bottom = (sum(item.terms[name][at] for item, name in listed) for at in (0, 1))
            return float(top) / int(bottom) if bottom else None
        return self.of_tallies(key, [item.classes[name] for item, name in listed])

    def of_tallies(self, key: str, tallies: Sequence[Tally]) -> float | None:
        if not self.items:
            return None
        added = add_tallies([emptied(self.items[0].whole), *tallies])
        score = METRICS[key].compute(added, **self.options.get(key, {}))
        assert isinstance(score, sm.Score)
        return score.value if score.is_defined else None

    def average(self, key: str, average: str, among: Collection[Hashable] | None = None) -> Mean:
        """The value of all classes, or of a group of them, in one of the six averages."""
        names = self.names(key, among)
        in_items = self.undefined
        in_classes = None
        if key != DAGGER:
            in_classes = as_policy(self.policy).undefined if self.undefined is None else self.undefined
        cells = [[(item, name) for name in names if name in item.cells(key)] for item in self.items]
        columns = [[(item, name) for item in self.items if name in item.cells(key)] for name in names]
        every = [cell for own in cells for cell in own]
        present = [(item, own) for item, own in zip(self.items, cells, strict=True) if own or among is None]
        if average == "pooled":
            if among is None and key != DAGGER:
                return self.of_tallies(key, [item.whole for item in self.items]), None
            return self.value(key, every), None
        if average == "by_class":
            return mean([self.value(key, column) for column in columns], in_classes)
        if average == "by_item":
            if among is None and key != DAGGER:
                return mean([self.of_tallies(key, [item.whole]) for item in self.items], in_items)
            return mean([self.value(key, own) for _, own in present], in_items)
        values = {id(item): [self.value(key, [cell]) for cell in own] for item, own in present}
        if average == "by_item_of_classes":
            return mean([mean(values[id(item)], in_classes)[0] for item, _ in present], in_items)
        if average == "by_class_of_items":
            of_classes = [mean([self.value(key, [cell]) for cell in column], in_items)[0] for column in columns]
            return mean(of_classes, None)
        assert average == "by_item_and_class"
        return mean([self.value(key, [cell]) for cell in every], in_classes)

    def part(self, key: str, average: str, name: Hashable) -> Mean:
        """The value of one class: of its segments in all items, or the mean over the items that have it."""
        column = [(item, name) for item in self.items if name in item.cells(key)]
        if average == "pooled":
            return self.value(key, column), None
        return mean([self.value(key, [cell]) for cell in column], self.undefined)


def mean(values: Sequence[float | None], fill: float | None) -> tuple[float | None, int]:
    """Σ values / how many: undefined ones are left out, or replaced."""
    used = [number for number in (fill if value is None else value for value in values) if number is not None]
    return (math.fsum(used) / len(used) if used else None), len(used)


def data_sets(
    pairs: Sequence[tuple[Any, Any]],
    keys: Sequence[str],
    *,
    rule: str = "theta_plus",
    policy: str = "none",
    by: Breakdown | str | None = "class",
    average: str = "class",
    stuff: Collection[str] | None = None,
    groups: Mapping[str, Iterable[Hashable]] | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> tuple[DataSet, Definition]:
    """The same items as columns and by definition."""
    alignments = [sm.align(sm.overlap(*pair), rule, policy=policy) for pair in pairs]
    names = [f"item {at}" for at in range(len(pairs))]
    is_class = by is None or by == "class"
    parts = [segment_counts(one) if is_class else segments_by(one, by) for one in alignments]  # type: ignore[arg-type]
    segments = Statistics.concatenate(parts)
    own = {key: dict((options or {}).get(key, {})) for key in keys}
    sources = {key: MetricSource(METRICS[key], additive(key), segments, own[key]) for key in keys}
    if stuff is not None:
        terms = Statistics.of([dagger_terms(alignment, stuff=stuff) for alignment in alignments])
        sources[DAGGER] = MetricSource(METRICS[DAGGER], additive(DAGGER), terms, {"stuff": stuff})
    word = by if isinstance(by, str) else None if by is None else by.name
    data = DataSet(
        items=tuple(names),
        rule=alignments[0].rule.name,
        policy=policy,
        by=word,
        average=average,
        count_segments=lambda: segments,
        sources=sources,
        groups=checked_groups(groups),
        undefined=undefined,
    )
    items = [item_of(name, alignment, by, stuff) for name, alignment in zip(names, alignments, strict=True)]
    return data, Definition(items, policy, word, own, undefined)


def additive(key: str) -> Any:
    aggregation = METRICS[key].additive
    assert aggregation is not None
    return aggregation


SIX = tuple(AVERAGES)
