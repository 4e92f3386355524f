"""What a user has changed in a protocol: the settings of a run that differ from those of its protocol.

An option that the protocol leaves open, such as the labels that are void in a file, changes nothing when it is stated;
neither do segmentations that are not read, but made in Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter
from typing import Any

from segmetry.alignments import as_policy, as_rule, rule_heading
from segmetry.metrics import METRICS, checked_undefined, keys_and_families
from segmetry.protocols.protocol import Protocol
from segmetry.readers import ReadOptions


def modified_settings(protocol: Protocol, settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the settings that differ from the protocol, options of metrics as ``key.option``."""
    return tuple(_differences(protocol, settings))


def _differences(protocol: Protocol, settings: Mapping[str, Any]) -> Iterator[str]:
    declared = _declared(protocol, settings)
    for name, value in declared.items():
        if name in settings and settings[name] != value:
            yield name
    options = settings.get("options", {})
    keys, families = keys_and_families(settings.get("metrics") or protocol.metrics)
    for key in (key for key in protocol.metrics if key in keys or METRICS[key].family in families):
        names = {*protocol.options.get(key, {}), *options.get(key, {})}
        for name in sorted(names):
            default = METRICS[key].options.get(name, Parameter.empty)
            values = [plain(source.get(key, {}).get(name, default)) for source in (protocol.options, options)]
            if values[0] != values[1]:
                yield f"{key}.{name}"
    declared_reading = ReadOptions(**protocol.reading).as_plain()
    reading = settings.get("reading", {})
    options_declared = {_of_both_sides(name) for name in declared_reading}
    for name in sorted(reading):
        if _of_both_sides(name) in options_declared and reading.get(name) != declared_reading.get(name):
            yield name


def _of_both_sides(name: str) -> str:
    return name.removeprefix("true_").removeprefix("pred_")


def _declared(protocol: Protocol, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the protocol says about the settings that have one value each."""
    policy = protocol.policy or settings.get("policy", "none")
    declared: dict[str, Any] = {
        "rule": as_rule(protocol.rule or as_policy(policy).rule).name,
        "policy": policy,
        "classes": protocol.classes,
        "undefined": checked_undefined(protocol.undefined),
        "resolve": protocol.resolve,
    }
    if protocol.background is not None:
        declared["background"] = protocol.background
    if protocol.groups is not None:
        declared["groups"] = {name: tuple(sorted(names, key=repr)) for name, names in protocol.groups.items()}
    return declared


def plain(value: Any) -> Any:
    """Return a value as JSON keeps it: collections are lists, in one order where they have none."""
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=repr)
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [plain(part) for part in value]
    return value


def protocol_header(protocol: Protocol, modified: Iterable[str] = (), rule: str = "", policy: str = "") -> str:
    """Return the line above a protocol's table: what is read how, averaged over what, and what the user has changed.

    ``rule`` and ``policy`` are those that were used: where the user has changed them, the sentence says these.
    """
    words, changed = protocol.header, tuple(modified)
    if "rule" in changed and protocol.rule is not None:
        heading = rule_heading(rule)
        words = re.sub(r"(at )?IoU [>≥] 0\.5", lambda found: f"by {heading}" if found[1] else heading, words)
    if "policy" in changed:
        words = re.sub(r"(void|crowds?|void and crowd) ignored", f"policy {policy}", words)
    changes = ", ".join(_shortened(changed))
    return f"{protocol.name}: {words}" + (f"; modified: {changes}" if changes else "")


def _shortened(modified: tuple[str, ...]) -> tuple[str, ...]:
    """Return names with an option that is changed for several metrics named once, without them."""
    options = [name.partition(".")[2] for name in modified]
    return tuple(
        dict.fromkeys(
            option if option and options.count(option) > 1 else name
            for name, option in zip(modified, options, strict=True)
        )
    )
