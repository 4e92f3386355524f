"""Metrics of labelled time: turns of speakers, sound events, sections of music, change points.

Times are whole ticks, and durations exact fractions of a second. Labels are arbitrary names for speakers and sections,
which a one-to-one map or a clustering compares, and the same on both sides for sound events. What a reference rounds
(md-eval, sed_eval, mir_eval) is an option, and exact is the default.

* ``diarization_error``: DER and JER of speakers [fiscus2006rich, ryant2019second].
* ``event_scores``: F1 and error rate of sound events and of segments of equal length [mesaros2016metrics].
* ``hit_rates``: boundaries of musical sections within half a second and three seconds [turnbull2007supervised]; change
  points of a series with several annotators [vandenburg2020evaluation].
* ``label_pairs``: sections compared as a clustering of time by label [levy2008structural, lukashevich2008towards].
* ``hierarchy_measures``: T- and L-measures of several levels of sections [mcfee2015hierarchical].
"""
