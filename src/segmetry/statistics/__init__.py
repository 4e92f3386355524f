"""From many items to one summary, and how far it can be trusted: means and pooled counts, confidence intervals,
permutation tests, ranks.
"""
