"""The result of one item, or of many short lines: overlap tables, scores that do not follow from them, and collected
columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from segmetry._base import ColumnsOfItem, frozen_dataclass
from segmetry.overlaps import LineTables, OverlapTable
from segmetry.runfile.collected import CollectedKey


@frozen_dataclass(eq=False)
class ItemResult:
    """One item; ``kind`` and ``axes`` say what its segmentations were.

    ``scores`` are rows of the table ``score`` without the item, ``collected`` the columns of metrics of a data set.
    """

    name: str
    table: OverlapTable
    kind: str | None = None
    axes: int | None = None
    scores: Sequence[tuple[Any, ...]] = ()
    collected: Mapping[CollectedKey, ColumnsOfItem] = field(default_factory=dict)


@frozen_dataclass(eq=False)
class LineResults:
    """What an :class:`ItemResult` has, for lines without classes.

    ``scores`` are all scores of each line: rows of the table ``score`` without the item.
    """

    tables: LineTables
    scores: Sequence[Sequence[tuple[Any, ...]]]

    def __len__(self) -> int:
        return self.tables.lengths.size
