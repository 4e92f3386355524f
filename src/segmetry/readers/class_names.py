"""The names of the classes of a data set, from all its items and both sides."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping

from segmetry.errors import DataWarning
from segmetry.readers.items import Item


def names_of_classes(pairs: Iterable[tuple[str, Item, Item]]) -> dict[Hashable, str]:
    """Return the name of every class; the truth has precedence, and a different name in the prediction is a warning.

    A name that only one side states is kept.

    >>> true, pred = Item("a", lambda: None, class_names={1: "car"}), Item("a", lambda: None, class_names={2: "sky"})
    >>> names_of_classes([("a", true, pred)])
    {1: 'car', 2: 'sky'}
    """
    listed = list(pairs)
    names: dict[Hashable, str] = {}
    for side in (1, 2):
        seen: list[Mapping[Hashable, str]] = []
        for pair in listed:
            item = pair[side]
            stated = item.class_names if isinstance(item, Item) else None
            if stated is not None and not any(stated is known for known in seen):
                seen = [*seen[-3:], stated]  # the items of a file share one mapping
                _add(names, stated, pair[0])
    return names


def _add(names: dict[Hashable, str], stated: Mapping[Hashable, str], item: str) -> None:
    for number, name in stated.items():
        known = names.setdefault(number, name)
        if known != name:
            warnings.warn(
                f"item {item}: class {number} is called {name!r} here and {known!r} elsewhere; {known!r} is used, and "
                "classes are compared by number: check that both sides mean the same classes",
                DataWarning,
                stacklevel=3,
            )
