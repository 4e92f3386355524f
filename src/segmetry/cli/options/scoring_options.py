"""The options of scoring on the command line, and the record that functions of the library take for them.

Options of metrics are stated as ``--option pk.k=3``, or ``--option iou_type=bbox`` for all metrics that take it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

import click

from segmetry.cli.options.command_type import option_group
from segmetry.cli.options.shell_completion import metric_keys, metric_option, policies, protocols, rules
from segmetry.errors import OptionError
from segmetry.metrics.metric_names import find_metric
from segmetry.metrics.shared_options import BackgroundName, ClassMatching, ItemAverage, ResolveName, ScoringOptions

aligning_options = option_group(
    click.option(
        "--policy",
        shell_complete=policies,
        help="How to treat void elements and crowd segments. [default: from the protocol]",
    ),
    click.option(
        "--missing",
        type=click.Choice(["error", "as-empty"]),
        default="error",
        show_default=True,
        help="How to treat items without a prediction.",
    ),
    click.option("--resolve", type=click.Choice(get_args(ResolveName)), help="How to treat segments that overlap."),
    click.option(
        "--undefined",
        type=click.Choice(["nan", "0", "1"]),
        help="Value in place of undefined. [default: from the protocol, otherwise nan]",
    ),
    click.option(
        "--classes",
        type=click.Choice(get_args(ClassMatching)),
        help="Whether the classes of a pair must agree. [default: from the protocol, otherwise match]",
    ),
    click.option(
        "--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads per pair of label arrays."
    ),
)
"""Options of all commands that pair, count and align items."""

scoring_options = option_group(
    click.option(
        "--metrics",
        metavar="KEYS",
        shell_complete=metric_keys,
        help="Metric keys or families, separated by commas, or all; all that are named are printed.",
    ),
    click.option(
        "--protocol",
        metavar="NAME",
        shell_complete=protocols,
        help="Evaluation protocol, e.g. coco-panoptic; options given explicitly override the protocol. 'segmetry "
        "protocols' lists them. [default: from the format of TRUE]",
    ),
    click.option(
        "--rule",
        metavar="RULE",
        shell_complete=rules,
        help="Alignment rule, such as theta_and or 'iou(above=0.75)'. [default: IoU > 0.5 (θ⁺), with θ& beside it]",
    ),
    aligning_options,
    click.option(
        "--average",
        type=click.Choice(get_args(ItemAverage)),
        help="Scores of an item: mean over its classes, or of all its segments. [default: class, where classes match]",
    ),
    click.option(
        "--background",
        type=click.Choice(get_args(BackgroundName)),
        help="How clustering metrics treat pixels in no segment: one segment, a segment each, only pixels with a "
        "segment on both sides, or a convention in which those outside in the truth are ignored. [default: from the "
        "protocol, otherwise segment]",
    ),
    click.option(
        "--option",
        "metric_option",
        multiple=True,
        metavar="KEY.NAME=VALUE",
        shell_complete=metric_option,
        help="An option of one metric, such as pk.k=3; 'segmetry explain KEY' lists them.",
    ),
)
"""All options of scoring."""


def scoring_of(options: Mapping[str, Any]) -> ScoringOptions:
    """Return the options of scoring that a user states, as the functions of the library take them.

    >>> scoring_of({"rule": "theta_and", "undefined": "0", "jobs": 2, "metric_option": ["pk.k=3"]})
    {'undefined': 0.0, 'rule': 'theta_and', 'options': {'pk': {'k': 3}}}
    """
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

    >>> metric_options(["pk.k=3", "vpq.k=[1,2]", "false_hits.pi=0.76", "window_diff.padded=true"])
    {'pk': {'k': 3}, 'vpq': {'k': [1, 2]}, 'false_hits': {'pi': '0.76'}, 'window_diff': {'padded': True}}
    >>> metric_options(["iou_type=bbox"])
    {'iou_type': 'bbox'}
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
            options[name] = _value(value, text)
            continue
        metric = find_metric(key).metric
        key, known = metric.key, metric.options
        if name not in known:
            raise OptionError(f"--option {text}: {key} has no option {name!r}; it takes {', '.join(known) or 'none'}")
        options.setdefault(key, {})[name] = _value(value, text)
    return options


def _value(value: str, text: str) -> Any:
    if re.fullmatch(r"-?\d+|true|false|\[.*\]", value):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            raise OptionError(f"--option {text}: {value} is not a list; write it as [1,2]") from None
    return value
