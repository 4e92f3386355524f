"""Match predictions to truths one after the other, and evaluate precision at given recalls: the two steps of average
precision [lin2014microsoft].

Both take numbers only (overlaps, scores' order, flags), never masks, so they serve masks, boxes and tubes alike. Every
function has a numpy twin with the suffix ``_numpy`` and bit-identical results.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from segmetry._base import BoolArray, FloatArray, IntArray
from segmetry.kernels.backend import native

MOST_THRESHOLD = 1 - 1e-10
"""The largest threshold of the reference, so that rounding does not lose a perfect pair."""
MISS, HIT, IGNORED = 0, 1, 2
"""The outcomes of a prediction."""

PartnerColumns = NDArray[np.int32]
OutcomeColumns = NDArray[np.uint8]


def match_greedily(
    starts: IntArray,
    truths: IntArray,
    overlaps: FloatArray,
    *,
    ignored: BoolArray,
    reusable: BoolArray,
    thresholds: FloatArray,
) -> PartnerColumns:
    """Return the truth each prediction (a row) is matched to under each threshold (a column), -1 where there is none.

    Predictions come in the order in which they choose. Those of prediction ``i`` are the rows ``starts[i] :
    starts[i + 1]`` of ``truths``, in ascending order, and ``overlaps``. A prediction takes the free truth of the
    largest overlap that is at least the threshold (equal overlaps: the last one); an ``ignored`` truth only if there is
    no other. A ``reusable`` truth (a crowd) stays free.

    >>> match_greedily(
    ...     np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([0.6, 0.9, 0.8]),
    ...     ignored=np.zeros(2, bool), reusable=np.zeros(2, bool), thresholds=np.array([0.5]),
    ... ).tolist()
    [[1], [-1]]
    """
    columns = (
        np.ascontiguousarray(starts, np.int64),
        np.ascontiguousarray(truths, np.int64),
        np.ascontiguousarray(overlaps, np.float64),
        np.ascontiguousarray(ignored, np.bool_),
        np.ascontiguousarray(reusable, np.bool_),
        np.ascontiguousarray(thresholds, np.float64),
    )
    out = np.empty((len(starts) - 1, len(thresholds)), dtype=np.int32)
    (match_greedily_numpy if native is None else native.match_greedily)(*columns, out)
    return out


def match_greedily_numpy(
    starts: IntArray,
    truths: IntArray,
    overlaps: FloatArray,
    ignored: BoolArray,
    reusable: BoolArray,
    thresholds: FloatArray,
    out: PartnerColumns,
) -> None:
    """The numpy twin: it writes into ``out``."""
    edges, at_true, weights = starts.tolist(), truths.tolist(), overlaps.tolist()
    is_ignored, is_reusable = ignored.tolist(), reusable.tolist()
    for column, threshold in enumerate(thresholds.tolist()):
        taken = [False] * len(is_ignored)
        for pred in range(len(edges) - 1):
            best = {False: (min(threshold, MOST_THRESHOLD), -1), True: (min(threshold, MOST_THRESHOLD), -1)}
            for row in range(edges[pred], edges[pred + 1]):
                truth = at_true[row]
                # >= and ascending truths: of equal overlaps the last one stays, as in pycocotools.
                if not taken[truth] and weights[row] >= best[is_ignored[truth]][0]:
                    best[is_ignored[truth]] = weights[row], truth
            partner = best[False][1] if best[False][1] >= 0 else best[True][1]
            out[pred, column] = partner
            if partner >= 0:
                taken[partner] = not is_reusable[partner]


def precision_at_recalls(
    outcomes: OutcomeColumns, starts: IntArray, n_true: IntArray, recalls: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return precision (classes × thresholds × recalls) and the largest recall (classes × thresholds).

    ``outcomes`` has one row per prediction, in descending order of score within a class, and one column per threshold;
    the predictions of class ``c`` are ``starts[c] : starts[c + 1]``, its truths ``n_true[c]``, at least one. Precision
    is the best at a recall or beyond, 0 where the recall is not reached; ignored predictions do not count.

    >>> hits = np.array([[HIT], [MISS], [HIT]], dtype=np.uint8)
    >>> precision, recall = precision_at_recalls(hits, np.array([0, 3]), np.array([2]), np.array([0.0, 0.5, 1.0]))
    >>> precision.round(3).tolist(), recall.tolist()
    ([[[1.0, 1.0, 0.667]]], [[1.0]])
    """
    shape = (len(n_true), outcomes.shape[1])
    precision, recall = np.empty((*shape, len(recalls))), np.empty(shape)
    columns = (
        np.ascontiguousarray(outcomes, np.uint8),
        np.ascontiguousarray(starts, np.int64),
        np.ascontiguousarray(n_true, np.int64),
        np.ascontiguousarray(recalls, np.float64),
    )
    (precision_at_recalls_numpy if native is None else native.precision_at_recalls)(*columns, precision, recall)
    return precision, recall


def precision_at_recalls_numpy(
    outcomes: OutcomeColumns,
    starts: IntArray,
    n_true: IntArray,
    recalls: FloatArray,
    precision: FloatArray,
    recall: FloatArray,
) -> None:
    """The numpy twin: it writes into ``precision`` and ``recall``."""
    for name, count in enumerate(n_true.tolist()):
        for column, outcome in enumerate(outcomes[starts[name] : starts[name + 1]].T):
            hit = outcome[outcome != IGNORED] == HIT
            hits = np.arange(1, int(np.count_nonzero(hit)) + 1)
            values = hits / (np.flatnonzero(hit) + 1)
            # The envelope: precision at a recall is the best at that recall or beyond; 0 beyond the last.
            best = np.append(np.maximum.accumulate(values[::-1])[::-1], 0.0)
            precision[name, column] = best[np.searchsorted(hits / count, recalls)]
            recall[name, column] = hits.size / count
