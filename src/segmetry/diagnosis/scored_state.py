"""The scores of a data set in one state: as it was predicted, or after a fix."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from segmetry._base import IntArray
from segmetry.alignments import Alignment, BySize
from segmetry.metrics import Score, average_of, segment_statistics
from segmetry.statistics import Averages, DataSet, SummaryRowScores, summarise

AVERAGES: tuple[Literal["by_item", "by_class", "pooled"], ...] = ("by_item", "by_class", "pooled")
"""The averages of a state: over items, over classes where there are any, and of all segments."""
KEYS = ("pq", "sq", "rq", "precision", "recall")
COUNTS = ("n_matched", "n_missed", "n_spurious")


def n_defined(averages: Averages | None) -> int:
    """Return in how many items a metric has a value."""
    score = None if averages is None else averages.over_items
    return 0 if score is None else int(score.denominator or 0)


@dataclass(frozen=True)
class State:
    """Scores of the whole data set in all averages, and over the data set by class and by size."""

    scores: Mapping[str, Averages]
    classes: Mapping[Hashable, Mapping[str, Score]]
    sizes: Mapping[str, Mapping[str, Score]]

    def part(self, level: str, name: Hashable) -> Mapping[str, Score]:
        """Return the scores of a class or size over the data set; empty where it does not occur in this state."""
        parts: Mapping[Any, Mapping[str, Score]] = self.classes if level == "class" else self.sizes
        return parts.get(name, {})

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "scores": {key: averages.to_dict() for key, averages in self.scores.items()},
            "classes": _plain_parts(self.classes),
            "sizes": _plain_parts(self.sizes),
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
        items, codes = (true_item, pred_item), None
        if table.class_names is not None:
            codes = table.true.class_codes, table.pred.class_codes
        segments = segment_statistics(alignment, items, n_items, codes, tuple(table.class_names or ()))
        names = tuple(map(str, range(n_items)))
        average, policy = average_of(alignment, self.average), alignment.policy.name
        data = DataSet.of_segments(names, segments, average, policy, (*KEYS, *COUNTS), undefined=self.undefined)
        summary = summarise(data)
        edges = np.array(self.sizes.edges)
        bins = [np.searchsorted(edges, side.sizes, side="right") for side in (table.true, table.pred)]
        by_size = segment_statistics(alignment, items, n_items, (bins[0], bins[1]), tuple(self.sizes.names))
        sources = {key: replace(source, statistics=by_size) for key, source in data.sources.items()}
        sizes = replace(data, by="size", average="segments", count_segments=lambda: by_size, sources=sources)
        return State(
            scores=summary.scores,
            classes={name: _over_data_set(row) for name, row in summary.parts.items()},
            sizes={str(name): _over_data_set(row) for name, row in summarise(sizes).parts.items()},
        )


def _over_data_set(row: SummaryRowScores) -> dict[str, Score]:
    """Return the scores of a class or size over the data set."""
    return {key: averages["pooled"] for key, averages in row.items()}


def _plain_parts(parts: Mapping[Any, Mapping[str, Score]]) -> list[dict[str, Any]]:
    """Return a list, because the classes 3 and "3" would be one key of a JSON object."""
    return [
        {"name": name, "scores": {key: score.to_dict() for key, score in row.items()}} for name, row in parts.items()
    ]
