"""Alignment: which true and predicted segments belong together.

:func:`~segmetry.alignments.align` picks rows of an overlap table by a rule. On disjoint segments a rule may
guarantee that the result is one-to-one; when segments overlap no rule does, so every alignment is checked and
``resolve=`` selects how a clash is resolved.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.alignments.align_table import align as align
    from segmetry.alignments.alignment import Alignment as Alignment, Pair as Pair, clash_error as clash_error
    from segmetry.alignments.alignment import marks as marks
    from segmetry.alignments.breakdown import Breakdown as Breakdown, ByColumn as ByColumn, BySize as BySize
    from segmetry.alignments.breakdown import as_breakdown as as_breakdown, class_tallies as class_tallies
    from segmetry.alignments.candidates import Candidates as Candidates, MatchRule as MatchRule, RULES as RULES
    from segmetry.alignments.candidates import RuleDeclaration as RuleDeclaration, Selection as Selection
    from segmetry.alignments.candidates import as_rule as as_rule, declare_rule as declare_rule
    from segmetry.alignments.counted_overlaps import CountedOverlaps as CountedOverlaps
    from segmetry.alignments.curves import Curves as Curves, Measure as Measure
    from segmetry.alignments.false_hit_pairs import additional_pairs as additional_pairs, false_hits as false_hits
    from segmetry.alignments.false_hit_pairs import largest_rival as largest_rival
    from segmetry.alignments.pair_errors import KINDS as KINDS, SMALL as SMALL, error_kinds as error_kinds
    from segmetry.alignments.weights import PairThreshold as PairThreshold
    from segmetry.alignments.policy import ALL_CROWDS as ALL_CROWDS, COCO as COCO, Policy as Policy
    from segmetry.alignments.policy import as_policy as as_policy, candidates_of as candidates_of
    from segmetry.alignments.policy import checked_classes as checked_classes, counted_sizes as counted_sizes
    from segmetry.alignments.policy import ignored as ignored, void_policy as void_policy
    from segmetry.alignments.rule_bounds import attains_bound as attains_bound, iou_lower_bound as iou_lower_bound
    from segmetry.alignments.rule_labels import rule_heading as rule_heading, rule_symbol as rule_symbol
    from segmetry.alignments.rules.assignment import greedy as greedy, largest_overlap as largest_overlap
    from segmetry.alignments.rules.assignment import maximum_weight as maximum_weight
    from segmetry.alignments.rules.local import Inequality as Inequality, LocalRule as LocalRule, ONE as ONE
    from segmetry.alignments.rules.local import ZERO as ZERO, coverage as coverage, dice as dice, iou as iou
    from segmetry.alignments.rules.local import mutual_coverage as mutual_coverage, theta_and as theta_and
    from segmetry.alignments.rules.local import theta_plus as theta_plus, tversky as tversky
    from segmetry.alignments.segment_table import segment_rows as segment_rows
    from segmetry.alignments.tally import Tally as Tally, add_tallies as add_tallies
    from segmetry.alignments.weights import WEIGHTS as WEIGHTS, argsort_descending as argsort_descending
    from segmetry.alignments.weights import quotient as quotient, weigh as weigh
else:
    __getattr__, __dir__ = names_on_demand(__name__)
