"""A data set whose items are counted: the statistics of every metric, and the one way to any of its values.

Everything that summarises, resamples, compares, gates or reports asks for readings of a data set: a metric in an
average, over all classes, a group of them, or each class.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import FloatArray, IndexArray, frozen_dataclass
from segmetry.alignments import as_policy
from segmetry.errors import OptionError, UnknownNameError
from segmetry.metrics import (
    ALL,
    AVERAGES,
    BY_CLASS,
    BY_CLASS_OF_ITEMS,
    BY_ITEM,
    BY_ITEM_OF_CLASSES,
    METRICS,
    POOLED,
    Aggregation,
    Average,
    Fill,
    Metric,
    Reading,
    Score,
    Statistics,
    segment_sums,
)


@frozen_dataclass(eq=False)
class MetricSource:
    """One metric of a data set: what its items contribute, and its options."""

    metric: Metric
    aggregation: Aggregation
    statistics: Statistics
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_classes(self) -> bool:
        """Whether its statistics are by class, and classes have values."""
        return self.aggregation.has_classes and bool(self.aggregation.names(self.statistics))

    @property
    def unit(self) -> str | None:
        """The unit of its distances, where it is known."""
        units = self.statistics.labels.get("unit", ())
        known: str | None = self.statistics.context.get("unit")
        return " or ".join(map(str, units)) if units else known

    @property
    def is_by_class(self) -> bool:
        """Whether what items contribute is by class, also if no class occurs."""
        return bool(self.statistics.labels)

    @cached_property
    def own(self) -> Average:
        """The average of the metric's value of a data set."""
        return self.aggregation.average_of(self.options)


class SegmentCounter(NamedTuple):
    """Counts the matched, missed and spurious segments of items when they are needed.

    ``average`` says whether scores of items are means over their classes, ``by_class`` whether they have classes;
    ``parts`` are the classes that occur, where that is known before anything is counted.
    """

    segments: Callable[[], Statistics]
    average: str
    by_class: bool
    parts: tuple[Hashable, ...] | None = None


