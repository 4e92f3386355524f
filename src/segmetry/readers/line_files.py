"""A file of lines read at once: all items in columns, and an item made of them only where one is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from segmetry._base import IntArray, frozen_dataclass
from segmetry.readers.items import Item
from segmetry.segmentation import SpanLines, Spans

FEW = 1000
"""Texts of elements up to which no list of all is made."""


@frozen_dataclass(eq=False)
class LineFile:
    """The items of a file: their names, which are distinct, and their spans.

    ``units`` are the texts of the elements in UTF-8, a line each, where there are any; ``scheme`` is as in
    :class:`Item`. ``note`` is what a reader has to warn of.
    """

    names: list[str]
    lines: SpanLines
    has_classes: bool
    units: bytes = b""
    no_unit: str = ""
    scheme: str | None = None
    note: str | None = None

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def _offsets(self) -> IntArray:
        return np.concatenate(([0], np.cumsum(self.lines.lengths)))

    @cached_property
    def _units(self) -> list[str]:
        return self.units.decode().split("\n")

    def item(self, at: int) -> Item:
        """Return one item, as a reader that reads one after the other does."""
        spans = self.lines[at]
        if not self.has_classes:
            spans = Spans(spans.starts, spans.stops, spans.n)
        start, stop = self._offsets[at : at + 2].tolist() if self.units else (0, 0)
        few = self.units.split(b"\n", stop) if stop < FEW else None  # the first item is asked for before any other
        units = tuple(self._units[start:stop] if few is None else (unit.decode() for unit in few[start:stop]))
        named = units if any(unit != self.no_unit for unit in units) else None
        return Item(self.names[at], spans, units=named, scheme=self.scheme)

    def items(self) -> Iterator[Item]:
        """Yield all items."""
        return map(self.item, range(len(self)))


class LineFiles(NamedTuple):
    """The files of both sides, whose items have the same names and lengths, in the same order."""

    true: LineFile
    pred: LineFile

    @classmethod
    def of(cls, true: LineFile, pred: LineFile) -> LineFiles | None:
        """Return two files together; None where they are not plainly about the same lines."""
        same = (
            true.names == pred.names
            and np.array_equal(true.lines.lengths, pred.lines.lengths)
            and true.has_classes == pred.has_classes
            and (true.units == pred.units or not true.units or not pred.units)
            and true.scheme == pred.scheme
        )
        return cls(true, pred) if same else None

    def pair(self, at: int) -> tuple[str, Item, Item]:
        """Return one item of both sides with its name."""
        return self.true.names[at], self.true.item(at), self.pred.item(at)
