"""Scoring of one pair of segmentations with several metrics: overlaps are counted once, and aligned once per rule."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Unpack

from segmetry._base import frozen_dataclass
from segmetry.alignments import as_policy, as_rule, void_policy
from segmetry.errors import ClassesError, OptionError, UnknownNameError
from segmetry.metrics.aggregation import Fill
from segmetry.metrics.average import ALL, BY_CLASS, POOLED, Groups, in_class_means
from segmetry.metrics.declare import Metric, as_metric_inputs
from segmetry.metrics.metric_inputs import MetricInputs
from segmetry.metrics.metric_names import MetricName, check_classes, check_metric_options, find_metric, select_metrics
from segmetry.metrics.score import Result, Score
from segmetry.metrics.shared_options import PairOptions, Scoring
from segmetry.results import UNDEFINED, ResultTable, ShownAsTable, Table, Tabular, counted, shortest

ClassScores = dict[Hashable, dict[str, Score]]
GroupScores = dict[str, dict[str, Score]]
OptionsByKey = Mapping[str, Mapping[str, Any]]


@frozen_dataclass(eq=False, repr=False)
class Scores(Mapping[str, Result], Tabular, ShownAsTable):
    """The results by metric key, with the rule and the policy they were computed under.

    Where the segments have classes, ``classes[name]`` contains the panoptic scores of every class that occurs, and
    ``groups`` their means over ``all`` classes and over the requested groups; the denominator of a mean is the number
    of classes it is taken over.
    """

    results: Mapping[str, Result]
    rule: str
    policy: str
    classes: Mapping[Hashable, Mapping[str, Score]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Result:
        if key in self.results:
            return self.results[key]
        try:
            return self.results[find_metric(key).metric.key]
        except KeyError:
            raise UnknownNameError(f"{key!r} was not computed; found {', '.join(self.results)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __eq__(self, other: object) -> bool:
        """Return whether everything is equal, quotients and reasons too: undefined for the same reason is equal."""
        return self.to_dict() == other.to_dict() if isinstance(other, Scores) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        scores = {key: result for key, result in self.results.items() if isinstance(result, Score)}
        shown = [f"{key} {shortest(one.value) if one.is_defined else UNDEFINED}" for key, one in scores.items()][:3]
        others = len(self.results) - len(shown)
        more = f" and {counted(others, 'metric')}" if others else ""
        return f"Scores({', '.join(shown)}{more}; rule {self.rule}, policy {self.policy})"

    def _as_table(self) -> ResultTable:
        rows = [row for key, result in self.results.items() for row in _table_rows(key, result)]
        title = f"Scores: rule {self.rule}, policy {self.policy}"
        return ResultTable(title, ("metric", "value", "remark"), rows, texts=frozenset({0, 2}))

    def rows(self) -> Table:
        """Return one plain row per metric, of the item and of each class."""
        every: list[tuple[Hashable, Mapping[str, Result]]] = [(None, self.results), *self.classes.items()]
        rows = [{"class": name, **row} for name, own in every for result in own.values() for row in result.records()]
        return Table("scores", rows)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {
            "rule": self.rule,
            "policy": self.policy,
            "scores": {key: result.to_dict() for key, result in self.results.items()},
        }
        if self.classes:
            data["classes"] = {str(name): _plain_scores(scores) for name, scores in self.classes.items()}
            data["groups"] = {name: _plain_scores(scores) for name, scores in self.groups.items()}
        return data


def _table_rows(key: str, result: Result) -> list[tuple[Any, ...]]:
    if isinstance(result, Score):
        return [(key, result.value, f"undefined: {result.reason}" if result.reason else "")]
    return [(f"{key}: {name}", value, "") for name, value in result.parts.items()]


def _plain_scores(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {key: score.to_dict() for key, score in scores.items()}


def score_pair_with(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    threads: int = 1,
    **options: Unpack[PairOptions],
) -> Scores:
    """Score a prediction with several metrics; :func:`segmetry.score` says what the options mean."""
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    how = Scoring.of(metrics=metrics, **options)
    inputs = as_metric_inputs(true, pred, resolve=how.resolve, classes=how.classes)
    inputs.threads = threads
    policy = as_policy(how.policy or void_policy(has_void=inputs.declares_void))
    rule, groups = as_rule(how.rule or policy.rule), how.groups or {}
    chosen = select_metrics(how.metrics, inputs.kind, inputs.axes, scored=inputs.scored)
    check_metric_options(how.options, chosen)
    if any(metric.needs_classes for metric in chosen):
        check_classes(how.metrics, chosen, inputs.table)
    own = {metric.key: options_with_groups(metric, groups, how.options) for metric in chosen}
    fixed = inputs.fixed
    aligned: dict[str, Any] = {}
    if fixed is None:
        aligned = {"rule": rule, "policy": policy, "resolve": how.resolve, "classes": how.classes}
    shared = {**aligned, "background": how.background, "average": how.average}
    stated = {} if fixed is not None else {"rule": how.rule}  # of a metric that has a rule of its own
    results = {
        metric.key: metric.score_of(
            inputs, shared if metric.default_rule is None else {**shared, **stated}, own[metric.key], how.undefined
        ).or_else(how.undefined)
        for metric in chosen
    }
    per_class, means = _by_class(inputs, shared, chosen, own, groups, how.undefined)
    return Scores(
        results,
        rule=rule.name if fixed is None else fixed.rule.name,
        policy=policy.name if fixed is None else fixed.policy.name,
        classes=per_class,
        groups=means,
    )


def options_with_groups(metric: Metric, groups: Groups, options: OptionsByKey) -> dict[str, Any]:
    """Return the options of a metric; those that name classes are by default the groups of the same name."""
    names = () if metric.additive is None else metric.additive.group_options
    return {name: groups[name] for name in names if name in groups} | dict(options.get(metric.key, {}))


def _by_class(
    inputs: MetricInputs,
    shared: Mapping[str, Any],
    metrics: list[Metric],
    options: OptionsByKey,
    groups: Groups,
    undefined: float | None,
) -> tuple[ClassScores, GroupScores]:
    """Return the scores by class and by group of classes; empty where no metric or no segment has classes."""
    additive = [metric for metric in metrics if metric.additive is not None]
    if inputs.tally is not None or not additive:
        return {}, {}
    if inputs.table.class_names is None:
        if groups:
            raise ClassesError(
                "groups= names groups of classes, but the segments carry none; give classes= on both sides"
            )
        return {}, {}
    per_class: ClassScores = {}
    means: GroupScores = {group: {} for group in (*groups, ALL)}
    for metric in additive:
        aggregation, own = metric.additive, {**metric.options, **options.get(metric.key, {})}
        if aggregation is None or not aggregation.has_classes:
            continue
        statistics = metric.collect(inputs, shared, own)
        of_classes = aggregation.reading(metric.key, statistics, own, BY_CLASS)
        for name, score in of_classes.class_scores().items():
            per_class.setdefault(name, {})[metric.key] = score.or_else(undefined)
        if metric.needs == "tally":
            policy = shared["policy"] if inputs.fixed is None else inputs.fixed.policy
            of_classes = replace(of_classes, fill=Fill(in_class_means(undefined, policy)))
        for group in means:
            classes = None if group == ALL else frozenset(groups[group])
            average = POOLED if metric.is_count else BY_CLASS
            means[group][metric.key] = replace(of_classes, average=average, classes=classes).score()
    return per_class, means
