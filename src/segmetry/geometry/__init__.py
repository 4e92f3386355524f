"""The geometry of segments and of matched pairs: bounding boxes, contours, distances between surfaces.

>>> from segmetry.geometry.matched_shapes import matched_shapes
>>> shapes = matched_shapes([[1, 1, 1, 0]], [[0, 1, 1, 0]])
>>> shapes.hausdorff().tolist(), shapes.weights("hausdorff", furthest=2).tolist()
([1.0], [0.5])
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.geometry.band_overlaps import band_width, banded_masks, contour_band, outside_label
    from segmetry.geometry.block_geometry import label_geometry
    from segmetry.geometry.class_shapes import ClassShapes
    from segmetry.geometry.lesions import Lesion, lesions_by_class
    from segmetry.geometry.class_shapes import class_masks, void_elements
    from segmetry.geometry.matched_shapes import MatchedShapes
    from segmetry.geometry.segment_shapes import skeleton
    from segmetry.geometry.segment_shapes import BoxArray, Mask, redrawn, shapes_of, trimmed, union_of
    from segmetry.geometry.surface_statistics import squares_within, weighted_distances
else:
    __getattr__, __dir__ = names_on_demand(__name__)
