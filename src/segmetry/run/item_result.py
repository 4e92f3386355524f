"""The result of one item: its overlap table, the scores that are not derived from a tally, and collected columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.metrics.score import Result
from segmetry.metrics.statistics import ColumnsOfItem
from segmetry.overlaps.table import OverlapTable
from segmetry.run.collected_columns import CollectedKey
from segmetry.run.labels_and_classes import LabelsAndClasses


@frozen_dataclass(eq=False)
class ItemResult:
    """One item; ``kind`` and ``axes`` say what its segmentations were.

    ``scores`` are by key and rule; the rule of a score that depends on none is "". ``collected`` are the columns of
    metrics of a data set. ``facts`` are not stored in a run. ``score_rows`` are further scores as they are stored: rows
    of the table ``score`` without the item.
    """

    name: str
    table: OverlapTable
    kind: str | None = None
    axes: int | None = None
    scores: Mapping[tuple[str, str], Result] = field(default_factory=dict)
    collected: Mapping[CollectedKey, ColumnsOfItem] = field(default_factory=dict)
    facts: LabelsAndClasses = field(default_factory=LabelsAndClasses)
    score_rows: Sequence[tuple[Any, ...]] = ()
