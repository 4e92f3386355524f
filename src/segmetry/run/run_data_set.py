"""The data set of a run: the statistics of every metric over all finished items, under any rule.

Segments are counted from the overlap rows alone. A rule that decides on each pair alone, and on disjoint segments never
gives a segment two partners, is applied to the whole run at once: segments of different items share nothing, so the
alignment of the union is the union of the alignments. Every other rule is applied item by item. Both ways give the same
numbers, to the bit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from segmetry._base import errors_within
from segmetry.alignments import Alignment, Breakdown, LocalRule, align, as_rule
from segmetry.errors import InputError, SegmetryError
from segmetry.metrics import (
    Metric,
    Statistics,
    checked_groups,
    item_average,
    segment_counts,
    segment_statistics,
    segments_by,
)
from segmetry.protocols import Protocol, table_averages
from segmetry.run.settings import Settings
from segmetry.runfile import PostponedTables, RunTables
from segmetry.statistics import DataSet, MetricSource, SegmentCounter


def data_set_of(
    items: Sequence[str],
    segments: SegmentCounter,
    settings: Settings,
    sources: Mapping[str, MetricSource],
    metrics: Sequence[Metric],
    protocol: Protocol | None,
    class_names: Mapping[Hashable, str] | None = None,
) -> DataSet:
    """Return items with their metrics; ``segments`` are theirs, ``sources`` what does not follow from segments, and
    ``class_names`` the classes that the data set names.
    """
    if protocol is not None and protocol.declared_classes:
        padded = cache(partial(Statistics.with_classes, names=_declared_classes(settings, class_names or {})))
        count = segments.segments
        segments = segments._replace(segments=lambda: padded(count()))
        sources = {key: replace(source, statistics=padded(source.statistics)) for key, source in sources.items()}
    return DataSet.of_metrics(
        items,
        segments,
        [(metric, settings.options.get(metric.key, {})) for metric in metrics],
        sources,
        **data_set_facts(settings, protocol),
    )


def _declared_classes(settings: Settings, class_names: Mapping[Hashable, str]) -> tuple[Hashable, ...]:
    """Return the regions that the data set declares, else the labels that it names and that are neither outside nor
    void.
    """
    reading = {"outside": 0, **settings.reading}
    regions = reading.get("union", reading.get("true_union"))
    if regions:
        return tuple(regions)
    stated = (reading.get(f"{side}{option}") for side in ("", "true_") for option in ("outside", "void"))
    ignored = {label for value in stated if value is not None for label in np.ravel(value).tolist()}
    return tuple(name for name in class_names if name not in ignored)


def data_set_facts(settings: Settings, protocol: Protocol | None) -> dict[str, Any]:
    """Return what a data set takes from its settings."""
    return {
        "rule": settings.rule,
        "policy": settings.policy,
        "groups": checked_groups(settings.groups),
        "undefined": settings.undefined,
        "preferred": {} if protocol is None else table_averages(protocol),
    }


def aligning(settings: Settings, metrics: Sequence[Metric]) -> Settings:
    """Return the settings of the alignment: where no metric uses it, a segment with two partners is not an error."""
    if settings.resolve is None and not any(metric.depends_on_rule for metric in metrics):
        return replace(settings, resolve="keep")
    return settings


def items_alike(tables: RunTables) -> list[list[int] | None]:
    """Return the items with and those without classes, which have scores but no summary together; None is all items."""
    have = tables.has_classes
    if have.all() or not have.any():
        return [None]
    return [np.flatnonzero(have == kind).tolist() for kind in (True, False)]


def segments_of(tables: RunTables, settings: Settings, items: Sequence[int] | None = None) -> SegmentCounter:
    """Return how the segments of all items are counted, and how their scores are averaged."""
    chosen = range(len(tables)) if items is None else items
    have = tables.has_classes[chosen]
    first = bool(have[0])
    average = _item_average(tables, chosen[0], settings)
    if (differs := have != first).any():
        other = chosen[int(np.argmax(differs))]
        scored = [f"by {'class' if one else 'nothing'}, average " for one in (first, not first)]
        raise InputError(
            f"item {tables.items.names[chosen[0]]!r} was scored {scored[0]}{average} and item "
            f"{tables.items.names[other]!r} {scored[1]}{_item_average(tables, other, settings)}; expected the same"
        ).within(tables.file)

    def count() -> Statistics:
        if items is None and _is_aligned_at_once(tables, settings):
            return _count_at_once(tables, settings)
        return _count_one_by_one(tables, settings, items=chosen)

    is_known = isinstance(tables, PostponedTables) and (settings.policy, settings.classes) == ("none", "match")
    return SegmentCounter(count, average, first, tables.class_names if is_known else None)


def _item_average(tables: RunTables, item: int, settings: Settings) -> str:
    with errors_within(tables.place(item)):
        return item_average(settings.classes, settings.average, has_classes=bool(tables.has_classes[item]))


def _is_aligned_at_once(tables: RunTables, settings: Settings) -> bool:
    rule = as_rule(settings.rule)
    return isinstance(rule, LocalRule) and rule.guarantees_one_to_one and tables.is_uniform


def _count_at_once(tables: RunTables, settings: Settings) -> Statistics:
    try:
        alignment = align(tables.together, **alignment_options(settings))
    except SegmetryError:  # one by one the same error is raised with the name of the item
        return _count_one_by_one(tables, settings, items=range(len(tables)))
    of_segments, names = (tables.true.item, tables.pred.item), alignment.table.class_names
    if names is None:
        return segment_statistics(alignment, of_segments, len(tables))
    codes = alignment.table.true.class_codes, alignment.table.pred.class_codes
    return segment_statistics(alignment, of_segments, len(tables), codes, tuple(names))


def _count_one_by_one(tables: RunTables, settings: Settings, *, items: Sequence[int]) -> Statistics:
    parts = {at: segment_counts(item_alignment(tables, at, settings)) for at in items}
    return _with_clash(Statistics.concatenate([*parts.values()]), parts, tables)


def _with_clash(segments: Statistics, parts: Mapping[int, Statistics], tables: RunTables) -> Statistics:
    """Return the statistics with the first error of an alignment that is not one-to-one, which names its item."""
    for at, part in parts.items():
        if (clash := part.context["clash"]) is not None:
            return replace(segments, context={**segments.context, "clash": clash.within(tables.place(at))})
    return segments


def parts_of_segments(tables: RunTables, settings: Settings, by: Breakdown) -> Statistics:
    """Return the segments of all items by another breakdown than their classes, such as their size."""
    parts = {at: segments_by(item_alignment(tables, at, settings), by) for at in range(len(tables))}
    return _with_clash(Statistics.concatenate([*parts.values()]), parts, tables)


def alignment_options(settings: Settings) -> dict[str, Any]:
    """Return the options of :func:`~segmetry.alignments.align_table.align` that settings name."""
    return {"rule": settings.rule, "policy": settings.policy, "resolve": settings.resolve, "classes": settings.classes}


def item_alignment(tables: RunTables, item: int, settings: Settings) -> Alignment:
    """Return the alignment of one item; an error names it."""
    with errors_within(tables.place(item)):
        return align(tables.table(item), **alignment_options(settings))
