r"""ZoneMap: the area of page segmentation errors, with splits, merges and wrong classes [galibert2014zonemap].

The force of a link between overlapping zones is (|t∩h|/|h|)² + (|t∩h|/|t|)². Links are added in descending
order of force, as long as every group of linked zones has one true zone or one predicted zone. A group's error area is

* **miss**, **false alarm**: the area of the zone, |t| or |h|;
* **match**: |t \ h| + |h \ t|;
* **split** of t into h₁ … hₙ: |t \ ∪hᵢ| + Σ|hᵢ \ t| + α_ms·n·(Σ|t∩hᵢ| − |t∩h₁|), with h₁ the zone of the link of
  greatest force;
* **merge**: the same with the sides exchanged.

The term of splits and merges counts every piece, as the public programs (ZoneMap; equal to ZoneMapAlt for two pieces).
``form="area"`` counts the area once, and the largest overlap is free: α_ms·(Σ|t∩hᵢ| − max|t∩hᵢ|).

With classes, missed and spurious areas are errors as before; in the area of links, α_c·(area of links between zones of
different classes) + (1 − α_c)·(term of splits and merges).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from segmetry._base.exact import BoolArray, IndexArray, IntArray, Threshold, fraction_in, ratio
from segmetry.alignments.alignment import marks
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.counted_overlaps import CountedOverlaps, computed_once
from segmetry.alignments.weights import argsort_descending, quotient
from segmetry.errors import OptionError
from segmetry.kernels.statistics.group_sums import group_order
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.graph.unions import shared_with_union
from segmetry.metrics.score import Score

_SPLIT = [[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 5, 5]]
_MISSED = [[1, 1, 1, 1, 2, 0]], [[3, 3, 3, 0, 0, 4]]


@metric(
    symbol=r"E_{\mathrm{ZM}}",
    order=90,
    formula=r"100\cdot\frac{\sum_{g}E(g)}{\sum_t|t|}",
    summary="The area of all segmentation and classification errors, in percent of the true area.",
    citation=("galibert2014zonemap",),
    bounds=(0, math.inf),
    better="lower",
    pooled=True,
    value_if_equal=0,
    ties_by_id=True,
    notes="Not normalised to [0, 1] or to 100: false alarms may cover more than the truth. Links of equal force are "
    "added by overlap, then by true and pred id; ties counts links left out although another of equal force was "
    "added. A link is left out if its group would get several zones on both sides. form='pieces' (default): the "
    "overlap of the strongest link of a split or merge is not an error, the others count with α_ms (split_merge) "
    "times the number of pieces, as in the public programs. form='area': the "
    "largest overlap is not an error, the others count with α_ms once. With classes on both sides links ignore them; "
    "what is missed or spurious counts fully, and class_weight=α_c weighs the area of wrongly classed links against "
    "the term of splits and merges; classes='ignore' leaves that out. A zone without overlap is an error with its "
    "whole area; elements outside count only where a zone covers them. Zones may overlap each other: the missed area "
    "of a split zone is computed from the union of its parts. Undefined without true area.",
    examples=(
        Example(*_SPLIT, 100 * (0.5 * 2 * 2) / 6),
        Example(*_SPLIT, 100 * (0.5 * 2) / 6, {"form": "area"}),
        Example(*_MISSED, 100 * (1 + 1 + 1) / 5),
        Example([[1, 1, 2, 2]], [[3, 3, 3, 3]], 50.0),
        Example([[1, 1, 2, 2]], [[3, 3, 3, 3]], 25.0, {"form": "area"}),
        Example([[1, 1, 2, 2]], [[3, 3, 3, 3]], 0.0, {"split_merge": 0}),
    ),
)
def zonemap(
    overlaps: CountedOverlaps,
    *,
    form: Literal["pieces", "area"] = "pieces",
    split_merge: Threshold = "1/2",
    class_weight: Threshold = "1/2",
) -> Score:
    if form not in ("pieces", "area"):
        raise OptionError(f"form is {form!r}; expected 'pieces' or 'area'")
    share = fraction_in(split_merge, "split_merge", 0, 1)
    weight = fraction_in(class_weight, "class_weight", 0, 1)
    classed = are_classed(overlaps)
    every = overlaps.regardless_of_class() if classed else overlaps
    groups = zone_groups(every)
    error = ZoneErrors.of(every, groups)
    divided = share * (error.secondary_by_piece if form == "pieces" else error.secondary)
    if classed:
        divided = (1 - weight) * divided + weight * error.wrong_class
    area = error.missed + error.spurious + divided
    return Score.of("zonemap", 100 * area, true_area(every), "no true area", ties=groups.ties, **error.kinds)


def are_classed(overlaps: CountedOverlaps) -> bool:
    """Return whether the zones of both sides have classes that are to be compared."""
    table = overlaps.table
    return overlaps.classes == "match" and table.true.classes is not None and table.pred.classes is not None


def true_area(overlaps: CountedOverlaps) -> int:
    """Return the area of all true zones that the policy counts."""
    counted = overlaps.counted(*overlaps.touched)[0]
    return int(overlaps.true_sizes[counted].sum())


@dataclass(frozen=True, eq=False)
class ZoneGroups:
    """The links that were added, by descending force: positions of their zones, and shared elements.

    The links of a group share their true zone or their pred. ``ties`` are links left out although another of equal
    force was added.
    """

    true: IndexArray
    pred: IndexArray
    shared: IntArray
    ties: int


def links_by_force(pairs: Candidates) -> tuple[IndexArray, BoolArray]:
    """Return the order of links by descending force, and which have the force of the link before.

    Of links of equal force the one with the larger overlap comes first, then that of the smaller ids.
    """
    top, bottom = quotient("half_link_force", pairs.shared, pairs.missed, pairs.spurious)
    forces = ratio(top, bottom)
    by_overlap = np.argsort(-pairs.shared, kind="stable")
    order = by_overlap[argsort_descending(top[by_overlap], bottom[by_overlap], forces[by_overlap])]
    top, bottom = top[order], bottom[order]
    rounded, tied = forces[order], np.zeros(order.size, dtype=bool)
    for at in (1 + np.flatnonzero(rounded[1:] == rounded[:-1])).tolist():  # others differ
        tied[at] = int(top[at]) * int(bottom[at - 1]) == int(top[at - 1]) * int(bottom[at])
    return order, tied


@computed_once
def ordered_links(overlaps: CountedOverlaps) -> tuple[IndexArray, BoolArray]:
    """Return the order of all links and which are tied, for all metrics that visit them in this order."""
    return links_by_force(overlaps.pairs)


def zone_groups(overlaps: CountedOverlaps) -> ZoneGroups:
    """Link zones in descending order of force into groups that stay one-to-many or many-to-one.

    >>> import segmetry as sm
    >>> groups = zone_groups(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2]], [[7, 7, 8, 8]])))
    >>> groups.true.tolist(), groups.pred.tolist()
    ([0, 1], [0, 1])
    """
    pairs, (order, tied) = overlaps.pairs, ordered_links(overlaps)
    true, pred = pairs.at_true[order], pairs.at_pred[order]
    added = _added(true, pred)
    of_force = np.cumsum(~tied) - 1  # the number of its force among those that occur
    links, left_out = np.bincount(of_force), np.bincount(of_force[~added], minlength=int(of_force.max(initial=-1)) + 1)
    return ZoneGroups(true[added], pred[added], pairs.shared[order][added], int(left_out[left_out < links].sum()))


def _added(true: IndexArray, pred: IndexArray) -> BoolArray:
    """Return which links are added: the group that a link forms must have one true zone or one predicted zone."""
    true_links, pred_links = ([0] * (int(at.max(initial=-1)) + 1) for at in (true, pred))
    a_pred, a_true = true_links.copy(), pred_links.copy()  # one that the zone is linked with
    added = np.zeros(true.size, dtype=bool)
    chosen = []
    for at, (t, h) in enumerate(zip(true.tolist(), pred.tolist(), strict=True)):
        if true_links[t]:
            if pred_links[h] or pred_links[a_pred[t]] > 1:
                continue
        elif pred_links[h] and true_links[a_true[h]] > 1:
            continue
        a_pred[t], a_true[h] = h, t
        true_links[t] += 1
        pred_links[h] += 1
        chosen.append(at)
    added[chosen] = True
    return added


@dataclass
class ZoneErrors:
    """The areas of the errors and the number of groups of each kind."""

    missed: int = 0
    spurious: int = 0
    secondary: int = 0
    secondary_by_piece: int = 0
    wrong_class: int = 0
    kinds: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("matches", "splits", "merges", "misses", "false_alarms"), 0)
    )

    @classmethod
    def of(cls, overlaps: CountedOverlaps, groups: ZoneGroups) -> ZoneErrors:
        """Add up the errors of all groups, and of the zones in none."""
        errors = cls()
        has_several = np.bincount(groups.pred, minlength=overlaps.pred_sizes.size)[groups.pred] > 1
        errors.missed, errors.spurious = errors._add_groups(overlaps, "true", groups, ~has_several)
        lacking, around = errors._add_groups(overlaps, "pred", groups, has_several)
        errors.missed, errors.spurious = errors.missed + around, errors.spurious + lacking
        used_true = marks(groups.true, overlaps.true_sizes.size)
        used_pred = marks(groups.pred, overlaps.pred_sizes.size)
        counted_true, counted_pred = overlaps.counted(used_true, used_pred)
        alone_true, alone_pred = counted_true & ~used_true, counted_pred & ~used_pred
        errors.missed += int(overlaps.true_sizes[alone_true].sum())
        errors.spurious += int(overlaps.pred_sizes[alone_pred].sum())
        errors.kinds["misses"] = int(np.count_nonzero(alone_true))
        errors.kinds["false_alarms"] = int(np.count_nonzero(alone_pred))
        classes = overlaps.table.true.classes, overlaps.table.pred.classes
        if classes[0] is not None and classes[1] is not None:
            errors.wrong_class = int(groups.shared[classes[0][groups.true] != classes[1][groups.pred]].sum())
        return errors

    def _add_groups(
        self, overlaps: CountedOverlaps, side: str, groups: ZoneGroups, links: BoolArray
    ) -> tuple[int, int]:
        """Add the terms of splits or merges of the groups whose centre is on a side, and which have these links.

        Return what their centres lack of their members, and what their members have beyond; the centre of a match is
        its true zone.
        """
        own, others = overlaps.true_sizes, overlaps.pred_sizes
        centre, member, shared = groups.true[links], groups.pred[links], groups.shared[links]
        if side == "pred":
            own, others, centre, member = others, own, member, centre
        if not centre.size:
            return 0, 0
        order, _ = group_order(centre, own.size)  # stable: by descending force within a group
        centre, member, shared = centre[order], member[order], shared[order]
        starts = np.flatnonzero(np.diff(centre, prepend=-1))
        counts, totals = np.diff(starts, append=centre.size), np.add.reduceat(shared, starts)
        rest = (totals - shared[starts]).tolist()
        self.secondary += int((totals - np.maximum.reduceat(shared, starts)).sum())
        self.secondary_by_piece += sum(count * left for count, left in zip(counts.tolist(), rest, strict=True) if left)
        several = np.flatnonzero(counts > 1)
        self.kinds["splits" if side == "true" else "merges"] += several.size
        self.kinds["matches"] += counts.size - several.size
        covered = int(totals.sum())
        is_disjoint = (overlaps.table.pred if side == "true" else overlaps.table.true).disjoint
        for group in () if is_disjoint else several.tolist():
            total, first = int(totals[group]), int(starts[group])
            members = member[first : first + int(counts[group])].tolist()
            covered += shared_with_union(overlaps, side, int(centre[first]), members, total) - total
        return int(own[centre[starts]].sum()) - covered, int(others[member].sum()) - int(totals.sum())
