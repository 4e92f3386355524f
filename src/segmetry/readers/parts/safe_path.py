"""File names in annotations are written by strangers: each must lead to a file inside its folder, and nowhere else."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from segmetry.errors import FormatError
from segmetry.readers.parts.safe_names import check_name


def file_inside(folder: Path, name: object, what: str) -> Path:
    """The file of that name; ``..``, a root, a drive, a NUL or a link that leads out of the folder is an error."""
    if not isinstance(name, str):
        raise FormatError(f"{what} is {str(name)[:40]!a}; expected the name of a file")
    check_name(name, what)
    found = folder / name
    if _is_plain_file(found, name):
        return found
    try:
        inside = found.resolve().is_relative_to(folder.resolve())
        exists = found.is_file()
    except (OSError, RuntimeError):  # a circle of links, a name too long for the system
        inside = exists = False
    if not inside:
        raise FormatError(f"{what}, {name[:80]!a}, leads out of {folder}; expected a file inside it")
    if not exists:
        raise FormatError(f"{what}, {name[:80]!a}, is no file in {folder}")
    return found


def _is_plain_file(found: Path, name: str) -> bool:
    """Whether a name without folders is a file and no link: that lies inside without a look at every folder above."""
    if found.name != name:
        return False
    try:
        return stat.S_ISREG(os.lstat(found).st_mode)
    except (OSError, ValueError):
        return False