@frozen_dataclass(eq=False)
class DataSet:
    """The items of a data set and their statistics, under one rule and one policy.

    ``count_segments`` returns the matched, missed and spurious segments of every item (see
    :mod:`segmetry.metrics.tally_quotient`), broken down by ``by``: the classes of the segments, another breakdown, or
    nothing; it is called when they are needed. ``average`` says whether scores of items are means over their classes
    (``"class"``) or of all their ``"segments"``. ``groups`` are sets of classes, ``undefined`` stands for undefined
    values, and ``preferred`` are the averages of metrics in the table of a protocol; ``known_parts`` are the classes
    that occur, where that is known before segments are counted. ``file`` is the run file, for messages.
    """

    items: tuple[str, ...]
    rule: str
    policy: str
    by: str | None
    average: str
    count_segments: Callable[[], Statistics]
    sources: Mapping[str, MetricSource]
    groups: Mapping[str, frozenset[Hashable]] = field(default_factory=dict)
    undefined: float | None = None
    preferred: Mapping[str, Average] = field(default_factory=dict)
    known_parts: tuple[Hashable, ...] | None = None
    file: str = ""

    @classmethod
    def of_segments(
        cls, items: Sequence[str], segments: Statistics, average: str, policy: str, keys: Iterable[str], **facts: Any
    ) -> DataSet:
        """Return a data set with metrics that follow from its segments; ``facts`` are further fields."""
        sources = {key: MetricSource(METRICS[key], METRICS[key].additive, segments) for key in keys}  # type: ignore[arg-type]
        rule = segments.context["rule"].name
        by = "class" if segments.labels else None
        return cls(tuple(items), rule, policy, by, average, lambda: segments, sources, **facts)

    @classmethod
    def of_metrics(
        cls,
        items: Sequence[str],
        segments: SegmentCounter,
        metrics: Iterable[tuple[Metric, Mapping[str, Any]]],
        sources: Mapping[str, MetricSource],
        **facts: Any,
    ) -> DataSet:
        """Return a data set with metrics, each with its options; ``sources`` are those that need more than segments."""
        count, every = cache(segments.segments), {}
        for metric, options in metrics:
            if metric.needs == "tally" and metric.additive is not None:
                every[metric.key] = MetricSource(metric, metric.additive, count(), options)
            elif metric.key in sources:
                every[metric.key] = sources[metric.key]
        by = "class" if segments.by_class else None
        facts = {**facts, "average": segments.average, "known_parts": segments.parts}
        return cls(items=tuple(items), by=by, count_segments=count, sources=every, **facts)

    @cached_property
    def segments(self) -> Statistics:
        """The matched, missed and spurious segments of every item."""
        return self.count_segments()

    @cached_property
    def parts(self) -> tuple[Hashable, ...]:
        """The classes (or parts of another breakdown) that occur, and those that a protocol counts without."""
        if self.by is None:
            return ()
        if self.known_parts is not None:
            return self.known_parts
        sums = segment_sums(self.segments, "class")
        occurs = (sums["matched"] + sums["missed"] + sums["spurious"])[:, 0] > 0
        if "declared" in sums.context:
            occurs = occurs | sums.marked(sums.context["declared"])[:, 0]
        return tuple(name for name, found in zip(sums.names, occurs.tolist(), strict=True) if found)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups of classes; all classes are the last of them."""
        return (*self.groups, ALL) if self.by == "class" else ()

    @cached_property
    def by_name(self) -> IndexArray:
        """The positions of the items in the order of their names, in which they are drawn at random."""
        return np.array(sorted(range(len(self.items)), key=self.items.__getitem__), dtype=np.intp)

    def fill(self, source: MetricSource) -> Fill:
        """Return what stands for undefined values of a metric: that of the policy in means over classes of segments."""
        in_classes = None
        if source.metric.needs == "tally":
            in_classes = as_policy(self.policy).undefined if self.undefined is None else self.undefined
        return Fill(in_classes, self.undefined)

    def source(self, key: str) -> MetricSource:
        """Return the statistics of a metric."""
        if key not in self.sources:
            raise UnknownNameError(f"{key!r} was not computed; found {', '.join(self.sources)}").within(self.file)
        return self.sources[key]

    def averages(self, key: str, part: Hashable | None = None) -> tuple[Average, ...]:
        """Return the averages that a metric has, the usual one first: that of the protocol's table, if there is one.

        ``part`` names a class, which has other averages. A group of classes has those of the data set that have a mean
        over classes, or add them up. Nothing else chooses an average.
        """
        source = self.source(key)
        preferred = self.preferred.get(key)
        preferred = None if preferred is None else self.known_as(key, preferred)
        if part is not None:
            if source.aggregation.is_ranked:
                return (POOLED,)
            every = (BY_ITEM,) if source.own == BY_CLASS_OF_ITEMS else (POOLED, BY_ITEM)
            return every[::-1] if preferred is not None and preferred.over_items else every
        known = self._known_averages(source)
        return known if preferred is None else tuple(dict.fromkeys((preferred, *known)))

    def known_as(self, key: str, average: Average) -> Average:
        """Return an average under the name that it has for a metric: counts are added, and some have no classes."""
        source = self.source(key)
        if source.metric.is_count and not average.over_items:
            return POOLED
        aggregation = source.aggregation
        if aggregation.across_classes or not aggregation.is_additive or not source.statistics.labels:
            return BY_ITEM if average.over_items else POOLED
        return average

    def _known_averages(self, source: MetricSource) -> tuple[Average, ...]:
        if source.metric.needs == "tally":
            return self._averages_of_segments(source)
        if not source.aggregation.is_additive:
            return (BY_ITEM, POOLED) if source.metric.pooled else (BY_ITEM,)
        if source.aggregation.across_classes or source.metric.is_count or not source.is_by_class:
            return (POOLED, BY_ITEM)
        if source.own == POOLED:
            return (POOLED, BY_ITEM, BY_CLASS, BY_CLASS_OF_ITEMS)
        if source.aggregation.is_ranked:
            return (BY_CLASS, BY_ITEM_OF_CLASSES)
        pooled = (POOLED,) if source.metric.pooled else ()
        every = (source.own, BY_CLASS, BY_ITEM_OF_CLASSES, BY_CLASS_OF_ITEMS, *pooled)
        return tuple(dict.fromkeys(one for one in every if source.own != BY_CLASS_OF_ITEMS or one != BY_CLASS))

    def _averages_of_segments(self, source: MetricSource) -> tuple[Average, ...]:
        if source.metric.is_count:
            return (POOLED, BY_ITEM)
        if self.by != "class":
            return (BY_ITEM, POOLED)
        of_items = BY_ITEM_OF_CLASSES if self.average == "class" else BY_ITEM
        return (BY_CLASS, of_items, POOLED)

    def reading(
        self, key: str, average: Average | str | None = None, group: str | None = None, *, each_class: bool = False
    ) -> Reading:
        """Return one question to the data set: a metric in an average, of all classes, of a group, or of each class."""
        source = self.source(key)
        chosen = self.averages(key)[0] if average is None else average
        chosen = AVERAGES[chosen] if isinstance(chosen, str) and chosen in AVERAGES else chosen
        if not isinstance(chosen, Average):
            known = ", ".join(map(str, self.averages(key)))
            raise OptionError(f"{key} has no average {average!r}; it has {known}")
        classes = None if group in (None, ALL) else self.groups[str(group)]
        how = {"classes": classes, "each_class": each_class, "fill": self.fill(source)}
        return source.aggregation.reading(key, source.statistics, source.options, chosen, **how)

    def label_named(self, name: Hashable, class_names: Mapping[Hashable, str]) -> Hashable | None:
        """Return the first class that is or has this name; None if there is none. The names are sought through once."""
        kept = self.__dict__.get("_label_names")
        if kept is None or kept[0] is not class_names:
            labels: dict[Hashable, Hashable] = {}
            for label in self.parts:
                labels.setdefault(label, label)
                labels.setdefault(class_names.get(label, label), label)
            kept = self.__dict__["_label_names"] = class_names, labels
        found: Hashable | None = kept[1].get(name)
        return found

    def score(self, key: str, average: Average | str | None = None, group: str | None = None) -> Score:
        """Return a value of the data set, computed once: whatever shows it shows the same object."""
        reading = self.reading(key, average, group)
        place = key, reading.average, None if reading.classes is None else group
        if place not in self._scores:
            self._scores[place] = reading.score()
        return self._scores[place]

    def class_scores(self, key: str, *, over_items: bool = False) -> Mapping[Hashable, Score]:
        """Return the value of each class over all items, or the mean over items of its values, computed once."""
        place = key, over_items
        if place not in self._class_scores:
            average = BY_CLASS_OF_ITEMS if over_items else BY_CLASS
            self._class_scores[place] = self.reading(key, average, each_class=True).class_scores()
        return self._class_scores[place]

    @cached_property
    def _scores(self) -> dict[tuple[str, Average, str | None], Score]:
        return {}

    @cached_property
    def _class_scores(self) -> dict[tuple[str, bool], Mapping[Hashable, Score]]:
        return {}

    def item_values(self, key: str, average: Average | None = None) -> FloatArray:
        """Return the value of every item, each as a data set of its own; NaN where it is undefined."""
        return self.reading(key, average or self.average_of_items(key)).item_values()

    def item_scores(self, key: str) -> Sequence[Score | None]:
        """Return the score of every item, each as a data set of its own."""
        return self.reading(key, self.average_of_items(key)).item_scores()

    def worst_first(self, key: str) -> dict[str, float]:
        """Return the items with their values, the worst first; equal ones in order, undefined ones (NaN) last.

        ``undefined`` stands for undefined values, where it is stated. A metric of several values per item has no order.
        """
        values = self.item_values(key) if key in self.sources else np.full(len(self.items), np.nan)
        if self.undefined is not None:
            values = np.where(np.isnan(values), self.undefined, values)
        order = np.lexsort((-values if METRICS[key].better == "lower" else values, np.isnan(values)))
        return {self.items[at]: float(values[at]) for at in order}

    def average_of_items(self, key: str) -> Average:
        """Return the mean over items among the averages of a metric."""
        return next((average for average in self.averages(key) if average.steps[:1] == ("item",)), BY_ITEM)

    def in_order(self, items: Sequence[int] | IndexArray) -> DataSet:
        """Return some items, in this order: a data set of their own."""
        places = np.asarray(items, dtype=np.intp)
        if places.size == len(self.items) and (places == np.arange(places.size)).all():
            return self
        known: dict[int, Statistics] = {}

        def chosen(statistics: Statistics) -> Statistics:
            if id(statistics) not in known:
                known[id(statistics)] = statistics.select(places)
            return known[id(statistics)]

        return replace(
            self,
            items=tuple(self.items[at] for at in places.tolist()),
            count_segments=lambda: chosen(self.segments),
            sources={key: replace(made, statistics=chosen(made.statistics)) for key, made in self.sources.items()},
        )

    def only(self, items: Collection[str]) -> DataSet:
        """Return the items with these names."""
        return self.in_order([at for at, name in enumerate(self.items) if name in items])

    def sorted(self) -> DataSet:
        """Return the items in the order of their names."""
        return self.in_order(self.by_name)

    def with_keys(self, keys: Iterable[str]) -> DataSet:
        """Return the data set with these metrics alone."""
        return replace(self, sources={key: self.source(key) for key in keys})
