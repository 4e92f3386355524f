"""The families of metrics in the order in which tables, JSON, the report and the documentation show them."""

from __future__ import annotations

from collections.abc import Mapping

FAMILIES: Mapping[str, str] = {
    "panoptic": "Panoptic quality",
    "alignments": "Properties of an alignment",
    "curves": "Scores at a threshold",
    "instances": "Cells, leaves and other instances",
    "detection": "Detections with scores",
    "semantic": "Classes of elements",
    "regions": "Regions",
    "graph": "Splits and merges",
    "clustering": "Clustering",
    "geometry": "Boundaries and surfaces of shapes",
    "lesions": "Lesions",
    "windows": "Sliding windows over a line",
    "boundaries": "Boundaries on a line",
    "time": "Speech, sound and music",
    "labelled": "Labelled spans of a line",
    "agreement": "Agreement between annotators",
    "video": "Video",
}
"""Title by name. A family of a plug-in that is not listed comes after these, by its name."""


def family_order(family: str) -> tuple[int, str]:
    """Return the sort key of a family.

    >>> sorted(["mine", "video", "panoptic"], key=family_order)
    ['panoptic', 'video', 'mine']
    """
    names = list(FAMILIES)
    return (names.index(family) if family in FAMILIES else len(names), family)


def family_title(family: str) -> str:
    """Return the heading of a family.

    >>> family_title("graph"), family_title("mine")
    ('Splits and merges', 'Mine')
    """
    return FAMILIES.get(family, family.capitalize())
