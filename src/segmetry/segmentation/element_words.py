"""What the elements of a segmentation are called: the unit of sizes in tables."""

from __future__ import annotations

_BY_AXES = {2: "pixels", 3: "voxels"}


def element_word(kind: str | None, axes: int | None) -> str:
    """Return the unit of sizes: pixels and voxels of label arrays and masks, area of polygons, else elements.

    >>> element_word("labels", 2), element_word("labels", 3), element_word("spans", None)
    ('pixels', 'voxels', 'elements')
    """
    if kind == "polygons":
        return "area"
    return _BY_AXES.get(axes or 0, "elements") if kind in ("labels", "masks") else "elements"
