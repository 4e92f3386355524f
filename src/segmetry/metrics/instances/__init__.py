"""Metrics of instances in microscopy, plant science and pathology.

The communities of cells, leaves and nuclei match segments with rules of their own, and their programs disagree on
equal names. At an IoU threshold, pairs are matched one to one: as many as possible, then the largest sum of IoUs.

* ``segment_scores``: accuracy TP/(TP + FP + FN), which StarDist, Cellpose and the Data Science Bowl call average
  precision, F1, precision, recall and PQ at thresholds [schmidt2018cell, stringer2021cellpose, caicedo2019nucleus];
  the area under that accuracy over all thresholds [chen2023sortedap].
* ``aggregated_jaccard``: AJI in four readings, AJI+, and PQ of nuclei [kumar2017dataset, graham2019hovernet]; symmetric
  best Dice of leaves, ensemble Dice of nuclei [scharr2016leaf, vu2019methods]; SEG and DET of the Cell Tracking
  Challenge [maska2014benchmark, matula2015cell].

Without a segment on either side a value is undefined; ``empty=`` is the number that a program writes there.
"""
