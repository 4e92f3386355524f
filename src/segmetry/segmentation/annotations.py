"""Annotations: the same lines segmented by several annotators (coders)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, ClassVar

from segmetry.errors import InputError, KindError, ShapeMismatchError
from segmetry.segmentation.spans import Spans

_ONLY_ITEM = "item"


@dataclass(frozen=True, eq=False)
class Annotations:
    """For each item, one segmentation by every coder; all coders segmented all items.

    >>> found = Annotations.from_masses({"chapter 1": {"Ann": [11, 2], "Bob": [9, 4]}})
    >>> found.coders, len(found)
    (('Ann', 'Bob'), 1)
    """

    kind: ClassVar[str] = "annotations"

    items: Mapping[str, Mapping[str, Spans]]

    def __post_init__(self) -> None:
        if not self.items:
            raise InputError("annotations hold no item; expected a mapping of items to coders to Spans")
        for item, by_coder in self.items.items():
            _check_item(item, by_coder, self.coders)

    @classmethod
    def of(cls, found: Any) -> Annotations:
        """From a mapping item -> coder -> Spans, or coder -> Spans for a single item.

        >>> Annotations.of({"Ann": Spans.from_masses([2, 1]), "Bob": Spans.from_masses([3])}).coders
        ('Ann', 'Bob')
        """
        if isinstance(found, Annotations):
            return found
        if not isinstance(found, Mapping):
            raise KindError(f"annotations are a {type(found).__name__}; expected a mapping of items to coders to Spans")
        if found and all(isinstance(value, Spans) for value in found.values()):
            return cls({_ONLY_ITEM: found})
        return cls(found)

    @classmethod
    def from_masses(cls, items: Mapping[str, Mapping[str, Sequence[int]]]) -> Annotations:
        """From segment lengths, as segeval's JSON keeps them under ``items``."""
        return cls(
            {
                item: {coder: Spans.from_masses(masses) for coder, masses in by_coder.items()}
                for item, by_coder in items.items()
            }
        )

    @cached_property
    def coders(self) -> tuple[str, ...]:
        """The coders, in the order of the first item."""
        first = next(iter(self.items.values()))
        if not isinstance(first, Mapping):
            raise KindError(f"an item is a {type(first).__name__}; expected a mapping of coders to Spans")
        return tuple(first)

    @property
    def coder_pairs(self) -> tuple[tuple[str, str], ...]:
        """Every two coders once."""
        return tuple(combinations(self.coders, 2))

    @property
    def ordered_pairs(self) -> tuple[tuple[str, str], ...]:
        """Every two coders, each once as the truth."""
        return tuple(permutations(self.coders, 2))

    def __len__(self) -> int:
        return len(self.items)


def _check_item(item: str, by_coder: Any, coders: tuple[str, ...]) -> None:
    if not isinstance(by_coder, Mapping):
        raise KindError(f"item {item!r} is a {type(by_coder).__name__}; expected a mapping of coders to Spans")
    if len(coders) < 2:
        raise InputError(f"item {item!r} has {len(coders)} coder; expected at least two")
    if set(by_coder) != set(coders):
        odd = sorted(map(str, set(by_coder) ^ set(coders)))[0]
        raise InputError(
            f"item {item!r}: coder {odd!r} segmented only some of the items; expected every coder on every item "
            "(leave the item or the coder out; --item chooses items)"
        )
    for coder, found in by_coder.items():
        if not isinstance(found, Spans):
            raise KindError(
                f"item {item!r}, coder {coder!r} is a {type(found).__name__}; expected Spans (Annotations.from_masses "
                f"takes lengths)"
            )
    lengths = {coder: by_coder[coder].n for coder in coders}
    for coder, n in lengths.items():
        if n != lengths[coders[0]]:
            raise ShapeMismatchError(
                f"item {item!r}: coder {coders[0]!r} has {lengths[coders[0]]} elements and coder {coder!r} has {n}; "
                f"expected the same line"
            )
