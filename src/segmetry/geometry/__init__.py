"""Geometry of matched pairs: pair segments by one function, weigh the pairs by another.

>>> from segmetry.geometry.matched_shapes import matched_shapes
>>> shapes = matched_shapes([[1, 1, 1, 0]], [[0, 1, 1, 0]])
>>> shapes.hausdorff().tolist(), shapes.weights("hausdorff", furthest=2).tolist()
([1.0], [0.5])
"""
