"""Compare runs of several systems on the same truth, from their run files alone.

:func:`~segmetry.comparison.compare` gives differences with intervals, paired permutation tests, items won and
lost and the stability of the ranking; :func:`~segmetry.comparison.rule_sensitivity` says whether the
ranking depends on the alignment rule; :func:`~segmetry.comparison.two_alignments` compares two rules on
one run.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.comparison.annotator_matrix import AgreementMatrix as AgreementMatrix
    from segmetry.comparison.annotator_matrix import DEFAULT_METRICS as DEFAULT_METRICS
    from segmetry.comparison.annotator_matrix import agreement_matrix as agreement_matrix
    from segmetry.comparison.compare_runs import Comparison as Comparison, compare as compare
    from segmetry.comparison.comparison_tables import better_word as better_word
    from segmetry.comparison.comparison_tables import class_differences_table as class_differences_table
    from segmetry.comparison.comparison_tables import comparison_markdown as comparison_markdown
    from segmetry.comparison.comparison_tables import differences_table as differences_table
    from segmetry.comparison.comparison_tables import intervals_table as intervals_table, legend as legend
    from segmetry.comparison.comparison_tables import lower_is_better as lower_is_better
    from segmetry.comparison.comparison_tables import outcomes_table as outcomes_table, pairs_table as pairs_table
    from segmetry.comparison.comparison_tables import ranking_table as ranking_table, rules_table as rules_table
    from segmetry.comparison.comparison_tables import two_rules_tables as two_rules_tables
    from segmetry.comparison.comparison_tables import undefined_in_comparison as undefined_in_comparison
    from segmetry.comparison.comparison_tables import undefined_in_intervals as undefined_in_intervals
    from segmetry.comparison.comparison_tables import undefined_under_rules as undefined_under_rules
    from segmetry.comparison.gates import Gate as Gate, failed_bounds as failed_bounds
    from segmetry.comparison.gates import failed_differences as failed_differences
    from segmetry.comparison.ranking_by_rule import RULES as RULES, RuleSensitivity as RuleSensitivity
    from segmetry.comparison.ranking_by_rule import rule_sensitivity as rule_sensitivity
    from segmetry.comparison.rules_of_run import TwoOfRun as TwoOfRun, two_alignments as two_alignments
    from segmetry.comparison.several_rules import ItemScores as ItemScores, UnderRule as UnderRule, document as document
    from segmetry.comparison.several_rules import under_rules as under_rules
    from segmetry.comparison.verdict import verdict_sentence as verdict_sentence
else:
    __getattr__, __dir__ = names_on_demand(__name__)
