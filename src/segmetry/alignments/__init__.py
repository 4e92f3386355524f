"""Alignment: which true and predicted segments belong together.

:func:`~segmetry.alignments.align.align` picks rows of an overlap table by a rule. On disjoint segments a rule may
guarantee that the result is one-to-one; when segments overlap no rule does, so every alignment is checked and
``resolve=`` selects how a clash is resolved.
"""
