"""Scored detections: average precision and recall of masks and boxes, as COCO and LVIS evaluate them.

Predictions are matched in descending order of score, each with the true mask of its class that it overlaps most and
that is still free, at every threshold by itself [lin2014microsoft]. Crowds and masks of another size than the one that
is evaluated are ignored, not missed. Precision at a recall is the best that is reached at that recall or beyond.

* ``average_precision``: AP and AR by threshold, size and number of detections.
* ``detections``: the options of an evaluation, and the columns of an image and of a data set.
* ``precision_recall``: outcomes, curves, and the values of many resamples at once.
* ``scanned_detections``: the columns of all images at once, from files that native code reads.
"""
