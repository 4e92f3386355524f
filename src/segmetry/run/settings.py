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
    METRIC_DEFAULTS,
    Metric,
    Scoring,
    ScoringOptions,
    check_metric_options,
    keys_and_families,
    options_with_groups,
    select_metrics,
)
from segmetry.protocols import PROTOCOLS, modified_settings


class KindMetrics(NamedTuple):
    """The metrics of items of one kind.

    ``kept`` are those whose scores or statistics a run stores, as they do not follow from segments or partitions;
    ``of_partitions`` compare two partitions, and are computed for all items at once.
    """

    chosen: tuple[Metric, ...]
    kept: tuple[Metric, ...]
    of_partitions: tuple[Metric, ...]


@frozen_dataclass(kw_only=True)
class Settings(Scoring):
    """The settings of a run: how is scored and read, all plain data.

    ``rule`` is the rule a run is first shown under; scores that need more than the table are also kept for the rules in
    ``also``. ``reading`` says how the inputs were read: the format, if it was chosen, and every option of a reader
    that was stated. ``protocol`` is the name of the protocol, ``modified`` what was changed in it.
    """

    rule: str = "theta_plus"
    also: tuple[str, ...] = ()
    policy: str = "none"
    background: str = METRIC_DEFAULTS["background"]
    groups: Mapping[str, tuple[Hashable, ...]] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    protocol: str | None = None
    modified: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, *, reading: Mapping[str, Any] | None = None, protocol: str | None = None, **stated: Unpack[ScoringOptions]
    ) -> Settings:
        """Return checked settings."""
        policy = as_policy(stated.get("policy") or cls.policy)
        stated["policy"], stated["rule"] = policy, stated.get("rule") or policy.rule
        values = _checked_values(**stated)
        values["also"] = tuple(name for name in values["also"] if name != values["rule"])
        return cls(**values, reading=reading or {}, protocol=protocol).compared_with_protocol()

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

    def every_option_of(self, metric: Metric) -> dict[str, Any]:
        """Return the same with the defaults of those that are not stated."""
        return {**metric.options, **self.options_of(metric)}

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
            if not isinstance(values, dict) or values.keys() != _IS_OF_TYPE.keys():
                raise ValueError(text)
            values |= {name: tuple(values[name]) for name in ("also", "modified")}
            values["metrics"] = None if values["metrics"] is None else tuple(values["metrics"])
            values["groups"] = {name: tuple(classes) for name, classes in values["groups"].items()}
            if not all(is_of_type(values[name]) for name, is_of_type in _IS_OF_TYPE.items()):
                raise ValueError(text)
        except (ValueError, TypeError, AttributeError, RecursionError):
            raise FormatError("corrupt run file: its settings cannot be read") from None
        _checked_values(**{name: values[name] for name in ScoringOptions.__annotations__})
        return cls(**values)

    def changed(self, **stated: Unpack[ScoringOptions]) -> Settings:
        """Return the settings with these values changed, None excepted."""
        values = _plain_values(**stated)
        changes = {name: values[name] for name, value in stated.items() if value is not None}
        return replace(self, **changes).compared_with_protocol()


_IS_OF_TYPE: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("rule", "policy", "classes", "background"), lambda text: isinstance(text, str)),
    **dict.fromkeys(("resolve", "average", "protocol"), lambda text: text is None or isinstance(text, str)),
    **dict.fromkeys(
        ("also", "metrics", "modified"), lambda texts: texts is None or all(isinstance(text, str) for text in texts)
    ),
    "undefined": lambda value: value is None or type(value) in (int, float),
    "groups": lambda groups: all(type(label) in (str, int, float) for own in groups.values() for label in own),
    "options": lambda options: all(isinstance(own, dict) for own in options.values()),
    "reading": lambda reading: isinstance(reading, dict),
}
"""What the stored value of every setting has to be; ``options`` are options by metric."""


def _plain_values(**stated: Unpack[ScoringOptions]) -> dict[str, Any]:
    """Return checked options of scoring as a run stores them: rules and policies by name, classes in order."""
    values = dict(vars(Scoring.of(**stated)))
    for name, find in (("rule", as_rule), ("policy", as_policy)):
        values[name] = None if values[name] is None else _registered_name(values[name], find, name)
    values["also"] = tuple(_registered_name(rule, as_rule, "rule") for rule in values["also"])
    values["groups"] = {group: tuple(sorted(classes, key=repr)) for group, classes in values["groups"].items()}
    values["options"] = json.loads(_json(values["options"]))
    return values


def _checked_values(**stated: Any) -> dict[str, Any]:
    """Return plain values, none of which names something unknown: an error before any item is read or scored."""
    values = _plain_values(**stated)
    if values["metrics"] is not None:
        keys_and_families(values["metrics"])
    return values


def _registered_name(chosen: Any, find: Callable[[str], Any], what: str) -> str:
    """Return the name of a rule or policy that is registered under it."""
    if find(chosen.name) != chosen:
        raise OptionError(
            f"{what} {chosen.name} differs from the {what} registered under this name; a run stores only the name"
        )
    return str(chosen.name)


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, default=_plain_setting)


def _plain_setting(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise OptionError(f"options contain {value!r}; a run stores plain data only: numbers, text, lists")
