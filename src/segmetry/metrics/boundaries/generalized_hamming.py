r"""Generalized Hamming distance: the least cost of turning the predicted boundaries into the true ones.

The measure of [bookstein2002generalized]: a boundary is inserted, deleted, or shifted by d gaps at the cost d times
``shift``. Boundaries that agree stay: a shift across them can be replaced by two shifts at the same cost. A shift
is used only where it is cheaper than a deletion and an insertion, so each boundary is compared only with its
neighbourhood.
"""

from __future__ import annotations

import math

import numpy as np

from segmetry._base import Threshold, fraction_in
from segmetry.metrics.boundaries.point_matching import cheapest_pairs, only_in
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.segmentation import Spans

_B = Spans.from_masses([4, 4, 5]), Spans.from_masses([5, 1, 2, 5])


@metric(
    symbol="GHD",
    order=60,
    aliases=("ghd", "generalized_hamming_distance"),
    formula=r"\min\big(c_{\mathrm{ins}}\,|\mathrm{insertions}| + c_{\mathrm{del}}\,|\mathrm{deletions}| "
    r"+ c_{\mathrm{shift}}\sum_{\mathrm{shifts}} d\big)",
    summary="The least total cost of inserting, deleting and shifting boundaries until the prediction is the truth.",
    citation=("bookstein2002generalized",),
    bounds=(0, math.inf),
    better="lower",
    symmetric=True,
    notes="Not normalised, so it grows with the length of the text. Symmetric while insert = delete, as by "
    "default. nltk recommends shift 2 and the mean true segment length for the other two. In a partial segmentation "
    "every maximal gap is read as a segment (P*).",
    examples=(Example(*_B, 3), Example(*_B, 1.5, {"insert": 1, "delete": 1, "shift": "1/2"})),
)
def generalized_hamming(
    true: Spans, pred: Spans, *, insert: Threshold = 2, delete: Threshold = 2, shift: Threshold = 1
) -> Score:
    inserting, deleting, shifting = (
        fraction_in(cost, name, 0, None) for cost, name in ((insert, "insert"), (delete, "delete"), (shift, "shift"))
    )
    missed, spurious, _ = only_in(true.boundaries, pred.boundaries)
    if shifting == 0:
        shifts, distance = min(missed.size, spurious.size), 0
    else:
        scale = math.lcm(inserting.denominator, deleting.denominator, shifting.denominator)
        reach = min(math.ceil((inserting + deleting) / shifting) - 1, true.n)
        costs = (int(cost * scale) for cost in (inserting, deleting, shifting))
        pairs = cheapest_pairs(missed, spurious, reach, *costs)
        shifts, distance = len(pairs), int(np.abs(pairs[:, 0] - pairs[:, 1]).sum())
    insertions, deletions = missed.size - shifts, spurious.size - shifts
    cost = inserting * insertions + deleting * deletions + shifting * distance
    return Score.of("generalized_hamming", cost, 1, insertions=insertions, deletions=deletions, shifts=shifts)
