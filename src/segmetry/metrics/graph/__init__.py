"""Metrics of the graph of overlapping segments: splits, merges, partial detections.

Edges join a true and a predicted segment that overlap enough. Where a rule does not make them one-to-one, a true
segment with several edges is split, a predicted one with several is a merge. These metrics come from the analysis of
documents and of object detection, where a split or a merge is a smaller error than a miss.

* ``splits_and_merges``: how many there are under any rule [chazalon2021revisiting].
* ``deteval``: precision and recall that accept splits and merges with a penalty [wolf2006object], or that give credit
  for fragments and parts of an object [ponttuset2016supervised].
* ``zonemap``: the area of all errors of the groups that the strongest links form [galibert2014zonemap].
"""
