"""What is wrong with a prediction, and what mending it would give.

:func:`diagnose` answers from a run alone: how much every score rises if all errors of one kind are repaired.
:func:`sensitivity` needs the elements: how much every score changes if all predicted segments grow, shrink or
move by one.
"""
