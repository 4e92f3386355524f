"""Labels with coordinates, such as a DataArray of xarray: the spacing follows from evenly spaced coordinates.

An object with ``coords`` is taken for one; xarray is not imported.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from segmetry.errors import DataWarning
from segmetry.segmentation.spacing import SAME, Spacing, unit_symbol


def spacing_of_coordinates(labels: Any) -> Spacing | None:
    """Return the spacing of labels with numeric coordinates along every axis; None where it is not known.

    Axes without coordinates, of one element, or of times have no spacing. Uneven coordinates are a warning: distances
    are then counted in elements.
    """
    steps, units = [], set()
    for name in labels.dims:
        if name not in labels.coords or labels.sizes[name] < 2:
            return None
        coordinate = labels.coords[name]
        positions = np.asarray(coordinate.data)
        if positions.dtype.kind not in "iuf":
            return None
        differences = np.abs(np.diff(positions.astype(float)))
        step = float(differences.mean())
        if step == 0 or not np.allclose(differences, step, rtol=SAME, atol=0):
            warnings.warn(
                f"the coordinates {name} of the labels are not evenly spaced, so distances are counted in elements",
                DataWarning,
                stacklevel=2,
            )
            return None
        steps.append(step)
        units.add(unit_symbol(str(coordinate.attrs.get("units", ""))))
    return Spacing(steps, units.pop() if len(units) == 1 else None)
