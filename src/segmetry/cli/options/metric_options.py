"""Options of metrics on the command line: ``--option pk.k=3``, or ``--option iou_type=bbox`` for all that take it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from segmetry.errors import OptionError
from segmetry.metrics.metric_names import find_metric


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
