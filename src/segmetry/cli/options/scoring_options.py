"""The options of scoring on the command line, and the record that functions of the library take for them.

Options of metrics are stated as ``--option pk.k=3``, or ``--option iou_type=bbox`` for all metrics that take it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click

from segmetry.cli.options.option_groups import (
    Command,
    choice_option,
    count_option,
    metric_keys,
    metric_option,
    option_group,
    policies,
    protocols,
    rules,
)
from segmetry.errors import OptionError
from segmetry.metrics import ScoringOptions, find_metric

HELP = {
    "metrics": "Metric keys or families, separated by commas, or all",
    "protocol": "Evaluation protocol, e.g. coco-panoptic",
    "rule": "Alignment rule, such as theta_and or 'iou(above=0.75)'",
    "policy": "How to treat void elements and crowd segments",
    "resolve": "How to treat segments that overlap",
    "undefined": "Value in place of undefined",
    "classes": "Whether the classes of a pair must agree",
    "average": "Scores of an item: mean over its classes, or of all its segments",
    "background": "How clustering metrics treat pixels in no segment: one segment, a segment each, only pixels with a "
    "segment on both sides, or a convention in which those outside in the truth are ignored",
}
"""What the options of :class:`ScoringOptions` and the protocol are, in one line of help."""
_FACTS: dict[str, dict[str, Any]] = {
    "metrics": {"metavar": "KEYS", "shell_complete": metric_keys},
    "protocol": {"metavar": "NAME", "shell_complete": protocols},
    "rule": {"metavar": "RULE", "shell_complete": rules},
    "policy": {"shell_complete": policies},
    "undefined": {"type": click.Choice(["nan", "0", "1"])},
}


def scoring_option(
    name: str, default: str | None = None, *, before: str = "", more: str = "", **settings: Any
) -> Callable[[Command], Command]:
    """Return an option of scoring as one of the command line; the values of the record's type are its choices."""
    facts = _FACTS.get(name) or {"type": click.Choice(_literal_values(name))}
    words = f"{before}{HELP[name]}{more}." + (f" [default: {default}]" if default else "")
    return click.option(f"--{name}", help=words, **facts, **settings)


def _literal_values(name: str) -> list[str]:
    """Return the texts that an option of :class:`ScoringOptions` may be."""
    parts = get_args(get_type_hints(ScoringOptions)[name])
    return [value for part in parts if get_origin(part) is Literal for value in get_args(part)]


aligning_options = option_group(
    scoring_option("policy", "from the protocol"),
    choice_option("--missing", ["error", "as-empty"], "error", "How to treat items without a prediction."),
    scoring_option("resolve"),
    scoring_option("undefined", "from the protocol, otherwise nan"),
    scoring_option("classes", "from the protocol, otherwise match"),
    count_option("--threads", "Threads per pair of label arrays.", 1),
)
"""Options of all commands that pair, count and align items."""

scoring_options = option_group(
    scoring_option("metrics", more="; all that are named are printed"),
    scoring_option(
        "protocol", "from the format of TRUE",
        more="; options given explicitly override the protocol. 'segmetry protocols' lists them",
    ),
    scoring_option("rule", "IoU > 0.5 (θ⁺), and θ&"),
    aligning_options,
    scoring_option("average", "class, where classes match"),
    scoring_option("background", "from the protocol, otherwise segment"),
    click.option(
        "--option", "metric_option", multiple=True, metavar="KEY.NAME=VALUE", shell_complete=metric_option,
        help="An option of one metric, such as pk.k=3; 'segmetry explain KEY' lists them.",
    ),
)  # fmt: skip
"""All options of scoring."""


def scoring_of(options: Mapping[str, Any]) -> ScoringOptions:
    """Return the options of scoring that a user states, as the functions of the library take them."""
    stated: Any = {name: options[name] for name in ScoringOptions.__annotations__ if options.get(name) is not None}
    if "undefined" in stated:
        stated["undefined"] = float(stated["undefined"])
    if options.get("metric_option"):
        stated["options"] = metric_options(options["metric_option"])
    return stated  # type: ignore[no-any-return]


def metric_options(texts: Iterable[str]) -> dict[str, Any]:
    """Return the stated keyword arguments by metric; those without a metric are stated for all metrics.

    Integers, true, false and lists such as ``[1,2]`` are read as such; everything else, decimals too, remains text, so
    that thresholds are exact.
    """
    options: dict[str, Any] = {}
    for text in texts:
        parts = re.fullmatch(r"\s*(?:([\w@-]+)\.)?(\w+)\s*=\s*(.+?)\s*", text)
        if parts is None:
            raise OptionError(
                f"--option is {text!r}; expected METRIC.NAME=VALUE, such as pk.k=3, or NAME=VALUE for all metrics"
            )
        key, name, value = parts.groups()
        if key is None:
            options[name] = _option_value(value, text)
            continue
        metric = find_metric(key).metric
        key, known = metric.key, metric.options
        if name not in known:
            raise OptionError(f"--option {text}: {key} has no option {name!r}; it takes {', '.join(known) or 'none'}")
        options.setdefault(key, {})[name] = _option_value(value, text)
    return options


def _option_value(value: str, text: str) -> Any:
    if re.fullmatch(r"-?\d+|true|false|\[.*\]", value):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            raise OptionError(f"--option {text}: {value} is not a list; write it as [1,2]") from None
    return value
