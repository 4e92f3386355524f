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
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from segmetry._base.exact import Threshold, fraction_in
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.alignments.weights import argsort_descending, quotient
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.graph.unions import shared_with_union
from segmetry.metrics.score import Score

_SPLIT = [[1, 1, 1, 1, 2, 2]], [[3, 3, 4, 4, 5, 5]]
_MISSED = [[1, 1, 1, 1, 2, 0]], [[3, 3, 3, 0, 0, 4]]


@metric(
    symbol=r"E_{\mathrm{ZM}}",
    family="graph",
    order=90,
    needs="overlaps",
    formula=r"100\cdot\frac{\sum_{g}E(g)}{\sum_t|t|}",
    summary="The area of all segmentation and classification errors, in percent of the true area.",
    citation=("galibert2014zonemap",),
    bounds=(0, math.inf),
    better="lower",
    symmetric=False,
    aggregation=("by_item", "all_segments"),
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
    groups = zone_groups(every.pairs)
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


@dataclass
class ZoneGroups:
    """The links that were added: the preds of every true zone and the true zones of every pred, by position."""

    preds: dict[int, list[int]] = field(default_factory=dict)
    trues: dict[int, list[int]] = field(default_factory=dict)
    shared: dict[tuple[int, int], int] = field(default_factory=dict)
    ties: int = 0

    def admits(self, t: int, h: int) -> bool:
        """Return whether the group that this link would form has one true zone or one predicted zone."""
        preds, trues = self.preds.get(t), self.trues.get(h)
        if preds is None or trues is None:
            star = preds is None or len(self.trues[preds[0]]) == 1
            return star and (trues is None or len(self.preds[trues[0]]) == 1)
        return False

    def take(self, t: int, h: int, shared: int) -> None:
        self.preds.setdefault(t, []).append(h)
        self.trues.setdefault(h, []).append(t)
        self.shared[t, h] = shared


def links_by_force(pairs: Candidates) -> Iterator[tuple[int, int, int, bool]]:
    """Yield true and pred position, shared elements, and whether the force is that of the link before."""
    top, bottom = quotient("half_link_force", pairs.shared, pairs.missed, pairs.spurious)
    by_overlap = np.argsort(-pairs.shared, kind="stable")
    order = by_overlap[argsort_descending(top[by_overlap], bottom[by_overlap])]
    tops, bottoms = top[order].tolist(), bottom[order].tolist()
    rows = zip(*(column[order].tolist() for column in (pairs.at_true, pairs.at_pred, pairs.shared)), strict=True)
    for at, (t, h, shared) in enumerate(rows):
        yield t, h, shared, at > 0 and tops[at] * bottoms[at - 1] == tops[at - 1] * bottoms[at]


def zone_groups(pairs: Candidates) -> ZoneGroups:
    """Link zones in descending order of force into groups that stay one-to-many or many-to-one.

    Of links of equal force the one with the larger overlap comes first, then that of the smaller ids.

    >>> import segmetry as sm
    >>> zone_groups(CountedOverlaps.of(sm.overlap([[1, 1, 1, 2]], [[7, 7, 8, 8]])).pairs).preds
    {0: [0], 1: [1]}
    """
    groups = ZoneGroups()
    start, left_out = 0, 0
    for at, (t, h, shared, tied) in enumerate(links_by_force(pairs)):
        if at and not tied:
            groups.ties += left_out if 0 < left_out < at - start else 0
            start, left_out = at, 0
        if groups.admits(t, h):
            groups.take(t, h, shared)
        else:
            left_out += 1
    groups.ties += left_out if 0 < left_out < len(pairs) - start else 0
    return groups


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
        true, pred = overlaps.true_sizes.tolist(), overlaps.pred_sizes.tolist()
        for side, centre, members in _stars(groups):
            own, others = (true, pred) if side == "true" else (pred, true)
            shared = [groups.shared[(centre, m) if side == "true" else (m, centre)] for m in members]
            lacking = own[centre] - shared_with_union(overlaps, side, centre, members, sum(shared))
            around = sum(others[m] for m in members) - sum(shared)
            errors.missed += lacking if side == "true" else around
            errors.spurious += around if side == "true" else lacking
            errors.secondary += sum(shared) - max(shared)
            errors.secondary_by_piece += len(members) * (sum(shared) - shared[0])  # members come by descending force
            errors.kinds["matches" if len(members) == 1 else "splits" if side == "true" else "merges"] += 1
        used_true, used_pred = np.zeros(len(true), dtype=bool), np.zeros(len(pred), dtype=bool)
        used_true[list(groups.preds)] = True
        used_pred[list(groups.trues)] = True
        counted_true, counted_pred = overlaps.counted(used_true, used_pred)
        alone_true, alone_pred = counted_true & ~used_true, counted_pred & ~used_pred
        errors.missed += int(overlaps.true_sizes[alone_true].sum())
        errors.spurious += int(overlaps.pred_sizes[alone_pred].sum())
        errors.kinds["misses"] = int(np.count_nonzero(alone_true))
        errors.kinds["false_alarms"] = int(np.count_nonzero(alone_pred))
        classes = overlaps.table.true.classes, overlaps.table.pred.classes
        if classes[0] is not None and classes[1] is not None:
            errors.wrong_class = sum(s for (t, h), s in groups.shared.items() if classes[0][t] != classes[1][h])
        return errors


def _stars(groups: ZoneGroups) -> Iterator[tuple[str, int, list[int]]]:
    """Yield every group as side and position of its centre, and its members; the centre of a match is its true zone."""
    for t, preds in groups.preds.items():
        if len(preds) > 1 or len(groups.trues[preds[0]]) == 1:
            yield "true", t, preds
    for h, trues in groups.trues.items():
        if len(trues) > 1:
            yield "pred", h, trues
