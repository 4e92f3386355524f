r"""PQ†: panoptic quality in which stuff classes are scored by plain IoU [porzi2019seamless].

A stuff class has one segment per image, so a threshold of IoU > ½ discards partial overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column
from segmetry.alignments import Alignment, candidates_of, counted_sizes, weigh
from segmetry.metrics.aggregation import NO_CLASS, Aggregation
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.per_class import needs_classes
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation import Spans

_EXAMPLE = (
    Spans.from_tags(["B-sky", "I-sky", "I-sky", "B-car", "I-car"]),
    Spans.from_tags(["B-sky", "O", "O", "B-car", "I-car"]),
)


def dagger_terms(alignment: Alignment, *, stuff: Collection[Hashable] | None = None) -> dict[str, Column]:
    """Collect the terms of every class: a thing class adds 2 IoU over 2 for a pair and 0 over 1 for a missed or
    spurious segment, which is PQ; a stuff class adds the IoU of every overlapping pair, matched or not, and 1 for every
    true segment that counts.
    """
    table = alignment.table
    if stuff is None:
        return {"class": [], "numerator": np.zeros(0), "denominator": np.zeros(0, dtype=np.int64)}
    if table.class_names is None:
        raise needs_classes("pq_dagger")
    is_stuff = np.array([name in stuff for name in table.class_names], dtype=bool)
    true_codes, pred_codes = table.true.class_codes, table.pred.class_codes
    true_stuff, pred_stuff = is_stuff[true_codes], is_stuff[pred_codes]
    if not true_stuff.all() or not pred_stuff[~alignment.matched_pred].all():
        alignment.tally.one_to_one()
    matched = np.flatnonzero(~true_stuff[alignment.at_true])
    candidates, _ = candidates_of(table, alignment.policy, "match")
    overlapping = candidates.take(np.flatnonzero(true_stuff[candidates.at_true]))
    ious = weigh("iou", overlapping.shared, overlapping.missed, overlapping.spurious)
    stuff_true = np.flatnonzero(true_stuff)
    terms = (
        (true_codes[alignment.at_true[matched]], 2 * alignment.iou[matched], 2),
        (true_codes[alignment.missed_true & ~true_stuff], 0.0, 1),
        (true_codes[overlapping.at_true], ious, 0),
        (true_codes[stuff_true], 0.0, _counted_true(alignment)[stuff_true]),
        (pred_codes[alignment.spurious_pred & ~pred_stuff], 0.0, 1),
        (pred_codes[~alignment.matched_pred & pred_stuff], 0.0, 0),  # only predicted: no penalty
    )
    codes = np.concatenate([code for code, _, _ in terms])
    tops, bottoms = (np.concatenate([np.broadcast_to(term[at], term[0].shape) for term in terms]) for at in (1, 2))
    return {
        "class": [table.class_names[code] for code in codes.tolist()],
        "numerator": tops,
        "denominator": bottoms.astype(np.int64),
    }


def _counted_true(alignment: Alignment) -> NDArray[np.bool_]:
    """Return which true segments count: not crowd, and not removed by the policy."""
    table, policy = alignment.table, alignment.policy
    counts = np.ones(len(table.true), dtype=bool)
    if policy.crowd and table.true.crowd is not None:
        counts &= ~table.true.crowd
    if policy.removes_void:
        counts &= counted_sizes(table, policy)[0] > 0
    return counts


@metric(
    symbol=r"\mathrm{PQ}^\dagger",
    order=150,
    aliases=("pq†", "pqdagger"),
    formula=r"\mathrm{PQ}^\dagger = \frac{1}{|C|}\sum_{c\in C}\begin{cases}"
    r"\frac{1}{|T_c|}\sum_{(t,h):|t\cap h|>0}\mathrm{IoU}(t,h)"
    r" & c\ \text{stuff}\\ \mathrm{PQ}_c & c\ \text{thing}\end{cases}",
    summary="Panoptic quality averaged over classes, with stuff classes scored by their plain IoU.",
    citation="porzi2019seamless",
    notes="stuff= names the stuff classes; without it PQ† is undefined. The mean is over thing classes that "
    "occur and stuff classes that occur in the truth: a stuff class that is only predicted is not penalised, as in the "
    "published definition. Over a data set, the sums of every class are added first.",
    default_in_family=False,
    examples=(Example(*_EXAMPLE, 2 / 3, {"stuff": ["sky"]}), Example(*_EXAMPLE, 0.5, {"stuff": []})),
    statistics=Aggregation(dagger_terms, group_options=("stuff",)),
)
def pq_dagger(sums: Sums, *, stuff: Collection[Hashable] | None = None) -> Quotient:
    if stuff is None:
        return Quotient(sums["numerator"] * np.nan, reason="stuff= is missing: pass the stuff classes")
    reason = "no true segments of this class" if sums["denominator"].any() else NO_CLASS
    return Quotient(sums["numerator"], sums["denominator"], reason)
