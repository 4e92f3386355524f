"""From many items to one summary, and how far it can be trusted: three averages, confidence intervals,
permutation tests, ranks.
"""
