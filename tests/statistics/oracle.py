"""The summary of a data set by its definition: one record after the other, one tally after the other.

Nothing here knows of columns. Sums of IoUs are exactly rounded sums over the pairs of added tallies, means are exactly
rounded sums over lists of values, so that the columns have to give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from segmetry.alignments.policy import as_policy
from segmetry.alignments.tally import Tally, add_tallies
from segmetry.metrics.class_quotient import ClassSum
from segmetry.metrics.declare import METRICS
from segmetry.metrics.score import Score
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.records import ItemRecord
from segmetry.statistics.summary import panoptic_keys

Options = Mapping[str, Mapping[str, Any]]
Row = dict[str, tuple[Score, Score | None, Score | None]]
"""The averages by item, by class and of all segments, by key."""


@dataclass
class Definition:
    """The records of a data set and how their values are averaged."""

    records: Sequence[ItemRecord]
    keys: Sequence[str]
    options: Options
    undefined: float | None

    @property
    def in_classes(self) -> float | None:
        return as_policy(self.records[0].policy).undefined if self.undefined is None else self.undefined

    def score(self, key: str, tally: Tally) -> Score:
        score = METRICS[key].compute(tally, **self.options.get(key, {}))
        assert isinstance(score, Score)
        return score

    def mean(self, key: str, tallies: Iterable[Tally], reason: str) -> Score:
        return average(key, [self.score(key, tally) for tally in tallies], self.undefined, reason)

    def item_value(self, key: str, record: ItemRecord, names: Sequence[Hashable] | None = None) -> Score:
        """The value of an item: the mean over its classes, or of all its segments; of some classes only."""
        parts = [tally for name, tally in record.parts.items() if names is None or name in names]
        whole = record.whole if names is None else add_tallies([record.whole.emptied(), *parts])
        if METRICS[key].is_count or record.average == "segments":
            return self.score(key, whole)
        scores = [self.score(key, tally) for tally in parts if tally.n_true + tally.n_pred]
        return average(key, scores, self.in_classes, "no class has a value")

    def by_item(self, key: str, names: Sequence[Hashable] | None, reason: str) -> Score:
        """The mean over the items in which one of the classes occurs; counts go over all items."""
        records = self.records
        if names is not None and not METRICS[key].is_count:
            records = [one for one in records if any(occurs(one.parts.get(name)) for name in names)]
        return average(key, [self.item_value(key, record, names) for record in records], self.undefined, reason)

    def occurring(self) -> dict[Hashable, list[Tally]]:
        """The tallies of every part that occurs somewhere."""
        parts: dict[Hashable, list[Tally]] = {}
        for record in self.records:
            for name, tally in record.parts.items():
                if tally.n_true + tally.n_pred:
                    parts.setdefault(name, []).append(tally)
        return {name: parts[name] for name in sorted_names(set(parts))}

    def class_keys(self) -> list[str]:
        """The means over classes for which every record has sums."""
        return [key for key in self.records[0].class_sums if all(key in one.class_sums for one in self.records)]

    def class_values(self, key: str) -> dict[Hashable, tuple[Score, Score, Score]]:
        """The averages of every class that occurs or has a term."""
        terms = {name for record in self.records for name in record.class_sums[key]}
        return {name: self._class_value(key, name) for name in sorted_names({*self.occurring(), *terms})}

    def _class_value(self, key: str, name: Hashable) -> tuple[Score, Score, Score]:
        quotient = METRICS[key].per_class
        assert quotient is not None
        cells = [record.class_sums[key].get(name) for record in self.records if name in record.parts]
        scores = [class_score(key, quotient.reason, [] if cell is None else [cell]) for cell in cells]
        total = class_score(key, quotient.reason, [cell for cell in cells if cell is not None])
        return average(key, scores, self.undefined, "undefined in every item"), total, total

    def part_rows(self) -> dict[Hashable, Row]:
        by_class = {key: self.class_values(key) for key in self.class_keys()}
        reason = "undefined in every item in which it occurs"
        rows: dict[Hashable, Row] = {}
        for name, tallies in self.occurring().items():
            rows[name] = Row()
            for key in self.keys:
                total = self.score(key, add_tallies(tallies))
                of_class = total if self.records[0].by == "class" else None
                rows[name][key] = self.mean(key, tallies, reason), of_class, total
            rows[name] |= {key: classes[name] for key, classes in by_class.items()}
        return rows

    def group_row(self, classes: frozenset[Hashable] | None) -> Row:
        """A group of classes; all of them for None."""
        parts, row = self.occurring(), Row()
        names = [name for name in parts if classes is None or name in classes]
        in_items, in_classes = reasons(names)
        for key in self.keys:
            total = add_tallies([self.records[0].whole.emptied(), *(one for name in names for one in parts[name])])
            of_classes = [self.score(key, add_tallies(parts[name])) for name in names]
            by_class = average(key, of_classes, self.in_classes, in_classes)
            every = self.score(key, total)
            row[key] = self.by_item(key, names, in_items), every if METRICS[key].is_count else by_class, every
        for key in self.class_keys():
            known = {
                name: values for name, values in self.class_values(key).items() if classes is None or name in classes
            }
            in_items, in_classes = reasons(known)
            by_class = average(key, [values[1] for values in known.values()], None, in_classes)
            row[key] = self._class_mean_by_item(key, known, in_items), by_class, None
        return row

    def _class_mean_by_item(self, key: str, names: Iterable[Hashable], reason: str) -> Score:
        """The mean over the items that have a value, or in which a class occurs."""
        values, wanted = [], list(names)
        for record in self.records:
            value = item_mean(key, record, wanted)
            if value.is_defined or any(occurs(record.parts.get(name)) for name in wanted):
                values.append(value)
        return average(key, values, self.undefined, reason)

    def data_set_row(self) -> Row:
        every = self.group_row(None) if self.records[0].by == "class" else None
        total, row = add_tallies([record.whole for record in self.records]), Row()
        for key in self.keys:
            by_item = self.by_item(key, None, "undefined in every item")
            row[key] = by_item, None if every is None else every[key][1], self.score(key, total)
        for key in self.class_keys() if every is not None else ():
            assert every is not None
            of_items = [item_mean(key, record) for record in self.records]
            by_item = average(key, of_items, self.undefined, "undefined in every item")
            row[key] = by_item, every[key][1], None
        return row | self._other_rows()

    def _other_rows(self) -> Row:
        row = Row()
        for key in {key: None for record in self.records for key in record.scores}:
            scores = [record.scores[key] for record in self.records if key in record.scores]
            total = added_quotient(key, scores) if "all_segments" in METRICS[key].aggregation else None
            row[key] = average(key, scores, self.undefined, "undefined in every item"), None, total
        return row


def summary_by_definition(
    records: Iterable[ItemRecord],
    *,
    metrics: Sequence[str] | None = None,
    groups: Mapping[str, Iterable[Hashable]] | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> dict[str, Any]:
    """What ``Summary.as_dict()`` has to be."""
    listed = sorted(records, key=lambda record: record.item)
    keys = panoptic_keys() if metrics is None else list(metrics)
    data = Definition(listed, keys, options or {}, None if undefined is None else float(undefined))
    by_class = listed[0].by == "class"
    wanted = {name: frozenset(classes) for name, classes in (groups or {}).items()}
    group_rows = (
        {name: data.group_row(classes) for name, classes in {**wanted, "all": None}.items()} if by_class else {}
    )
    return {
        "rule": listed[0].rule,
        "policy": listed[0].policy,
        "by": listed[0].by,
        "n_items": len(listed),
        "scores": plain(data.data_set_row()),
        "parts": {str(name): plain(row) for name, row in data.part_rows().items()},
        "groups": {name: plain(row) for name, row in group_rows.items()},
    }


def plain(row: Row) -> dict[str, Any]:
    return {
        key: {
            "by_item": by_item.as_dict(),
            "n": int(by_item.denominator or 0),
            "by_class": None if by_class is None else by_class.as_dict(),
            "all_segments": None if every is None else every.as_dict(),
        }
        for key, (by_item, by_class, every) in row.items()
    }


def reasons(names: Collection[Hashable]) -> tuple[str, str]:
    """Why there is no mean over the items, and over the classes, of a group with these classes."""
    nothing = "no class of this group occurs"
    return ("undefined in every item", "undefined in every class") if names else (nothing, nothing)


def occurs(tally: Tally | None) -> bool:
    return tally is not None and tally.n_true + tally.n_pred > 0


def average(key: str, scores: Sequence[Score | None], undefined: float | None, reason: str) -> Score:
    """Σ values / how many: undefined ones are left out, or replaced."""
    known = [score for score in scores if score is not None]
    values = [score.value if score.is_defined else undefined for score in known]
    used = [value for value in values if value is not None]
    return Score.of(key, math.fsum(used), len(used), reason)


def class_score(key: str, reason: str, cells: Sequence[ClassSum]) -> Score:
    """Σ numerators / Σ denominators; floats are added exactly and rounded once."""
    terms = [term for cell in cells for term in cell.terms.tolist()]
    are_integers = all(isinstance(term, int) for term in terms)
    total = sum(terms) if are_integers else float(sum(map(Fraction, terms), Fraction(0)))
    return Score.of(key, total, sum(cell.denominator for cell in cells), reason)


def item_mean(key: str, record: ItemRecord, names: Sequence[Hashable] | None = None) -> Score:
    """The mean over the classes of one item, or over some of them."""
    cells = [cell for name, cell in record.class_sums[key].items() if names is None or name in names]
    scores = [class_score(key, "", [cell]) for cell in cells]
    return average(key, scores, None, "no class occurs")


def added_quotient(key: str, scores: Sequence[Score]) -> Score:
    """Σ numerators / Σ denominators of the items; for counts the sum."""
    tops = [score.numerator for score in scores if score.numerator is not None]
    bottoms = [score.denominator for score in scores if score.denominator is not None]
    return Score.of(key, _sum(tops), 1 if METRICS[key].is_count else _sum(bottoms))


def _sum(numbers: Sequence[int | float | Fraction]) -> int | float | Fraction:
    if any(isinstance(number, float) for number in numbers):
        return math.fsum(float(number) for number in numbers)
    return sum(numbers, 0)
