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

ZoneMapAlt: ZoneMap in which zones may be linked several to several, and weak links are dropped.

The links of ZoneMap are visited in descending order of force. A link is kept if the pred covers more than a share β of
what the preds linked before leave of the true zone. The overlap of a kept link that is the first of both zones is no
error. Otherwise it counts α_ms times the number of the zones it joins: k for the k-th part of a split or merge, k + l
for the k-th part of one zone and the l-th of the other. What no kept link covers is missed or spurious, with its area.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from segmetry._base import BoolArray, IndexArray, IntArray, Threshold, check_choice, computed_once, fraction_in, ratio
from segmetry.alignments import Candidates, CountedOverlaps, argsort_descending, marks, quotient
from segmetry.errors import InputError, KindError, OptionError
from segmetry.kernels import RunLengthMasks, group_order, intersect_run_lengths, union_run_lengths
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps import covered_by
from segmetry.segmentation import Masks, Polygons, Segmentation, Sets


def shared_with_union(overlaps: CountedOverlaps, side: str, centre: int, members: list[int], total: int) -> int:
    """Return |c ∩ ∪m| for a segment of ``side`` and some of the other side; ``total`` is Σ|c∩m|, the result where
    those are disjoint.
    """
    table = overlaps.table
    other = table.pred if side == "true" else table.true
    if other.disjoint or len(members) == 1:
        return total
    if overlaps.inputs is None:
        raise KindError(
            "the segments overlap each other, so their union needs the segmentations; found only their overlap table"
        )
    inputs = overlaps.inputs
    own, others = (inputs.true, inputs.pred) if side == "true" else (inputs.pred, inputs.true)
    own_ids = (table.true if side == "true" else table.pred).ids
    return _shared_with_members(own, int(own_ids[centre]), others, other.ids[members].tolist())


def _shared_with_members(own: Segmentation, segment: int, others: Segmentation, members: list[int]) -> int:
    if isinstance(own, Sets) and isinstance(others, Sets):
        return len(own.segments[segment] & frozenset().union(*(others.segments[m] for m in members)))
    if isinstance(own, Masks) and isinstance(others, Masks):
        union = union_run_lengths(_run_lengths_of(others, members))
        return int(intersect_run_lengths(_run_lengths_of(own, [segment]), union)[2].sum())
    if isinstance(own, Polygons) and isinstance(others, Polygons):
        return covered_by(own, segment, others, members)
    raise KindError(f"segments of kind {others.kind!r} overlap; unions are supported for sets, masks and polygons")


def _run_lengths_of(masks: Masks, ids: list[int]) -> RunLengthMasks:
    position = {segment: at for at, segment in enumerate(masks.ids.tolist())}
    offsets = masks.run_lengths.offsets
    parts = [slice(int(offsets[position[i]]), int(offsets[position[i] + 1])) for i in ids]
    lengths = [part.stop - part.start for part in parts]
    return RunLengthMasks(
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        np.concatenate([masks.run_lengths.starts[part] for part in parts]),
        np.concatenate([masks.run_lengths.stops[part] for part in parts]),
    )


_SPLIT = [[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 5, 5]]
_MISSED = [[1, 1, 1, 1, 2, 0]], [[3, 3, 3, 0, 0, 4]]
_error_area = partial(
    metric, citation="galibert2014zonemap", bounds=(0, math.inf), better="lower", pooled=True, ties_by_id=True
)


@_error_area(
    symbol=r"E_{\mathrm{ZM}}",
    order=90,
    formula=r"100\cdot\frac{\sum_{g}E(g)}{\sum_t|t|}",
    summary="The area of all segmentation and classification errors, in percent of the true area.",
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
    check_choice("form", form, ("pieces", "area"))
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
    """Link zones in descending order of force into groups that stay one-to-many or many-to-one."""
    pairs, (order, tied) = overlaps.pairs, ordered_links(overlaps)
    true, pred = pairs.at_true[order], pairs.at_pred[order]
    added = _added_links(true, pred)
    of_force = np.cumsum(~tied) - 1  # the number of its force among those that occur
    links, left_out = np.bincount(of_force), np.bincount(of_force[~added], minlength=int(of_force.max(initial=-1)) + 1)
    return ZoneGroups(true[added], pred[added], pairs.shared[order][added], int(left_out[left_out < links].sum()))


def _added_links(true: IndexArray, pred: IndexArray) -> BoolArray:
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


_CROSSED = [[1, 1, 2, 2]], [[3, 4, 3, 4]]
_SCRAP = [[1] * 10], [[1] * 6 + [2] + [0] * 3]


@_error_area(
    symbol=r"E_{\mathrm{ZMA}}",
    order=95,
    formula=r"100\cdot\frac{\sum_{t,h}\alpha n_{t,h}|t\cap h|+\mathrm{missed}+\mathrm{spurious}}{\sum_t|t|}",
    summary="The area of all segmentation errors in percent of the true area, where every further piece of a split or "
    "merge costs more than the one before.",
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
