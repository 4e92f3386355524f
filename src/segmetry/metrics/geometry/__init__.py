"""Metrics of the shapes of segments and classes: contours, surfaces, skeletons, topology.

Distances are between element centres, in the units of ``spacing``. The *surface* of a segment are its elements with a
neighbour along an axis that is not in it. A distance needs both sides: what a missed or spurious segment costs is
``missing=``, which by default leaves it out, so that a distance must be read together with recall.

* ``surface_distances``: Hausdorff, 95 % Hausdorff, average surface distance, surface Dice of matched pairs.
* ``class_distances``: the same of whole classes without matching, as medical images are scored.
* ``boundary_iou``: IoU and PQ in bands along contours [cheng2021boundary], mean IoU in a trimap [kohli2009robust].
* ``class_boundaries``: the BF score [csurka2013good]; boundaries of superpixels [stutz2018superpixels].
* ``betti_error``: numbers of parts, holes and cavities [hu2019topology]; clDice of tubes [shit2021cldice].
"""
