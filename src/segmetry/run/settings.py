"""The settings of an evaluation: everything except the inputs that determines the content of a run."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.alignments.candidates import as_rule
from segmetry.alignments.policy import as_policy
from segmetry.errors import FormatError, OptionError
from segmetry.metrics.class_average import checked_average
from segmetry.metrics.declare import Metric
from segmetry.metrics.metric_names import canonical_names
from segmetry.metrics.per_class import checked_groups, checked_undefined, class_options
from segmetry.metrics.select_metrics import check_metric_options, keys_and_families, select_metrics
from segmetry.overlaps.contingency import checked_background
from segmetry.protocols.modified import modified_settings
from segmetry.protocols.protocol import PROTOCOLS

ADDED = frozenset({"protocol", "modified", "average"})
"""Settings that run files of earlier versions do not have."""


class _Plan(NamedTuple):
    """The metrics of items of one kind, those whose scores are kept, those that compare partitions, and the options of
    those by class, by key.
    """

    chosen: tuple[Metric, ...]
    kept: tuple[Metric, ...]
    of_partitions: tuple[Metric, ...]
    per_class: dict[str, dict[str, Any]]


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
        cls,
        *,
        rule: Any = None,
        policy: Any = "none",
        metrics: Iterable[str] | str | None = None,
        groups: Mapping[str, Collection[Hashable]] | None = None,
        undefined: float | None = None,
        average: str | None = None,
        options: Mapping[str, Mapping[str, Any]] | None = None,
        also: Iterable[Any] = (),
        **others: Any,
    ) -> Settings:
        """Return checked settings.

        >>> Settings.of(rule="iou(above=0.75)", metrics="pq,sq").rule
        'iou(above=3/4)'
        """
        chosen = as_policy(policy)
        if as_policy(chosen.name) != chosen:
            raise OptionError(
                f"policy {chosen.name} differs from the policy registered under this name; a run stores only the name"
            )
        keys, options = canonical_names(metrics, options)
        if keys is not None:
            keys_and_families(keys)  # an unknown name is an error before any item is read
        checked_background(others.get("background", cls.background))
        first = _named(chosen.rule if rule is None else rule)
        settings = cls(
            rule=first,
            also=tuple(name for name in map(_named, also) if name != first),
            policy=chosen.name,
            metrics=None if keys is None else tuple(keys),
            groups={group: tuple(sorted(classes, key=repr)) for group, classes in checked_groups(groups).items()},
            undefined=checked_undefined(undefined),
            average=checked_average(average),
            options=json.loads(_json(options)),
            **others,
        )
        return settings.compared_with_protocol()

    def compared_with_protocol(self) -> Settings:
        """Return the settings with the names of those that differ from the protocol; one that is not installed keeps
        them.
        """
        if self.protocol is None or self.protocol not in PROTOCOLS:
            return self
        return replace(self, modified=modified_settings(PROTOCOLS[self.protocol], vars(self)))

    def chosen(self, kind: str | None, axes: int | None) -> Sequence[Metric]:
        """Return the metrics of an item of a kind."""
        return self._plan(kind, axes).chosen

    def per_class(self, kind: str | None, axes: int | None) -> Mapping[str, Mapping[str, Any]]:
        """Return the options of those metrics that are means over classes, by key: they follow from sums by class."""
        return self._plan(kind, axes).per_class

    def kept(self, kind: str | None, axes: int | None) -> Sequence[Metric]:
        """Return those metrics whose scores a run keeps: all that do not follow from tallies, sums by class or
        partitions.
        """
        return self._plan(kind, axes).kept

    def of_partitions(self, kind: str | None, axes: int | None) -> Sequence[Metric]:
        """Return those metrics that compare two partitions: they are computed for all items at once."""
        return self._plan(kind, axes).of_partitions

    def check_options(self, kind: str | None, axes: int | None) -> None:
        """Check that options belong to the metrics of an item of a kind and that every required option has a value."""
        if (kind, axes) not in self._checked:
            check_metric_options(self.options, self.chosen(kind, axes))
            self._checked.add((kind, axes))

    def options_of(self, metric: Metric) -> dict[str, Any]:
        """Return the options of a metric; one of the data set may take classes from groups."""
        names = () if metric.accumulator is None else metric.accumulator.group_options
        return {name: self.groups[name] for name in names if name in self.groups} | dict(
            self.options.get(metric.key, {})
        )

    def _plan(self, kind: str | None, axes: int | None) -> _Plan:
        plan = self._plans.get((kind, axes))
        if plan is None:
            plan = self._plans[kind, axes] = self._made_plan(kind, axes)
        return plan

    def _made_plan(self, kind: str | None, axes: int | None) -> _Plan:
        metrics = select_metrics(self.metrics, kind, axes)
        own = {metric.key: class_options(metric, self.groups, self.options.get(metric.key, {})) for metric in metrics}
        others = [metric for metric in metrics if metric.needs != "tally" and own[metric.key] is None]
        return _Plan(
            chosen=tuple(metrics),
            kept=tuple(metric for metric in others if metric.of_partitions is None),
            of_partitions=tuple(metric for metric in others if metric.of_partitions is not None),
            per_class={key: options for key, options in own.items() if options is not None},
        )

    @cached_property
    def _plans(self) -> dict[tuple[str | None, int | None], _Plan]:
        """Plans by kind and axes, made once: they are needed for every item."""
        return {}

    @cached_property
    def derived(self) -> dict[Any, Any]:
        """What users of the settings derive from them for all items of a kind, by keys of their own."""
        return {}

    @cached_property
    def _checked(self) -> set[tuple[str | None, int | None]]:
        """The kinds and axes for whose metrics the options have been checked."""
        return set()

    def __getstate__(self) -> dict[str, Any]:
        """Settings that are sent to another process make their plans there."""
        return {setting.name: getattr(self, setting.name) for setting in fields(self)}

    def as_json(self) -> str:
        """Return the settings as JSON text; groups keep the order of the user or of the data set."""
        return _json(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Return the settings written by :meth:`as_json`."""
        try:
            values = json.loads(text)
            if isinstance(values, dict) and "uncovered" in values:  # the name in files written before 0.1
                values["background"] = values.pop("uncovered")
            known = {setting.name for setting in fields(cls)}
            if not isinstance(values, dict) or not known - ADDED <= set(values) <= known:
                raise ValueError(text)
            values["metrics"] = None if values["metrics"] is None else tuple(values["metrics"])
            values["also"] = tuple(values["also"])
            values["modified"] = tuple(values.get("modified", ()))
            values["reading"] = dict(values["reading"])
            values["groups"] = {name: tuple(classes) for name, classes in values["groups"].items()}
            return cls(**values)
        except (ValueError, TypeError, AttributeError):
            raise FormatError("corrupt run file: its settings cannot be read") from None

    def changed(self, **values: Any) -> Settings:
        """Return the settings with these values changed, None excepted."""
        changes = {name: value for name, value in values.items() if value is not None}
        if "rule" in changes:
            changes["rule"] = _named(changes["rule"])
        if "policy" in changes:
            changes["policy"] = as_policy(changes["policy"]).name
        checked_background(changes.get("background", self.background))
        checked_average(changes.get("average"))
        if changes.get("classes", "match") not in ("match", "ignore"):
            raise OptionError(f"classes is {changes['classes']!r}; expected 'match' or 'ignore'")
        return replace(self, **changes).compared_with_protocol()

    def differences(self, other: Settings) -> list[str]:
        """Describe the settings that differ, for the error message of a run that cannot be resumed or merged."""
        return [
            f"{setting.name} was {getattr(self, setting.name)!r} and is now {getattr(other, setting.name)!r}"
            for setting in fields(self)
            if getattr(self, setting.name) != getattr(other, setting.name)
        ]


def _named(rule: Any) -> str:
    """Return the name of a registered rule."""
    chosen = as_rule(rule)
    if as_rule(chosen.name) != chosen:
        raise OptionError(
            f"rule {chosen.name} differs from the rule registered under this name; a run stores only the name"
        )
    return chosen.name


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise OptionError(f"options contain {value!r}; a run stores plain data only: numbers, text, lists")
