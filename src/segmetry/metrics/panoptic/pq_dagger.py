r"""PQ†: panoptic quality in which stuff classes are scored by plain IoU [porzi2019seamless].

A stuff class has one segment per image, so a threshold of IoU > ½ discards partial overlap. PQ†
gives a stuff class Σ IoU over all its overlapping pairs divided by the number of its true segments, a thing class its
PQ, and takes the mean over classes.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import IntArray
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.policy import candidates_of, counted_sizes
from segmetry.alignments.weights import weigh
from segmetry.metrics.class_quotient import ClassQuotient, ClassTerms, Terms, mean_over_classes
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation.spans import Spans

_EXAMPLE = (
    Spans.from_tags(["B-sky", "I-sky", "I-sky", "B-car", "I-car"]),
    Spans.from_tags(["B-sky", "O", "O", "B-car", "I-car"]),
)


def _terms(alignment: Alignment, *, stuff: Collection[Hashable]) -> Terms:
    """Return the terms: a thing class adds 2 IoU over 2 for a pair and 0 over 1 for a missed or spurious segment,
    which is PQ; a stuff class adds the IoU of every overlapping pair, matched or not, and 1 for every true segment that
    counts.
    """
    table = alignment.table
    is_stuff = np.array([name in stuff for name in table.class_names or ()], dtype=bool)
    true_stuff, pred_stuff = (_flags(is_stuff, side.classes) for side in (table.true, table.pred))
    if not true_stuff.all() or not pred_stuff[~alignment.matched_pred].all():
        alignment.tally.one_to_one()
    matched = np.flatnonzero(~true_stuff[alignment.at_true])
    candidates, _ = candidates_of(table, alignment.policy, "match")
    overlapping = candidates.take(np.flatnonzero(true_stuff[candidates.at_true]))
    stuff_true = np.flatnonzero(true_stuff)
    true = ClassTerms.joined(
        (alignment.at_true[matched], 2 * alignment.iou[matched], 2),
        (np.flatnonzero(alignment.missed_true & ~true_stuff), 0.0, 1),
        (overlapping.at_true, weigh("iou", overlapping.shared, overlapping.missed, overlapping.spurious), 0),
        (stuff_true, 0.0, _counts(alignment)[stuff_true]),
    )
    pred = ClassTerms.joined(
        (np.flatnonzero(alignment.spurious_pred & ~pred_stuff), 0.0, 1),
        (np.flatnonzero(~alignment.matched_pred & pred_stuff), 0.0, 0),  # only predicted: no penalty
    )
    return true, pred


def _flags(is_stuff: NDArray[np.bool_], classes: IntArray | None) -> NDArray[np.bool_]:
    return np.zeros(0, dtype=bool) if classes is None else is_stuff[classes]


def _counts(alignment: Alignment) -> NDArray[np.bool_]:
    """Return which true segments count: not crowd, and not removed by the policy."""
    table, policy = alignment.table, alignment.policy
    counts = np.ones(len(table.true), dtype=bool)
    if policy.crowd and table.true.crowd is not None:
        counts &= ~table.true.crowd
    if policy.removes_void:
        counts &= counted_sizes(table, policy)[0] > 0
    return counts


PER_CLASS = ClassQuotient(_terms, "no true segments of this class", group_options=("stuff",))


@metric(
    symbol=r"\mathrm{PQ}^\dagger",
    family="panoptic",
    order=150,
    aliases=("pq†", "pqdagger"),
    needs="alignment",
    formula=r"\mathrm{PQ}^\dagger = \frac{1}{|C|}\sum_{c\in C}\begin{cases}"
    r"\frac{1}{|T_c|}\sum_{(t,h):|t\cap h|>0}\mathrm{IoU}(t,h)"
    r" & c\ \text{stuff}\\ \mathrm{PQ}_c & c\ \text{thing}\end{cases}",
    summary="Panoptic quality averaged over classes, with stuff classes scored by their plain IoU.",
    citation="porzi2019seamless",
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    aggregation=("by_item",),
    value_if_equal=1,
    notes="stuff= names the stuff classes; without it PQ† is undefined. The mean is over thing classes that "
    "occur and stuff classes that occur in the truth: a stuff class that is only predicted is not penalised, as in the "
    "published definition. Over a data set, the sums of every class are added first.",
    default_in_family=False,
    per_class=PER_CLASS,
    examples=(Example(*_EXAMPLE, 2 / 3, {"stuff": ["sky"]}), Example(*_EXAMPLE, 0.5, {"stuff": []})),
)
def pq_dagger(alignment: Alignment, *, stuff: Collection[Hashable] | None = None) -> Score:
    if stuff is None:
        return Score.undefined("pq_dagger", "stuff= is missing: pass the stuff classes")
    return mean_over_classes("pq_dagger", PER_CLASS, alignment, stuff=stuff)
