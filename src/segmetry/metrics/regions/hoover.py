r"""Hoover index and Hoover's five classes [hoover1996experimental].

With a threshold T in (1/2, 1] and coverages s/|h|, s/|t|, an instance is

* **correct**: a pair with both coverages ≥ T;
* **over-segmentation** of t: at least two preds, each ≥ T inside t, that together cover ≥ T of t;
* **under-segmentation** by h: at least two true segments, each ≥ T inside h, that together cover ≥ T of h;

and a segment in no instance is **missed** (true) or **noise** (pred). The index is 1 − CD/|T| with CD correct
detections [jiang2006distance]. A segment can be in several instances; the one with the larger mean of its two
coverage measures (the shared elements as a share of the true side, and of the pred side, of the instance) is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, fraction, sum_by
from segmetry.alignments import ONE, ZERO, CountedOverlaps, Inequality, marks, mutual_coverage
from segmetry.errors import OptionError
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.regions.largest_partners import NO_TRUTH
from segmetry.metrics.score import Counts, Score

KINDS = ("correct", "over_segmentation", "under_segmentation")
_SPLIT = [[1, 1, 1, 1, 1, 1, 2, 2, 2, 2]], [[3, 3, 3, 4, 4, 4, 5, 5, 5, 5]]
_MERGED = [[1, 1, 1, 2, 2, 2, 0, 0, 0, 3]], [[4, 4, 4, 4, 4, 4, 0, 5, 5, 0]]


@metric(
    order=10,
    formula=r"H = 1-\frac{|\{t : \exists h,\ |t\cap h|\ge T|h|,\ |t\cap h|\ge T|t|\}|}{|T|}",
    summary="The share of true segments that are not correctly detected.",
    citation=("hoover1996experimental", "jiang2006distance"),
    better="lower",
    pooled=True,
    notes="The threshold is in (1/2, 1], otherwise a segment could be detected twice. Both coverages are compared "
    "exactly, with ≥. Ties cannot occur; a segment without overlap is not detected; elements outside count only "
    "through sizes. Where segments overlap a true segment counts once, however many preds detect it.",
    examples=(
        Example(*_SPLIT, 0.5),
        Example([[1, 1, 1, 1, 1]], [[1, 1, 1, 1, 0]], 0.0),
        Example([[1, 1, 1, 1, 1]], [[1, 1, 1, 1, 0]], 1.0, {"threshold": "0.81"}),
    ),
)
def hoover_index(overlaps: CountedOverlaps, *, threshold: Threshold = "0.8") -> Score:
    pairs = overlaps.pairs
    detected = mutual_coverage(at_least=_as_threshold(threshold)).accepts(pairs.shared, pairs.missed, pairs.spurious)
    detected_true = marks(pairs.at_true[detected], len(overlaps.table.true))
    counted = overlaps.counted(*overlaps.touched)[0]
    total = int(np.count_nonzero(counted))
    return Score.of("hoover_index", total - int(np.count_nonzero(detected_true & counted)), total, NO_TRUTH)


@metric(
    symbol=r"H_{\mathrm{classes}}",
    formula=r"(\mathrm{correct},\ \mathrm{over},\ \mathrm{under},\ \mathrm{missed},\ \mathrm{noise})",
    summary="The numbers of correct detections, over-segmentations and under-segmentations, and of missed segments and "
    "noise.",
    citation=("hoover1996experimental",),
    bounds=(0, float("inf")),
    better="neither",
    value_if_equal=None,
    ties_by_id=True,
    notes="A segment in several instances stays in the one with the larger mean of its two coverage measures, compared "
    "exactly; instances are processed in descending order of this mean, and one that lost a member is dropped. Equal "
    "means: correct before over- before under-segmentation, then the smaller ids; ties counts them. raw=True counts "
    "all instances without resolving conflicts. A segment without overlap is missed (true) or noise (pred). Elements "
    "outside count only through sizes. Where segments of a side overlap, their shared elements are added up.",
    examples=(
        Example(
            *_SPLIT, {"correct": 1, "over_segmentation": 1, "under_segmentation": 0, "missed": 0, "noise": 0, "ties": 0}
        ),
        Example(
            *_MERGED,
            {"correct": 0, "over_segmentation": 0, "under_segmentation": 1, "missed": 1, "noise": 1, "ties": 0},
        ),
    ),
)
def hoover_classes(overlaps: CountedOverlaps, *, threshold: Threshold = "0.8", raw: bool = False) -> Counts:
    instances = hoover_instances(overlaps, threshold)
    kept, ties = (instances, 0) if raw else resolved(instances)
    true, pred = len(overlaps.table.true), len(overlaps.table.pred)
    used_true, used_pred = np.zeros(true, dtype=bool), np.zeros(pred, dtype=bool)
    used_true[[t for instance in kept for t in instance.at_true]] = True
    used_pred[[h for instance in kept for h in instance.at_pred]] = True
    counted_true, counted_pred = overlaps.counted(used_true, used_pred)
    parts = {kind: sum(instance.kind == kind for instance in kept) for kind in KINDS}
    parts["missed"] = int(np.count_nonzero(counted_true & ~used_true))
    parts["noise"] = int(np.count_nonzero(counted_pred & ~used_pred))
    return Counts("hoover_classes", parts | {"ties": ties})


class Instance(NamedTuple):
    """One correct detection, over- or under-segmentation: positions in the table's sides, and its quality."""

    kind: str
    at_true: tuple[int, ...]
    at_pred: tuple[int, ...]
    shared: int
    true_size: int
    pred_size: int

    @property
    def quality(self) -> Fraction:
        """The mean of the two coverage measures."""
        return (Fraction(self.shared, self.true_size) + Fraction(self.shared, self.pred_size)) / 2


