"""Error analysis: what is wrong with a prediction, and the gain if it is fixed.

:func:`diagnose` answers from a run alone: how much every score rises if all errors of one kind are fixed.
:func:`sensitivity` needs the elements: how much every score changes if all predicted segments grow, shrink or
move by one.
"""
