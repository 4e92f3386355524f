"""The tallies of a data set, as its summary asks for them: of every item, of a part in every item, of some parts.

Two things answer: records of items (here), one tally after the other; and the columns of a whole run
(:mod:`segmetry.statistics.tally_columns`), all at once. Both give the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from segmetry.alignments.tally import Tally, add_tallies
from segmetry.metrics.panoptic.pq_dagger import dagger_of_class, mean_dagger
from segmetry.metrics.per_class import tally_score
from segmetry.metrics.score import Score
from segmetry.overlaps.merge_tables import sorted_names
from segmetry.statistics.records import ItemRecord

Values = Sequence[float]
"""A metric of several tallies; NaN where it is undefined."""


class Tallies(Protocol):
    """Several tallies of one rule."""

    def values(self, key: str, options: Mapping[str, Any]) -> Values:
        """A metric of each of them."""
        ...


@dataclass(frozen=True)
class Dagger:
    """PQ† of one class: its value in every item that has the class, and pooled."""

    values: Values
    pooled: Score


class Tallied(Protocol):
    """The tallies of a data set; ``parts`` are those that occur, and what they sum up to."""

    @property
    def n_items(self) -> int: ...
    @property
    def rule(self) -> str: ...
    @property
    def policy(self) -> str: ...
    @property
    def by(self) -> str | None: ...
    @property
    def parts(self) -> Mapping[Hashable, Tally]: ...
    @property
    def whole(self) -> Tallies: ...
    @property
    def together(self) -> Tally: ...
    @property
    def scores(self) -> Mapping[str, list[Score]]: ...
    @property
    def has_dagger(self) -> bool: ...
    @property
    def dagger_names(self) -> Sequence[Hashable]: ...

    def of_part(self, name: Hashable) -> Tallies:
        """A part, in the items in which it occurs."""
        ...

    def of_parts(self, names: Sequence[Hashable]) -> Tallies:
        """The sum of some parts, in every item."""
        ...

    def dagger(self, name: Hashable) -> Dagger:
        """PQ† of a class."""
        ...

    def item_daggers(self) -> Values:
        """PQ† of every item: the mean over its classes."""
        ...


@dataclass(frozen=True)
class TallyList:
    """Tallies one by one."""

    tallies: list[Tally]

    def values(self, key: str, options: Mapping[str, Any]) -> Values:
        """A metric of each of them."""
        return [_value(tally_score(key, tally, options)) for tally in self.tallies]


class RecordTallies:
    """The tallies of some records, at least one."""

    def __init__(self, records: Sequence[ItemRecord]) -> None:
        self.records = records
        self.n_items = len(records)
        self.rule, self.policy, self.by = records[0].rule, records[0].policy, records[0].by
        occurring: dict[Hashable, list[Tally]] = {}
        for record in records:
            for name, tally in record.parts.items():
                if tally.occurs:
                    occurring.setdefault(name, []).append(tally)
        self._of_part = {name: occurring[name] for name in sorted_names(set(occurring))}

    @cached_property
    def parts(self) -> Mapping[Hashable, Tally]:
        return {name: add_tallies(tallies) for name, tallies in self._of_part.items()}

    @property
    def whole(self) -> TallyList:
        return TallyList([record.whole for record in self.records])

    @property
    def together(self) -> Tally:
        return add_tallies([record.whole for record in self.records])

    @property
    def scores(self) -> Mapping[str, list[Score]]:
        """Scores that are no function of a tally, of the items that have them."""
        return scores_by_key([record.scores for record in self.records])

    def of_part(self, name: Hashable) -> TallyList:
        """A part, in the items in which it occurs."""
        return TallyList(self._of_part[name])

    def of_parts(self, names: Sequence[Hashable]) -> TallyList:
        """The sum of some parts, in every item."""
        return TallyList([_sum(record, names) for record in self.records])

    @property
    def has_dagger(self) -> bool:
        """Whether somebody said which classes are stuff."""
        return all(record.plain is not None for record in self.records)

    @property
    def dagger_names(self) -> Sequence[Hashable]:
        """The classes PQ† knows: those that occur, and stuff; none where nobody said what is stuff."""
        if not self.has_dagger:
            return ()
        stuff = {name for record in self.records for name in record.plain or () if name in record.parts}
        return sorted_names({*self._of_part, *stuff})

    def dagger(self, name: Hashable) -> Dagger:
        """PQ† of a class."""
        found = [(r.parts[name], (r.plain or {}).get(name)) for r in self.records if name in r.parts]
        plains = [plain for _, plain in found if plain is not None]
        together = sum(plains[1:], plains[0]) if plains else None
        values = [_value(dagger_of_class(tally, plain)) for tally, plain in found]
        return Dagger(values, dagger_of_class(add_tallies([tally for tally, _ in found]), together))

    def item_daggers(self) -> Values:
        """PQ† of every item: the mean over its classes."""
        return [_value(mean_dagger(record.parts, record.plain or {})) for record in self.records]


def scores_by_key(found: Sequence[Mapping[str, Score]]) -> dict[str, list[Score]]:
    """The scores of many items by key, from the items that have them."""
    by_key: dict[str, list[Score]] = {}
    for scores in found:
        for key, score in scores.items():
            by_key.setdefault(key, []).append(score)
    return by_key


def mean_of_defined(values: Iterable[float]) -> float:
    """The mean of the values that are not NaN; NaN without any."""
    used = [value for value in values if not math.isnan(value)]
    return math.fsum(used) / len(used) if used else math.nan


def _sum(record: ItemRecord, names: Sequence[Hashable]) -> Tally:
    tallies = [record.parts[name] for name in names if name in record.parts]
    return add_tallies(tallies) if tallies else record.whole.emptied()


def _value(score: Score) -> float:
    return score.value if score.is_defined else math.nan
