"""Scoring of one pair of segmentations with several metrics: overlaps are counted once, and aligned once per rule."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry._base.small_table import cell, counted, html_table, text_table
from segmetry.alignments.candidates import MatchRule, as_rule
from segmetry.alignments.policy import Policy, as_policy, void_policy
from segmetry.errors import ClassesError, OptionError, UnknownNameError
from segmetry.metrics.class_average import checked_average
from segmetry.metrics.declare import Metric, as_metric_inputs
from segmetry.metrics.metric_inputs import MetricInputs
from segmetry.metrics.metric_names import MetricName, canonical_names, find_metric
from segmetry.metrics.per_class import (
    Groups,
    checked_groups,
    checked_undefined,
    class_options,
)
from segmetry.metrics.score import Result, Score
from segmetry.metrics.score_classes import ClassScores, GroupScores, OptionsByKey, score_classes
from segmetry.metrics.select_metrics import check_metric_options, select_metrics
from segmetry.metrics.shared_options import BackgroundName, ClassMatching, PolicyName, ResolveName, RuleName
from segmetry.overlaps.contingency import checked_background


@frozen_dataclass(eq=False, repr=False)
class Scores(Mapping[str, Result]):
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
        return self.as_dict() == other.as_dict() if isinstance(other, Scores) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [f"{key} {cell(result.value)}" for key, result in self.results.items() if isinstance(result, Score)][:3]
        others = len(self.results) - len(shown)
        more = f" and {counted(others, 'metric')}" if others else ""
        return f"Scores({', '.join(shown)}{more}; rule {self.rule}, policy {self.policy})"

    def __str__(self) -> str:
        return text_table(*self._table())

    def _repr_html_(self) -> str:
        return html_table(*self._table())

    def _table(self) -> tuple[str, tuple[str, ...], list[tuple[Any, ...]]]:
        rows = [row for key, result in self.results.items() for row in _table_rows(key, result)]
        return f"Scores: rule {self.rule}, policy {self.policy}", ("metric", "value", "remark"), rows

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        data: dict[str, Any] = {
            "rule": self.rule,
            "policy": self.policy,
            "scores": {key: result.as_dict() for key, result in self.results.items()},
        }
        if self.classes:
            data["classes"] = {str(name): _plain(scores) for name, scores in self.classes.items()}
            data["groups"] = {name: _plain(scores) for name, scores in self.groups.items()}
        return data


def _table_rows(key: str, result: Result) -> list[tuple[Any, ...]]:
    if isinstance(result, Score):
        return [(key, result.value, f"undefined: {result.reason}" if result.reason else "")]
    return [(f"{key}: {name}", value, "") for name, value in result.parts.items()]


def _plain(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {key: score.as_dict() for key, score in scores.items()}


def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[MetricName] | str | None = None,
    *,
    rule: MatchRule | RuleName | str | None = None,
    policy: Policy | PolicyName | None = None,
    resolve: ResolveName | None = None,
    classes: ClassMatching = "match",
    background: BackgroundName = "segment",
    undefined: float | None = None,
    average: str | None = None,
    threads: int = 1,
    groups: Groups | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Scores:
    """Score a prediction with several metrics; :func:`segmetry.score` says what the options mean.

    >>> scores = score([[1, 1, 2, 2]], [[1, 1, 1, 2]], ["pq", "n_matched"])
    >>> scores["n_matched"].value, scores["pq"].value, scores.rule
    (1.0, 0.3333333333333333, 'theta_plus')
    """
    _check_options(threads, background)
    substitute = checked_undefined(undefined)
    inputs = as_metric_inputs(true, pred, resolve=resolve, classes=classes)
    inputs.threads = threads
    chosen_policy = as_policy(void_policy(has_void=inputs.declares_void) if policy is None else policy)
    chosen_rule = as_rule(chosen_policy.rule if rule is None else rule)
    class_groups = checked_groups(groups)
    names, options = canonical_names(metrics, options)
    chosen = select_metrics(names, inputs.kind, inputs.axes, scored=inputs.scored)
    check_metric_options(options, chosen)
    class_means = _class_mean_options(chosen, class_groups, options)
    own = {**options, **class_means}
    fixed = inputs.fixed
    aligned: dict[str, Any] = {}
    if fixed is None:
        aligned = {"rule": chosen_rule, "policy": chosen_policy, "resolve": resolve, "classes": classes}
    shared = {**aligned, "background": background, "average": checked_average(average)}
    results = {
        metric.key: _score_metric(metric, inputs, shared, own.get(metric.key, {}), substitute).or_else(substitute)
        for metric in chosen
    }
    per_class, means = _by_class(inputs, aligned, chosen, class_means, own, class_groups, substitute)
    return Scores(
        results,
        rule=chosen_rule.name if fixed is None else fixed.rule.name,
        policy=chosen_policy.name if fixed is None else fixed.policy.name,
        classes=per_class,
        groups=means,
    )


def _check_options(threads: int, background: str) -> None:
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    checked_background(background)


def _class_mean_options(metrics: list[Metric], groups: Groups, options: OptionsByKey) -> dict[str, dict[str, Any]]:
    """Return the options of the metrics that are means over classes, by key."""
    by_key = {metric.key: class_options(metric, groups, options.get(metric.key, {})) for metric in metrics}
    return {key: own for key, own in by_key.items() if own is not None}


def _score_metric(
    metric: Metric,
    inputs: MetricInputs,
    shared: Mapping[str, Any],
    own: Mapping[str, Any],
    undefined: float | None,
) -> Result:
    """Return the result of one metric, with its own options and the shared options it accepts."""
    accepted = {name: shared[name] for name in metric.shared_options if name in shared}
    return metric.on(inputs, undefined_class=undefined, **(accepted | dict(own)))


def _by_class(
    inputs: MetricInputs,
    aligned: Mapping[str, Any],
    metrics: list[Metric],
    class_means: OptionsByKey,
    options: OptionsByKey,
    groups: Mapping[str, frozenset[Hashable]],
    undefined: float | None,
) -> tuple[ClassScores, GroupScores]:
    """Return the scores by class and by group of classes; empty where no metric or no segment has classes."""
    tally_keys = [metric.key for metric in metrics if metric.needs == "tally"]
    if inputs.tally is not None or not (tally_keys or class_means):
        return {}, {}
    if inputs.table.class_names is None:
        if groups:
            raise ClassesError(
                "groups= names groups of classes, but the segments carry none; give classes= on both sides"
            )
        return {}, {}
    return score_classes(inputs.align(**aligned), tally_keys, class_means, options, groups, undefined)
