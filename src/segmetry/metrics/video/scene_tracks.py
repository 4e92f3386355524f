"""What LSTQ and PAT need of a sequence of LiDAR scans: how well the points and the scans of true tracks are associated.

A true track is a thing over the scans in which it has more than ``min_points`` points; points that are void in the
truth are removed.

Association [aygun2021panoptic]: Σ (shared/|t|) · IoU over predicted things, as in STQ, where the size of a prediction
counts only scans in which it has more than ``min_points`` points.

Tracking quality [fong2022panoptic]: in each scan of a track the prediction of IoU > 1/2 is noted, whatever its class.
With n scans, c_p of them with prediction p, and f_p further scans in which p has more than ``min_points`` points,
TQ = √(Σ_p c_p² / (n + f_p) / n · (1 − switches/(n − 1))); a scan after one without a prediction is a switch.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Sequence
from itertools import pairwise
from typing import Any

from segmetry.overlaps.table import OverlapTable


class SceneTracks:
    """The tracks of one sequence, scan by scan."""

    def __init__(self, things: Collection[Hashable] | None, min_points: int) -> None:
        self.things, self.min_points = things, min_points
        self.sizes: Counter[int] = Counter()
        self.pred_sizes: Counter[int] = Counter()
        self.shared: Counter[tuple[int, int]] = Counter()
        self.scans_of_pred: Counter[int] = Counter()
        self.matches: dict[int, list[int | None]] = {}

    def add(self, table: OverlapTable) -> None:
        """Add a scan."""
        sizes = (table.pred.sizes - table.pred.void).tolist()
        pred_ids, true_ids = table.pred.ids.tolist(), table.true.ids.tolist()
        pred_things = self._are_things(table, table.pred.class_codes.tolist())
        for number, size, thing in zip(pred_ids, sizes, pred_things, strict=True):
            if size > self.min_points:
                self.scans_of_pred[number] += 1
                if thing:
                    self.pred_sizes[number] += size
        true_sizes = table.true.sizes.tolist()
        tracked = [
            thing and size > self.min_points
            for thing, size in zip(self._are_things(table, table.true.class_codes.tolist()), true_sizes, strict=True)
        ]
        matched: dict[int, int | None] = {}
        for at, number in enumerate(true_ids):
            if tracked[at]:
                self.sizes[number] += true_sizes[at]
                matched[number] = None
        rows = zip(table.row_true.tolist(), table.row_pred.tolist(), table.shared.tolist(), strict=True)
        for at_true, at_pred, shared in rows:
            if tracked[at_true]:
                self.shared[true_ids[at_true], pred_ids[at_pred]] += shared
                if 2 * shared > true_sizes[at_true] + sizes[at_pred] - shared:
                    matched[true_ids[at_true]] = pred_ids[at_pred]
        for number, partner in matched.items():
            self.matches.setdefault(number, []).append(partner)

    def _are_things(self, table: OverlapTable, codes: list[int]) -> list[bool]:
        if self.things is None or table.class_names is None:
            return [True] * len(codes)
        return [table.class_names[code] in self.things for code in codes]

    def associations(self) -> list[float]:
        """Return the association of every true track."""
        totals = dict.fromkeys(self.sizes, 0.0)
        for (true, pred), shared in self.shared.items():
            if pred in self.pred_sizes:
                totals[true] += shared * shared / (self.sizes[true] + self.pred_sizes[pred] - shared)
        return [total / self.sizes[number] for number, total in totals.items()]

    def tracking_qualities(self) -> list[float]:
        """Return the tracking quality of every true track."""
        return [self._tracking_quality(partners) for partners in self.matches.values()]

    def _tracking_quality(self, partners: Sequence[int | None]) -> float:
        length = len(partners)
        counts: Counter[Any] = Counter(partner for partner in partners if partner is not None)
        association = sum(
            count * count / (length + (self.scans_of_pred[number] - count if number in self.scans_of_pred else 0))
            for number, count in counts.items()
        )
        switches = sum(later != earlier or earlier is None for earlier, later in pairwise(partners))
        steady = 1 - switches / (length - 1) if length > 1 else 1.0
        return math.sqrt(association / length * steady)
