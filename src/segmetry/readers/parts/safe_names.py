"""Validation of names read from untrusted files: they are printed, become file names, or refer to other files."""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

from segmetry.errors import FormatError
from segmetry.storage import is_remote

LONGEST = 1000  # names are printed in messages, tables and the report
_REJECTED = {
    "Cc": "a control character",
    "Cf": "an invisible formatting character",
    "Cs": "half of a surrogate pair",
    "Zl": "a line separator",
    "Zp": "a paragraph separator",
}
_JOINERS = "\u200c\u200d"  # Persian and Indian words need them


def check_label(text: str, what: str) -> str:
    """Return a name that can be printed: not empty, not too long, without terminal control characters.

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
        kind = _REJECTED.get(unicodedata.category(character))
        if kind is not None and character not in _JOINERS:
            raise FormatError(f"{what}, {text[:80]!a}, contains {kind} at position {at + 1}; expected printable text")
    return text


_NO_NAMES = ("", ".", "..")


def is_single_name(name: str) -> bool:
    """Return whether a name is that of a file in its folder itself, on every system.

    >>> [is_single_name(name) for name in ("a.png", "..", "b/a.png", "c:a.png")]
    [True, False, False, False]
    """
    return name not in _NO_NAMES and "/" not in name and "\\" not in name and ":" not in name


def check_name(name: str, what: str) -> str:
    """Return a name that can be printed and that stays in its folder when it becomes a file name.

    >>> check_name("group/chapter 1", "the item")
    'group/chapter 1'
    """
    check_label(name, what)
    if is_single_name(name):
        return name
    for path in (PurePosixPath(name), PureWindowsPath(name)):
        if path.is_absolute() or path.drive or path.root or ".." in path.parts:
            raise FormatError(f"{what}, {name[:80]!a}, leads out of its folder; expected a name without '..' or a root")
    return name


def file_inside(folder: Path, name: object, what: str) -> Path:
    """Return the path of a file in a folder; ``..``, a root, a drive, a NUL or a link out of the folder is an error."""
    if not isinstance(name, str):
        raise FormatError(f"{what} is {str(name)[:40]!a}; expected the name of a file")
    check_name(name, what)
    path = folder / name
    if is_remote(folder):  # a store has no links
        return path
    if is_plain_file(folder, name, set()):
        return path
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
        exists = path.is_file()
    except (OSError, RuntimeError):  # a circle of links, a name too long for the system
        inside = exists = False
    if not inside:
        raise FormatError(f"{what}, {name[:80]!a}, leads out of {folder}; expected a file inside it")
    if not exists:
        raise FormatError(f"{what}, {name[:80]!a}, is not a file in {folder}")
    return path


def is_plain_file(folder: Path, name: str, plain: set[str]) -> bool:
    """Return whether a name leads to a regular file through folders that are not links: then nothing needs resolving.

    ``plain`` collects the names of such folders, so that of a store of many chunks each folder is checked once.
    """
    parent, _, last = name.rpartition("/")
    if last in _NO_NAMES or name[0] == "/" or "\\" in name or ":" in name:
        return False
    if parent and not _is_plain_folder(folder, parent, plain):
        return False
    try:
        return stat.S_ISREG(os.lstat(f"{folder}/{name}").st_mode)
    except (OSError, ValueError):
        return False


def _is_plain_folder(folder: Path, name: str, plain: set[str]) -> bool:
    if name in plain:
        return True
    above, _, last = name.rpartition("/")
    if last in _NO_NAMES or (above and not _is_plain_folder(folder, above, plain)):
        return False
    try:
        is_folder = stat.S_ISDIR(os.lstat(f"{folder}/{name}").st_mode)
    except (OSError, ValueError):
        return False
    if is_folder:
        plain.add(name)
    return is_folder
