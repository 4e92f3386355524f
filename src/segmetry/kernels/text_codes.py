"""Number the distinct labels of many lines: each label becomes the number of its first occurrence."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from itertools import chain
from typing import Any

import numpy as np

from segmetry._base import IntArray, frozen_dataclass
from segmetry.kernels.backend import native


@frozen_dataclass(eq=False)
class LabelCodes:
    """``codes`` are positions in ``labels``, those of all lines one after the other; ``lengths`` are those of lines."""

    codes: IntArray
    lengths: IntArray
    labels: list[Any]


def number_labels(lines: Collection[Collection[Hashable]]) -> LabelCodes:
    """Return the number of every label; a label that cannot be hashed raises TypeError.

    >>> numbered = number_labels([["b", "a"], [], ["b"]])
    >>> numbered.codes.tolist(), numbered.lengths.tolist(), numbered.labels
    ([0, 1, 0], [2, 0, 1], ['b', 'a'])
    """
    numbered = None if native is None else native.number_texts(lines)
    return number_labels_numpy(lines) if numbered is None else LabelCodes(*numbered)


def number_labels_numpy(lines: Collection[Collection[Hashable]]) -> LabelCodes:
    """The numpy twin of :func:`number_labels`, which takes labels of any kind."""
    lengths = np.fromiter(map(len, lines), dtype=np.int64, count=len(lines))
    # A dictionary that numbers what it lacks: one lookup per label, without a branch in Python.
    known = _Known()
    numbers = map(known.__getitem__, chain.from_iterable(lines))
    codes = np.fromiter(numbers, dtype=np.int64, count=int(lengths.sum()))
    return LabelCodes(codes, lengths, list(known))


class _Known(dict[Hashable, int]):
    """The number of every distinct label, in the order in which they occur."""

    def __missing__(self, label: Hashable) -> int:
        self[label] = number = len(self)
        return number
