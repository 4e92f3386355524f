"""Records of a run's items under any rule, from the overlap rows alone.

A rule that looks at one pair at a time, and on disjoint segments never gives one two partners, is applied to the
whole run at once: segments of different items share nothing, so the alignment of the union is the union of the
alignments. Every other rule is applied item by item. Both ways give the same numbers, to the bit.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.align import align
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.rules.local import LocalRule
from segmetry.errors import SegmetryError
from segmetry.metrics.panoptic.pq_dagger import plain_pairs
from segmetry.metrics.score import Score
from segmetry.run.overlap_columns import RunTables
from segmetry.run.settings import Settings
from segmetry.statistics.data_set_columns import ColumnTallies, PlainColumns
from segmetry.statistics.records import ItemRecord, record_of
from segmetry.statistics.tally_columns import PairColumns, TallyColumns

Stored = Mapping[str, Mapping[str, Score]]
"""Scores that are no function of a tally, by item name and key."""


def records_of(tables: RunTables, settings: Settings, stored: Stored) -> list[ItemRecord]:
    """One record per finished item."""
    at_once = columns_of(tables, settings, stored)
    if at_once is not None:
        return at_once.records()
    return [
        _with_place(
            record_of(
                facts.name,
                item_alignment(tables, at, settings),
                stuff=settings.stuff,
                scores=stored.get(facts.name, {}),
            )
        )
        for at, facts in enumerate(tables.items)
    ]


def _with_place(record: ItemRecord) -> ItemRecord:
    """The record of an item; the clash that its scores raise, if there is one, names the item."""
    if record.whole.clash is None:
        return record
    clash = record.whole.clash.within(f"item {record.item}")
    parts = {name: replace(tally, clash=clash) for name, tally in record.parts.items()}
    return replace(record, whole=replace(record.whole, clash=clash), parts=parts)


def columns_of(tables: RunTables, settings: Settings, stored: Stored) -> ColumnTallies | None:
    """The tallies of all finished items at once; None where the rule or the items ask for one item after the other."""
    rule = as_rule(settings.rule)
    if not (isinstance(rule, LocalRule) and rule.guarantees_one_to_one and tables.is_uniform):
        return None
    try:
        alignment = align(tables.together, **alignment_options(settings))
    except SegmetryError:
        return None  # the way item by item meets the same error, and can say in which item
    stuff = settings.stuff
    if stuff is not None and alignment.table.class_names is None:
        return None
    return _columns(tables, alignment, stored, None if stuff is None else frozenset(stuff))


def alignment_options(settings: Settings) -> dict[str, Any]:
    """The options of :func:`~segmetry.alignments.align.align` that settings name."""
    return {
        "rule": settings.rule,
        "policy": settings.policy,
        "resolve": settings.resolve,
        "classes": settings.classes,
    }


def item_alignment(tables: RunTables, item: int, settings: Settings) -> Alignment:
    """The alignment of one item; an error names it."""
    try:
        return align(tables.table(item), **alignment_options(settings))
    except SegmetryError as problem:
        raise problem.within(f"item {tables.items[item].name}") from None


def _columns(
    tables: RunTables, alignment: Alignment, stored: Stored, stuff: frozenset[Hashable] | None
) -> ColumnTallies:
    table, n_items = alignment.table, len(tables)
    has_classes = table.class_names is not None
    cells = _ClassCells.of(tables, alignment) if has_classes else _ClassCells.none()
    whole = TallyColumns.of(alignment, tables.true.item, tables.pred.item, n_items)
    n_cells = cells.item.size
    return ColumnTallies(
        items=tuple(facts.name for facts in tables.items),
        rule=alignment.rule.name,
        policy=alignment.policy.name,
        by="class" if has_classes else None,
        whole=whole,
        names=tables.class_names if has_classes else (),
        cells=TallyColumns.of(alignment, cells.of_true, cells.of_pred, n_cells) if has_classes else whole.emptied(),
        cell_item=cells.item,
        cell_part=cells.part,
        plain=None if stuff is None else _plain(alignment, cells.of_true, n_cells, stuff),
        kept=stored,
    )


@dataclass(frozen=True, eq=False)
class _ClassCells:
    """Items × classes that hold a true segment or a pred without a partner, sorted by class, then by item.

    ``of_true`` and ``of_pred`` are the cells of all segments; the cell of a matched pred need not be there.
    """

    item: NDArray[np.intp]
    part: NDArray[np.intp]
    of_true: NDArray[np.intp]
    of_pred: NDArray[np.intp]

    @classmethod
    def of(cls, tables: RunTables, alignment: Alignment) -> _ClassCells:
        n_items = len(tables)
        true, pred = (side.classes * n_items + side.item for side in (tables.true, tables.pred))
        present = np.unique(np.concatenate((true, pred[~alignment.matched_pred])))
        part, item = np.divmod(present, n_items)
        return cls(item, part, np.searchsorted(present, true), np.searchsorted(present, pred))

    @classmethod
    def none(cls) -> _ClassCells:
        nothing = np.zeros(0, dtype=np.intp)
        return cls(nothing, nothing, nothing, nothing)


def _plain(alignment: Alignment, of_true: IntArray, n: int, stuff: frozenset[Hashable]) -> PlainColumns:
    """All overlapping pairs of every cell and its true segments, as PQ† counts them."""
    counts, candidates = plain_pairs(alignment)
    columns = candidates.shared, candidates.missed, candidates.spurious
    pairs = PairColumns.grouped(columns, of_true[candidates.at_true], n)
    return PlainColumns(pairs, np.bincount(of_true[counts], minlength=n), stuff)
