"""Lists in messages: the first few of many names."""

from __future__ import annotations

from collections.abc import Iterable


def list_some(names: Iterable[object], most: int = 10) -> str:
    """Return names divided by commas, the first few of many.

    >>> list_some("abc"), list_some("abc", most=2), list_some([])
    ('a, b, c', 'a, b …', '')
    """
    listed = list(names)
    return ", ".join(map(str, listed[:most])) + " …" * (len(listed) > most)
