"""Boundary metrics of linear segmentations: matching with a tolerance, edit distance, alignment index.

A boundary is a gap between two elements where a segment begins; the ends of the line are none. In a partial
segmentation every maximal gap between spans is read as a segment (P*).

* ``matched_boundaries``: precision, recall and F1 of boundaries matched one to one within a tolerance; the least cost
  of inserting, deleting and shifting boundaries [bookstein2002generalized]; Jaccard indices of segments and those that
  cover them most [diaz2022alignment].
* ``boundary_edit``: similarities B and S from additions and transpositions [fournier2013evaluating].
* ``point_matching``: the matchings of points on a line that they share.
"""
