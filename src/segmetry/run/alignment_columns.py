"""The columns of a run's items under any rule, from the overlap rows alone.

A rule that decides on each pair alone, and on disjoint segments never gives a segment two partners, is applied to the
whole run at once: segments of different items share nothing, so the alignment of the union is the union of the
alignments. Every other rule is applied item by item. Both ways give the same numbers, to the bit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from segmetry.alignments.align import align
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.rules.local import LocalRule
from segmetry.errors import SegmetryError
from segmetry.metrics.class_average import average_of
from segmetry.metrics.class_quotient import ClassSum, ClassSums, sums_in_scores
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.run.overlap_columns import RunTables
from segmetry.run.settings import Settings
from segmetry.statistics.aligned_items import ClassCells, aligned_items
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.record_columns import columns_of_records
from segmetry.statistics.records import ItemRecord, record_of, unite

Stored = Mapping[str, Mapping[str, Score]]
"""Scores that do not follow from a tally, by item name and key."""
PerClass = Mapping[str, Mapping[str, Any]]
"""The options of the metrics that are means over classes, by key."""


def columns_of(tables: RunTables, settings: Settings, stored: Stored) -> ItemColumns:
    """Return the columns of all finished items."""
    at_once = columns_at_once(tables, settings, stored)
    return columns_of_records(unite(records_of(tables, settings, stored))) if at_once is None else at_once


def records_of(tables: RunTables, settings: Settings, stored: Stored) -> list[ItemRecord]:
    """Return one record per finished item, each aligned by itself."""
    per_class = _per_class(tables, settings)
    return [_record(tables, at, settings, stored, per_class) for at in range(len(tables))]


def columns_at_once(tables: RunTables, settings: Settings, stored: Stored) -> ItemColumns | None:
    """Return the columns of one alignment of all items; None where each item has to be aligned by itself."""
    rule, per_class = as_rule(settings.rule), _per_class(tables, settings)
    if not (isinstance(rule, LocalRule) and rule.guarantees_one_to_one and tables.is_uniform):
        return None
    try:
        alignment = align(tables.together, **alignment_options(settings))
    except SegmetryError:
        return None  # item by item the same error is raised with the name of the item
    if per_class and alignment.table.class_names is None:
        return None
    try:
        average = average_of(alignment, settings.average)
    except SegmetryError:
        return None
    return _columns(tables, alignment, stored, per_class, average)


def _per_class(tables: RunTables, settings: Settings) -> PerClass:
    return settings.per_class(tables.items[0].kind, tables.items[0].axes) if tables.items else {}


def _record(tables: RunTables, at: int, settings: Settings, stored: Stored, per_class: PerClass) -> ItemRecord:
    """Return the record of one item; errors and clashes name the item."""
    name, alignment = tables.items[at].name, item_alignment(tables, at, settings)
    try:
        record = record_of(name, alignment, per_class=per_class, scores=stored.get(name, {}), average=settings.average)
    except SegmetryError as problem:
        raise problem.within(f"item {name}") from None
    if record.whole.clash is None:
        return record
    clash = record.whole.clash.within(f"item {name}")
    parts = {part: replace(tally, clash=clash) for part, tally in record.parts.items()}
    return replace(record, whole=replace(record.whole, clash=clash), parts=parts)


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


def _columns(tables: RunTables, alignment: Alignment, stored: Stored, per_class: PerClass, average: str) -> ItemColumns:
    terms = {
        key: quotient.terms(alignment, **options)
        for key, options in per_class.items()
        if (quotient := METRICS[key].per_class) is not None
    }
    names = tuple(facts.name for facts in tables.items)
    columns, cells = aligned_items(
        alignment, names, tables.true.item, tables.pred.item, average, terms=terms, scores=stored
    )
    if columns.by is None:
        return columns
    return replace(columns, class_sums={**columns.class_sums, **_stored_sums(columns, cells, stored)})


def _stored_sums(columns: ItemColumns, cells: ClassCells, stored: Stored) -> dict[str, ClassSums]:
    """Return the sums by class that stored scores carry, cell by cell."""
    number = {name: at for at, name in enumerate(columns.items)}
    known: dict[str, dict[tuple[Hashable, int], ClassSum]] = {}
    for name, scores in stored.items():
        for key, sums in sums_in_scores(scores).items():
            known.setdefault(key, {}).update({(label, number[name]): cell for label, cell in sums.items()})
    places = [
        (columns.names[part], item)
        for part, item in zip(cells.part.tolist(), cells.item.tolist(), strict=True)
        if known
    ]
    return {key: ClassSums.listed([sums.get(place) for place in places]) for key, sums in known.items()}
