"""Runs of equal labels: labels of any kind, one per element, become spans with a class."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from itertools import chain
from typing import Any

import numpy as np

from segmetry._base.exact import IndexArray
from segmetry.errors import SpanError


def outside_labels(outside: Any) -> frozenset[Hashable]:
    """Return the labels whose elements are in no span, from one label, several, or None.

    >>> sorted(outside_labels(["SIL", "background"])), outside_labels("SIL"), outside_labels(None)
    (['SIL', 'background'], frozenset({'SIL'}), frozenset())
    """
    if outside is None:
        return frozenset()
    if isinstance(outside, Iterable) and not isinstance(outside, str | bytes | tuple):
        return frozenset(outside)
    return frozenset([outside])


def label_runs(
    lines: Collection[Collection[Hashable]], outside: frozenset[Hashable]
) -> tuple[IndexArray, IndexArray, IndexArray, tuple[Hashable, ...]]:
    """Return first element, element after the last, and class of every run, and the classes; elements count on over all
    lines, and no run goes beyond its line.

    >>> starts, stops, codes, names = label_runs([["a", "a", "-"], ["a", "b"]], frozenset("-"))
    >>> starts.tolist(), stops.tolist(), [names[code] for code in codes]
    ([0, 3, 4], [2, 4, 5], ['a', 'a', 'b'])
    """
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    known = _Known()
    try:
        codes = np.fromiter(
            map(known.__getitem__, chain.from_iterable(lines)), dtype=np.int64, count=int(lengths.sum())
        )
    except TypeError:
        raise SpanError("a label is a list or another object that cannot be hashed; expected text or numbers") from None
    names = list(known)
    first = np.zeros(codes.size + 1, dtype=np.bool_)
    first[np.cumsum(lengths) - lengths] = True
    first = first[: codes.size]
    first[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(first)
    stops = np.append(starts[1:], codes.size)
    is_outside = np.array([name in outside for name in names], dtype=np.bool_)
    kept = ~is_outside[codes[starts]] if names else np.zeros(0, dtype=np.bool_)
    return starts[kept], stops[kept], codes[starts][kept], tuple(names)


class _Known(dict[Hashable, int]):
    """The number of every distinct label, in the order in which they occur."""

    def __missing__(self, label: Hashable) -> int:
        self[label] = number = len(self)
        return number
