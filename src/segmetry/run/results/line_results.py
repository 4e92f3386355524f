"""The results of many short lines that were evaluated together, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.overlaps.line_tables import LineTables


@frozen_dataclass(eq=False)
class LineResults:
    """What an :class:`~segmetry.run.item_result.ItemResult` has, for lines without classes.

    ``score_rows`` are all scores of each line: rows of the table ``score`` without the item.
    """

    tables: LineTables
    score_rows: Sequence[Sequence[tuple[Any, ...]]]

    def __len__(self) -> int:
        return self.tables.lengths.size
