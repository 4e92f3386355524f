"""A data set as rows: the scores of every item beside the summary of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from segmetry.aggregate import ItemRecord, Summary
from segmetry.scoring import Scores


@dataclass(frozen=True)
class ItemScores:
    """The scores of one item, and what it contributes to the data set."""

    name: str
    scores: Scores
    record: ItemRecord


def as_data(rows: Sequence[ItemScores], summary: Summary, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Everything as plain data for JSON: facts about the run, the summary, one entry per item."""
    return {**facts, **summary.as_dict(), "items": {row.name: row.scores.as_dict()["scores"] for row in rows}}
