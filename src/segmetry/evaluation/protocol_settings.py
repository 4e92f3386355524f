"""The settings of an evaluation: what the user states, then the protocol, then the data set, then the defaults.

The protocol is the one that the user names, else that of the format of the truth. Metrics that are stated beside a
named protocol are computed in addition to its own; a format's protocol leaves the choice of metrics to the user.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

from segmetry.errors import OptionError
from segmetry.metrics import (
    METRICS,
    MetricName,
    ScoringOptions,
    canonical_names,
    keys_and_families,
    metrics_of_family,
    of_classes,
)
from segmetry.protocols import Protocol
from segmetry.readers import LABEL_OPTIONS, READERS, SIDES, ReadOptions
from segmetry.run import Settings
from segmetry.segmentation import Segmentation, as_ids


def read_under(
    protocol: Protocol | None,
    read: ReadOptions | Mapping[str, Any] | None,
    sides: tuple[Any, ...],
    formats: tuple[str, str] | None = None,
) -> ReadOptions:
    """Return the reading options of a protocol for both sides, overridden by those that the user states.

    ``formats`` are those of two files.
    Segmentations are not read, arrays have no options but those of labels, and an option that neither file's format
    has is left out: the protocol is about files that need it.
    """
    stated = ReadOptions.of(read)
    declared = {} if protocol is None else _without(_reading_of(protocol, sides, formats), stated)
    if not declared:
        return stated
    under = ReadOptions(most_elements=stated.most_elements, isolate=stated.isolation, **declared)
    return under.replaced(side=stated.side, **stated.values)


def _without(declared: dict[str, Any], stated: ReadOptions) -> dict[str, Any]:
    """Leave out what the protocol declares for one side where the user states it for both, and labels outside that the
    user states to be void.
    """
    void = {label for name in ("void", "true_void", "pred_void") for label in as_ids(stated.values.get(name), name)}
    outside = {name for name, value in declared.items() if name.endswith("outside") and void & {*as_ids(value, name)}}
    for_both = {f"{side}_{name}" for name in stated.values for side in ("true", "pred")}
    return {name: value for name, value in declared.items() if name not in for_both | outside}


def _reading_of(protocol: Protocol, sides: tuple[Any, ...], formats: tuple[str, str] | None) -> dict[str, Any]:
    values = [value for side in sides for value in _items(side)]
    if any(isinstance(value, str | Path) for value in values):
        beside = protocol.companion if isinstance(sides[0], str | Path) else None
        declared = {**protocol.reading, **({} if beside is None else beside(Path(sides[0])))}
        if formats is None:
            return declared
        known = {option.name for name in formats for option in READERS[name].options}
        known |= {f"{side}_{name}" for name in known for side in SIDES}
        return {name: value for name, value in declared.items() if name in known}
    if all(isinstance(value, Segmentation) for value in values):
        return {}
    labels = {f"{side}{option.name}" for option in LABEL_OPTIONS for side in ("", "true_", "pred_")}
    return {name: value for name, value in protocol.reading.items() if name in labels}


def _items(side: Any) -> list[Any]:
    # A path, or a batch, is one item.
    if isinstance(side, Mapping):
        return list(side.values())
    return list(side) if isinstance(side, list | tuple) else [side]


def settings_under(
    protocol: Protocol | None,
    stated: Mapping[str, Any],
    *,
    policy: str,
    groups: Mapping[str, frozenset[Hashable]] | None,
    reading: Mapping[str, Any],
    named: bool,
) -> Settings:
    """Return the settings: ``policy`` and ``groups`` are those of the data set where neither user nor protocol states
    them; ``named`` says whether the user has named the protocol, else it is that of the format.
    """
    own: dict[str, Any] = {} if protocol is None else protocol.scoring
    values: dict[str, Any] = {
        name: value for name in ScoringOptions.__annotations__ if (value := stated.get(name)) is not None
    }
    values["also"] = tuple(values.get("also", ())) or own.get("also", ())
    if _are_classes(reading):
        names, options = of_classes(values.get("metrics"), values.get("options"))
        values |= {name: value for name, value in (("metrics", names), ("options", options)) if value is not None}
    if "rule" not in values and (rule := rule_of_metrics(values.get("metrics"))) is not None and "rule" not in own:
        values["rule"] = rule
    if protocol is None:
        if "options" in values:
            values["options"] = options_by_metric(values["options"], values.get("metrics"))
    else:
        options = dict(values.pop("options", {}))
        for_all = {name: options.pop(name) for name in [*options] if not isinstance(options[name], Mapping)}
        names, named_options = canonical_names(values.pop("metrics", None), options)
        own_metrics = protocol.metrics if named or names is None else ()
        values["metrics"] = metrics = list(dict.fromkeys([*own_metrics, *(names or ())]))
        stated_options = options_by_metric({**for_all, **named_options}, metrics, first=protocol.headline_cell.metric)
        values["options"] = _options(protocol.options, stated_options, metrics)
    if {**own, **values}.get("classes", "match") == "match":
        own.setdefault("groups", groups)
    return Settings.of(
        **{"policy": policy, **own, **values}, reading=reading, protocol=None if protocol is None else protocol.name
    )


def _are_classes(reading: Mapping[str, Any]) -> bool:
    """Return whether the labels of both sides are read as classes."""
    return all((reading.get(f"{side}_labels") or reading.get("labels")) == "classes" for side in SIDES)


def rule_of_metrics(metrics: Iterable[MetricName] | str | None) -> str | None:
    """Return the rule that all named metrics that depend on one have by default; None where the policy decides."""
    names, _ = canonical_names(metrics)
    keys, families = keys_and_families(names) if names else (set(), set())
    rules = {METRICS[key].default_rule for key in keys if METRICS[key].depends_on_rule}
    return rules.pop() if len(rules) == 1 and not families else None


def options_by_metric(
    options: Mapping[str, Any], metrics: Iterable[MetricName] | str | None, *, first: str | None = None
) -> dict[str, Mapping[str, Any]]:
    """Return options by metric, from those and options stated for all metrics at once.

    Such an option is that of every metric that takes it, except for metrics whose name is about another value of it:
    ``max_detections=300`` leaves ``ar_1`` as it is. ``first`` is the metric whose default counts as the common one.
    """
    by_metric = {name: own for name, own in options.items() if isinstance(own, Mapping)}
    for name, value in options.items():
        if name in by_metric:
            continue
        names, _ = canonical_names(metrics)
        keys, families = keys_and_families(names or ("all",))
        named = METRICS.only(keys | {metric.key for family in families for metric in metrics_of_family(family)})
        taking = [metric for metric in named.values() if name in metric.options and names is not None]
        if not taking:
            raise OptionError(
                f"option {name} is stated for all metrics, and no metric that was named takes it; state it for one: "
                f"METRIC.{name}"
            )
        common = next((metric for metric in taking if metric.key == first), taking[0]).options[name]
        for metric in taking:
            if metric.options[name] == common:
                by_metric[metric.key] = {name: value, **by_metric.get(metric.key, {})}
    return by_metric


def _options(
    declared: Mapping[str, Mapping[str, Any]], stated: Mapping[str, Mapping[str, Any]], metrics: list[str]
) -> dict[str, dict[str, Any]]:
    """Return the options of metrics; those of the protocol for metrics that are not computed are left out."""
    keys, families = keys_and_families(metrics)
    used = {key: own for key, own in declared.items() if key in keys or METRICS[key].family in families}
    return {key: {**used.get(key, {}), **stated.get(key, {})} for key in {**used, **stated}}
