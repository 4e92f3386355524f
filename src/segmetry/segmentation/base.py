"""The base class of segmentations, and checks that several kinds of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping, Set as AbstractSet
from operator import index
from typing import ClassVar

from segmetry.errors import ClassesError, OptionError, list_some

ClassMap = Mapping[int, Hashable]


class Segmentation(ABC):
    """Disjoint (or, for masks and sets, possibly overlapping) segments of a finite domain.

    Elements in no segment are *outside*; elements that must not count at all are *void*.
    """

    kind: ClassVar[str]
    n_removed: int = 0
    """How many segments became outside when it was read, because they were smaller than the stated size."""
    classes: ClassMap | None
    crowd: tuple[int, ...]

    @property
    @abstractmethod
    def n_elements(self) -> int:
        """The size of the domain."""

    @property
    @abstractmethod
    def domain(self) -> tuple[int, ...]:
        """The shape or length that must be equal for two segmentations to be compared."""

    @property
    @abstractmethod
    def is_disjoint(self) -> bool:
        """Whether no element is in two segments."""


def classes_of(classes: ClassMap, segments: list[int], side: str) -> list[Hashable]:
    """Return the classes of the given segments; a segment without one is an error that names it."""
    try:
        return [classes[segment] for segment in segments]
    except KeyError:
        bare = next(segment for segment in segments if segment not in classes)
        raise ClassesError(
            f"{side}: segment {bare} has no class; classes= names {list_some(classes, most=5) or 'no segment'}: "
            "give every segment a class, or declare the label as outside="
        ) from None


def as_ids(values: int | Collection[int] | None, name: str) -> tuple[int, ...]:
    """Return one label, several, or none, as a sorted tuple."""
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


def as_crowd(crowd: int | Collection[int] | None) -> tuple[int, ...]:
    """Return the ids of crowd segments in the order in which they are listed; of a set in ascending order."""
    if crowd is None or crowd == ():
        return ()
    ids = as_ids(crowd, "crowd")
    if len(ids) < 2 or isinstance(crowd, AbstractSet):
        return ids
    return tuple(dict.fromkeys(index(segment) for segment in crowd))  # type: ignore[union-attr]


def superseded_crowds(segmentation: Segmentation) -> frozenset[int]:
    """Return the crowd segments after which another one of the same class is listed; without classes there are none."""
    if segmentation.classes is None:
        return frozenset()
    last = {segmentation.classes.get(segment): segment for segment in segmentation.crowd}
    return frozenset(segmentation.crowd) - frozenset(last.values())


_BY_AXES = {2: "pixels", 3: "voxels"}


def element_word(kind: str | None, axes: int | None) -> str:
    """Return the unit of sizes: pixels and voxels of label arrays and masks, area of polygons, else elements."""
    if kind == "polygons":
        return "area"
    return _BY_AXES.get(axes or 0, "elements") if kind in ("labels", "masks") else "elements"
