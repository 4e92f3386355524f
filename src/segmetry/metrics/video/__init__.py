"""Video metrics: quality of tubes and tracks, of images and of point clouds.

A video is a label array whose first axis is time; a label is the same object in every frame: a tube, or a track. Sums
of classes are added over all videos before a formula is taken, as the references do.

* ``video_panoptic_quality``: VPQ, PQ of the tubes in windows of frames [kim2020video]; STQ, the geometric mean of
  association and segmentation quality [weber2021step].
* ``higher_order_tracking``: HOTA and its parts [luiten2021hota], MOTSA [voigtlaender2019mots], IDF1
  [ristani2016performance], as TrackEval computes them.
* ``video_objects``: J and F of DAVIS [perazzi2016benchmark].
* ``lidar_panoptic``: PQ, LSTQ and PAT of point clouds [behley2021panoptic, aygun2021panoptic, fong2022panoptic].
"""
