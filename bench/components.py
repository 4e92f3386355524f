"""Connected components of binary images and volumes, against scipy and cc3d."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.cases import Contest, Limit, call_of, case, optional
from bench.shapes import cells
from segmetry.kernels.components import label_components

SCIPY, CC3D = "scipy.ndimage.label", "cc3d.connected_components"


def _contest(mask: NDArray[Any], neighbours: int) -> Contest:
    label = optional("scipy.ndimage", "label")
    structure = optional("scipy.ndimage", "generate_binary_structure")
    components = optional("cc3d", "connected_components")

    def by_scipy() -> Any:
        return label(mask, structure(mask.ndim, mask.ndim))

    def by_cc3d() -> Any:
        return components(mask, connectivity=neighbours)

    return Contest(
        lambda: label_components(mask, neighbours),
        {SCIPY: call_of(label and by_scipy), CC3D: call_of(components and by_cc3d)},
    )


@case("1024×2048 uint8, 400 cells, every third missing", Limit(SCIPY, at_least=2), Limit(CC3D))
def image() -> Contest:
    return _contest((cells((1024, 2048), 400, seed=2) % 3 > 0).astype(np.uint8), 8)


@case("Fortran order, 96×256×256 uint8, stacked cells", Limit(SCIPY, at_least=2), Limit(CC3D))
def volume() -> Contest:
    plane = cells((256, 256), 60, seed=3) % 3 > 0
    return _contest(np.asfortranarray(np.stack([np.roll(plane, at, axis=1) for at in range(96)]).astype(np.uint8)), 26)
