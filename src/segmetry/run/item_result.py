"""The result of one item: its overlap table, and the scores that are not derived from a tally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from segmetry.metrics.score import Result
from segmetry.overlaps.table import OverlapTable


@dataclass(frozen=True, eq=False)
class ItemResult:
    """One item; ``kind`` and ``axes`` say what its segmentations were.

    ``scores`` are by key and rule; the rule of a score that depends on none is "".
    """

    name: str
    table: OverlapTable
    kind: str | None = None
    axes: int | None = None
    scores: Mapping[tuple[str, str], Result] = field(default_factory=dict)
