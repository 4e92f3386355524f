"""Annotations: the same items segmented by several annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, ClassVar

from segmetry._base import frozen_dataclass
from segmetry.errors import InputError, KindError, ShapeMismatchError
from segmetry.segmentation.spans import Spans

_ONLY_ITEM = "item"


@frozen_dataclass(eq=False)
class Annotations:
    """For each item, one segmentation by every annotator; all annotators segmented all items.

    Parameters
    ----------
    items : mapping
        item → annotator → Spans; all annotators segmented all items.

    Examples
    --------
    >>> annotations = Annotations.from_masses({"chapter 1": {"Ann": [11, 2], "Bob": [9, 4]}})
    >>> annotations.annotators, len(annotations)
    (('Ann', 'Bob'), 1)
    """

    kind: ClassVar[str] = "annotations"

    items: Mapping[str, Mapping[str, Spans]]

    def __post_init__(self) -> None:
        if not self.items:
            raise InputError("annotations have no items; expected a mapping of items to annotators to Spans")
        for item, by_annotator in self.items.items():
            _check_item(item, by_annotator, self.annotators)

    @classmethod
    def of(cls, data: Any) -> Annotations:
        """Build from a mapping item -> annotator -> Spans, or annotator -> Spans for a single item.

        >>> Annotations.of({"Ann": Spans.from_masses([2, 1]), "Bob": Spans.from_masses([3])}).annotators
        ('Ann', 'Bob')
        """
        if isinstance(data, Annotations):
            return data
        if not isinstance(data, Mapping):
            raise KindError(
                f"annotations are a {type(data).__name__}; expected a mapping of items to annotators to Spans"
            )
        if data and all(isinstance(value, Spans) for value in data.values()):
            return cls({_ONLY_ITEM: data})
        return cls(data)

    @classmethod
    def from_masses(cls, items: Mapping[str, Mapping[str, Sequence[int]]]) -> Annotations:
        """Build from segment lengths, as segeval's JSON stores them under ``items``."""
        return cls(
            {
                item: {annotator: Spans.from_masses(masses) for annotator, masses in by_annotator.items()}
                for item, by_annotator in items.items()
            }
        )

    @cached_property
    def annotators(self) -> tuple[str, ...]:
        """The annotators, in the order of the first item."""
        first = next(iter(self.items.values()))
        if not isinstance(first, Mapping):
            raise KindError(f"an item is a {type(first).__name__}; expected a mapping of annotators to Spans")
        return tuple(first)

    @property
    def annotator_pairs(self) -> tuple[tuple[str, str], ...]:
        """Every pair of annotators once."""
        return tuple(combinations(self.annotators, 2))

    @property
    def ordered_pairs(self) -> tuple[tuple[str, str], ...]:
        """Every ordered pair of annotators: each of the two once as the truth."""
        return tuple(permutations(self.annotators, 2))

    def __len__(self) -> int:
        return len(self.items)


def _check_item(item: str, by_annotator: Any, annotators: tuple[str, ...]) -> None:
    if not isinstance(by_annotator, Mapping):
        raise KindError(f"item {item!r} is a {type(by_annotator).__name__}; expected a mapping of annotators to Spans")
    if len(annotators) < 2:
        raise InputError(f"item {item!r} has {len(annotators)} annotator; expected at least two")
    if set(by_annotator) != set(annotators):
        odd = sorted(map(str, set(by_annotator) ^ set(annotators)))[0]
        raise InputError(
            f"item {item!r}: annotator {odd!r} segmented only some of the items; expected every annotator on every "
            "item (leave the item or the annotator out; --item chooses items)"
        )
    for annotator, spans in by_annotator.items():
        if not isinstance(spans, Spans):
            raise KindError(
                f"item {item!r}, annotator {annotator!r} is a {type(spans).__name__}; expected Spans "
                "(Annotations.from_masses takes lengths)"
            )
    lengths = {annotator: by_annotator[annotator].n for annotator in annotators}
    for annotator, n in lengths.items():
        if n != lengths[annotators[0]]:
            raise ShapeMismatchError(
                f"item {item!r}: annotator {annotators[0]!r} has {lengths[annotators[0]]} elements and annotator "
                f"{annotator!r} has {n}; expected the same number"
            )
