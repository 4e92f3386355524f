"""The size of the elements of a TIFF image, from what OME and ImageJ write into it.

The resolution tags alone are not used: most programs write 72 dots per inch whatever the image shows.
"""

from __future__ import annotations

import math
import re
from typing import Any

from segmetry.segmentation.spacing import Spacing, unit_symbol

_PIXELS = re.compile(r"<(?:\w+:)?Pixels\b[^>]*>")
_ATTRIBUTE = re.compile(r"(\w+)\s*=\s*[\"']([^\"']*)[\"']")
_X_RESOLUTION, _Y_RESOLUTION = 282, 283


def spacing_of_tiff(page: Any, axes: int) -> Spacing | None:
    """Return the size of an element of an image (y, x) or a volume (z, y, x); None if the file does not state it."""
    description = str(page.description or "")
    if "<OME" in description[:4096] or "<ome:OME" in description[:4096]:
        return _of_ome(description, axes)
    if description.startswith("ImageJ="):
        return _of_imagej(description, page, axes)
    return None


def _of_ome(description: str, axes: int) -> Spacing | None:
    """Return the attributes PhysicalSize of the only element Pixels, in micrometres unless they state another unit."""
    images = _PIXELS.findall(description)
    if len(images) != 1:
        return None
    stated = dict(_ATTRIBUTE.findall(images[0]))
    if axes == 3 and (stated.get("SizeT", "1"), stated.get("SizeC", "1")) != ("1", "1"):
        return None  # the first axis is time or channels
    names = ("Z", "Y", "X")[-axes:]
    steps = [_positive(stated.get(f"PhysicalSize{name}")) for name in names]
    units = {unit_symbol(stated.get(f"PhysicalSize{name}Unit", "µm")) for name in names}
    return _spacing(steps, units.pop() if len(units) == 1 else None)


def _of_imagej(description: str, page: Any, axes: int) -> Spacing | None:
    """Return pixels per unit of the resolution tags inverted, and the lines ``unit`` and ``spacing``."""
    lines = (line.partition("=") for line in description.splitlines())
    stated = {name.strip(): value.strip() for name, _, value in lines}
    if axes == 3 and "frames" in stated:
        return None
    steps = [_inverse(page, _Y_RESOLUTION), _inverse(page, _X_RESOLUTION)]
    if axes == 3:
        steps.insert(0, _positive(stated.get("spacing")))
    return _spacing(steps, unit_symbol(stated.get("unit", "")))


def _spacing(steps: list[float | None], unit: str | None) -> Spacing | None:
    known = [step for step in steps if step is not None]
    return Spacing(known, unit) if unit is not None and len(known) == len(steps) > 1 else None


def _positive(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return number if 0 < number < math.inf else None


def _inverse(page: Any, tag: int) -> float | None:
    entry = page.tags.get(tag)
    value = None if entry is None else entry.value
    if not (isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, int) and part > 0 for part in value)):
        return None
    return float(value[1] / value[0])
