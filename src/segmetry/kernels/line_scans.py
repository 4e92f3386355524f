"""Files of lines from text to columns: lists of integers in JSON, tags of a CoNLL file, turns of an RTTM file.

Native code reads what is plain in every respect, and says nothing about anything else: the careful readers, which read
one line after the other, are its twin.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from segmetry._base import IntArray
from segmetry.kernels.backend import kernel


class IntegerLists(NamedTuple):
    """Lists of integers by name; those of list ``i`` are ``numbers[starts[i] : starts[i + 1]]``."""

    names: list[str]
    starts: IntArray
    numbers: IntArray


class TagColumns(NamedTuple):
    """Tags of all tokens as positions in ``tags``, tokens of each sentence, and (if any) their lines in UTF-8."""

    codes: IntArray
    tags: list[str]
    lengths: IntArray
    tokens: bytes


class TurnColumns(NamedTuple):
    """Turns of speakers: numbers of recordings and speakers are positions in their names, times are in nanoseconds."""

    recordings: list[str]
    speakers: list[str]
    recording: IntArray
    channel: IntArray
    speaker: IntArray
    start: IntArray
    duration: IntArray


def _lists_native(native: ModuleType, content: bytes) -> IntegerLists | None:
    found = native.scan_integer_lists(content)
    return None if found is None else IntegerLists(found[0].split("\n"), *found[1:])


@kernel(_lists_native)
def scan_integer_lists(content: bytes) -> IntegerLists | None:  # noqa: ARG001 - of the native kernel
    """Return an object of lists of integers; None where anything in the JSON text is unusual."""
    return None


def _tags_native(native: ModuleType, content: bytes, column: int | None) -> TagColumns | None:
    found = native.scan_tags(content, column or 0)
    return None if found is None else TagColumns(*found)


@kernel(_tags_native)
def scan_tags(content: bytes, column: int | None) -> TagColumns | None:  # noqa: ARG001 - of the native kernel
    """Return the tags of sentences, by default of the last column; None where anything in the text is unusual."""
    return None


def _turns_native(native: ModuleType, content: bytes) -> TurnColumns | None:
    found = native.scan_turns(content)
    return None if found is None else TurnColumns(*found)


@kernel(_turns_native)
def scan_turns(content: bytes) -> TurnColumns | None:  # noqa: ARG001 - of the native kernel
    """Return the turns in an RTTM file whose lines are all of the type SPEAKER; None where anything is unusual."""
    return None
