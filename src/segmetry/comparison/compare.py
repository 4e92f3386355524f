"""Two or more systems on one data set: differences with intervals and tests, items won and lost, stable ranks."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from segmetry._base.exact import FloatArray
from segmetry.comparison.systems import System, check_options, systems_of
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.metrics.declare import METRICS
from segmetry.metrics.metric_names import find_metric
from segmetry.statistics.averages import AVERAGES, Average
from segmetry.statistics.bootstrap import LEVEL, checked_level, interval_of
from segmetry.statistics.difference import Difference, corrected, detectable_difference, items_needed
from segmetry.statistics.intervals import AveragedIntervals, Intervals, averaged_intervals, resample, scores_at
from segmetry.statistics.item_columns import ItemColumns
from segmetry.statistics.outcomes import Outcomes, outcomes
from segmetry.statistics.permutation import Permuted, permutation_test
from segmetry.statistics.random_draws import RESAMPLES, SEED, Draws, checked_resamples, checked_seed
from segmetry.statistics.ranks import RankStability, rank_stability
from segmetry.statistics.samples import DATA_SET, Samples, SummaryRow
from segmetry.statistics.summary_tables import Summary

Resampled = Mapping[SummaryRow, tuple[FloatArray, FloatArray]]


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
    class_names: Mapping[Hashable, str] = field(default_factory=dict)

    def difference(
        self, key: str, average: Average = "by_item", first: str | None = None, second: str | None = None
    ) -> Difference:
        """Return a difference of the data set, by default between the first two systems."""
        names = (first or self.systems[0], second or self.systems[1])
        for difference in self.differences:
            if (difference.level, difference.key, difference.average) == ("data set", key, average) and (
                difference.first,
                difference.second,
            ) == names:
                return difference
        raise UnknownNameError(f"there is no difference in {average} {key} of {names[0]} and {names[1]}")

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain row per pair of systems, level, metric and average."""
        return [difference.as_row() for difference in self.differences]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = ("rule", "policy", "n_items", "level", "resamples", "seed", "truth")
        return {
            "systems": list(self.systems),
            **{name: getattr(self, name) for name in facts},
            "values": {name: result.as_dict() for name, result in self.values.items()},
            "differences": self.rows(),
            "ranks": [result.as_dict() for result in self.ranks],
            "class_names": {str(label): name for label, name in self.class_names.items()},
        }

    def _repr_html_(self) -> str:
        from segmetry.comparison.comparison_html import comparison_html

        return comparison_html(self)


