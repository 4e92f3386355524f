"""Area, box and perimeter of all segments, against scikit-image. Run: python bench/geometry.py"""

from __future__ import annotations

from functools import partial

import numpy as np
from segments import Case, picture, show

from segmetry.kernels.geometry import segment_geometry


def cases() -> list[Case]:
    from skimage.measure import regionprops

    labels = picture()

    def peer() -> list[float]:
        return [region.perimeter for region in regionprops(labels)]

    found = []
    for dtype in ("uint8", "int32", "int64"):
        array = labels.astype(dtype)
        found.append(Case(f"geometry {dtype} against regionprops perimeter", partial(segment_geometry, array), peer))
    fortran = np.asfortranarray(labels)
    found.append(Case("geometry int32, columns contiguous", partial(segment_geometry, fortran), peer))
    return found


if __name__ == "__main__":
    show(cases())
