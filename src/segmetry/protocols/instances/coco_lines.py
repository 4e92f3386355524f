"""The lines that COCOeval and LVISEval print: precision or recall, thresholds, area, number of detections."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from segmetry.protocols.grid import Heading, Level


def coco_line(options: Mapping[str, Any], *, value: str, classes: str = "") -> str:
    """Return a line as COCOeval writes it, for the options of a metric.

    >>> coco_line({"thresholds": None, "size": "small", "max_detections": 100}, value="AP")
    'AP @[ IoU=0.50:0.95 | area= small | maxDets=100 ]'
    """
    group = f" | catIds= {classes}" if classes else ""
    area = _area(options["size"])
    return f"{value} @[ IoU={_thresholds(options)} | area={area:>6} | maxDets={options['max_detections']:>3}{group} ]"


def _thresholds(options: Mapping[str, Any]) -> str:
    thresholds = options["thresholds"]
    if options.get("rule") is not None:
        return str(options["rule"])
    if thresholds is None:
        return "0.50:0.95"
    if not isinstance(thresholds, list | tuple):
        return f"{_decimal(thresholds):<9}"
    return _decimal(thresholds[0]) if len(thresholds) == 1 else f"{_decimal(thresholds[0])}:{_decimal(thresholds[-1])}"


def _decimal(threshold: Any) -> str:
    return f"{float(Fraction(str(threshold))):.2f}"


def _area(size: Any) -> str:
    if size is None or isinstance(size, str):
        return size or "all"
    return f"{size[0]:g}-{size[1]:g}"


def line_heading(text: str, key: str, *, group: str | None = None, classes: str = "") -> Heading:
    """Return the row of a metric, of all classes or of a group: its short name, and its line."""
    level: Level | None = None if group is None else "group"
    write = partial(coco_line, value=text[:2], classes=classes)
    return Heading(text, level=level, name=group, key=key, average="by_class", line=write, optional=group is not None)
