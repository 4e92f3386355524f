"""Sets: segments of anything hashable."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from functools import cached_property
from typing import ClassVar

from segmetry._base import frozen_dataclass
from segmetry.errors import InputError
from segmetry.segmentation.base import ClassMap, Segmentation


@frozen_dataclass(eq=False, init=False)
class Sets(Segmentation):
    """Segments as sets of their elements, numbered 1, 2, … in order (or by the integer keys of a mapping).

    Parameters
    ----------
    segments : iterable or mapping of collections
        The elements of each segment, in order or by id.
    universe : iterable, optional
        The elements of the domain; by default the union of both sides.
    classes : mapping, optional
        The class of each segment by id.

    Examples
    --------
    >>> Sets([{"a", "b"}, {"c"}]).is_disjoint
    True
    """

    kind: ClassVar[str] = "sets"

    segments: Mapping[int, frozenset[Hashable]]
    universe: frozenset[Hashable] | None
    classes: ClassMap | None
    crowd: tuple[int, ...]

    def __init__(
        self,
        segments: Iterable[Collection[Hashable]] | Mapping[int, Collection[Hashable]],
        *,
        universe: Iterable[Hashable] | None = None,
        classes: ClassMap | None = None,
    ) -> None:
        listed = dict(segments) if isinstance(segments, Mapping) else dict(enumerate(segments, start=1))
        frozen = {number: _frozen_elements(number, elements) for number, elements in listed.items()}
        domain = None if universe is None else frozenset(universe)
        if domain is not None:
            for number, elements in frozen.items():
                if not elements <= domain:
                    stray = sorted(map(repr, elements - domain))[0]
                    raise InputError(f"segment {number} contains {stray}, which is not in the universe")
        self.__dict__.update(  # the dataclass is frozen
            segments=frozen, universe=domain, classes=classes, crowd=()
        )

    @cached_property
    def elements(self) -> frozenset[Hashable]:
        """All elements that are in a segment."""
        return frozenset().union(*self.segments.values())

    @property
    def n_elements(self) -> int:
        return len(self.universe if self.universe is not None else self.elements)

    @property
    def domain(self) -> tuple[int, ...]:
        return () if self.universe is None else (len(self.universe),)

    @cached_property
    def is_disjoint(self) -> bool:
        return sum(map(len, self.segments.values())) == len(self.elements)


def _frozen_elements(number: object, elements: Collection[Hashable]) -> frozenset[Hashable]:
    if not isinstance(number, int) or isinstance(number, bool):
        raise InputError(f"segment key {number!r} is not an integer; expected integer ids")
    if isinstance(elements, str | bytes):
        raise InputError(f"segment {number} is the string {elements!r}; expected a collection of elements")
    try:
        segment = frozenset(elements)
    except TypeError:
        raise InputError(f"segment {number} is {elements!r}; expected a collection of hashable elements") from None
    if not segment:
        raise InputError(f"segment {number} is empty; leave empty segments out")
    if len(segment) != len(elements):
        raise InputError(f"segment {number} lists an element twice; expected each element once")
    return segment
