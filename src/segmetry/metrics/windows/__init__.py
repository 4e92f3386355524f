"""Sliding-window metrics of linear segmentations: Pk, WindowDiff and successors.

Elements 0 … n−1 have a gap before each but the first; a segmentation is the set of gaps with a boundary. A window is k
consecutive gaps, by default half the mean length of a true segment, and a metric compares the numbers of boundaries
c_T and c_H in it, so that a near miss is an error in few windows only. In a partial segmentation every maximal gap
between spans is read as a segment (P*).

* Pk: only one side has a boundary [beeferman1999statistical].
* WindowDiff: the numbers differ [pevzner2002critique].
* Pr_error: too few, or too many, by themselves [georgescul2006analysis].
* WinPR: precision and recall of what the windows count [scaiano2012getting].

Pk, WindowDiff and Pr_error are errors: 0 is perfect. ``sliding_windows`` sums them in one sweep over the boundaries.
"""
