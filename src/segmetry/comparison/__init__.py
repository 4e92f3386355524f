"""Compare runs of several systems on the same truth, from their run files alone.

:func:`~segmetry.comparison.compare` gives differences with intervals, paired permutation tests, items won and
lost and the stability of the ranking; :func:`~segmetry.comparison.rule_sensitivity` says whether the
ranking depends on the alignment rule; :func:`~segmetry.comparison.two_alignments` compares two rules on
one run.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.comparison.across_metrics import AcrossMetrics
    from segmetry.comparison.annotator_matrix import DEFAULT_METRICS, AgreementMatrix, agreement_matrix
    from segmetry.comparison.compare_runs import Comparison, compare
    from segmetry.comparison.comparison_tables import better_word, class_differences_table, comparison_markdown
    from segmetry.comparison.comparison_tables import comparison_table
    from segmetry.comparison.comparison_tables import differences_table, intervals_table, legend, lower_is_better
    from segmetry.comparison.comparison_tables import outcomes_table, pairs_table, ranking_table, rules_table
    from segmetry.comparison.comparison_tables import two_rules_tables, undefined_in_comparison, undefined_in_intervals
    from segmetry.comparison.comparison_tables import undefined_under_rules
    from segmetry.comparison.gates import Gate, failed_bounds, failed_differences
    from segmetry.comparison.paper_tables import (
        SPREADS,
        across_table,
        across_words,
        cases_needed,
        cases_table,
        cautions,
    )
    from segmetry.comparison.paper_tables import margins, margins_table, metric_heading, rank_text
    from segmetry.comparison.paper_tables import methods_sentences
    from segmetry.comparison.paper_tables import rank_test_table, systems_records, systems_table
    from segmetry.comparison.ranking_by_rule import RULES, RuleSensitivity, rule_sensitivity
    from segmetry.comparison.comparison_tables import level_heading
    from segmetry.comparison.systems import SETTINGS
    from segmetry.comparison.rules_of_run import TwoOfRun, two_alignments
    from segmetry.comparison.several_rules import ItemScores, UnderRule, document, under_rules
    from segmetry.comparison.verdict import is_certain, verdict_sentence
else:
    __getattr__, __dir__ = names_on_demand(__name__)
