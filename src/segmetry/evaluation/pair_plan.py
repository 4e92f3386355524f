"""How pairs in memory are scored by a protocol: found out once for a protocol, its options and the kinds of both sides.

A pair is then wrapped, counted and collected, as an item of a run is, and becomes a data set of one item.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import field
from functools import cache, partial
from typing import Any, NamedTuple, cast

import numpy as np

from segmetry._base import frozen_dataclass
from segmetry.alignments import COCO, void_policy
from segmetry.errors import SegmetryError
from segmetry.evaluation.data_notes import DataFacts, LabelsAndClasses, note_crowds, warn_about
from segmetry.evaluation.protocol_settings import read_under, settings_under
from segmetry.metrics import (
    Metric,
    MetricInputs,
    Score,
    ScoreAggregation,
    Statistics,
    check_classes,
    item_average,
    item_scores,
    score_statistics,
    segment_counts,
)
from segmetry.protocols import Protocol, as_protocol
from segmetry.readers import LABEL_NAMES, MEANING, SIDES, VOID, ReadOptions, label_arguments, read_labels, side_options
from segmetry.run import Settings, aligning, alignment_options, data_set_facts
from segmetry.segmentation import LabelArray, Segmentation, SegmentationPair, as_segmentation
from segmetry.statistics import DataSet, MetricSource, SegmentCounter

ITEM = "pair"
"""The name of the item, in messages."""
Make = Callable[[Any], Segmentation]
"""Makes a segmentation of what the user passes for one side."""


class ItemPlan(NamedTuple):
    """What is computed for items of one kind: their metrics with the options of each, and how segments are aligned."""

    metrics: tuple[tuple[Metric, dict[str, Any]], ...]
    aligning: dict[str, Any]
    average: str
    shared: dict[str, Any]
    facts: dict[str, Any]
    is_measured: bool
    compares_classes: bool


@frozen_dataclass(eq=False)
class PairPlan:
    """How pairs of one kind of sides are scored by a protocol and options."""

    protocol: Protocol
    settings: Settings
    make: tuple[Make, Make]
    _items: dict[tuple[str | None, int | None, bool], ItemPlan] = field(default_factory=dict)

    def data_set(self, true: Any, pred: Any, threads: int) -> DataSet:
        """Return the data set of one pair; warnings are those of a data set."""
        settings = self.settings
        try:
            pair = SegmentationPair.of(
                self.make[0](true), self.make[1](pred), resolve=settings.resolve, classes=settings.classes
            )
            inputs = MetricInputs(pair=pair, threads=threads)
            item = self.item_plan(inputs.kind, inputs.axes, has_classes=inputs.table.class_names is not None)
            if item.compares_classes and inputs.table.class_names is None:
                check_classes(settings.metrics, (metric for metric, _ in item.metrics), inputs.table)
            data = self.collected(inputs, item)
        except SegmetryError as problem:
            raise problem.within(f"item {ITEM}") from None
        facts = LabelsAndClasses.of(pair, inputs.table, measured=item.is_measured)
        warn_about(DataFacts([facts], labels_stated=True, settings=settings))
        superseded = inputs.table.true.superseded
        if settings.policy == COCO.name and superseded is not None:
            under = cache(lambda policy: self.under_policy(policy).collected(inputs, item))
            note_crowds(np.zeros(np.count_nonzero(superseded), dtype=np.intp), under)
        return data

    def item_plan(self, kind: str | None, axes: int | None, *, has_classes: bool) -> ItemPlan:
        """Return what is computed for items of a kind."""
        plan = self._items.get((kind, axes, has_classes))
        if plan is None:
            settings, metrics = self.settings, self.settings.metrics_of(kind, axes).chosen
            settings.check_options(kind, axes)
            plan = self._items[kind, axes, has_classes] = ItemPlan(
                tuple((metric, settings.every_option_of(metric)) for metric in metrics),
                alignment_options(aligning(settings, metrics)),
                item_average(settings.classes, settings.average, has_classes=has_classes),
                {**alignment_options(settings), "background": settings.background},
                data_set_facts(settings, self.protocol),
                any(metric.needs in ("geometry", "shapes", "classes") for metric in metrics),
                any(metric.needs_classes for metric in metrics),
            )
        return plan

    def under_policy(self, policy: Any) -> PairPlan:
        """Return the plan with another policy."""
        return PairPlan(self.protocol, self.settings.changed(policy=policy), self.make)

    def collected(self, inputs: MetricInputs, item: ItemPlan) -> DataSet:
        """Return the data set of one item, whose metrics have collected what they need of it."""

        def count_segments() -> Statistics:
            return segment_counts(inputs.align(**item.aligning))

        sources: dict[str, MetricSource] = {}
        for metric, options in item.metrics:
            if metric.statistics is not None:
                statistics = metric.collect(inputs, item.shared, options)
                sources[metric.key] = MetricSource(metric, metric.statistics, statistics, options)
            elif metric.additive is None and isinstance(score := metric.score_of(inputs, item.shared, options), Score):
                aggregation = ScoreAggregation(item_scores, is_count=metric.is_count)
                sources[metric.key] = MetricSource(metric, aggregation, score_statistics([score]))
        segments = SegmentCounter(count_segments, item.average, inputs.table.class_names is not None)
        return DataSet.of_metrics((ITEM,), segments, item.metrics, sources, **item.facts)


_PLANS: dict[Hashable, PairPlan] = {}
MOST_PLANS = 128
_A_SEGMENTATION = LabelArray([[1]])
"""Stands for a side that is not read."""


def plan_of(protocol: Protocol | str, true: Any, pred: Any, stated: Mapping[str, Any]) -> PairPlan:
    """Return the plan of a protocol and options, for sides like these."""
    is_made = isinstance(true, Segmentation), isinstance(pred, Segmentation)
    has_void = any(isinstance(side, LabelArray) and side.void for side in (true, pred))
    name = protocol if isinstance(protocol, str) else id(protocol)
    key = name, is_made, has_void, _option_key(stated)
    plan = _PLANS.get(key)
    if plan is None:
        plan = _made_plan(cast("Protocol", as_protocol(protocol)), stated, is_made, has_void=has_void)
        if len(_PLANS) >= MOST_PLANS:
            _PLANS.clear()
        _PLANS[key] = plan
    return plan


def _made_plan(
    protocol: Protocol, stated: Mapping[str, Any], is_made: tuple[bool, bool], *, has_void: bool
) -> PairPlan:
    read = read_under(protocol, None, tuple(_A_SEGMENTATION if made else None for made in is_made))
    makers = []
    for side, options, made in zip(SIDES, side_options(read), is_made, strict=True):
        is_read = not made and bool(LABEL_NAMES & options.stated)
        makers.append(_array_maker(options) if is_read else partial(as_segmentation, side=side))
        has_void = has_void or (is_read and options[VOID] is not None)
    settings = settings_under(
        protocol, stated, policy=void_policy(has_void=has_void), groups=None, reading=read.as_plain(), named=True
    )
    return PairPlan(protocol, settings, (makers[0], makers[1]))


def _array_maker(options: ReadOptions) -> Make:
    """Return what makes label arrays by the options of a side, which are looked up once."""
    facts, meaning = label_arguments(options), options[MEANING]
    make = LabelArray.from_classes if meaning == "classes" else LabelArray
    states_more = not options.stated <= {*facts, MEANING.name} or meaning == "both"

    def read(labels: Any) -> Segmentation:
        try:  # a numpy array has no spacing, so that nothing but these facts is left to apply
            plain = not states_more and type(labels) is np.ndarray
            return make(labels, **facts) if plain else read_labels(labels, options)
        except SegmetryError as problem:
            raise problem.within(options.side) from None

    return read


def _option_key(value: Any) -> Hashable:
    """Return a key that is equal for equal options alone: 1, 1.0 and True differ, as in their checks."""
    if isinstance(value, Mapping):
        return dict, tuple((name, _option_key(part)) for name, part in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return type(value), tuple(map(_option_key, value))
    if isinstance(value, Iterator) or not isinstance(value, Hashable):
        return object()  # what is read once, or may change, has no equal
    return type(value), repr(value) if isinstance(value, float) else value
