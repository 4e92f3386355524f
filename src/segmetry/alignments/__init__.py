"""Alignment: which true and predicted segments belong together.

:func:`~segmetry.alignments.align` picks rows of an overlap table by a rule. On disjoint segments a rule may
guarantee that the result is one-to-one; when segments overlap no rule does, so every alignment is checked and
``resolve=`` selects how a clash is resolved.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.alignments.align_table import align
    from segmetry.alignments.alignment import Alignment, Pair, clash_error, marks
    from segmetry.alignments.breakdown import Breakdown, ByColumn, BySize, as_breakdown, class_tallies
    from segmetry.alignments.candidates import RULES, Candidates, MatchRule, RuleDeclaration, Selection, as_rule
    from segmetry.alignments.candidates import declare_rule
    from segmetry.alignments.counted_overlaps import CountedOverlaps
    from segmetry.alignments.curves import Curves, Measure
    from segmetry.alignments.pair_errors import additional_pairs, false_hits, false_hits_up_to, largest_rival
    from segmetry.alignments.pair_errors import KINDS, SMALL, error_kinds
    from segmetry.alignments.policy import ALL_CROWDS, COCO, POLICIES, Policy, as_policy, candidates_of, checked_classes
    from segmetry.alignments.policy import counted_sizes, ignored, void_policy
    from segmetry.alignments.curves import attains_bound, iou_lower_bound
    from segmetry.alignments.rule_labels import rule_heading, rule_symbol
    from segmetry.alignments.rules.assignment import greedy, largest_overlap, maximum_weight
    from segmetry.alignments.rules.local import ONE, ZERO, Inequality, LocalRule, coverage, dice, iou, mutual_coverage
    from segmetry.alignments.rules.local import theta_and, theta_plus, tversky
    from segmetry.alignments.segment_table import segment_rows
    from segmetry.alignments.tally import Tally, add_tallies
    from segmetry.alignments.weights import TVERSKY, WEIGHTS, PairThreshold, argsort_descending, formula_of, quotient
    from segmetry.alignments.weights import weigh
else:
    __getattr__, __dir__ = names_on_demand(__name__)
