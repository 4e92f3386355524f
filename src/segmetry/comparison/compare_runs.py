"""Two or more systems on one data set: differences with intervals and tests, items won and lost, stable ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from segmetry._base import FloatArray
from segmetry.comparison.systems import System, check_options, systems_of
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.metrics import METRICS, Score, find_metric
from segmetry.statistics import (
    LEVEL,
    RESAMPLES,
    SEED,
    Asked,
    DataSet,
    Difference,
    Interval,
    Intervals,
    Outcomes,
    Place,
    RankStability,
    Resampling,
    Summary,
    corrected,
    detectable_difference,
    every_place,
    interval_of,
    intervals_of_rows,
    items_needed,
    outcomes,
    permutation_test,
    rank_stability,
    restricted,
    sampled,
)


@dataclass(frozen=True)
class Comparison:
    """Two or more systems compared; :meth:`rows` returns every difference as a plain row."""

    systems: tuple[str, ...]
    rule: str
    policy: str
    n_items: int
    level: float
    resamples: int
    seed: int
    truth: str
    values: Mapping[str, Intervals]
    differences: tuple[Difference, ...]
    ranks: tuple[RankStability, ...]
    headline: str
    class_names: Mapping[Hashable, str] = field(default_factory=dict)

    def difference(
        self, key: str, average: str | None = None, first: str | None = None, second: str | None = None
    ) -> Difference:
        """Return a difference of the data set, by default in the usual average and between the first two systems."""
        names = (first or self.systems[0], second or self.systems[1])
        for difference in self.differences:
            place = difference.level, difference.key, difference.first, difference.second
            if place == ("data set", key, *names) and average in (None, difference.average):
                return difference
        what = key if average is None else f"{average} {key}"
        raise UnknownNameError(f"there is no difference in {what} of {names[0]} and {names[1]}")

    def averages(self, key: str) -> list[str]:
        """Return the averages in which a metric is compared over the data set, the usual one first."""
        listed = (row.average for row in self.differences if (row.level, row.key) == ("data set", key))
        return list(dict.fromkeys(listed))

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain row per pair of systems, level, metric and average."""
        return [difference.as_row() for difference in self.differences]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = ("rule", "policy", "n_items", "level", "resamples", "seed", "truth", "headline")
        return {
            "systems": list(self.systems),
            **{name: getattr(self, name) for name in facts},
            "values": {name: result.as_dict() for name, result in self.values.items()},
            "differences": self.rows(),
            "ranks": [result.as_dict() for result in self.ranks],
            "class_names": {str(label): name for label, name in self.class_names.items()},
        }

    def _repr_html_(self) -> str:
        from segmetry.comparison.comparison_tables import comparison_table

        return comparison_table(self)._repr_html_()


