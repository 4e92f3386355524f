"""Mean and pooled scores of a data set, whole, per part and per group of classes [kirillov2019panoptic].

* ``mean``: the metric of every item, then the mean over items. Per class it goes over the items in which the class
  occurs.
* ``pooled``: tallies are added over items, per class, then the metric is taken and averaged over the classes that
  occur. Without classes it is the metric of the whole sum. A metric that is no function of a tally is pooled as Σ
  numerators / Σ denominators.

Undefined values are left out of means unless the policy's reference counts them as 0 in its means over classes, or
``undefined=`` says otherwise; every mean carries how many values it used (the denominator of its score).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from segmetry.aggregate.records import ItemRecord, unite
from segmetry.alignments import as_policy
from segmetry.alignments.tally import Tally, add_tallies
from segmetry.errors import ClassesError, InputError
from segmetry.overlaps.merge import sorted_names
from segmetry.scores.classes import (
    ALL,
    Groups,
    checked_groups,
    checked_undefined,
    group_score,
    in_class_means,
    is_count,
    mean_of,
    members,
    tally_score,
)
from segmetry.scores.dagger import KEY as DAGGER
from segmetry.scores.dagger import dagger_of_class
from segmetry.scores.metric import METRICS
from segmetry.scores.score import Score

Options = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Aggregated:
    """One metric over a data set; the denominator of ``mean`` is the number of values it used."""

    mean: Score
    pooled: Score | None

    @property
    def n(self) -> int:
        """How many values the mean used."""
        return int(self.mean.denominator or 0)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "mean": self.mean.as_dict(),
            "n": self.n,
            "pooled": None if self.pooled is None else self.pooled.as_dict(),
        }


Row = dict[str, Aggregated]


@dataclass(frozen=True)
class Summary:
    """A data set in numbers: the whole, its parts (classes, or what else it was broken down by), groups of classes."""

    rule: str
    policy: str
    by: str | None
    n_items: int
    scores: Mapping[str, Aggregated]
    parts: Mapping[Hashable, Mapping[str, Aggregated]]
    groups: Mapping[str, Mapping[str, Aggregated]]

    @property
    def classes(self) -> Mapping[Hashable, Mapping[str, Aggregated]]:
        """The parts, where the breakdown is by class."""
        if self.by != "class":
            raise ClassesError(f"this summary is broken down by {self.by or 'nothing'}, not by class; see .parts")
        return self.parts

    def __getitem__(self, key: str) -> Aggregated:
        return self.scores[key]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "rule": self.rule,
            "policy": self.policy,
            "by": self.by,
            "n_items": self.n_items,
            "scores": _plain(self.scores),
            "parts": {str(name): _plain(row) for name, row in self.parts.items()},
            "groups": {name: _plain(row) for name, row in self.groups.items()},
        }

    def rows(self) -> list[dict[str, Any]]:
        """One plain row per metric and part: level, name, key, mean, n, pooled; undefined is None."""
        levels: list[tuple[str, Hashable, Mapping[str, Aggregated]]] = [("data set", None, self.scores)]
        levels += [("group", name, row) for name, row in self.groups.items()]
        levels += [(self.by or "part", name, row) for name, row in self.parts.items()]
        return [
            {
                "level": level,
                "name": name,
                "key": key,
                "mean": _value(found.mean),
                "n": found.n,
                "pooled": _value(found.pooled),
            }
            for level, name, row in levels
            for key, found in row.items()
        ]


def summarise(
    records: Iterable[ItemRecord],
    *,
    metrics: Sequence[str] | None = None,
    groups: Groups | None = None,
    undefined: float | None = None,
    options: Options | None = None,
) -> Summary:
    """The summary of a data set.

    ``metrics`` are keys of metrics that are functions of a tally (by default the panoptic ones); the other scores
    that records hold are summarised as well. ``groups`` are sets of classes, such as ``{"things": …, "stuff": …}``;
    the group ``all`` is always there.

    >>> import segmetry as sm
    >>> from segmetry.aggregate import record_of
    >>> preds = {"a": [[1, 1, 2]], "b": [[0, 0, 0]]}
    >>> found = summarise(record_of(item, sm.align(sm.overlap([[1, 1, 2]], pred))) for item, pred in preds.items())
    >>> found["pq"].mean.value, found["pq"].pooled.value, found["sq"].mean.value, found["sq"].n
    (0.5, 0.6666666666666666, 1.0, 1)
    """
    united = unite(records)
    if not united:
        raise InputError("no records to summarise; expected at least one item")
    keys = panoptic_keys() if metrics is None else _checked_keys(metrics)
    chosen_groups = checked_groups(groups)
    if chosen_groups and united[0].by != "class":
        raise ClassesError(
            f"groups= names groups of classes, but the items are broken down by {united[0].by or 'nothing'}"
        )
    machine = _Machine(united, keys, options or {}, undefined)
    parts = {name: machine.part(name) for name in machine.names}
    wanted = (*chosen_groups, ALL) if united[0].by == "class" else ()
    group_rows = {name: machine.group(name, chosen_groups, parts) for name in wanted}
    return Summary(
        rule=united[0].rule,
        policy=united[0].policy,
        by=united[0].by,
        n_items=len(united),
        scores={**machine.whole(group_rows.get(ALL)), **_other_scores(united, checked_undefined(undefined))},
        parts=parts,
        groups=group_rows,
    )


def panoptic_keys() -> list[str]:
    """The metrics of the panoptic family that are functions of a tally.

    >>> panoptic_keys()[:3]
    ['pq', 'sq', 'rq']
    """
    return [key for key, found in METRICS.items() if found.needs == "tally" and found.family == "panoptic"]


class _Machine:
    """The tallies of a data set and the ways to aggregate one metric over them."""

    def __init__(self, records: list[ItemRecord], keys: list[str], options: Options, undefined: float | None) -> None:
        self.records, self.keys, self.options = records, keys, options
        self.in_items = checked_undefined(undefined)
        self.in_classes = in_class_means(undefined, as_policy(records[0].policy))
        present = {name for record in records for name, tally in record.parts.items() if tally.occurs}
        self.names = sorted_names(present)
        self.of_items: dict[Hashable, list[Tally]] = {name: [] for name in self.names}
        for record in records:
            for name, tally in record.parts.items():
                if tally.occurs:
                    self.of_items[name].append(tally)
        self.has_dagger = all(record.plain is not None for record in records)
        self.pooled = {name: add_tallies(tallies) for name, tallies in self.of_items.items()}

    def _score(self, key: str, tally: Tally) -> Score:
        return tally_score(key, tally, self.options.get(key, {}))

    def _mean(self, key: str, tallies: Iterable[Tally], reason: str) -> Score:
        return mean_of(key, (self._score(key, tally) for tally in tallies), self.in_items, reason)

    def whole(self, all_classes: Row | None) -> Row:
        """The data set: mean over items; pooled over classes where there are any, else over everything."""
        tallies = [record.whole for record in self.records]
        together = add_tallies(tallies)
        found = {}
        for key in self.keys:
            pooled = self._score(key, together) if all_classes is None else all_classes[key].pooled
            found[key] = Aggregated(self._mean(key, tallies, "undefined in every item"), pooled)
        if all_classes is not None and DAGGER in all_classes:
            of_items = [self._item_dagger(record) for record in self.records]
            mean = mean_of(DAGGER, of_items, self.in_items, "undefined in every item")
            found[DAGGER] = Aggregated(mean, all_classes[DAGGER].pooled)
        return found

    @staticmethod
    def _item_dagger(record: ItemRecord) -> Score:
        """PQ† of one item: the mean over its classes."""
        plain = record.plain or {}
        scores = [dagger_of_class(tally, plain.get(name)) for name, tally in record.parts.items()]
        return mean_of(DAGGER, scores, None, "no class occurs")

    def part(self, name: Hashable) -> Row:
        """One class, or one size, …: mean over the items in which it occurs; pooled over all of them."""
        reason = "undefined in every item in which it occurs"
        row = {
            key: Aggregated(self._mean(key, self.of_items[name], reason), self._score(key, self.pooled[name]))
            for key in self.keys
        }
        if self.has_dagger:
            row[DAGGER] = self._dagger(name)
        return row

    def group(
        self, group: str, groups: Mapping[str, frozenset[Hashable]], parts: Mapping[Hashable, Mapping[str, Aggregated]]
    ) -> Row:
        """A group of classes: means over the classes that occur; counts are summed."""
        names = members(group, groups, self.names)
        of_items = [self._together(record, names) for record in self.records]
        row = {}
        for key in self.keys:
            options = self.options.get(key, {})
            pooled = group_score(key, [self.pooled[name] for name in names], options, self.in_classes)
            if is_count(key):
                mean = self._mean(key, of_items, "no items")
            else:
                means = [parts[name][key].mean for name in names]
                mean = mean_of(key, means, self.in_classes, "no class of this group occurs")
            row[key] = Aggregated(mean, pooled)
        if self.has_dagger:
            of_classes = [self._dagger(name) for name in self._dagger_names(group, groups)]
            reason = "no class of this group occurs"
            pooled = mean_of(DAGGER, [found.pooled for found in of_classes if found.pooled], None, reason)
            row[DAGGER] = Aggregated(mean_of(DAGGER, [found.mean for found in of_classes], None, reason), pooled)
        return row

    def _together(self, record: ItemRecord, names: list[Hashable]) -> Tally:
        """The tally of some classes of an item."""
        tallies = [record.parts[name] for name in names if name in record.parts]
        return add_tallies(tallies) if tallies else record.whole.emptied()

    def _dagger_names(self, group: str, groups: Mapping[str, frozenset[Hashable]]) -> list[Hashable]:
        every = {*self.names, *(name for record in self.records for name in record.plain or ())}
        return members(group, groups, sorted_names(every))

    def _dagger(self, name: Hashable) -> Aggregated:
        pairs = [(r.parts[name], (r.plain or {}).get(name)) for r in self.records if name in r.parts]
        scores = [dagger_of_class(tally, plain) for tally, plain in pairs]
        plains = [plain for _, plain in pairs if plain is not None]
        together = sum(plains[1:], plains[0]) if plains else None
        pooled = dagger_of_class(add_tallies([tally for tally, _ in pairs]), together)
        return Aggregated(mean_of(DAGGER, scores, self.in_items, "undefined in every item"), pooled)


def _other_scores(records: list[ItemRecord], undefined: float | None) -> Row:
    found: Row = {}
    for key in {key: None for record in records for key in record.scores}:
        scores = [record.scores[key] for record in records if key in record.scores]
        mean = mean_of(key, scores, undefined, "undefined in every item")
        found[key] = Aggregated(mean, _pooled(key, scores) if "pooled" in METRICS[key].aggregation else None)
    return found


def _pooled(key: str, scores: list[Score]) -> Score:
    tops = [score.numerator for score in scores if score.numerator is not None]
    bottoms = [score.denominator for score in scores if score.denominator is not None]
    if is_count(key):
        return Score.of(key, _sum(tops), 1)
    return Score.of(key, _sum(tops), _sum(bottoms))


def _sum(numbers: Sequence[int | float | Fraction]) -> int | float | Fraction:
    """Exact for integers and fractions, exactly rounded for floats."""
    if any(isinstance(number, float) for number in numbers):
        return math.fsum(float(number) for number in numbers)
    return sum(numbers, 0)


def _checked_keys(metrics: Sequence[str]) -> list[str]:
    for key in metrics:
        if METRICS[key].needs != "tally":
            raise InputError(f"{key} is no function of a tally; compute it per item and pass it in the records' scores")
    return list(metrics)


def _value(score: Score | None) -> float | None:
    return None if score is None or math.isnan(score.value) else score.value


def _plain(row: Mapping[str, Aggregated]) -> dict[str, Any]:
    return {key: found.as_dict() for key, found in row.items()}
