"""Records of a run's items under any rule, from the overlap rows alone.

A rule that looks at one pair at a time, and on disjoint segments never gives one two partners, is applied to the
whole run at once: segments of different items share nothing, so the alignment of the union is the union of the
alignments. Every other rule is applied item by item. Both ways give the same records.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from segmetry.aggregate import ItemRecord, record_of
from segmetry.alignments import Alignment, Tally, align, as_rule
from segmetry.alignments.groups import grouped_tallies
from segmetry.alignments.rules import LocalRule
from segmetry.errors import SegmetryError
from segmetry.exact import IntArray
from segmetry.run.settings import Settings
from segmetry.run.tables import RunTables, SideColumns
from segmetry.scores.score import Score

Stored = Mapping[str, Mapping[str, Score]]
"""Scores that are no function of a tally, by item name and key."""


def records_of(tables: RunTables, settings: Settings, stored: Stored) -> list[ItemRecord]:
    """One record per finished item."""
    rule = as_rule(settings.rule)
    at_once = isinstance(rule, LocalRule) and rule.guarantees_one_to_one and tables.is_uniform
    if at_once and settings.resolve is None and "stuff" not in settings.groups:
        try:
            alignment = align(tables.together, **alignment_options(settings))
        except SegmetryError:
            pass  # the way item by item meets the same error, and can say in which item
        else:
            return _all_records(tables, alignment, stored)
    return [
        record_of(
            facts.name,
            item_alignment(tables, at, settings),
            stuff=settings.groups.get("stuff"),
            scores=stored.get(facts.name, {}),
        )
        for at, facts in enumerate(tables.items)
    ]


def alignment_options(settings: Settings) -> dict[str, Any]:
    """The options of :func:`~segmetry.alignments.align` that settings name."""
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


def _all_records(tables: RunTables, alignment: Alignment, stored: Stored) -> list[ItemRecord]:
    n_items = len(tables)
    wholes = grouped_tallies(alignment, tables.true.item, tables.pred.item, n_items)
    parts = _parts(tables, alignment) if alignment.table.class_names is not None else [{}] * n_items
    return [
        ItemRecord(
            item=facts.name,
            rule=alignment.rule.name,
            policy=alignment.policy.name,
            whole=wholes[at],
            by="class" if facts.has_classes else None,
            parts=parts[at],
            scores=dict(stored.get(facts.name, {})),
        )
        for at, facts in enumerate(tables.items)
    ]


def _parts(tables: RunTables, alignment: Alignment) -> list[dict[Hashable, Tally]]:
    """The tallies by class of every item: pairs and missed segments by their true class, spurious ones by their own."""
    n_classes = len(tables.class_names)

    def cells(side: SideColumns) -> IntArray:
        return side.item * n_classes + side.classes

    true_cell, pred_cell = cells(tables.true), cells(tables.pred)
    present = np.unique(np.concatenate((true_cell, pred_cell[~alignment.matched_pred])))
    of_true, of_pred = np.searchsorted(present, true_cell), np.searchsorted(present, pred_cell)
    found: list[dict[Hashable, Tally]] = [{} for _ in range(len(tables))]
    tallies = grouped_tallies(alignment, of_true, of_pred, present.size)
    for cell, tally in zip(present.tolist(), tallies, strict=True):
        item, code = divmod(cell, n_classes)
        found[item][tables.class_names[code]] = tally
    return found
