"""The data set of a run: the statistics of every metric over all finished items, under any rule.

Segments are counted from the overlap rows alone. A rule that decides on each pair alone, and on disjoint segments never
gives a segment two partners, is applied to the whole run at once: segments of different items share nothing, so the
alignment of the union is the union of the alignments. Every other rule is applied item by item. Both ways give the same
numbers, to the bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from segmetry.alignments.align import align
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import Breakdown
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.rules.local import LocalRule
from segmetry.errors import InputError, SegmetryError
from segmetry.metrics.class_average import average_of
from segmetry.metrics.count_quotient import segment_counts, segment_statistics, segments_by
from segmetry.metrics.declare import Metric
from segmetry.metrics.per_class import checked_groups
from segmetry.metrics.statistics import Statistics
from segmetry.protocols.protocol import Protocol
from segmetry.protocols.protocol_table import table_averages
from segmetry.run.settings import Settings
from segmetry.runfile.overlap_columns import RunTables
from segmetry.statistics.data_set import DataSet, MetricSource


def data_set_of(
    items: Sequence[str],
    segments: tuple[Statistics, str],
    settings: Settings,
    sources: Mapping[str, MetricSource],
    metrics: Sequence[Metric],
    protocol: Protocol | None,
) -> DataSet:
    """Return items with their metrics; ``segments`` are theirs, ``sources`` what does not follow from segments."""
    of_segments = {
        metric.key: MetricSource(metric, metric.additive, segments[0], settings.options.get(metric.key, {}))
        for metric in metrics
        if metric.needs == "tally" and metric.additive is not None
    }
    every = {**of_segments, **sources}
    return DataSet(
        items=tuple(items),
        rule=as_rule(settings.rule).name,
        policy=settings.policy,
        by="class" if segments[0].labels else None,
        average=segments[1],
        segments=segments[0],
        sources={metric.key: every[metric.key] for metric in metrics if metric.key in every},
        groups=checked_groups(settings.groups),
        undefined=settings.undefined,
        preferred={} if protocol is None else table_averages(protocol),
    )


def aligning(settings: Settings, metrics: Sequence[Metric]) -> Settings:
    """Return the settings of the alignment: where no metric uses it, a segment with two partners is not an error."""
    if settings.resolve is None and not any(metric.depends_on_rule for metric in metrics):
        return replace(settings, resolve="keep")
    return settings


def _positions(tables: RunTables, items: Sequence[int] | None) -> Sequence[int]:
    return range(len(tables)) if items is None else items


def items_alike(tables: RunTables) -> list[list[int] | None]:
    """Return the items with and those without classes, which have scores but no summary together; None is all items."""
    have = [facts.has_classes for facts in tables.items]
    if len(set(have)) < 2:
        return [None]
    return [[at for at, own in enumerate(have) if own == kind] for kind in (True, False)]


def segments_of(tables: RunTables, settings: Settings, items: Sequence[int] | None = None) -> tuple[Statistics, str]:
    """Return the matched, missed and spurious segments of all items, and how scores of items are averaged."""
    together = _aligned_at_once(tables, settings) if items is None else None
    if together is not None:
        alignment, average = together
        of_segments, names = (tables.true.item, tables.pred.item), alignment.table.class_names
        if names is None:
            return segment_statistics(alignment, of_segments, len(tables)), average
        codes = alignment.table.true.class_codes, alignment.table.pred.class_codes
        return segment_statistics(alignment, of_segments, len(tables), codes, tuple(names)), average
    alignments = {at: item_alignment(tables, at, settings) for at in _positions(tables, items)}
    averages = {at: _item_average(tables, at, alignment, settings) for at, alignment in alignments.items()}
    _check_same(tables, averages)
    parts = {at: segment_counts(alignment) for at, alignment in alignments.items()}
    return _with_clash(Statistics.concatenate([*parts.values()]), parts, tables), next(iter(averages.values()))


def _aligned_at_once(tables: RunTables, settings: Settings) -> tuple[Alignment, str] | None:
    """Return one alignment of all items; None where each item has to be aligned by itself."""
    rule = as_rule(settings.rule)
    if not (isinstance(rule, LocalRule) and rule.guarantees_one_to_one and tables.is_uniform):
        return None
    try:
        alignment = align(tables.together, **alignment_options(settings))
        return alignment, average_of(alignment, settings.average)
    except SegmetryError:
        return None  # item by item the same error is raised with the name of the item


def _item_average(tables: RunTables, at: int, alignment: Alignment, settings: Settings) -> str:
    try:
        return average_of(alignment, settings.average)
    except SegmetryError as problem:
        raise problem.within(f"item {tables.items[at].name}") from None


def _check_same(tables: RunTables, averages: Mapping[int, str]) -> None:
    """Raise an error if some items carry classes and others do not."""
    words = {
        tables.items[at].name: f"by {'class' if tables.items[at].has_classes else 'nothing'}, average {average}"
        for at, average in averages.items()
    }
    first = next(iter(words), "")
    for name, word in words.items():
        if word != words[first]:
            raise InputError(f"item {first!r} was scored {words[first]} and item {name!r} {word}; expected the same")


def _with_clash(segments: Statistics, parts: Mapping[int, Statistics], tables: RunTables) -> Statistics:
    """Return the statistics with the first error of an alignment that is not one-to-one, which names its item."""
    for at, part in parts.items():
        if part.context["clash"] is not None:
            clash = part.context["clash"].within(f"item {tables.items[at].name}")
            return replace(segments, context={**segments.context, "clash": clash})
    return segments


def parts_of_segments(tables: RunTables, settings: Settings, by: Breakdown) -> Statistics:
    """Return the segments of all items by another breakdown than their classes, such as their size."""
    parts = {at: segments_by(item_alignment(tables, at, settings), by) for at in range(len(tables))}
    return _with_clash(Statistics.concatenate([*parts.values()]), parts, tables)


def alignment_options(settings: Settings) -> dict[str, Any]:
    """Return the options of :func:`~segmetry.alignments.align.align` that settings name."""
    return {
        "rule": settings.rule,
        "policy": settings.policy,
        "resolve": settings.resolve,
        "classes": settings.classes,
    }


def item_alignment(tables: RunTables, item: int, settings: Settings) -> Alignment:
    """Return the alignment of one item; an error names it."""
    try:
        return align(tables.table(item), **alignment_options(settings))
    except SegmetryError as problem:
        raise problem.within(f"item {tables.items[item].name}") from None