def compare(
    *runs: Any,
    names: Sequence[str] | None = None,
    metrics: Sequence[str] | str | None = None,
    rule: Any = None,
    parts: bool = False,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = SEED,
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
    seed : int, default 2024
        The seed of the random numbers; the same seed gives the same resamples on every machine.
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
    n_resamples, chosen, share = checked_resamples(resamples), checked_seed(seed), checked_level(level)
    with systems_of(runs, names, rule=rule, truth=truth) as systems:
        ready = prepare(systems, metrics)
        class_names = {label: name for system in systems for label, name in system.run.class_names.items()}
    draws = Draws(ready[0].summary.n_items, n_resamples, chosen)
    rows, differences, stable = _resampled(ready, draws, _shared_parts(ready) if parts else {}, share)
    first = ready[0].summary
    return Comparison(
        systems=tuple(system.name for system in ready),
        rule=first.rule,
        policy=first.policy,
        n_items=first.n_items,
        level=share,
        resamples=n_resamples,
        seed=chosen,
        truth=truth,
        values={
            system.name: _intervals(system.summary, row, share, n_resamples, chosen)
            for system, row in zip(ready, rows, strict=True)
        },
        differences=tuple(corrected(differences)),
        ranks=tuple(stable),
        class_names=class_names,
    )


def _resampled(
    ready: Sequence[Prepared], draws: Draws, parts: Mapping[Hashable, int], level: float
) -> tuple[list[dict[SummaryRow, dict[str, AveragedIntervals]]], list[Difference], list[RankStability]]:
    """Return the intervals of every system, all differences (parts last, in their order) and the rank stability."""
    rows: list[dict[SummaryRow, dict[str, AveragedIntervals]]] = [{} for _ in ready]
    differences: list[Difference] = []
    stable: list[RankStability] = []
    permuted = {
        (i, j): permutation_test(ready[i].samples, ready[j].samples, parts, draws.n_resamples, draws.seed)
        for i, j in combinations(range(len(ready)), 2)
    }
    for drawn in zip(*(resample(system.samples, draws, parts) for system in ready), strict=True):
        for system, values, row in zip(ready, drawn, rows, strict=True):
            row.update(intervals_of(system, values, level))
        for (i, j), tested in permuted.items():
            differences += _differences((ready[i], ready[j]), (drawn[i], drawn[j]), tested, level)
        if DATA_SET in drawn[0]:
            stable = list(ranks(ready, drawn))
    together = ("data set", "group")
    differences.sort(key=lambda row: -1 if row.level in together else parts[row.name])
    return rows, differences, stable


@dataclass(frozen=True, eq=False)
class Prepared:
    """A system with its columns, the compared part of its summary, and its samples."""

    name: str
    columns: ItemColumns
    summary: Summary
    samples: Samples


def prepare(systems: Sequence[System], metrics: Sequence[str] | str | None) -> list[Prepared]:
    """Prepare systems to be resampled together: the same metrics, the same parts, the same columns."""
    summaries = [system.run.summary() for system in systems]
    kinds = {system.name: summary.by for system, summary in zip(systems, summaries, strict=True)}
    if len(set(kinds.values())) > 1:
        raise InputError(f"some runs carry classes and others do not: {kinds}; expected all or none")
    keys = chosen_keys(summaries, metrics)
    check_options(systems, keys)
    every = dict.fromkeys(name for system in systems for name in system.run.columns.names)
    prepared = []
    for system, summary in zip(systems, summaries, strict=True):
        columns, restricted = system.run.columns, restrict(summary, keys)
        samples = Samples.of(columns, restricted, **system.run.averaging(), names=every)
        prepared.append(Prepared(system.name, columns, restricted, samples))
    return prepared


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


def restrict(summary: Summary, keys: Sequence[str]) -> Summary:
    """Return a summary with only these metrics."""

    def some(row: Mapping[str, Any]) -> dict[str, Any]:
        return {key: row[key] for key in keys if key in row}

    return replace(
        summary,
        scores=some(summary.scores),
        parts={name: some(row) for name, row in summary.parts.items()},
        groups={name: some(row) for name, row in summary.groups.items()},
    )


def intervals_of(
    system: Prepared, resampled: Resampled, level: float
) -> dict[SummaryRow, dict[str, AveragedIntervals]]:
    """Return the intervals of the values of one system."""
    return {
        place: averaged_intervals(system.samples, place, values, left_out, scores_at(system.summary, place), level)
        for place, (values, left_out) in resampled.items()
    }


def _shared_parts(ready: Sequence[Prepared]) -> dict[Hashable, int]:
    """Return the parts that occur in all systems, with their positions in the summary."""
    shared = [name for name in ready[0].summary.parts if all(name in system.summary.parts for system in ready)]
    return {name: at for at, name in enumerate(shared)}


def _differences(
    pair: tuple[Prepared, Prepared], drawn: tuple[Resampled, Resampled], permuted: Permuted, level: float
) -> Iterator[Difference]:
    first, second = pair
    won: dict[str, Outcomes | None] = {}
    if DATA_SET in drawn[0]:
        won = {key: outcomes(key, first, second) for key in first.samples.rows(DATA_SET)}
    for place, (values, left_out) in drawn[0].items():
        second_values, second_left_out = drawn[1][place]
        first_row, second_row = (scores_at(system.summary, place) for system in pair)
        for key, at in first.samples.rows(place).items():
            for w, word in enumerate(AVERAGES):
                scores = [getattr(row[key], word) for row in (first_row, second_row)]
                if scores[0] is None or scores[1] is None:
                    continue
                reason = scores[0].reason or scores[1].reason
                gap = scores[1].value - scores[0].value
                gaps, gaps_left_out = second_values[w, at] - values[w, at], second_left_out[w, at] - left_out[w, at]
                interval = interval_of(gap, gaps, gaps_left_out, level, reason)
                p = float(permuted.p[place][w, at])
                error = interval.standard_error
                least = None if error is None else detectable_difference(error, level)
                yield Difference(
                    first=first.name,
                    second=second.name,
                    level=place[0],
                    name=place[1],
                    key=key,
                    average=word,
                    first_value=scores[0].value,
                    second_value=scores[1].value,
                    interval=interval,
                    p=None if math.isnan(p) else p,
                    exact=permuted.exact,
                    n_permutations=permuted.n_permutations,
                    outcomes=won.get(key) if place == DATA_SET else None,
                    detectable=least,
                    items_needed=None if least is None else items_needed(first.summary.n_items, gap, least),
                )


def ranks(ready: Sequence[Prepared], drawn: Sequence[Resampled]) -> Iterator[RankStability]:
    """Yield the stability of the ranking by every value of the data set under resampling."""
    names = [system.name for system in ready]
    for key, at in ready[0].samples.rows(DATA_SET).items():
        if METRICS[key].better == "neither":
            continue
        for w, word in enumerate(AVERAGES):
            scores = [getattr(system.summary.scores[key], word) for system in ready]
            if any(score is None for score in scores):
                continue
            resampled = [values[DATA_SET][0][w, at] for values in drawn]
            stability = rank_stability(
                key, word, names, [score.value for score in scores], resampled, higher=METRICS[key].better == "higher"
            )
            if stability is not None:
                yield stability


def _intervals(summary: Summary, rows: Mapping[SummaryRow, Any], level: float, resamples: int, seed: int) -> Intervals:
    return Intervals(
        rule=summary.rule,
        policy=summary.policy,
        by=summary.by,
        n_items=summary.n_items,
        level=level,
        resamples=resamples,
        seed=seed,
        scores=rows[DATA_SET],
        parts={
            name: rows[summary.by or "part", name] for name in summary.parts if (summary.by or "part", name) in rows
        },
        groups={name: rows["group", name] for name in summary.groups},
    )
