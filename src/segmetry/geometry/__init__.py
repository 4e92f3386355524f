"""The geometry of segments and of matched pairs: bounding boxes, contours, distances between surfaces.

>>> from segmetry.geometry.matched_shapes import matched_shapes
>>> shapes = matched_shapes([[1, 1, 1, 0]], [[0, 1, 1, 0]])
>>> shapes.hausdorff().tolist(), shapes.weights("hausdorff", furthest=2).tolist()
([1.0], [0.5])
"""
