r"""Additional pairs and false hits [vanheusden2024sharper].

*Additional* pairs are matched by θ& but not by θ⁺; their IoU is in (1/3, 1/2]. A matched pair (t, h) is a
*false hit* if another true segment t' has π·|t∩h| ≤ |t'∩h| and π·|t∩h| ≤ |t \ h|: h overlaps t'
almost as much as it overlaps t, and almost as much of t is missed. The paper prints |t' \ h|
in the second condition, which contradicts its text and its figure and would let θ⁺ pairs be false hits; with |t
\ h| only additional pairs can be false hits for π ≥ 1/2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, as_python_ints, fraction_in, is_new, products_fit, widest
from segmetry.alignments.alignment import Alignment
from segmetry.alignments.rules.local import theta_plus
from segmetry.overlaps import OverlapTable


def additional_pairs(alignment: Alignment) -> NDArray[np.bool_]:
    """Return which pairs of an alignment do not satisfy θ⁺.

    >>> import segmetry as sm
    >>> table = sm.overlap(sm.Sets([{1, 2, 3}, {4}]), sm.Sets([{1}, {2, 3, 4}]))
    >>> additional_pairs(sm.align(table, "theta_and")).tolist()
    [True]
    """
    return ~theta_plus.accepts(alignment.shared, alignment.missed, alignment.spurious)


def false_hits(alignment: Alignment, pi: Threshold = "3/4") -> NDArray[np.bool_]:
    """Return which pairs of an alignment are false hits; π is exact.

    >>> import segmetry as sm
    >>> table = sm.overlap(sm.Spans.from_masses([7, 3]), sm.Spans.from_masses([3, 7]))
    >>> false_hits(sm.align(table, "theta_and")).tolist()
    [True]
    """
    share = fraction_in(pi, "pi", 0, 1, open_low=True)
    shared, missed, rival = alignment.shared, alignment.missed, largest_rival(alignment.table, alignment.rows)
    if not products_fit(share.denominator, widest(shared, missed, rival)):
        shared, missed, rival = (as_python_ints(a) for a in (shared, missed, rival))  # type: ignore[assignment]
    least = share.numerator * shared
    hit: NDArray[np.bool_] = (least <= share.denominator * rival) & (least <= share.denominator * missed)
    return hit.astype(bool)


def largest_rival(table: OverlapTable, rows: NDArray[np.intp]) -> IntArray:
    """Return, for every row (t, h), the largest overlap of h with another true segment of any class.

    >>> import segmetry as sm
    >>> largest_rival(sm.overlap([[1, 1, 2, 3]], [[1, 1, 1, 0]]), np.array([0, 1])).tolist()
    [1, 2]
    """
    order = np.lexsort((-table.shared, table.row_pred))
    pred = table.row_pred[order]
    first = is_new(pred)
    second = np.zeros(order.size, dtype=bool)
    second[1:] = first[:-1] & ~first[1:]
    best_row = np.full(len(table.pred), -1)
    best_row[pred[first]] = order[first]
    best, runner_up = np.zeros(len(table.pred), dtype=np.int64), np.zeros(len(table.pred), dtype=np.int64)
    best[pred[first]] = table.shared[order[first]]
    runner_up[pred[second]] = table.shared[order[second]]
    at_pred = table.row_pred[rows]
    return np.where(best_row[at_pred] == rows, runner_up[at_pred], best[at_pred])
