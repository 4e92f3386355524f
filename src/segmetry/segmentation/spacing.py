"""The distance between neighbours along each axis, with its unit, and whether it is known at all."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Self, SupportsIndex, cast, overload

import numpy as np

from segmetry.errors import DataWarning, InputError, OptionError

UNITS = {
    **dict.fromkeys(("µm", "μm", "um", "micron", "microns", "micrometer", "micrometre", r"\u00b5m"), "µm"),
    **dict.fromkeys(("nm", "nanometer", "nanometre"), "nm"),
    **dict.fromkeys(("mm", "millimeter", "millimetre"), "mm"),
    **dict.fromkeys(("cm", "centimeter", "centimetre"), "cm"),
    **dict.fromkeys(("m", "meter", "metre"), "m"),
    **dict.fromkeys(("å", "angstrom", "ångström"), "Å"),
    **dict.fromkeys(("in", "inch"), "in"),
}
"""The symbols of units of length, by the words for them in files, in lower case."""
SAME = 1e-5
"""Relative difference up to which two lengths are the same: headers store them in single precision."""


class Spacing(tuple[float, ...]):  # noqa: SLOT001 - a tuple with attributes
    """The lengths of steps along each axis; ``unit`` is their unit, and ``stated`` is False if they are unknown."""

    unit: str | None
    stated: bool

    def __new__(cls, steps: Sequence[float], unit: str | None = None, *, stated: bool = True) -> Self:
        made = super().__new__(cls, steps)
        made.unit, made.stated = unit, stated
        return made

    @overload
    def __getitem__(self, at: SupportsIndex, /) -> float: ...
    @overload
    def __getitem__(self, at: slice, /) -> Spacing: ...
    def __getitem__(self, at: SupportsIndex | slice, /) -> float | Spacing:
        part = super().__getitem__(at)
        return Spacing(part, self.unit, stated=self.stated) if isinstance(part, tuple) else part

    def __str__(self) -> str:
        return f"{', '.join(f'{step:.6g}' for step in self)}{'' if self.unit is None else f' {self.unit}'}"

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (tuple(self), self.unit), {"stated": self.stated}

    def agrees_with(self, other: Spacing) -> bool:
        """Return whether both are the same lengths in the same unit, as far as both state it."""
        same_unit = None in (self.unit, other.unit) or self.unit == other.unit
        return same_unit and all(math.isclose(a, b, rel_tol=SAME) for a, b in zip(self, other, strict=True))


def as_spacing(spacing: Sequence[float] | None, ndim: int, unit: str | None = None) -> Spacing:
    """Return the distance between neighbours along each axis; 1, and not stated, by default."""
    if spacing is None:
        if unit is not None:
            raise OptionError(f"unit is {unit!r}, but no spacing is stated; pass spacing=")
        return _unknown_spacing(ndim)
    try:
        steps = tuple(float(step) for step in spacing)
    except (TypeError, ValueError):
        raise OptionError(f"spacing is {spacing!r}; expected {ndim} numbers, one per axis") from None
    if len(steps) != ndim:
        raise OptionError(f"spacing has {len(steps)} values; expected {ndim}, one per axis of the labels")
    if not all(math.isfinite(step) and step > 0 for step in steps):
        raise OptionError(f"spacing is {steps}; expected positive finite distances")
    if isinstance(spacing, Spacing):
        return spacing if unit is None else Spacing(steps, unit)
    return Spacing(steps, unit)


@lru_cache(maxsize=64)
def _unknown_spacing(ndim: int) -> Spacing:
    return Spacing((1.0,) * ndim, stated=False)


def unit_symbol(word: str) -> str | None:
    """Return the symbol of a unit of length; None for anything else, such as pixels."""
    return UNITS.get(word.strip().strip("\0").lower())


def spacing_of(segmentation: Any) -> Spacing:
    """Return the spacing of a segmentation; 1, and not stated, for kinds without one."""
    known = getattr(segmentation, "spacing", None)
    return cast(Spacing, known) if known is not None else as_spacing(None, len(segmentation.domain))


def one_spacing(true: Any, pred: Any) -> Spacing:
    """Return the spacing of two segmentations: the same on both sides, or that of the side that states one."""
    first, second = spacing_of(true), spacing_of(pred)
    if not (first.stated and second.stated):
        return second if second.stated else first
    if not first.agrees_with(second):
        raise InputError(
            f"true has spacing {first} and pred {second}; give both sides the same spacing= (--spacing), or resample "
            "one of them"
        )
    return first if first.unit is not None else Spacing(first, second.unit)


def spacing_of_coordinates(labels: Any) -> Spacing | None:
    """Return the spacing of labels with numeric coordinates along every axis; None where it is not known.

    ``labels`` is any object with ``coords``, such as a DataArray; xarray is not imported.

    Axes without coordinates, of one element, or of times have no spacing. Uneven coordinates are a warning: distances
    are then counted in elements.
    """
    steps, units = [], set()
    for name in labels.dims:
        if name not in labels.coords or labels.sizes[name] < 2:
            return None
        coordinate = labels.coords[name]
        positions = np.asarray(coordinate.data)
        if positions.dtype.kind not in "iuf":
            return None
        differences = np.abs(np.diff(positions.astype(float)))
        step = float(differences.mean())
        if step == 0 or not np.allclose(differences, step, rtol=SAME, atol=0):
            warnings.warn(
                f"the coordinates {name} of the labels are not evenly spaced, so distances are counted in elements",
                DataWarning,
                stacklevel=2,
            )
            return None
        steps.append(step)
        units.add(unit_symbol(str(coordinate.attrs.get("units", ""))))
    return Spacing(steps, units.pop() if len(units) == 1 else None)
