"""The tallies of an alignment by class: a pair goes with its true segment, a segment without a partner with itself."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally


def class_tallies(alignment: Alignment) -> dict[Hashable, Tally]:
    """Return the tally of every class that occurs; empty where the segments carry no classes.

    >>> import segmetry as sm
    >>> side = sm.LabelArray([1, 1, 2], classes={1: "sky", 2: "car"})
    >>> class_tallies(sm.align(sm.overlap(side, side)))
    {'car': Tally(1 pairs, 0 missed, 0 spurious), 'sky': Tally(1 pairs, 0 missed, 0 spurious)}
    """
    table = alignment.table
    if table.class_names is None:
        return {}
    n = len(table.class_names)
    true, pred = table.true.class_codes, table.pred.class_codes
    code = true[alignment.at_true]
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(n + 1)).tolist()
    missed = np.bincount(true[alignment.missed_true], minlength=n).tolist()
    spurious = np.bincount(pred[alignment.spurious_pred], minlength=n).tolist()
    whole, tallies = alignment.tally, {}
    for at, name in enumerate(table.class_names):
        rows = order[starts[at] : starts[at + 1]]
        if rows.size or missed[at] or spurious[at]:
            counts = whole.shared[rows], whole.missed[rows], whole.spurious[rows]
            tallies[name] = Tally(*counts, missed[at], spurious[at], whole.rule, clash=whole.clash)
    return tallies
