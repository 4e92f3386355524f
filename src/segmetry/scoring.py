"""Scoring one pair of segmentations with any number of metrics: overlaps are counted once, alignments made once
per rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from segmetry.alignments import MatchRule, Policy, as_policy, as_rule
from segmetry.errors import OptionError, UnknownNameError
from segmetry.scores.comparison import FROM_TABLE, Comparison
from segmetry.scores.metric import METRICS, Metric, as_comparison
from segmetry.scores.score import Result

_ALWAYS = ("panoptic",)
_FOR_KIND = {"spans": ("windows", "boundaries"), "labels": ("regions", "clustering"), "annotations": ("agreement",)}


@dataclass(frozen=True)
class Scores(Mapping[str, Result]):
    """The results by metric key, with the rule and the policy they were computed under."""

    results: Mapping[str, Result]
    rule: str
    policy: str

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
        return {
            "rule": self.rule,
            "policy": self.policy,
            "scores": {key: result.as_dict() for key, result in self.results.items()},
        }


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
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Scores:
    """Score a prediction with several metrics.

    ``metrics`` are keys or family names; by default the panoptic ones and what the kind of input is known for. ``options`` gives a metric
    its own keyword arguments: ``{"false_hits": {"pi": 0.5}}``. ``uncovered`` says what clustering metrics do with elements in no
    segment: ``"common"``, ``"segment"`` or ``"singletons"``. ``undefined`` puts a number in the place of undefined, as some peers do.

    >>> found = score([[1, 1, 2, 2]], [[1, 1, 1, 2]], ["pq", "n_matched"])
    >>> found["n_matched"].value, found["pq"].value, found.rule
    (1.0, 0.3333333333333333, 'theta_and')
    """
    chosen_policy = as_policy(policy)
    chosen_rule = as_rule(chosen_policy.rule if rule is None else rule)
    comparison = as_comparison(true, pred, resolve=resolve)
    comparison.threads = threads
    chosen = select_metrics(metrics, comparison.kind, comparison.axes)
    own = _checked_options(options or {}, chosen)
    shared: dict[str, Any] = {"uncovered": uncovered}
    if comparison.fixed is None:
        shared |= {"rule": chosen_rule, "policy": chosen_policy, "resolve": resolve, "classes": classes}
    results = {
        found.key: _one(found, comparison, shared, own.get(found.key, {})).or_else(undefined) for found in chosen
    }
    used = comparison.fixed
    return Scores(
        results,
        rule=chosen_rule.name if used is None else used.rule.name,
        policy=chosen_policy.name if used is None else used.policy.name,
    )


def _one(found: Metric, comparison: Comparison, shared: Mapping[str, Any], own: Mapping[str, Any]) -> Result:
    given = {name: shared[name] for name in found.shared_options if name in shared}
    return found.on(comparison, **(given | dict(own)))


def select_metrics(wanted: Iterable[str] | str | None, kind: str | None, axes: int | None = None) -> list[Metric]:
    """The metrics named by key or family, in the order of their declaration; the default set of a kind for None.

    >>> [found.key for found in select_metrics("sq,pq", "labels")]
    ['pq', 'sq']
    """
    if wanted is None:
        return _of_families((*_ALWAYS, *_FOR_KIND.get(kind or "", ())), kind, axes)
    names = [name.strip() for name in (wanted.split(",") if isinstance(wanted, str) else wanted)]
    if not any(names):
        raise OptionError("metrics is empty; expected keys or families, such as pq,regions")
    families = {found.family for found in METRICS.values()}
    keys = {name for name in names if name not in families}
    for name in keys:
        METRICS[name]
    of_families = {found.key for found in _of_families(tuple(set(names) & families), kind, axes)}
    return [found for key, found in METRICS.items() if key in keys or key in of_families]


def _of_families(families: tuple[str, ...], kind: str | None, axes: int | None) -> list[Metric]:
    return [
        found
        for found in METRICS.values()
        if found.family in families
        and found.in_family
        and (found.needs in FROM_TABLE if kind is None else found.takes(kind, axes))
    ]


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
                raise OptionError(f"{found.key} needs {name}; pass options={{{found.key!r}: {{{name!r}: …}}}}")
    return options
