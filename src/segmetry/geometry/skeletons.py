"""Skeletons of masks: thin curves along the middle of tubes, by scikit-image (the extra ``skeleton``).

Images are thinned as [zhang1984fast], volumes as [lee1994building]. Thinning depends on the order in which elements are
visited, so a mask is thinned as it is, not cropped. A small block, such as 2 × 2 × 2 voxels, may have no skeleton.
"""

from __future__ import annotations

import numpy as np

from segmetry._base.optional import import_optional
from segmetry.geometry.segment_shapes import Mask


def skeleton(mask: Mask) -> Mask:
    """Return the skeleton of a mask with two or three axes.

    >>> skeleton(np.ones((5, 5), dtype=bool)).sum() < 5
    np.True_
    """
    morphology = import_optional("skimage.morphology", "skeletons of masks", "skeleton")
    method = "zhang" if mask.ndim == 2 else "lee"
    return np.asarray(morphology.skeletonize(mask, method=method), dtype=bool)
