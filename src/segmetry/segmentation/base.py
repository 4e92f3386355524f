"""What every segmentation knows about itself, whatever it is made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Sequence
from operator import index
from typing import ClassVar

from segmetry.errors import ClassesError, OptionError

ClassMap = Mapping[int, Hashable]


class Segmentation(ABC):
    """Disjoint (or, for masks and sets, possibly overlapping) segments of a finite domain.

    Elements in no segment are *outside*; elements that must not count at all are *void*.
    """

    kind: ClassVar[str]
    classes: ClassMap | None
    crowd: frozenset[int]

    @property
    @abstractmethod
    def n_elements(self) -> int:
        """The size of the domain."""

    @property
    @abstractmethod
    def domain(self) -> tuple[int, ...]:
        """What must be equal for two segmentations to be compared: a shape, or a length."""

    @property
    @abstractmethod
    def is_disjoint(self) -> bool:
        """Whether no element lies in two segments."""


def class_of(classes: ClassMap, segment: int, side: str) -> Hashable:
    """The class of one segment; a segment without one is an error that names it.

    >>> class_of({1: "car"}, 1, "true")
    'car'
    """
    try:
        return classes[segment]
    except KeyError:
        known = ", ".join(map(str, list(classes)[:5])) + (" …" if len(classes) > 5 else "")
        raise ClassesError(
            f"{side}: segment {segment} has no class; classes= names {known or 'no segment'}: "
            "give every segment a class, or declare the label as outside="
        ) from None


def as_ids(values: int | Collection[int] | None, name: str) -> tuple[int, ...]:
    """One label, several, or none, as a sorted tuple.

    >>> as_ids(0, "outside"), as_ids({255, 3}, "void"), as_ids(None, "outside")
    ((0,), (3, 255), ())
    """
    if values is None:
        return ()
    try:
        return (index(values),)  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return tuple(sorted({index(value) for value in values}))  # type: ignore[union-attr]
    except TypeError:
        raise OptionError(f"{name} is {values!r}; expected an integer label or a collection of them") from None


def as_spacing(spacing: Sequence[float] | None, ndim: int) -> tuple[float, ...]:
    """The distance between neighbours along each axis; 1 where nothing is said.

    >>> as_spacing(None, 2), as_spacing((5, 0.5, 0.5), 3)
    ((1.0, 1.0), (5.0, 0.5, 0.5))
    """
    if spacing is None:
        return (1.0,) * ndim
    try:
        found = tuple(float(step) for step in spacing)
    except (TypeError, ValueError):
        raise OptionError(f"spacing is {spacing!r}; expected {ndim} numbers, one per axis") from None
    if len(found) != ndim:
        raise OptionError(f"spacing has {len(found)} values; expected {ndim}, one per axis of the labels")
    if not all(math.isfinite(step) and step > 0 for step in found):
        raise OptionError(f"spacing is {found}; expected positive finite distances")
    return found
