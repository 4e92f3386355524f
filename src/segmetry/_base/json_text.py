"""JSON text of data that may contain infinite numbers, in standard JSON."""

from __future__ import annotations

import json
import math
from typing import Any

_INFINITE = {math.inf: "\0inf", -math.inf: "\0-inf"}


def json_text(data: Any, **options: Any) -> str:
    """Return JSON without NaN; an infinite number is written as 1e999, which every parser reads as infinite.

    >>> json_text({"value": math.inf, "text": "inf"}), json.loads("1e999")
    ('{"value": 1e999, "text": "inf"}', inf)
    """
    try:
        return json.dumps(data, allow_nan=False, **options)
    except ValueError:
        text = json.dumps(_marked(data), allow_nan=False, **options)
        return text.replace(r'"\u0000inf"', "1e999").replace(r'"\u0000-inf"', "-1e999")


def _marked(data: Any) -> Any:
    """Return the data with a text that no other text of theirs equals in place of infinite numbers."""
    if isinstance(data, float):
        return _INFINITE.get(data, data)
    if isinstance(data, dict):
        return {key: _marked(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_marked(value) for value in data]
    return data
