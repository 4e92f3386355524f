"""Runs of equal labels: labels of any kind, one per element, become spans with a class."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Any

import numpy as np

from segmetry._base.exact import IndexArray
from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import SpanError
from segmetry.kernels.text_codes import number_labels


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


@frozen_dataclass(eq=False)
class LabelRuns:
    """Runs ``[starts, stops)``, whose elements count on over all lines; no run goes beyond its line.

    ``codes`` are their classes, positions in ``names``; ``lengths`` are those of the lines.
    """

    starts: IndexArray
    stops: IndexArray
    codes: IndexArray
    names: tuple[Hashable, ...]
    lengths: IndexArray


def label_runs(lines: Collection[Collection[Hashable]], outside: frozenset[Hashable]) -> LabelRuns:
    """Return the runs of all lines.

    >>> runs = label_runs([["a", "a", "-"], ["a", "b"]], frozenset("-"))
    >>> runs.starts.tolist(), runs.stops.tolist(), [runs.names[code] for code in runs.codes]
    ([0, 3, 4], [2, 4, 5], ['a', 'a', 'b'])
    """
    try:
        numbered = number_labels(lines)
    except TypeError:
        raise SpanError("a label is a list or another object that cannot be hashed; expected text or numbers") from None
    codes, lengths, names = numbered.codes, numbered.lengths, numbered.labels
    first = np.zeros(codes.size + 1, dtype=np.bool_)
    first[np.cumsum(lengths) - lengths] = True
    first = first[: codes.size]
    first[1:] |= codes[1:] != codes[:-1]
    starts = np.flatnonzero(first)
    stops = np.append(starts[1:], codes.size)
    is_outside = np.array([name in outside for name in names], dtype=np.bool_)
    kept = ~is_outside[codes[starts]] if names else np.zeros(0, dtype=np.bool_)
    return LabelRuns(starts[kept], stops[kept], codes[starts][kept], tuple(names), lengths)
