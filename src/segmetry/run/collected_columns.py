"""The columns that metrics of a data set collect from each item: which are stored, and which follow from the overlap
tables, so that they are collected again from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from segmetry._base import ColumnsOfItem, errors_within
from segmetry.alignments import CountedOverlaps
from segmetry.errors import OptionError, SegmetryError
from segmetry.metrics import Aggregation, Metric, MetricInputs, Statistics, find_metric
from segmetry.run.settings import Settings
from segmetry.runfile import CollectedItems, CollectedKey, CollectedTogether, RunTables
from segmetry.segmentation import SpanLines
from segmetry.statistics import MetricSource

_WITHOUT_INPUTS = ("table", "alignment", "overlaps", "contingency")
"""The ``needs`` whose columns follow from the overlap table, so that they are not stored."""


def collected_key(metric: Metric, aggregation: Aggregation, settings: Settings, rule: str) -> CollectedKey:
    """Return the key of the columns of a metric."""
    options = aggregation.collect_options(settings.options_of(metric))
    text = json.dumps(options, ensure_ascii=False, sort_keys=True, default=sorted)
    return CollectedKey(aggregation.name, text, rule if metric.depends_on_rule else "")


def collect_item(
    inputs: MetricInputs, metrics: Iterable[Metric], settings: Settings, rules: Sequence[str]
) -> dict[CollectedKey, ColumnsOfItem]:
    """Return the columns of one item that a run stores."""
    columns: dict[CollectedKey, ColumnsOfItem] = {}
    for metric in metrics:
        metric.check_kind(inputs)
        if metric.statistics is None:
            continue
        if metric.needs in _WITHOUT_INPUTS:
            if metric.needs == "alignment" and inputs.table.class_names is None:
                # A mean over classes is rejected here; the summary would raise the error after all items.
                collect(inputs, metric, settings, rules[0])
            continue
        for rule in rules:
            key = collected_key(metric, metric.statistics, settings, rule)
            if key not in columns:
                columns[key] = collect(inputs, metric, settings, rule).facts(0)
    return columns


def collect_lines(
    true: SpanLines, pred: SpanLines, metrics: Iterable[Metric], settings: Settings
) -> dict[CollectedKey, CollectedTogether]:
    """Return the columns that a run stores of many lines, of metrics that take many of them."""
    columns: dict[CollectedKey, CollectedTogether] = {}
    for metric in metrics:
        if metric.statistics is None:
            continue
        key = collected_key(metric, metric.statistics, settings, settings.rule)
        if key not in columns:
            options = metric.statistics.collect_options(settings.every_option_of(metric))
            made = metric.statistics.collected((true, pred), options)
            columns[key] = CollectedTogether(made.columns, made.starts, made.labels)
    return columns


def collect(inputs: MetricInputs, metric: Metric, settings: Settings, rule: str) -> Statistics:
    """Return the statistics of one item of a metric."""
    shared = {name: rule if name == "rule" else getattr(settings, name) for name in metric.shared_options}
    return metric.collect(inputs, shared, settings.every_option_of(metric))


StoredColumns = Mapping[CollectedKey, CollectedItems]
"""The columns that a run stores, by key."""


def collected_sources(
    stored: StoredColumns, metrics: Iterable[Metric], settings: Settings, tables: RunTables
) -> dict[str, MetricSource]:
    """Return the statistics of metrics over all items, by key of the metric."""
    collected: dict[CollectedKey, Statistics] = {}
    sources: dict[str, MetricSource] = {}
    for metric in metrics:
        if metric.statistics is None:
            continue
        key = collected_key(metric, metric.statistics, settings, settings.rule)
        if key not in collected and metric.needs in _WITHOUT_INPUTS:
            collected[key] = _from_tables(metric, metric.statistics, settings, tables)
        elif key not in collected and key in stored:
            collected[key] = _of_items(stored[key], tables.items.names, tables.file)
        if key in collected:
            options = settings.every_option_of(metric)
            sources[metric.key] = MetricSource(metric, metric.statistics, collected[key], options)
    return sources


def _of_items(collected: CollectedItems, names: Sequence[str], where: str) -> Statistics:
    """Return the statistics of items in the order of these names; one without columns has no rows."""
    found = collected.by_item
    if not collected.groups:
        return Statistics.of([found.get(name, {}) for name in names], where)
    grouped = [name for group, _ in collected.groups for name in group]
    others = sorted(set(names).difference(grouped))
    parts = [Statistics(*together, len(group)) for group, together in collected.groups]
    if len(parts) == 1 and grouped == list(names):
        return parts[0]
    if others:
        parts.append(Statistics.of([found.get(name, {}) for name in others]))
    place = {name: at for at, name in enumerate((*grouped, *others))}
    return Statistics.concatenate(parts).select([place[name] for name in names])


def _from_tables(metric: Metric, aggregation: Aggregation, settings: Settings, tables: RunTables) -> Statistics:
    if aggregation.takes_many_items and tables.as_items is not None:
        try:
            options = aggregation.collect_options(settings.every_option_of(metric))
            every: Any = tables.as_items
            if metric.needs == "overlaps":
                every = CountedOverlaps.of_items(every, policy=settings.policy, classes=settings.classes)
            return aggregation.collected((every,), options)
        except SegmetryError:  # one by one the same error is raised with the name of the item
            pass
    items = []
    for at in range(len(tables)):
        inputs = MetricInputs(counted=tables.table(at))
        with errors_within(tables.place(at)):
            items.append(collect(inputs, metric, settings, settings.rule))
    return Statistics.concatenate(items)


def rescored_options(
    known: Mapping[str, Mapping[str, Any]], changed: Mapping[str, Mapping[str, Any]]
) -> dict[str, Mapping[str, Any]]:
    """Return the options of metrics with some of them changed; only those that the stored columns do not depend on."""
    options = dict(known)
    for name, own in changed.items():
        metric = find_metric(name).metric
        fixed = own if metric.statistics is None else metric.statistics.collect_options(own)
        if fixed:
            raise OptionError(
                f"{metric.key}: {sorted(fixed)[0]} needs the inputs again; evaluate them with it, such as "
                f"--option {metric.key}.{sorted(fixed)[0]}={own[sorted(fixed)[0]]}"
            )
        options[metric.key] = {**known.get(metric.key, {}), **own}
    return options
