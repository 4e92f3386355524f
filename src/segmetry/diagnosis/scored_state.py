"""The scores of a data set in one state: as it was predicted, or after a fix."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import BySize
from segmetry.alignments.tally import Tally
from segmetry.metrics.class_average import average_of
from segmetry.metrics.per_class import tally_score
from segmetry.metrics.score import Score
from segmetry.statistics.aligned_items import aligned_items
from segmetry.statistics.summary import summarise_columns
from segmetry.statistics.summary_tables import Aggregated
from segmetry.statistics.tally_columns import TallyColumns

KEYS = ("pq", "sq", "rq", "precision", "recall")
COUNTS = ("n_matched", "n_missed", "n_spurious")


@dataclass(frozen=True)
class State:
    """Scores of the whole data set in all averages, and over the data set by class and by size."""

    scores: Mapping[str, Aggregated]
    classes: Mapping[Hashable, Mapping[str, Score]]
    sizes: Mapping[str, Mapping[str, Score]]

    def part(self, level: str, name: Hashable) -> Mapping[str, Score]:
        """Return the scores of a class or size over the data set; empty where it does not occur in this state."""
        parts: Mapping[Any, Mapping[str, Score]] = self.classes if level == "class" else self.sizes
        return parts.get(name, {})

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "scores": {key: aggregated.as_dict() for key, aggregated in self.scores.items()},
            "classes": _plain(self.classes),
            "sizes": _plain(self.sizes),
        }


@dataclass(frozen=True)
class Means:
    """How scores are averaged: the value that replaces undefined scores, the average of an item, the bins of sizes."""

    undefined: float | None
    average: str | None
    sizes: BySize

    def state(self, alignment: Alignment, true_item: IntArray, pred_item: IntArray, n_items: int) -> State:
        """Return the state of an alignment of all items together."""
        table = alignment.table
        names = tuple(map(str, range(n_items)))
        columns, _ = aligned_items(alignment, names, true_item, pred_item, average_of(alignment, self.average))
        summary = summarise_columns(columns, metrics=(*KEYS, *COUNTS), undefined=self.undefined)
        edges = np.array(self.sizes.edges)
        bins = [np.searchsorted(edges, side.sizes, side="right") for side in (table.true, table.pred)]
        by_size = _occurring(self.sizes.names, alignment, bins[0], bins[1])
        return State(
            scores=summary.scores,
            classes={name: _over_data_set(row) for name, row in summary.parts.items()},
            sizes={str(name): _scores(tally) for name, tally in by_size.items()},
        )


def _occurring(
    names: Sequence[Hashable], alignment: Alignment, of_true: NDArray[np.intp], of_pred: NDArray[np.intp]
) -> dict[Hashable, Tally]:
    tallies = TallyColumns.of(alignment, of_true, of_pred, len(names)).tallies
    return {name: tally for name, tally in zip(names, tallies, strict=True) if tally.occurs}


def _over_data_set(row: Mapping[str, Aggregated]) -> dict[str, Score]:
    """Return the scores of a class over the data set."""
    return {key: score for key, averaged in row.items() if (score := averaged.all_segments) is not None}


def _scores(tally: Tally) -> dict[str, Score]:
    return {key: tally_score(key, tally, {}) for key in (*KEYS, *COUNTS)}


def _plain(parts: Mapping[Any, Mapping[str, Score]]) -> list[dict[str, Any]]:
    """Return a list, because the classes 3 and "3" would be one key of a JSON object."""
    return [
        {"name": name, "scores": {key: score.as_dict() for key, score in row.items()}} for name, row in parts.items()
    ]