def compare(
    *runs: Any,
    names: Sequence[str] | None = None,
    metrics: Sequence[str] | str | None = None,
    rule: Any = None,
    parts: bool = False,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = SEED,
    truth: str = "files",
) -> Comparison:
    """Compare runs of several systems on the same items and truth.

    Resampling and permutations draw complete items, the same for all systems.

    Parameters
    ----------
    *runs : Run, str, Path or mapping
        Runs, paths of run files, or one mapping of names to them.
    names : sequence of str, optional
        The names of the systems; by default those of the files.
    metrics : sequence of str or str, optional
        Keys of metrics that all runs contain; by default all of them.
    rule : MatchRule or str, optional
        Score every run under this rule.
    parts : bool, default False
        Compare the systems per class as well.
    resamples : int, default 10000
        The number of bootstrap resamples, and of permutations.
    level : float, default 0.95
        The confidence level of intervals.
    rng : int, default 2024
        The seed of the random numbers, not a generator: the same resamples on every machine and in every language.
    truth : {'files', 'segments'}, default 'files'
        ``'files'`` demands the same files of the truth, ``'segments'`` accepts the same true segments from other
        files.

    Returns
    -------
    Comparison
        Values with intervals, paired differences with tests, and the stability of ranks.

    Examples
    --------
    >>> import segmetry as sm
    >>> true = {name: [[1, 1, 1, 2]] for name in "abcdef"}
    >>> good = sm.evaluate(true, {name: [[1, 1, 1, 2]] for name in "abcdef"}, metrics="pq")
    >>> fair = sm.evaluate(true, {name: [[1, 1, 2, 2]] for name in "abcde"} | {"f": [[1, 1, 1, 2]]}, metrics="pq")
    >>> difference = compare({"fair": fair, "good": good}).difference("pq")
    >>> round(difference.value, 4), difference.p, difference.outcomes
    (0.5556, 0.0625, Outcomes(won=5, tied=1, lost=0, undefined=0))
    """
    resampling = Resampling(resamples, level, rng)
    with systems_of(runs, names, rule=rule, truth=truth) as systems:
        ready = prepare(systems, metrics)
        class_names = {label: name for system in systems for label, name in system.run.class_names.items()}
        headline = systems[0].run.headline
    compared = Compared(ready, resampling, parts=parts)
    first = ready[0].summary
    return Comparison(
        systems=tuple(system.name for system in ready),
        rule=first.rule,
        policy=first.policy,
        n_items=first.n_items,
        level=level,
        resamples=resamples,
        seed=rng,
        truth=truth,
        headline=headline if headline in first.scores else next(iter(first.scores)),
        values={system.name: compared.intervals(at) for at, system in enumerate(ready)},
        differences=tuple(corrected(compared.differences())),
        ranks=tuple(compared.ranks()),
        class_names=class_names,
    )


@dataclass(frozen=True, eq=False)
class Prepared:
    """A system: its items in the order of their names, and the compared part of its summary."""

    name: str
    data: DataSet
    summary: Summary


def prepare(systems: Sequence[System], metrics: Sequence[str] | str | None) -> list[Prepared]:
    """Prepare systems to be resampled together: the same metrics and items."""
    summaries = [system.run.summary() for system in systems]
    kinds = {system.name: summary.by for system, summary in zip(systems, summaries, strict=True)}
    if len(set(kinds.values())) > 1:
        raise InputError(f"some runs carry classes and others do not: {kinds}; expected all or none")
    keys = chosen_keys(summaries, metrics)
    check_options(systems, keys)
    return [
        Prepared(system.name, system.run.data.with_keys(keys).sorted(), restricted(summary, keys))
        for system, summary in zip(systems, summaries, strict=True)
    ]


def chosen_keys(summaries: Sequence[Summary], metrics: Sequence[str] | str | None) -> list[str]:
    """Return the metrics that are compared: ``metrics``, else those that all summaries contain."""
    common = [key for key in summaries[0].scores if all(key in summary.scores for summary in summaries)]
    if metrics is None:
        if not common:
            raise InputError("the runs have no metric in common; evaluate them with the same metrics")
        return common
    asked = [key.strip() for key in metrics.split(",")] if isinstance(metrics, str) else list(metrics)
    if not asked:
        raise OptionError(f"metrics= names no metric; the runs contain {', '.join(common)}")
    asked = [key if key in common else find_metric(key).metric.key for key in asked]
    for key in asked:
        if key not in common:
            raise UnknownNameError(f"there is no metric {key!r} in all of the runs; they contain {', '.join(common)}")
    return [key for key in common if key in asked]


