"""The settings of an evaluation: everything except the inputs that determines the content of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import asdict, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Unpack

from segmetry._base import frozen_dataclass
from segmetry.alignments import as_policy, as_rule
from segmetry.errors import FormatError, OptionError
from segmetry.metrics import (
    Metric,
    Scoring,
    ScoringOptions,
    check_metric_options,
    keys_and_families,
    options_with_groups,
    select_metrics,
)
from segmetry.protocols import PROTOCOLS, modified_settings

_AS_CHECKED = ("metrics", "resolve", "classes", "background", "undefined", "average")
"""Options of scoring that are plain data as they are."""


class KindMetrics(NamedTuple):
    """The metrics of items of one kind.

    ``kept`` are those whose scores or statistics a run stores, as they do not follow from segments or partitions;
    ``of_partitions`` compare two partitions, and are computed for all items at once.
    """

    chosen: tuple[Metric, ...]
    kept: tuple[Metric, ...]
    of_partitions: tuple[Metric, ...]


@frozen_dataclass()
class Settings:
    """The settings of a run, all plain data.

    ``rule`` is the rule a run is first shown under; scores that need more than the table are also kept for the rules in
    ``also``. ``reading`` says how the inputs were read: the format, if it was chosen, and every option of a reader
    that was stated. ``protocol`` is the name of the protocol, ``modified`` what was changed in it.
    """

    rule: str = "theta_plus"
    also: tuple[str, ...] = ()
    policy: str = "none"
    metrics: tuple[str, ...] | None = None
    resolve: str | None = None
    classes: str = "match"
    background: str = "segment"
    undefined: float | None = None
    average: str | None = None
    groups: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    protocol: str | None = None
    modified: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, *, reading: Mapping[str, Any] | None = None, protocol: str | None = None, **stated: Unpack[ScoringOptions]
    ) -> Settings:
        """Return checked settings.

        >>> Settings.of(rule="iou(above=0.75)", metrics="pq,sq").rule
        'iou(above=3/4)'
        """
        how = Scoring.of(**stated)
        policy = how.policy or as_policy(cls.policy)
        if how.metrics is not None:
            keys_and_families(how.metrics)  # an unknown name is an error before any item is read
        first = registered_name(how.rule or as_rule(policy.rule), as_rule, "rule")
        also = (registered_name(rule, as_rule, "rule") for rule in how.also)
        settings = cls(
            rule=first,
            also=tuple(name for name in also if name != first),
            policy=registered_name(policy, as_policy, "policy"),
            groups={group: tuple(sorted(classes, key=repr)) for group, classes in how.groups.items()},
            options=json.loads(_json(how.options)),
            reading=reading or {},
            protocol=protocol,
            **{name: getattr(how, name) for name in _AS_CHECKED},
        )
        return settings.compared_with_protocol()

    def compared_with_protocol(self) -> Settings:
        """Return the settings with the names of those that differ from the protocol; one that is not installed keeps
        them.
        """
        if self.protocol is None or self.protocol not in PROTOCOLS:
            return self
        return replace(self, modified=modified_settings(PROTOCOLS[self.protocol], vars(self)))

    def metrics_of(self, kind: str | None, axes: int | None) -> KindMetrics:
        """Return the metrics of items of a kind; they are selected once, as they are needed for every item."""
        known: KindMetrics | None = self.derived.get((KindMetrics, kind, axes))
        if known is None:
            chosen = select_metrics(self.metrics, kind, axes)
            others = [metric for metric in chosen if metric.needs != "tally"]
            kept, of_partitions = (
                tuple(metric for metric in others if (metric.of_partitions is None) == is_kept)
                for is_kept in (True, False)
            )
            known = self.derived[KindMetrics, kind, axes] = KindMetrics(tuple(chosen), kept, of_partitions)
        return known

    def check_options(self, kind: str | None, axes: int | None) -> None:
        """Check that options belong to the metrics of an item of a kind and that every required option has a value."""
        if ("checked", kind, axes) not in self.derived:
            check_metric_options(self.options, self.metrics_of(kind, axes).chosen)
            self.derived["checked", kind, axes] = True

    def options_of(self, metric: Metric) -> dict[str, Any]:
        """Return the options of a metric; one of the data set may take classes from groups."""
        return options_with_groups(metric, self.groups, self.options)

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """What follows from the settings for all items of a kind, by keys of those who derive it."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Settings that are sent to another process select their metrics there."""
        return {setting.name: getattr(self, setting.name) for setting in fields(self)}

    def as_json(self) -> str:
        """Return the settings as JSON text; groups keep the order of the user or of the data set."""
        return _json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Return the settings written by :meth:`as_json`."""
        try:
            values = json.loads(text)
            known = {setting.name for setting in fields(cls)}
            if not isinstance(values, dict) or set(values) != known:
                raise ValueError(text)
            values |= {name: tuple(values[name]) for name in ("also", "modified")}
            values["metrics"] = None if values["metrics"] is None else tuple(values["metrics"])
            values["reading"] = dict(values["reading"])
            values["groups"] = {name: tuple(classes) for name, classes in values["groups"].items()}
            return cls(**values)
        except (ValueError, TypeError, AttributeError):
            raise FormatError("corrupt run file: its settings cannot be read") from None

    def changed(self, **stated: Unpack[ScoringOptions]) -> Settings:
        """Return the settings with these values changed, None excepted."""
        changes: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
        how = Scoring.of(**stated)
        if how.rule is not None:
            changes["rule"] = registered_name(how.rule, as_rule, "rule")
        if how.policy is not None:
            changes["policy"] = how.policy.name
        return replace(self, **changes).compared_with_protocol()


def registered_name(chosen: Any, find: Callable[[str], Any], what: str) -> str:
    """Return the name of a rule or policy that is registered under it."""
    if find(chosen.name) != chosen:
        raise OptionError(
            f"{what} {chosen.name} differs from the {what} registered under this name; a run stores only the name"
        )
    return str(chosen.name)


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise OptionError(f"options contain {value!r}; a run stores plain data only: numbers, text, lists")
