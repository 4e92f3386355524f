"""The entry points of installed packages that concern segmetry, found without reading all that is installed.

``importlib.metadata`` parses the entry points of every package; importing it and asking takes longer than a small
evaluation. Most installations have no plug-in of segmetry, which a look at the files shows.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_GROUP = b"[segmetry."
"""How a group of ours begins in ``entry_points.txt``."""


@cache
def installed_plugins() -> tuple[EntryPoint, ...]:
    """Return the entry points of all groups ``segmetry.…``, read once."""
    if not _may_have_plugins():
        return ()
    from importlib.metadata import entry_points

    points = entry_points()
    return tuple(
        point for group in points.groups if group.startswith("segmetry.") for point in points.select(group=group)
    )


def _may_have_plugins() -> bool:
    """Return whether some package on the path names a group of ours, or is stored in a way that is not looked into."""
    others = any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder)
    return others or any(map(_mentions_segmetry, dict.fromkeys(sys.path)))


def _mentions_segmetry(folder: str) -> bool:
    try:
        with os.scandir(folder or ".") as entries:
            paths = [entry.path for entry in entries]
    except NotADirectoryError:  # an archive
        return True
    except OSError:
        return False
    packages = (path for path in paths if path.endswith((".dist-info", ".egg-info")))
    return any(path.endswith(".egg") for path in paths) or any(map(_declares_group, packages))


def _declares_group(package: str) -> bool:
    try:
        with open(f"{package}/entry_points.txt", "rb", buffering=0) as file:  # noqa: PTH123 - a Path takes four times as long
            return _GROUP in file.read()
    except OSError:
        return False
