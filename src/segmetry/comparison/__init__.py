"""Compare runs of several systems on the same truth, from their run files alone.

:func:`~segmetry.comparison.compare.compare` gives differences with intervals, paired permutation tests, items won and
lost and the stability of the ranking; :func:`~segmetry.comparison.rule_sensitivity.rule_sensitivity` says whether the
ranking depends on the alignment rule; :func:`~segmetry.comparison.two_alignments.two_alignments` compares two rules on
one run.
"""
