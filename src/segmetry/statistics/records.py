"""What one item contributes to a data set: exact tallies, and scores that are no function of a tally."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import Breakdown, as_breakdown, break_down
from segmetry.alignments.tally import Tally
from segmetry.errors import InputError
from segmetry.metrics.panoptic.pq_dagger import PlainIoU, plain_iou
from segmetry.metrics.per_class import tally_score
from segmetry.metrics.score import Score
from segmetry.overlaps.merge_tables import sorted_names

By = str | Breakdown | Sequence[str | Breakdown]


@dataclass(frozen=True, eq=False)
class ItemRecord:
    """The facts about one item.

    ``whole`` is the tally of all its segments, ``parts`` the tallies by class (or by what ``by`` names), ``plain``
    the plain IoUs of its stuff classes for PQ† (None when nobody said what is stuff), ``scores`` results of metrics
    that are no function of a tally.
    """

    item: str
    rule: str
    policy: str
    whole: Tally
    by: str | None = None
    parts: Mapping[Hashable, Tally] = field(default_factory=dict)
    plain: Mapping[Hashable, PlainIoU] | None = None
    scores: Mapping[str, Score] = field(default_factory=dict)

    def facts(self) -> tuple[Any, ...]:
        """Everything as plain values: equal for two records of the same item under the same rule and policy."""
        return (
            self.item,
            self.rule,
            self.policy,
            self.by,
            _facts(self.whole),
            {name: _facts(tally) for name, tally in self.parts.items()},
            self.plain and {name: (_triples(found), found.n_true) for name, found in self.plain.items()},
            {key: repr(score.as_dict()) for key, score in self.scores.items()},
        )


def record_of(
    item: str,
    alignment: Alignment,
    *,
    by: By | None = None,
    stuff: Collection[Hashable] | None = None,
    scores: Mapping[str, Score] | None = None,
) -> ItemRecord:
    """The record of one item's alignment: by class where its segments carry classes, or by anything else.

    ``stuff`` names the stuff classes, for PQ†.

    >>> import segmetry as sm
    >>> alignment = sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 3]]))
    >>> record_of("a.png", alignment, by="size").parts
    {'small': Tally(2 pairs, 0 missed, 0 spurious)}
    """
    chosen: By | None = "class" if by is None and alignment.table.class_names is not None else by
    parts = {} if chosen is None else {name: part.tally for name, part in break_down(alignment, chosen).items()}
    return ItemRecord(
        item=str(item),
        rule=alignment.rule.name,
        policy=alignment.policy.name,
        whole=alignment.tally,
        by=None if chosen is None else _name(chosen),
        parts=parts,
        plain=None if stuff is None else plain_iou(alignment, stuff),
        scores=dict(scores or {}),
    )


def unite(records: Iterable[ItemRecord]) -> list[ItemRecord]:
    """Records by item name, each item once; two that disagree about an item are an error.

    A retried or duplicated item changes nothing, and neither does the order in which records arrive.
    """
    found: dict[str, ItemRecord] = {}
    for record in records:
        known = found.setdefault(record.item, record)
        if known is not record and known.facts() != record.facts():
            raise InputError(
                f"item {record.item!r} has two records that differ; expected one result per item (is the name unique?)"
            )
    united = [found[item] for item in sorted(found)]
    for record in united[1:]:
        if _how(record) != _how(united[0]):
            raise InputError(
                f"item {united[0].item!r} was scored with {_how(united[0])} "
                f"and item {record.item!r} with {_how(record)}; expected the same"
            )
    return united


def split_records(records: Iterable[ItemRecord], column: Mapping[str, Hashable]) -> dict[Hashable, list[ItemRecord]]:
    """Records by a column of the items (city, weather, annotator, …), in a stable order.

    >>> split_records([], {"a.png": "rain"})
    {}
    """
    found: dict[Hashable, list[ItemRecord]] = {}
    for record in unite(records):
        if record.item not in column:
            raise InputError(f"item {record.item!r} has no value in the column; expected one per item")
        found.setdefault(column[record.item], []).append(record)
    return {label: found[label] for label in sorted_names(set(found))}


def item_rows(
    records: Iterable[ItemRecord], keys: Sequence[str] = ("pq", "sq", "rq", "n_matched", "n_missed", "n_spurious")
) -> list[dict[str, Any]]:
    """One plain row per item, and one per part of it (``part`` is None for the whole item); undefined is None.

    >>> import segmetry as sm
    >>> item_rows([record_of("a", sm.align(sm.overlap([[1, 1, 2]], [[1, 1, 0]])))], ["pq", "n_missed"])
    [{'item': 'a', 'part': None, 'pq': 0.6666666666666666, 'n_missed': 1.0}]
    """
    rows = []
    for record in unite(records):
        for part, tally in ((None, record.whole), *record.parts.items()):
            values = {key: tally_score(key, tally, {}) for key in keys}
            shown = {key: score.value if score.is_defined else None for key, score in values.items()}
            rows.append({"item": record.item, "part": part, **shown})
    return rows


def _how(record: ItemRecord) -> str:
    return f"rule {record.rule}, policy {record.policy}, by {record.by or 'nothing'}"


def _name(by: By) -> str:
    listed = [by] if isinstance(by, str) or not isinstance(by, Sequence) else list(by)
    return " × ".join(as_breakdown(one).name for one in listed)


def _triples(found: Tally | PlainIoU) -> list[tuple[int, ...]]:
    return sorted(map(tuple, np.stack((found.shared, found.missed, found.spurious), axis=1).tolist()))


def _facts(tally: Tally) -> tuple[Any, ...]:
    return (_triples(tally), tally.n_unmatched_true, tally.n_unmatched_pred, tally.weight, tally.own)
