"""What follows from a run: every score of its items and of the data set, under any rule.

:class:`~segmetry.run.run.Run` reads the overlaps and stored scores from a run file (:mod:`segmetry.runfile`).
"""
