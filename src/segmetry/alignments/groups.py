"""An alignment cut into many groups at once: the tally of each, in one pass."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally


def grouped_tallies(
    alignment: Alignment, of_true: NDArray[np.integer], of_pred: NDArray[np.integer], count: int
) -> list[Tally]:
    """The tallies of the groups 0 … count-1: pairs and missed segments by the group of their true segment, spurious
    ones by their own. A segment of another group is left out.

    >>> import segmetry as sm
    >>> alignment = sm.align(sm.overlap([[1, 1, 2, 3]], [[1, 1, 2, 4]]))
    >>> grouped_tallies(alignment, np.array([0, 1, 1]), np.array([0, 0, -1]), 2)
    [Tally(1 pairs, 0 missed, 0 spurious), Tally(2 pairs, 0 missed, 0 spurious)]
    """
    group = of_true[alignment.at_true]
    order = np.argsort(group, kind="stable")
    cuts = np.searchsorted(group[order], np.arange(count + 1)).tolist()
    shared, missed, spurious = (c[order] for c in (alignment.shared, alignment.missed, alignment.spurious))
    iou = alignment.iou[order].tolist()
    lost, extra = _counts(of_true[alignment.missed_true], count), _counts(of_pred[alignment.spurious_pred], count)
    clash = alignment.tally.clash
    found = []
    for at, (start, stop) in enumerate(pairwise(cuts)):
        part = slice(start, stop)
        tally = Tally(shared[part], missed[part], spurious[part], lost[at], extra[at], alignment.rule, clash=clash)
        tally.__dict__["iou_sum"] = math.fsum(iou[part])  # what the cached property would compute
        found.append(tally)
    return found


def _counts(groups: NDArray[np.integer], count: int) -> list[int]:
    """How often each group occurs."""
    counts: list[int] = np.bincount(groups[(groups >= 0) & (groups < count)], minlength=count).tolist()
    return counts
