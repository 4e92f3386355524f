"""Alignment rules: which pairs of a true and a predicted segment are matched.

``sm.align(table, rule)``, every metric that counts segments and ``--rule`` take a rule, or the same in writing:
``sm.rules.iou(at_least=0.5)`` is ``"iou(at_least=0.5)"``. ``segmetry rules`` lists them with their guarantees; other
packages declare their own with :func:`segmetry.plugins.declare_rule`.

Local rules decide on each pair by its shared, missed and spurious elements; thresholds are decimals or fractions and
compared exactly, ``above=`` with > and ``at_least=`` with ≥. A local rule that may give a segment two partners
(IoU ≥ 1/2, or any threshold below) needs ``resolve="assign"`` or ``resolve="keep"``; :func:`maximum_weight` and
:func:`greedy` resolve by themselves.

>>> import segmetry as sm
>>> true, pred = [[1, 1, 2, 2]], [[1, 1, 2, 3]]
>>> sm.pq(true, pred, rule=sm.rules.iou(at_least=1)).value, sm.pq(true, pred, rule="maximum_weight(at_least=1/2)").value
(0.4, 0.6)
"""

from __future__ import annotations

from segmetry.alignments import (
    coverage,
    dice,
    greedy,
    iou,
    largest_overlap,
    maximum_weight,
    mutual_coverage,
    theta_and,
    theta_plus,
    tversky,
)

__all__ = [
    "coverage",
    "dice",
    "greedy",
    "iou",
    "largest_overlap",
    "maximum_weight",
    "mutual_coverage",
    "theta_and",
    "theta_plus",
    "tversky",
]
