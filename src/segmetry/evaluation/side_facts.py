"""What is known about the sides of an evaluation before they are read: void labels, and what labels mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from segmetry.alignments.policy import void_policy
from segmetry.errors import SegmetryError
from segmetry.readers.items import Item
from segmetry.readers.label_reading import MEANINGS, VOID, read_labels
from segmetry.readers.reader import ReadOptions
from segmetry.readers.source import Source
from segmetry.segmentation.base import Segmentation
from segmetry.segmentation.labels import LabelArray


def array_item(name: str, value: Any, options: ReadOptions) -> Item:
    """Return an item that is read from an array as a file would be, with the options of its side."""
    return Item(name, partial(_read_array, value, options))


def _read_array(value: Any, options: ReadOptions) -> Segmentation:
    try:
        return read_labels(value, options)
    except SegmetryError as problem:
        raise problem.within(options.side) from None


def policy_without_protocol(sides: Iterable[Any]) -> str:
    """Return the policy of sides whose format has no protocol.

    >>> policy_without_protocol([LabelArray([[1, 255]], void=255), [[1, 1]]])
    'strict-void'
    """
    return void_policy(has_void=any(map(_declares_void, sides)))


def states_labels(sides: Iterable[Any]) -> bool:
    """Return whether the user states what labels mean, wherever a side is read from a file."""
    return all(MEANINGS & side.options.stated for side in sides if isinstance(side, Source))


def _declares_void(value: Any) -> bool:
    """Return whether a side declares void labels, as far as that is known before it is read."""
    if isinstance(value, Source):
        return VOID.name in value.options.stated and value.options[VOID] is not None
    if isinstance(value, Item):
        return value.declares_void or _declares_void(value.content)
    if isinstance(value, partial) and value.func is _read_array:
        return value.args[1][VOID] is not None
    return isinstance(value, LabelArray) and bool(value.void)