def hoover_instances(overlaps: CountedOverlaps, threshold: Threshold = "0.8") -> list[Instance]:
    """Return all instances, before conflicts are resolved; by kind, then by position."""
    least = _as_threshold(threshold)
    pairs = overlaps.pairs
    columns = pairs.shared, pairs.missed, pairs.spurious
    true_inside = Inequality.of(ONE - least, least, ZERO, strict=False).holds(*columns)
    pred_inside = Inequality.of(ONE - least, ZERO, least, strict=False).holds(*columns)
    correct = np.flatnonzero(true_inside & pred_inside)
    instances = [
        Instance("correct", (t,), (h,), s, s + m, s + p)
        for t, h, s, m, p in zip(*(c[correct].tolist() for c in (pairs.at_true, pairs.at_pred, *columns)), strict=True)
    ]
    groups = _covered_groups(pairs.at_true, pairs.at_pred, pairs.shared, pred_inside, overlaps.true_sizes, least)
    for t, members, shared in groups:
        size = int(overlaps.pred_sizes[members].sum())
        instances.append(Instance("over_segmentation", (t,), tuple(members), shared, int(overlaps.true_sizes[t]), size))
    groups = _covered_groups(pairs.at_pred, pairs.at_true, pairs.shared, true_inside, overlaps.pred_sizes, least)
    for h, members, shared in groups:
        size = int(overlaps.true_sizes[members].sum())
        instances.append(
            Instance("under_segmentation", tuple(members), (h,), shared, size, int(overlaps.pred_sizes[h]))
        )
    return instances


def resolved(instances: Iterable[Instance]) -> tuple[list[Instance], int]:
    """Return the instances that win their conflicts, and the number of ties."""
    listed = list(instances)
    true_uses = Counter(chain.from_iterable(instance.at_true for instance in listed))
    pred_uses = Counter(chain.from_iterable(instance.at_pred for instance in listed))
    kept: list[Instance] = []
    contested: list[tuple[Fraction, int, Instance]] = []
    for instance in listed:
        if any(true_uses[t] > 1 for t in instance.at_true) or any(pred_uses[h] > 1 for h in instance.at_pred):
            contested.append((-instance.quality, KINDS.index(instance.kind), instance))
        else:
            kept.append(instance)
    true_owner: dict[int, Fraction] = {}
    pred_owner: dict[int, Fraction] = {}
    ties = 0
    for quality, _, instance in sorted(contested):
        winners = [true_owner[t] for t in instance.at_true if t in true_owner]
        winners += [pred_owner[h] for h in instance.at_pred if h in pred_owner]
        if winners:
            ties += quality in winners
            continue
        kept.append(instance)
        true_owner.update(dict.fromkeys(instance.at_true, quality))
        pred_owner.update(dict.fromkeys(instance.at_pred, quality))
    return kept, ties


def _as_threshold(threshold: Threshold) -> Fraction:
    least = fraction(threshold)
    if not Fraction(1, 2) < least <= 1:
        raise OptionError(f"threshold is {threshold}; expected a number in (1/2, 1]")
    return least


def _covered_groups(
    at_whole: NDArray[np.intp],
    at_part: NDArray[np.intp],
    shared: IntArray,
    inside: NDArray[np.bool_],
    sizes: IntArray,
    least: Fraction,
) -> Iterator[tuple[int, list[int], int]]:
    """Yield each segment with at least two parts inside it that together cover at least T of it."""
    parts = sum_by(at_whole[inside], np.ones(int(inside.sum()), dtype=np.int64), sizes.size)
    covered = sum_by(at_whole[inside], shared[inside], sizes.size)
    order = np.lexsort((at_part[inside], at_whole[inside]))
    members = at_part[inside][order]
    ends = np.cumsum(parts)
    for whole in np.flatnonzero(parts >= 2).tolist():
        if int(covered[whole]) * least.denominator >= least.numerator * int(sizes[whole]):
            own = members[ends[whole] - parts[whole] : ends[whole]]
            yield whole, own.tolist(), int(covered[whole])
