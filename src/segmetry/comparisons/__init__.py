"""Which system is better? Runs of several systems on one truth, compared from their run files alone.

:func:`compare` gives differences with intervals, paired permutation tests, items won and lost and the stability of the
ranking; :func:`rule_sensitivity` says whether the ranking depends on the alignment rule; :func:`two_alignments` sets
two rules of one run side by side.
"""

from __future__ import annotations

from segmetry.comparisons.comparison import Comparison, compare
from segmetry.comparisons.difference import Difference
from segmetry.comparisons.one_run import TwoOfRun, two_alignments
from segmetry.comparisons.several_rules import RuleSensitivity, rule_sensitivity

__all__ = [
    "Comparison",
    "Difference",
    "RuleSensitivity",
    "TwoOfRun",
    "compare",
    "rule_sensitivity",
    "two_alignments",
]
