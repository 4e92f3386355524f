r"""ZoneMapAlt: ZoneMap in which zones may be linked several to several, and weak links are dropped.

The links of ZoneMap are visited in descending order of force. A link is kept if the pred covers more than a share β of
what the preds linked before leave of the true zone. The overlap of a kept link that is the first of both zones is no
error. Otherwise it counts α_ms times the number of the zones it joins: k for the k-th part of a split or merge, k + l
for the k-th part of one zone and the l-th of the other. What no kept link covers is missed or spurious, with its area.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from segmetry._base.exact import Threshold, fraction_in
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import InputError, OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.graph.zonemap import are_classed, links_by_force, true_area
from segmetry.metrics.score import Score

_CROSSED = [[1, 1, 2, 2]], [[3, 4, 3, 4]]
_SCRAP = [[1] * 10], [[1] * 6 + [2] + [0] * 3]


@metric(
    symbol=r"E_{\mathrm{ZMA}}",
    family="graph",
    order=95,
    needs="overlaps",
    formula=r"100\cdot\frac{\sum_{t,h}\alpha n_{t,h}|t\cap h|+\mathrm{missed}+\mathrm{spurious}}{\sum_t|t|}",
    summary="The area of all segmentation errors in percent of the true area, where every further piece of a split or "
    "merge costs more than the one before.",
    citation=("galibert2014zonemap",),
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
    value_if_equal=0,
    ties_by_id=True,
    notes="As the public program ZoneMapAlt, for zones that do not overlap each other (otherwise an error; zonemap "
    "takes those). Zones may be linked several to several. least_coverage=β drops a link that covers at most this "
    "share of what is left of the true zone. The k-th piece of a split or merge costs k·α_ms (split_merge) times its "
    "area, so that two halves cost as in zonemap and further pieces more. Links of equal force are visited by "
    "overlap, then by true and pred id; ties counts them. Classes are not used. Undefined without true area.",
    examples=(
        Example([[1, 1, 1, 1]], [[1, 1, 2, 2]], 50.0),
        Example([[1, 1, 1, 1]], [[1, 2, 3, 4]], 100 * 0.5 * (2 + 3 + 4) / 4),
        Example(*_CROSSED, 100 * 0.5 * (2 + 2 + 4) / 4),
        Example([[1] * 9 + [0]], [[1] * 8 + [2, 2]], 100 * (0.5 * 2 + 1) / 9),
        Example(*_SCRAP, 100 * (0.5 * 2 + 3) / 10),
        Example(*_SCRAP, 100 * (4 + 1) / 10, {"least_coverage": "0.3"}),
    ),
)
def zonemap_alt(
    overlaps: CountedOverlaps, *, least_coverage: Threshold = "0.2", split_merge: Threshold = "1/2"
) -> Score:
    share = fraction_in(split_merge, "split_merge", 0, 1)
    least = fraction_in(least_coverage, "least_coverage", 0, 1)
    if least == 1:
        raise OptionError(
            f"least_coverage is {least_coverage}; expected a number below 1: no link covers more than all"
        )
    if not overlaps.table.is_disjoint:
        raise InputError("zonemap_alt takes zones that do not overlap each other; zonemap takes overlapping zones")
    every = overlaps.regardless_of_class() if are_classed(overlaps) else overlaps
    links = ZoneLinks.of(every, least)
    area = share * links.joined + links.uncovered(every)
    return Score.of("zonemap_alt", 100 * area, true_area(every), "no true area", ties=links.ties, links=links.number)


@dataclass
class ZoneLinks:
    """The links that were kept: how many each zone has, and how much of it they cover."""

    true_links: dict[int, int] = field(default_factory=dict)
    pred_links: dict[int, int] = field(default_factory=dict)
    true_covered: dict[int, int] = field(default_factory=dict)
    pred_covered: dict[int, int] = field(default_factory=dict)
    joined: int = 0
    number: int = 0
    ties: int = 0

    @classmethod
    def of(cls, overlaps: CountedOverlaps, least: Fraction) -> ZoneLinks:
        """Visit the links by descending force and keep those that cover enough of what is left."""
        pairs, sizes = overlaps.pairs, overlaps.true_sizes.tolist()
        order, tied = links_by_force(pairs)
        links = cls(ties=int(np.count_nonzero(tied)))
        columns = (column[order].tolist() for column in (pairs.at_true, pairs.at_pred, pairs.shared))
        part, whole = least.as_integer_ratio()
        for t, h, shared in zip(*columns, strict=True):
            if shared * whole > part * (sizes[t] - links.true_covered.get(t, 0)):
                links.keep(t, h, shared)
        return links

    def keep(self, t: int, h: int, shared: int) -> None:
        pieces, wholes = self.true_links.get(t, 0) + 1, self.pred_links.get(h, 0) + 1
        self.true_links[t], self.pred_links[h] = pieces, wholes
        self.joined += shared * ((pieces if pieces > 1 else 0) + (wholes if wholes > 1 else 0))
        self.true_covered[t] = self.true_covered.get(t, 0) + shared
        self.pred_covered[h] = self.pred_covered.get(h, 0) + shared
        self.number += 1

    def uncovered(self, overlaps: CountedOverlaps) -> int:
        """Return the missed and the spurious area."""
        used_true = np.zeros(overlaps.true_sizes.size, dtype=bool)
        used_pred = np.zeros(overlaps.pred_sizes.size, dtype=bool)
        used_true[list(self.true_links)] = True
        used_pred[list(self.pred_links)] = True
        counted_true, counted_pred = overlaps.counted(used_true, used_pred)
        total = int(overlaps.true_sizes[counted_true].sum()) + int(overlaps.pred_sizes[counted_pred].sum())
        return total - sum(self.true_covered.values()) - sum(self.pred_covered.values())
