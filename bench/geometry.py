"""Area, bounding box and perimeter of all segments in one pass, against scikit-image."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, call_of, case, optional
from bench.shapes import cells
from segmetry.kernels.segment_measures import segment_geometry

SKIMAGE = "perimeters of skimage.measure.regionprops"


def _contest(labels: NDArray[Any]) -> Contest:
    regionprops = optional("skimage.measure", "regionprops")

    def perimeters() -> list[float]:
        return [region.perimeter for region in regionprops(labels)]

    return Contest(lambda: segment_geometry(labels), {SKIMAGE: call_of(regionprops and perimeters)})


def _picture() -> NDArray[Any]:
    return cells((1024, 2048), 100, seed=1) + 1


@case("1024×2048 int32, 100 segments", Limit(SKIMAGE, at_least=30))
def image() -> Contest:
    return _contest(_picture().astype(np.int32))


@case("1024×2048 int64, 100 segments", Limit(SKIMAGE, at_least=30))
def image_int64() -> Contest:
    return _contest(_picture().astype(np.int64))


@case("Fortran order, 1024×2048 int32, 100 segments", Limit(SKIMAGE, at_least=30))
def fortran() -> Contest:
    return _contest(np.asfortranarray(_picture().astype(np.int32)))
