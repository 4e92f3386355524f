"""Names of items, classes and coders come from files made by strangers; they are shown and may become file names."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

from segmetry.errors import FormatError

LONGEST = 1000
_REFUSED = {
    "Cc": "a control character",
    "Cf": "an invisible formatting character",
    "Cs": "half of a surrogate pair",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
_SEPARATORS = frozenset("/\\:")  # a name without them is one part of a path, on every system
_JOINERS = "\u200c\u200d"  # Persian and Indian words need them


def check_label(text: str, what: str) -> str:
    """A name that can be printed: not empty, not endless, without characters that steer a terminal.

    >>> check_label("Zoë 3", "the class")
    'Zoë 3'
    """
    if not text:
        raise FormatError(f"{what} is empty; expected a name")
    if len(text) > LONGEST:
        raise FormatError(f"{what} has {len(text)} characters ({text[:20]!r} …); expected at most {LONGEST}")
    if text.isascii() and text.isprintable():
        return text
    for at, character in enumerate(text):
        kind = _REFUSED.get(unicodedata.category(character))
        if kind is not None and character not in _JOINERS:
            raise FormatError(f"{what}, {text[:80]!a}, holds {kind} at position {at + 1}; expected printable text")
    return text


def check_name(name: str, what: str) -> str:
    """A name that can be printed and that stays in its folder when it becomes a file name.

    >>> check_name("group/chapter 1", "the item")
    'group/chapter 1'
    """
    check_label(name, what)
    if not (_SEPARATORS & set(name)) and name != "..":
        return name
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.is_absolute() or path.drive or path.root or ".." in path.parts:
            raise FormatError(f"{what}, {name[:80]!a}, leads out of its folder; expected a name without '..' or a root")
    return name
