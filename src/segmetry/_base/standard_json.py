"""JSON text of data that may contain infinite numbers, in standard JSON."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np

_INFINITE = {math.inf: "\0inf", -math.inf: "\0-inf"}


def json_text(data: Any, **options: Any) -> str:
    """Return JSON without NaN; an infinite number is written as 1e999, which every parser reads as infinite.

    >>> json_text({"value": math.inf, "text": "inf"}), json.loads("1e999")
    ('{"value": 1e999, "text": "inf"}', inf)
    """
    try:
        return json.dumps(data, allow_nan=False, **options)
    except ValueError:
        text = json.dumps(_mark_undefined(data), allow_nan=False, **options)
        return text.replace(r'"\u0000inf"', "1e999").replace(r'"\u0000-inf"', "-1e999")


def _mark_undefined(data: Any) -> Any:
    """Return the data with a text that no other text of theirs equals in place of infinite numbers."""
    if isinstance(data, float):
        return _INFINITE.get(data, data)
    if isinstance(data, dict):
        return {key: _mark_undefined(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_mark_undefined(value) for value in data]
    return data


def to_json(value: Any) -> Any:
    """Return a result as plain data, for ``json.dumps(value, default=sm.to_json)``.

    Parameters
    ----------
    value
        Any result of segmetry that has ``as_dict`` (scores, summaries, intervals, comparisons …), a fraction, or a
        number or array of numpy.

    Returns
    -------
    dict, list, str, int or float
        The data of ``as_dict``, where an undefined value is ``null`` with its reason; a fraction as text, ``"1/3"``.

    Notes
    -----
    A single :class:`~segmetry.Score` is a float, which JSON writes as a number without asking; an undefined one
    becomes ``NaN``, as every undefined float does in Python's JSON. ``score.as_dict()`` has the reason.

    Examples
    --------
    >>> import json
    >>> import segmetry as sm
    >>> json.dumps(sm.pq([[1, 1, 2, 2]], [[1, 1, 2, 2]]))
    '1.0'
    >>> json.dumps(sm.score([[1, 1, 2, 2]], [[1, 1, 2, 2]], "n_matched"), default=sm.to_json)
    '{"rule": ..., "scores": {"n_matched": {"value": 2.0...}}}'
    """
    as_dict = getattr(value, "as_dict", None)
    if callable(as_dict):
        return as_dict()
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not a result of segmetry; expected one that has as_dict()")
