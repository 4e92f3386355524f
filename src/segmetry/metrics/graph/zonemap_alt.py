r"""ZoneMapAlt: ZoneMap in which zones may be linked several to several, and weak links are dropped.

The links of ZoneMap are visited in descending order of force. A link is kept if the pred covers more than a share β of
what the preds linked before leave of the true zone. The overlap of a kept link that is the first of both zones is no
error. Otherwise it counts α_ms times the number of the zones it joins: k for the k-th part of a split or merge, k + l
for the k-th part of one zone and the l-th of the other. What no kept link covers is missed or spurious, with its area.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from segmetry._base.exact import Threshold, fraction_in
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.errors import InputError, OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.graph.zonemap import are_classed, ordered_links, true_area
from segmetry.metrics.score import Score

_CROSSED = [[1, 1, 2, 2]], [[3, 4, 3, 4]]
_SCRAP = [[1] * 10], [[1] * 6 + [2] + [0] * 3]


@metric(
    symbol=r"E_{\mathrm{ZMA}}",
    order=95,
    formula=r"100\cdot\frac{\sum_{t,h}\alpha n_{t,h}|t\cap h|+\mathrm{missed}+\mathrm{spurious}}{\sum_t|t|}",
    summary="The area of all segmentation errors in percent of the true area, where every further piece of a split or "
    "merge costs more than the one before.",
    citation=("galibert2014zonemap",),
    bounds=(0, math.inf),
    better="lower",
    pooled=True,
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
    """The links that were kept: how many each zone has, and how much they cover."""

    true_links: list[int]
    pred_links: list[int]
    covered: int = 0
    joined: int = 0
    ties: int = 0

    @classmethod
    def of(cls, overlaps: CountedOverlaps, least: Fraction) -> ZoneLinks:
        """Visit the links by descending force and keep those that cover enough of what is left."""
        pairs, left = overlaps.pairs, overlaps.true_sizes.tolist()
        order, tied = ordered_links(overlaps)
        links = cls([0] * len(left), [0] * overlaps.pred_sizes.size, ties=int(np.count_nonzero(tied)))
        columns = (column[order].tolist() for column in (pairs.at_true, pairs.at_pred, pairs.shared))
        part, whole = least.as_integer_ratio()
        for t, h, shared in zip(*columns, strict=True):
            if shared * whole > part * left[t]:
                links.true_links[t] = pieces = links.true_links[t] + 1
                links.pred_links[h] = wholes = links.pred_links[h] + 1
                links.joined += shared * ((pieces if pieces > 1 else 0) + (wholes if wholes > 1 else 0))
                links.covered += shared
                left[t] -= shared
        return links

    @property
    def number(self) -> int:
        """How many links were kept."""
        return sum(self.true_links)

    def uncovered(self, overlaps: CountedOverlaps) -> int:
        """Return the missed and the spurious area."""
        used = (np.array(links, dtype=bool) for links in (self.true_links, self.pred_links))
        counted_true, counted_pred = overlaps.counted(*used)
        total = int(overlaps.true_sizes[counted_true].sum()) + int(overlaps.pred_sizes[counted_pred].sum())
        return total - 2 * self.covered
