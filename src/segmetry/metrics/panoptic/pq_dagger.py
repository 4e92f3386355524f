r"""PQ†: panoptic quality in which stuff classes are scored by plain IoU [porzi2019seamless].

A stuff class has one segment per image, so asking for IoU > ½ throws away what a threshold-free score keeps. PQ†
gives a stuff class Σ IoU over all its overlapping pairs divided by the number of its true segments, a thing class its
PQ, and takes the mean over classes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.breakdown import break_down
from segmetry.alignments.candidates import Candidates
from segmetry.alignments.policy import candidates_of, counted_sizes
from segmetry.alignments.tally import Tally
from segmetry.alignments.weights import weigh
from segmetry.errors import ClassesError
from segmetry.metrics.declare import METRICS, Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

KEY = "pq_dagger"
_EXAMPLE = (
    Spans.from_tags(["B-sky", "I-sky", "I-sky", "B-car", "I-car"]),
    Spans.from_tags(["B-sky", "O", "O", "B-car", "I-car"]),
)


@dataclass(frozen=True, eq=False)
class PlainIoU:
    """All overlapping pairs of one class, matched or not, and the number of its true segments. Plain IoUs add up."""

    shared: IntArray
    missed: IntArray
    spurious: IntArray
    n_true: int

    def __add__(self, other: PlainIoU) -> PlainIoU:
        return PlainIoU(
            np.concatenate((self.shared, other.shared)),
            np.concatenate((self.missed, other.missed)),
            np.concatenate((self.spurious, other.spurious)),
            self.n_true + other.n_true,
        )

    def score(self) -> Score:
        """Σ IoU over the number of true segments."""
        total = math.fsum(weigh("iou", self.shared, self.missed, self.spurious).tolist())
        return Score.of(KEY, total, self.n_true, "no true segments of this class")


def no_classes() -> ClassesError:
    """The error of segments that do not say what they are."""
    return ClassesError(
        "PQ† tells things from stuff by class, but the segments carry none; give classes= on both sides"
    )


def plain_iou(alignment: Alignment, stuff: Collection[Hashable]) -> dict[Hashable, PlainIoU]:
    """The plain IoU of every stuff class that the truth or the prediction holds, as the alignment's policy counts."""
    table = alignment.table
    if table.class_names is None or table.true.classes is None or table.pred.classes is None:
        raise no_classes()
    counts, candidates = plain_pairs(alignment)
    found: dict[Hashable, PlainIoU] = {}
    for code, name in enumerate(table.class_names):
        if name in stuff:
            own = np.flatnonzero(table.true.classes[candidates.at_true] == code)
            pairs = candidates.take(own)
            n_true = int(np.count_nonzero(counts & (table.true.classes == code)))
            found[name] = PlainIoU(pairs.shared, pairs.missed, pairs.spurious, n_true)
    return found


def plain_pairs(alignment: Alignment) -> tuple[NDArray[np.bool_], Candidates]:
    """Which true segments count, and all overlapping pairs of one class, as the alignment's policy counts them."""
    table = alignment.table
    counts = np.ones(len(table.true), dtype=bool)
    if alignment.policy.crowd and table.true.crowd is not None:
        counts &= ~table.true.crowd
    if alignment.policy.removes_void:
        counts &= counted_sizes(table, alignment.policy)[0] > 0
    candidates, _ = candidates_of(table, alignment.policy, "match")
    return counts, candidates


def dagger_of_class(tally: Tally, plain: PlainIoU | None) -> Score:
    """PQ† of one class: its plain IoU if it is stuff, its PQ otherwise."""
    if plain is not None:
        return plain.score()
    found = METRICS["pq"].compute(tally)
    assert isinstance(found, Score)  # noqa: S101 - for the type checker
    return Score(KEY, found.value, found.reason, found.numerator, found.denominator)


@metric(
    symbol=r"\mathrm{PQ}^\dagger",
    family="panoptic",
    order=150,
    needs="alignment",
    formula=r"\mathrm{PQ}^\dagger = \frac{1}{|C|}\sum_{c\in C}\begin{cases}"
    r"\frac{1}{|T_c|}\sum_{(t,h):|t\cap h|>0}\mathrm{IoU}(t,h)"
    r" & c\ \text{stuff}\\ \mathrm{PQ}_c & c\ \text{thing}\end{cases}",
    summary="Panoptic quality averaged over classes, with stuff classes scored by their plain IoU.",
    citation="porzi2019seamless",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("mean",),
    value_if_equal=1,
    notes="stuff= names the stuff classes; without it PQ† is undefined. The mean goes over thing classes that "
    "occur and stuff classes that the truth holds: a stuff class that is only predicted costs nothing, as in the "
    "published definition. Pooled over a data set, the sums of every class are pooled first.",
    default_in_family=False,
    examples=(Example(*_EXAMPLE, 2 / 3, {"stuff": ["sky"]}), Example(*_EXAMPLE, 0.5, {"stuff": []})),
)
def pq_dagger(alignment: Alignment, *, stuff: Collection[Hashable] | None = None) -> Score:
    if stuff is None:
        return Score.undefined(KEY, "nobody said which classes are stuff: pass stuff=")
    plain = plain_iou(alignment, stuff)
    return mean_dagger({name: part.tally for name, part in break_down(alignment, "class").items()}, plain)


def mean_dagger(parts: Mapping[Hashable, Tally], plain: Mapping[Hashable, PlainIoU]) -> Score:
    """PQ† of one item: the mean over its classes."""
    scores = [dagger_of_class(tally, plain.get(name)) for name, tally in parts.items()]
    defined = [score.value for score in scores if score.is_defined]
    return Score.of(KEY, math.fsum(defined), len(defined), "no class occurs", classes=len(defined))
