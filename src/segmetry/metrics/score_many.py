"""Scoring one pair of segmentations with any number of metrics: overlaps are counted once, alignments made once
per rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from typing import Any

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import break_down
from segmetry.alignments.candidates import MatchRule, as_rule
from segmetry.alignments.policy import Policy, as_policy
from segmetry.errors import ClassesError, KindError, OptionError, UnknownNameError
from segmetry.metrics.class_quotient import sums_by_class
from segmetry.metrics.declare import METRICS, Metric, as_metric_inputs
from segmetry.metrics.metric_inputs import FROM_TABLE, MetricInputs
from segmetry.metrics.per_class import (
    ALL,
    Groups,
    checked_groups,
    checked_undefined,
    class_options,
    group_score,
    in_class_means,
    mean_of,
    members,
    tally_score,
    with_means_over_classes,
)
from segmetry.metrics.score import Result, Score
from segmetry.overlaps.contingency import UNCOVERED

_ALWAYS = ("panoptic",)
_FOR_KIND = {"spans": ("windows", "boundaries"), "labels": ("regions", "clustering"), "annotations": ("agreement",)}


@dataclass(frozen=True)
class Scores(Mapping[str, Result]):
    """The results by metric key, with the rule and the policy they were computed under.

    Where the segments carry classes, ``classes[name]`` holds the panoptic scores of every class that occurs, and
    ``groups`` their means over ``all`` classes and over the groups asked for; a mean's denominator says how many
    classes it used.
    """

    results: Mapping[str, Result]
    rule: str
    policy: str
    classes: Mapping[Hashable, Mapping[str, Score]] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Result:
        try:
            return self.results[key]
        except KeyError:
            raise UnknownNameError(f"{key!r} was not computed; found {', '.join(self.results)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found: dict[str, Any] = {
            "rule": self.rule,
            "policy": self.policy,
            "scores": {key: result.as_dict() for key, result in self.results.items()},
        }
        if self.classes:
            found["classes"] = {str(name): _plain(scores) for name, scores in self.classes.items()}
            found["groups"] = {name: _plain(scores) for name, scores in self.groups.items()}
        return found


def _plain(scores: Mapping[str, Score]) -> dict[str, Any]:
    return {key: found.as_dict() for key, found in scores.items()}


def score(
    true: Any,
    pred: Any = None,
    metrics: Iterable[str] | str | None = None,
    *,
    rule: MatchRule | str | None = None,
    policy: Policy | str = "none",
    resolve: str | None = None,
    classes: str = "match",
    uncovered: str = "common",
    undefined: float | None = None,
    threads: int = 1,
    groups: Groups | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Scores:
    """Score a prediction with several metrics.

    ``metrics`` are keys or family names; by default the panoptic ones and what the kind of input is known for.
    ``options`` gives a metric its own keyword arguments: ``{"false_hits": {"pi": 0.5}}``. ``uncovered`` says what
    clustering metrics do with elements in no segment: ``"common"``, ``"segment"`` or ``"singletons"``. ``undefined``
    puts a number in the place of undefined, as some peers do. ``groups`` are sets of classes to average over, such as
    ``{"things": …, "stuff": …}``; a mean over classes that needs a group, such as ``stuff``, is computed beside the
    metric it belongs to.

    >>> found = score([[1, 1, 2, 2]], [[1, 1, 1, 2]], ["pq", "n_matched"])
    >>> found["n_matched"].value, found["pq"].value, found.rule
    (1.0, 0.3333333333333333, 'theta_and')
    """
    chosen_policy = as_policy(policy)
    chosen_rule = as_rule(chosen_policy.rule if rule is None else rule)
    if threads < 1:
        raise OptionError(f"threads is {threads}; expected at least 1")
    if uncovered not in UNCOVERED:
        raise OptionError(f"uncovered is {uncovered!r}; expected one of {', '.join(UNCOVERED)}")
    instead = checked_undefined(undefined)
    comparison = as_metric_inputs(true, pred, resolve=resolve, classes=classes)
    comparison.threads = threads
    chosen_groups = checked_groups(groups)
    chosen = select_metrics(metrics, comparison.kind, comparison.axes, scored=comparison.scored)
    chosen = in_order(with_means_over_classes(chosen, chosen_groups))
    own = dict(_checked_options(options or {}, chosen))
    by_class = {metric.key: class_options(metric, chosen_groups, own.get(metric.key, {})) for metric in chosen}
    own |= {key: found for key, found in by_class.items() if found is not None}
    aligned = (
        {}
        if comparison.fixed is not None
        else {"rule": chosen_rule, "policy": chosen_policy, "resolve": resolve, "classes": classes}
    )
    shared = {**aligned, "uncovered": uncovered}
    results = {found.key: _one(found, comparison, shared, own.get(found.key, {})).or_else(instead) for found in chosen}
    used = comparison.fixed
    keys = [metric.key for metric in chosen if by_class[metric.key] is not None]
    per_class, means = _by_class(comparison, aligned, chosen, keys, own, chosen_groups, instead)
    return Scores(
        results,
        rule=chosen_rule.name if used is None else used.rule.name,
        policy=chosen_policy.name if used is None else used.policy.name,
        classes=per_class,
        groups=means,
    )


def _by_class(
    comparison: MetricInputs,
    aligned: Mapping[str, Any],
    chosen: list[Metric],
    class_keys: list[str],
    own: Mapping[str, Mapping[str, Any]],
    groups: Mapping[str, frozenset[Hashable]],
    undefined: float | None,
) -> tuple[dict[Hashable, dict[str, Score]], dict[str, dict[str, Score]]]:
    """The panoptic scores of every class that occurs, and their means over groups of classes.

    ``class_keys`` are the metrics that are means over classes.
    """
    keys = [found.key for found in chosen if found.needs == "tally"]
    if comparison.tally is not None or not (keys or class_keys):
        return {}, {}
    if comparison.table.class_names is None:
        if groups:
            raise ClassesError(
                "groups= names groups of classes, but the segments carry none; give classes= on both sides"
            )
        return {}, {}
    alignment = comparison.align(**aligned)
    parts = {name: part.tally for name, part in break_down(alignment, "class").items()}
    tallies = {name: tally for name, tally in parts.items() if tally.occurs}
    per_class: dict[Hashable, dict[str, Score]] = {
        name: {key: tally_score(key, tally, own.get(key, {})).or_else(undefined) for key in keys}
        for name, tally in tallies.items()
    }
    means = {
        group: {
            key: group_score(
                key,
                [tallies[name] for name in members(group, groups, tallies)],
                own.get(key, {}),
                in_class_means(undefined, alignment.policy),
            )
            for key in keys
        }
        for group in (*groups, ALL)
    }
    for key in class_keys:
        scores = _class_scores(METRICS[key], alignment, own[key], parts)
        for name, row in per_class.items():
            row[key] = scores[name].or_else(undefined)
        for group, row in means.items():
            of_group = [scores[name] for name in members(group, groups, scores)]
            row[key] = mean_of(key, of_group, None, "no class of this group occurs")
    return per_class, means


def _class_scores(
    metric: Metric, alignment: Alignment, options: Mapping[str, Any], names: Iterable[Hashable]
) -> dict[Hashable, Score]:
    """A mean over classes: the value of every class, undefined where the metric has no terms for it."""
    quotient = metric.per_class
    if quotient is None:
        return {}
    undefined = {name: Score.undefined(metric.key, quotient.reason) for name in names}
    sums = sums_by_class(metric.key, quotient, alignment, options)
    return undefined | {name: one.score(metric.key, quotient.reason) for name, one in sums.items()}


def _one(found: Metric, comparison: MetricInputs, shared: Mapping[str, Any], own: Mapping[str, Any]) -> Result:
    given = {name: shared[name] for name in found.shared_options if name in shared}
    return found.on(comparison, **(given | dict(own)))


def select_metrics(
    wanted: Iterable[str] | str | None, kind: str | None, axes: int | None = None, *, scored: bool = False
) -> list[Metric]:
    """The metrics named by key or family, in the order of their declaration; the default set of a kind for None.

    Of a family those are taken that fit the input: its kind, the axes of a label array, whether masks are ``scored``.

    >>> [found.key for found in select_metrics("sq,pq", "labels")]
    ['pq', 'sq']
    """
    if wanted is None:
        return _of_families((*_ALWAYS, *_FOR_KIND.get(kind or "", ())), kind, axes, scored=scored)
    keys, families = keys_and_families(wanted)
    of_families: set[str] = set()
    for family in sorted(families):
        fitting = {found.key for found in _of_families((family,), kind, axes, scored=scored)}
        if not fitting:
            raise KindError(_misfit(family, kind, axes))
        of_families |= fitting
    return [metric for key, metric in METRICS.items() if key in keys or key in of_families]


def keys_and_families(wanted: Iterable[str] | str) -> tuple[set[str], set[str]]:
    """The keys and the families among some names; a name that is neither is an error.

    >>> keys_and_families("pq,regions")
    ({'pq'}, {'regions'})
    """
    names = {name.strip() for name in (wanted.split(",") if isinstance(wanted, str) else wanted)}
    if not any(names):
        raise OptionError("metrics is empty; expected keys or families, such as pq,regions")
    families = names & {found.family for found in METRICS.values()}
    for name in sorted(names - families):
        METRICS[name]
    return names - families, families


def _misfit(family: str, kind: str | None, axes: int | None) -> str:
    taken = sorted({one for found in METRICS.values() if found.family == family for one in found.kinds})
    shape = "" if axes is None else f" of {axes} axes"
    return (
        f"no metric of the family {family} fits: they take {', '.join(taken)}, some need an option or scores; "
        f"found {kind or 'an overlap table'}{shape}"
    )


def _of_families(families: tuple[str, ...], kind: str | None, axes: int | None, *, scored: bool) -> list[Metric]:
    return [
        metric
        for metric in METRICS.values()
        if metric.family in families
        and metric.default_in_family
        and (scored or not metric.needs_scores)
        and (metric.needs in FROM_TABLE if kind is None else metric.takes(kind, axes))
    ]


def in_order(metrics: Iterable[Metric]) -> list[Metric]:
    """Metrics in the order in which they are shown everywhere."""
    return sorted(metrics, key=lambda metric: metric.display_order)


def _checked_options(options: Mapping[str, Mapping[str, Any]], chosen: list[Metric]) -> Mapping[str, Mapping[str, Any]]:
    keys = {found.key for found in chosen}
    for key in options:
        if key not in keys:
            raise OptionError(
                f"options name {key!r}, which is not among the metrics asked for: {', '.join(sorted(keys))}"
            )
    for found in chosen:
        for name, default in found.options.items():
            if default is Parameter.empty and name not in options.get(found.key, {}):
                raise OptionError(
                    f"{found.key} needs {name}; pass options={{{found.key!r}: {{{name!r}: …}}}} "
                    f"(--option {found.key}.{name}=…)"
                )
    return options
