"""Results as JSON: what :func:`json.dumps` asks about objects that it does not know."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np


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
    raise TypeError(f"a {type(value).__name__} is no result of segmetry; expected one that has as_dict()")