class Compared:
    """The values of several systems under the same draws of items, and their differences."""

    def __init__(
        self,
        ready: Sequence[Prepared],
        resampling: Resampling,
        *,
        parts: bool = False,
        averages: Collection[str] | None = None,
        tests: bool = True,
    ) -> None:
        self.ready, self.resampling, self.averages = ready, resampling, averages
        self.n_items = len(ready[0].data.items)
        shared = set(ready[0].data.parts).intersection(*(system.data.parts for system in ready)) if parts else set()
        self.places: list[Place] = []
        self.sampled: list[dict[Place, tuple[FloatArray, FloatArray]]] = [{} for _ in ready]
        self.tested: dict[tuple[int, int], dict[Place, float]] = {}
        self._draw(shared, tests=tests)

    def _draw(self, parts: set[Hashable], *, tests: bool) -> None:
        asked = [self._asked(system.data, parts) for system in self.ready]
        draws = self.resampling.draws(self.n_items, keep=True)
        for at, own in enumerate(asked):
            for place, values, left_out in sampled(own, self.n_items, draws):
                self.sampled[at][place] = values, left_out
        self.places = [place for place in self.sampled[0] if all(place in own for own in self.sampled)]
        for i, j in combinations(range(len(self.ready)), 2) if tests else ():
            first, second = ([one.reading for one in asked[at]] for at in (i, j))
            permuted = permutation_test(first, second, self.n_items, self.resampling.resamples, self.resampling.rng)
            self.tested[i, j] = {
                place: p for one, own in zip(asked[i], permuted.p, strict=True) for place, p in one.by_place(own)
            }
            self.exact, self.n_permutations = permuted.exact, permuted.n_permutations

    def _asked(self, data: DataSet, parts: set[Hashable]) -> list[Asked]:
        """Return the readings of a system: all averages, or those of the data set that are named."""
        every = every_place(data, parts=bool(parts), only=parts)
        if self.averages is None:
            return every
        places = ((one, one.places[0]) for one in every)
        return [one for one, place in places if place and place[0] == "data set" and place[3] in self.averages]

    @cached_property
    def _scores(self) -> list[dict[Place, Score]]:
        return [
            {
                (level, name, key, average): score
                for level, name, row in system.summary.levels()
                for key, averages in row.items()
                for average, score in averages.items()
            }
            for system in self.ready
        ]

    def intervals(self, system: int) -> Intervals:
        """Return the intervals of one system."""
        rows: dict[tuple[str, Hashable], dict[str, dict[str, Interval]]] = {}
        for place in self.places:
            level, name, key, average = place
            score = self._scores[system][place]
            values, left_out = self.sampled[system][place]
            interval = interval_of(score.value, values, left_out, self.resampling.level, score.reason)
            rows.setdefault((level, name), {}).setdefault(key, {})[average] = interval
        return intervals_of_rows(self.ready[system].summary, rows, self.resampling)

    def differences(self) -> Iterator[Difference]:
        """Yield the differences of all pairs of systems: of the data set and its groups, then of classes."""
        level = self.resampling.level
        for i, j in self.tested:
            won: dict[str, Outcomes | None] = {}
            for place in self.places:
                first, second = (self._scores[at][place] for at in (i, j))
                values, left_out = self.sampled[i][place]
                second_values, second_left_out = self.sampled[j][place]
                gap, reason = second.value - first.value, first.reason or second.reason
                interval = interval_of(gap, second_values - values, second_left_out - left_out, level, reason)
                p = self.tested[i, j].get(place, math.nan)
                error = interval.standard_error
                least = None if error is None else detectable_difference(error, level)
                key = place[2]
                if place[0] == "data set" and key not in won:
                    won[key] = outcomes(key, *(self.ready[at].data.item_values(key) for at in (i, j)))
                yield Difference(
                    first=self.ready[i].name,
                    second=self.ready[j].name,
                    level=place[0],
                    name=place[1],
                    key=key,
                    average=place[3],
                    first_value=first.value,
                    second_value=second.value,
                    interval=interval,
                    p=None if math.isnan(p) else p,
                    exact=self.exact,
                    n_permutations=self.n_permutations,
                    outcomes=won.get(key) if place[0] == "data set" else None,
                    detectable=least,
                    items_needed=None if least is None else items_needed(self.n_items, gap, least),
                )

    def ranks(self) -> Iterator[RankStability]:
        """Yield the stability of the ranking by every value of the data set under resampling."""
        names = [system.name for system in self.ready]
        for place in self.places:
            level, _, key, average = place
            if level != "data set" or METRICS[key].better == "neither":
                continue
            values = [scores[place].value for scores in self._scores]
            drawn = [own[place][0] for own in self.sampled]
            stability = rank_stability(key, average, names, values, drawn, higher=METRICS[key].better == "higher")
            if stability is not None:
                yield stability
