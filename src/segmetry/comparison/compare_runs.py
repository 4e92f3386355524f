"""Two or more systems on one data set: differences with intervals and tests, items won and lost, stable ranks."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from segmetry._base import FloatArray, short_repr
from segmetry.comparison.across_metrics import AcrossMetrics, ranks_across
from segmetry.comparison.systems import System, check_options, differ_in_rule, systems_of
from segmetry.errors import InputError, OptionError, UnknownNameError
from segmetry.metrics import AVERAGES, METRICS, Lone, Reading, Score, find_metric
from segmetry.protocols import metric_cell
from segmetry.results import Cell, Table, Tabular, counted
from segmetry.run import ByItem
from segmetry.statistics import (
    CORRECTIONS,
    FAMILIES,
    LEVEL,
    RESAMPLES,
    SEED,
    Asked,
    DataSet,
    Difference,
    Draws,
    Heterogeneity,
    Interval,
    Intervals,
    Outcomes,
    Paired,
    Permuted,
    Place,
    RankStability,
    RankTest,
    Resampling,
    Stack,
    Summary,
    cochran_q,
    corrected,
    detectable_difference,
    every_place,
    families,
    gaps_of_items,
    interval_of,
    intervals_of_rows,
    items_needed,
    means_of_clusters,
    median_interval,
    outcomes,
    paired,
    permutation_tests,
    rank_stability,
    rank_test,
    restricted,
    sampled,
)


@dataclass(frozen=True)
class Comparison(Tabular):
    """Two or more systems compared; :meth:`rows` returns every difference as a plain row."""

    __repr__ = short_repr

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
    rules: tuple[str, ...] = ()
    """The rules that are compared, one for each system; empty where all systems have the same."""
    cells: Mapping[tuple[str, str], Cell] = field(default_factory=dict)
    """What values of the data set are called and how they are written, by key and average."""
    correct: tuple[str, ...] = ("pairs",)
    """Over what p-values are corrected and intervals are simultaneous."""
    correction: str = "holm"
    cluster: str | None = None
    """What is drawn and exchanged as a whole, such as a patient; None where each item is."""
    n_clusters: int | None = None
    rank_tests: tuple[RankTest, ...] = ()
    heterogeneity: tuple[Heterogeneity, ...] = ()
    class_items: Mapping[Hashable, int] = field(default_factory=dict)
    """In how many items each class of the headline occurs."""
    by: tuple[str, ...] = ()
    """The columns of groups of items."""
    spreads: Mapping[tuple[str, str], float | None] = field(default_factory=dict)
    """The standard deviation over items of a metric (second) of a system (first)."""

    def p_of(self, row: Difference) -> float | None:
        """Return p of a difference after the correction that was chosen."""
        corrected = row.p_holm if self.correction == "holm" else row.p_bh
        return row.p if corrected is None else corrected

    @property
    def is_corrected(self) -> bool:
        """Whether there is more than one difference in the families of p-values."""
        return len(self.systems) > 2 or self.correct != ("pairs",)

    @property
    def p_heading(self) -> str:
        """What heads a column of corrected p-values."""
        return f"p ({CORRECTIONS[self.correction] if self.correction == 'holm' else 'BH'})"

    @property
    def units(self) -> str:
        """What is drawn, with its number."""
        return counted(self.n_items, "item") + (f" of {self.n_clusters} {self.cluster}s" if self.cluster else "")

    def cell(self, key: str, average: str) -> Cell:
        """Return what a value is called and how it is written: as ``segmetry score`` does."""
        cell, known = metric_cell(key, average), {of: other for (of, _), other in self.cells.items()}
        style = cell if cell.unit == "count" else known.get(key, cell)
        return self.cells.get((key, average)) or replace(cell, unit=style.unit, decimals=style.decimals)

    def cell_of(self, name: str) -> Cell | None:
        """Return the compared value that a printed name means, the headline before others; None where there is none."""
        cells = sorted(self.cells.values(), key=lambda cell: cell.metric != self.headline)
        return next((cell for cell in cells if name in (cell.name, cell.words, f"{cell.of}/{cell.name}")), None)

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

    def rows(self) -> Table:
        """Return one plain row per pair of systems, level, metric and average."""
        return Table("differences", [difference.to_dict() for difference in self.differences])

    def across(self) -> AcrossMetrics:
        """Return the ranks of the systems by every metric, and how the rankings agree."""
        return ranks_across(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        facts = ["rule", "policy", "n_items", "level", "resamples", "seed", "truth", "headline"]
        facts += ["correct", "correction", "cluster", "n_clusters"]
        return {
            "schema": "comparison",
            "version": 1,
            "systems": list(self.systems),
            **{name: getattr(self, name) for name in facts},
            "rules": list(self.rules) or None,
            "values": {name: result.to_dict() for name, result in self.values.items()},
            "differences": list(self.rows()),
            "ranks": [result.to_dict() for result in self.ranks],
            "across": self.across().to_dict(),
            "rank_tests": [test.to_dict() for test in self.rank_tests],
            "heterogeneity": [test.to_dict() for test in self.heterogeneity],
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
    rules: Sequence[Any] | None = None,
    parts: bool = False,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: int = SEED,
    truth: str = "files",
    cluster: ByItem | None = None,
    by: Sequence[ByItem] = (),
    correct: Sequence[str] = ("pairs",),
    correction: str = "holm",
) -> Comparison:
    """Compare runs of several systems on the same items and truth, or one run under several rules.

    Resampling and permutations draw complete items, the same for all systems. Runs of the same results under different
    rules are compared rule by rule, as ``rules`` does with one run; metrics that depend on no rule are left out.

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
    rules : sequence of MatchRule or str, optional
        Compare these rules on one run; the rules take the place of systems.
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
    cluster : ByItem, optional
        What is drawn and exchanged as a whole: the patient of each slice, the video of each frame; by default what
        the first run states.
    by : sequence of ByItem, optional
        Groups of items, such as those of a scanner: differences in each, and whether they are the same.
    correct : sequence of {'pairs', 'parts', 'metrics'}, default ('pairs',)
        Over what p-values are corrected, and simultaneous intervals hold: all pairs of systems, all classes or groups
        of a level, all metrics.
    correction : {'holm', 'bh'}, default 'holm'
        The correction that tables and the verdict use: Holm's, or Benjamini and Hochberg's of the false discovery rate.

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
    >>> compare(fair, rules=["theta_plus", "theta_and"]).difference("pq").value
    0.0
    """
    if wrong := {*correct} - {*FAMILIES} or {correction} - {*CORRECTIONS}:
        raise OptionError(
            f"{', '.join(map(str, wrong))}: expected correct of {FAMILIES}, correction of {(*CORRECTIONS,)}"
        )
    with systems_of(runs, names, rule=rule, rules=rules, truth=truth) as systems:
        cluster = cluster or systems[0].run.cluster
        resampling = Resampling(resamples, level, rng, cluster)
        by_rule = differ_in_rule(systems)
        for groups in (*by, *([cluster] if cluster else [])):
            groups.groups(systems[0].run.names)  # every item must be in one, before anything is drawn
        ready = prepare(systems, metrics, by_rule=by_rule)
        class_names = {label: name for system in systems for label, name in system.run.class_names.items()}
        headline = systems[0].run.headline
        known = ready[0].summary.scores
        cells = {(key, name): systems[0].run.measured_cell(f"{key}.{name}") for key in known for name in known[key]}
    compared = Compared(ready, resampling, parts=parts, by=by, class_names=class_names)
    first = ready[0].summary
    rows = corrected(compared.differences(), correct)
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
        differences=tuple(compared.simultaneous(rows, correct)),
        ranks=tuple(compared.ranks()),
        class_names=class_names,
        rules=tuple(system.summary.rule for system in ready) if by_rule else (),
        cells=cells,
        correct=tuple(correct),
        correction=correction,
        cluster=None if cluster is None else cluster.name,
        n_clusters=compared.n_units if cluster else None,
        rank_tests=tuple(compared.rank_tests()),
        heterogeneity=tuple(heterogeneity_of(rows, {groups.name for groups in by})),
        by=tuple(groups.name for groups in by),
        spreads=compared.spreads(),
        class_items=class_items(ready, headline if headline in first.scores else next(iter(first.scores))),
    )


def class_items(ready: Sequence[Prepared], key: str) -> dict[Hashable, int]:
    """Return in how many items each class of a metric occurs, at least, in one of the systems."""
    found: dict[Hashable, int] = {}
    for source in (system.data.source(key) for system in ready):
        if source.has_classes:
            cells = source.aggregation.roles.cells(source.statistics)
            for name, n in zip(cells.names, np.diff(cells.starts).tolist(), strict=True):
                found[name] = max(n, found.get(name, 0))
    return found


def heterogeneity_of(rows: Iterable[Difference], by: Collection[str]) -> Iterator[Heterogeneity]:
    """Yield whether each difference is the same in all groups of items of a column."""
    groups: dict[tuple[str, str, str, str, str], list[Difference]] = {}
    for row in rows:
        if row.level in by and row.interval.standard_error:
            groups.setdefault((row.level, row.first, row.second, row.key, row.average), []).append(row)
    for place, found in groups.items():
        if len(found) > 1:
            errors = np.array([row.interval.standard_error for row in found])
            yield Heterogeneity(*place, len(found), *cochran_q(np.array([row.value for row in found]), errors))


@dataclass(frozen=True, eq=False)
class Prepared:
    """A system: its items in the order of their names, and the compared part of its summary."""

    name: str
    data: DataSet
    summary: Summary


def prepare(systems: Sequence[System], metrics: Sequence[str] | str | None, *, by_rule: bool = False) -> list[Prepared]:
    """Prepare systems to be resampled together: the same metrics and items; ``by_rule`` compares rules."""
    summaries = [system.run.summary() for system in systems]
    kinds = {system.name: summary.by for system, summary in zip(systems, summaries, strict=True)}
    if len(set(kinds.values())) > 1:
        raise InputError(f"some runs carry classes and others do not: {kinds}; expected all or none")
    keys = chosen_keys(summaries, metrics)
    if by_rule:
        fixed = [key for key in keys if not METRICS[key].depends_on_rule]
        keys = [key for key in keys if key not in fixed]
        if not keys or (fixed and metrics is not None):
            raise OptionError(f"{', '.join(fixed)}: the same under every rule; compare rules by a metric such as pq")
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


class _Paired(NamedTuple):
    """A difference of two systems: its value, that of resamples and without each item, and what one system lacks."""

    value: float
    resampled: FloatArray
    left_out: FloatArray
    first_lacks: tuple[str, ...] = ()
    second_lacks: tuple[str, ...] = ()


def _with_lone(asked: Sequence[Asked], readings: Sequence[Reading]) -> list[Asked]:
    """Return the readings that leave something out, each with its places."""
    both = zip(asked, readings, strict=True)
    return [replace(one, reading=reading) for one, reading in both if reading.lone is not None]


class _Tested(NamedTuple):
    """p of a permutation test, and how many exchanges were tried."""

    p: float
    n_permutations: int
    exact: bool


class Compared:
    """The values of several systems under the same draws of items, and their differences."""

    def __init__(
        self,
        ready: Sequence[Prepared],
        resampling: Resampling,
        *,
        parts: bool = False,
        by: Sequence[ByItem] = (),
        averages: Collection[str] | None = None,
        tests: bool = True,
        class_names: Mapping[Hashable, str] | None = None,
    ) -> None:
        self.ready, self.resampling, self.averages, self.by = ready, resampling, averages, by
        self.class_names = class_names or {}
        self.items = ready[0].data.items
        clusters = resampling.clusters(self.items)
        self.clusters = np.arange(len(self.items)) if clusters is None else clusters
        self.n_units = int(self.clusters.max(initial=-1)) + 1
        shared = set(ready[0].data.parts).intersection(*(system.data.parts for system in ready)) if parts else set()
        self.sampled: list[dict[Place, tuple[FloatArray, FloatArray]]] = [{} for _ in ready]
        self.tested: dict[tuple[int, int], dict[Place, _Tested]] = {}
        self.paired: dict[tuple[int, int, Place], _Paired] = {}
        asked = [self._asked(system.data, shared) for system in self.ready]
        draws = resampling.draws(self.items, keep=True)
        for at, own in enumerate(asked):
            for place, values, left_out in sampled(own, len(self.items), draws):
                self.sampled[at][place] = values, left_out
        self.places = [place for place in self.sampled[0] if all(place in own for own in self.sampled)]
        if tests:
            self._test(asked, draws)

    def _test(self, asked: Sequence[Sequence[Asked]], draws: Draws) -> None:
        """Test all pairs of systems, and sample their means over what both have, where that is not all."""
        facts = self.resampling.resamples, self.resampling.rng, self.clusters
        permuted = permutation_tests([[one.reading for one in own] for own in asked], *facts)
        for (i, j), found in permuted.items():
            self.tested[i, j] = _p_by_place(asked[i], found)
            a, b = sorted((i, j), key=lambda at: self.ready[at].name)  # their order decides the digits
            both = list(zip(asked[a], asked[b], strict=True))
            first, second = zip(*(one.reading.paired(other.reading) for one, other in both), strict=True)
            if any(reading.lone is not None for reading in first):
                pair = _with_lone(asked[a], first), _with_lone(asked[b], second)
                self._sample_pair(a, b, *pair, draws)
                (of_pair,) = permutation_tests([[one.reading for one in own] for own in pair], *facts).values()
                self.tested[i, j] |= _p_by_place(pair[0], of_pair)

    def _sample_pair(self, i: int, j: int, first: Sequence[Asked], second: Sequence[Asked], draws: Draws) -> None:
        """Sample means over what both systems have, where that is not all."""
        values, n_items = [], len(self.items)
        for asked in (first, second):
            whole = Stack([one.reading for one in asked], n_items).values(np.ones((n_items, 1)))
            values.append(dict(pair for one, own in zip(asked, whole, strict=True) for pair in one.by_place(own[:, 0])))
        others = {place: rest for place, *rest in sampled(second, n_items, draws)}
        lone = {place: one.reading.lone for one in first for place in one.places if place in others}
        for place, drawn, left_out in sampled(first, n_items, draws):
            if place in lone:
                gap, (drawn_there, left_out_there) = values[1][place] - values[0][place], others[place]
                lacking = self._lacking(lone[place], place)
                self.paired[i, j, place] = _Paired(gap, drawn_there - drawn, left_out_there - left_out, *lacking)

    def _lacking(self, lone: Lone | None, place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the items, perhaps with a class, in which the first system has no value, and those of the second."""
        lacks: tuple[list[str], list[str]] = [], []
        is_whole = place[0] in ("data set", "group", *(column.name for column in self.by))
        for first_lacks, item, label in () if lone is None else lone.places(None if is_whole else place[1]):
            called = "" if label is None or not is_whole else f" ({self.class_names.get(label, label)})"
            lacks[not first_lacks].append(f"{self.items[item]}{called}")
        return tuple(lacks[0]), tuple(lacks[1])

    def _asked(self, data: DataSet, parts: set[Hashable]) -> list[Asked]:
        """Return the readings of a system: all averages, or those of the data set that are named; groups of items."""
        every = every_place(data, parts=bool(parts), only=parts)
        of_data = [one for one in every if one.places and one.places[0] and one.places[0][0] == "data set"]
        if self.averages is not None:
            return [one for one in of_data if one.places[0] and one.places[0][3] in self.averages]
        for column in self.by:
            for label, members in column.groups(data.items).items():
                chosen = np.isin(data.items, members)
                for one in of_data:
                    _, _, key, average = one.places[0] or ("", None, "", "")
                    every.append(Asked(replace(one.reading, chosen=chosen), ((column.name, label, key, average),)))
        return every

    @cached_property
    def _scores(self) -> list[dict[Place, Score]]:
        """The values of every system by place."""
        every: list[dict[Place, Score]] = []
        for system in self.ready:
            found: dict[Place, Score] = {
                (level, name, key, average): score
                for level, name, row in system.summary.levels()
                for key, averages in row.items()
                for average, score in averages.items()
            }
            for column in self.by:
                for label, members in column.groups(self.items).items():
                    group = system.data.only(set(members))
                    for key, averages in system.summary.scores.items():
                        for name in averages:
                            found[column.name, label, key, name] = group.score(key, AVERAGES[name])
            every.append(found)
        return every

    @cached_property
    def item_values(self) -> dict[str, FloatArray]:
        """The values of the items of every system (rows) in the mean over items of each metric."""
        keys = [key for key in self.ready[0].data.sources if METRICS[key].better != "neither"]
        return {key: np.array([system.data.item_values(key) for system in self.ready]) for key in keys}

    @cached_property
    def unit_values(self) -> dict[str, FloatArray]:
        """The same of clusters: the mean of their items that have a value for every system."""
        clusters = self.clusters if self.resampling.cluster else None
        return {key: means_of_clusters(values, clusters) for key, values in self.item_values.items()}

    def spreads(self) -> dict[tuple[str, str], float | None]:
        """Return the standard deviation over items of every system and metric."""
        found: dict[tuple[str, str], float | None] = {}
        for key, rows in self.item_values.items():
            for system, row in zip(self.ready, rows, strict=True):
                values = row[np.isfinite(row)]
                found[system.name, key] = float(values.std(ddof=1)) if values.size > 1 else None
        return found

    def rank_tests(self) -> Iterator[RankTest]:
        """Yield the tests of all systems by the ranks of their items, for every metric."""
        names, level = [system.name for system in self.ready], self.resampling.level
        order = sorted(range(len(names)), key=names.__getitem__)  # the same digits in every order of systems
        for key, values in self.unit_values.items():
            test = rank_test(
                key, [names[at] for at in order], values[order], level, higher=METRICS[key].better == "higher"
            )
            if test is not None:
                yield test

    def intervals(self, system: int) -> Intervals:
        """Return the intervals of one system."""
        rows: dict[tuple[str, Hashable], dict[str, dict[str, Interval]]] = {}
        for place in self.places:
            level, name, key, average = place
            score = self._scores[system][place]
            values, left_out = self.sampled[system][place]
            interval = interval_of(score.value, values, left_out, self.resampling.level, score.reason)
            rows.setdefault((level, name), {}).setdefault(key, {})[average] = interval
        own = intervals_of_rows(self.ready[system].summary, rows, self.resampling)
        medians = {
            key: median_interval(values[system], self.resampling.level) for key, values in self.unit_values.items()
        }
        return replace(own, n_units=self.n_units, medians=medians if self.n_units > 1 else {})

    @np.errstate(invalid="ignore")  # ∞ − ∞ is NaN
    def _gaps(self, i: int, j: int, place: Place) -> _Paired:
        """Return the difference of two systems in the order of their names: over what both have, where it is a mean."""
        gaps = self.paired.get((i, j, place))
        if gaps is not None and (gaps.first_lacks or gaps.second_lacks):
            return gaps
        first, second = (self._scores[at][place].value for at in (i, j))
        (values, left_out), (second_values, second_left_out) = (self.sampled[at][place] for at in (i, j))
        return _Paired(second - first, second_values - values, second_left_out - left_out)

    def _gap(self, i: int, j: int, place: Place) -> tuple[Interval, tuple[str, ...], tuple[str, ...]]:
        """Return the interval of a difference, and what each system lacks."""
        if self.ready[j].name < self.ready[i].name:  # the order of names decides the digits, not that of the runs
            interval, second_lacks, first_lacks = self._gap(j, i, place)
            return interval.negated(), first_lacks, second_lacks
        gaps, scores = self._gaps(i, j, place), [self._scores[at][place] for at in (i, j)]
        reason = scores[0].reason or scores[1].reason or ("no item has both" if gaps.first_lacks else None)
        interval = interval_of(gaps.value, gaps.resampled, gaps.left_out, self.resampling.level, reason)
        return interval, gaps.first_lacks, gaps.second_lacks

    def differences(self) -> Iterator[Difference]:
        """Yield the differences of all pairs of systems: of the data set and its groups, then of classes."""
        for i, j in self.tested:
            items: dict[str, tuple[Outcomes | None, Paired]] = {}
            for key, values in self.item_values.items():
                gaps = gaps_of_items(self.unit_values[key][i], self.unit_values[key][j])
                items[key] = outcomes(key, values[i], values[j]), paired(gaps, self.resampling.level)
            for place in self.places:
                key, (gap, first_lacks, second_lacks) = place[2], self._gap(i, j, place)
                tested, error = self.tested[i, j].get(place, _Tested(math.nan, 0, exact=False)), gap.standard_error
                least = None if error is None else detectable_difference(error, self.resampling.level)
                won, effect = items.get(key, (None, None)) if place[0] == "data set" else (None, None)
                yield Difference(
                    first=self.ready[i].name,
                    second=self.ready[j].name,
                    level=place[0],
                    name=place[1],
                    key=key,
                    average=place[3],
                    first_value=self._scores[i][place].value,
                    second_value=self._scores[j][place].value,
                    interval=gap,
                    p=None if math.isnan(tested.p) else tested.p,
                    exact=tested.exact,
                    n_permutations=tested.n_permutations,
                    outcomes=won,
                    detectable=least,
                    items_needed=None if least is None else items_needed(self.n_units, gap.value, least),
                    paired=effect,
                    first_lacks=first_lacks,
                    second_lacks=second_lacks,
                )

    def simultaneous(self, rows: Sequence[Difference], over: Collection[str]) -> list[Difference]:
        """Return the differences with intervals that hold for all of a family at once.

        They are as many standard errors wide as the largest of the family's standardised deviations is in a share of
        the resamples (the level), so that related differences cost less than independent ones.
        """
        found, at = list(rows), {system.name: at for at, system in enumerate(self.ready)}
        for members in families(rows, over):
            used = [place for place in members if rows[place].interval.standard_error]
            largest = np.zeros(self.resampling.resamples)
            for row in (rows[place] for place in used):
                place = row.level, row.name, row.key, row.average
                first, second = sorted((row.first, row.second))
                gaps = self._gaps(at[first], at[second], place)
                np.fmax(largest, np.abs(gaps.resampled - gaps.value) / (row.interval.standard_error or 1), out=largest)
            factor = float(np.quantile(largest, self.resampling.level))
            for member in used if len(used) > 1 else ():
                row = rows[member]
                half = factor * (row.interval.standard_error or 0)
                found[member] = replace(row, simultaneous=(row.value - half, row.value + half))
        return found

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


def _p_by_place(asked: Sequence[Asked], permuted: Permuted) -> dict[Place, _Tested]:
    """Return the test of every place of a system; both systems together may have more classes."""
    found: dict[Place, _Tested] = {}
    for one, values, names in zip(asked, permuted.p, permuted.names, strict=True):
        if one.reading.each_class:
            number = {name: at for at, name in enumerate(names)}
            values = values[[number[name] for name in one.reading.names]]
        for place, p in one.by_place(values):
            found[place] = _Tested(p, permuted.n_permutations, exact=permuted.exact)
    return found
