"""Lengths and voxel sizes in metadata that list axes as x, y, z."""

from __future__ import annotations

import math
from typing import Any

from segmetry._base.json_fields import list_field
from segmetry.errors import FormatError
from segmetry.segmentation.spacing import Spacing, unit_symbol


def lengths_field(data: Any, name: str, where: str, *, least: int = 0) -> tuple[int, ...]:
    """Return a list of integers, in the order of the file.

    >>> lengths_field({"size": [3, 2]}, "size", "info")
    (3, 2)
    """
    lengths = list_field(data, name, where)
    if not all(type(length) is int and least <= length < 2**62 for length in lengths):
        raise FormatError(f"{where}: {name} is {str(lengths)[:40]!a}; expected lengths")
    return tuple(lengths)


def spacing_field(data: Any, name: str, n_axes: int, unit: Any, where: str) -> Spacing:
    """Return the size of an element along each axis, last axis of the file first.

    >>> spacing_field({"resolution": [4, 4, 40]}, "resolution", 3, "nm", "info")
    (40.0, 4.0, 4.0)
    """
    steps = list_field(data, name, where)
    right = all(isinstance(step, int | float) and not isinstance(step, bool) and 0 < step < 1e300 for step in steps)
    if not right or len(steps) != n_axes or not all(math.isfinite(step) for step in steps):
        raise FormatError(f"{where}: {name} is {str(steps)[:40]!a}; expected {n_axes} positive numbers")
    return Spacing([float(step) for step in reversed(steps)], unit_symbol(str(unit)) if unit else None)
