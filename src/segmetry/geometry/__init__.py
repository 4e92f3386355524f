"""Geometry of matched pairs: pair segments by one function, weigh the pairs by another.

>>> import segmetry as sm
>>> shapes = matched_shapes([[1, 1, 1, 0]], [[0, 1, 1, 0]])
>>> shapes.hausdorff().tolist(), shapes.weights("hausdorff", furthest=2).tolist()
([1.0], [0.5])
"""

from __future__ import annotations

from segmetry.geometry.matched import MatchedShapes, matched_shapes

__all__ = ["MatchedShapes", "matched_shapes"]
