"""COCO instances and boxes [lin2014microsoft]: the twelve numbers of COCOeval."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from segmetry.protocols.protocol import EachClass, Grid, Heading, Level, ReferenceImplementation, declare
from segmetry.results import NumberStyle


def coco_line(options: Mapping[str, Any], *, value: str, classes: str = "") -> str:
    """Return a line as COCOeval writes it, for the options of a metric."""
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


VALUES = {
    "AP": "average_precision",
    "AP50": "ap50",
    "AP75": "ap75",
    "APs": "ap_small",
    "APm": "ap_medium",
    "APl": "ap_large",
    "AR1": "ar_1",
    "AR10": "ar_10",
    "AR": "average_recall",
    "ARs": "ar_small",
    "ARm": "ar_medium",
    "ARl": "ar_large",
}
"""The keys of the twelve values by their short names."""
BY_CLASS = ("AP", "AP50", "AP75", "APs", "APm", "APl", "AR")
DECISIONS = (
    "Predictions of a class are matched within an image in descending order of score, equal scores in file order.",
    "Each takes the free true mask of its class with the largest IoU of at least the threshold.",
    "Of several true masks with the same IoU it takes the last listed.",
    "Thresholds are the floats of numpy.linspace(0.5, 0.95, 10).",
    "Sizes go by the stated area of a true mask, limits of 32² and 96² pixels included on both sides.",
    "True masks of another size are ignored, and so are unmatched predictions of another size.",
    "Predictions of all images are ranked together, and precision is taken at 101 recalls.",
    "Values are means over thresholds and over the classes that have true masks.",
    "AR is the recall of the first predictions of a class in an image, averaged in the same way.",
)

COCO_INSTANCES = declare(
    name="coco-instances",
    field="instance segmentation and object detection",
    summary="AP and AR by threshold, size and number of detections: the twelve lines of COCOeval.",
    header="masks of a class matched by descending score; crowds ignored; sizes by stated area; all images "
    "ranked together, mean over classes",
    decisions=(
        *DECISIONS,
        "A crowd takes any number of predictions, by the share of the prediction inside it; they are ignored.",
        "The first 100 predictions of each class in an image are considered, for AR also the first 1 and 10.",
        "iou_type=bbox compares boxes, boundary the smaller of mask and boundary IoU (--option iou_type=bbox).",
    ),
    headline="AP",
    cells=Grid(rows=tuple(line_heading(text, key) for text, key in VALUES.items()), columns=(Heading("value"),)),
    class_cells=Grid(
        rows=(EachClass(),),
        columns=tuple(Heading(text, key=VALUES[text], average="by_class") for text in BY_CLASS),
        corner="class",
    ),
    numbers=NumberStyle(decimals=3),
    reference=ReferenceImplementation("pycocotools", "2.0.11", "COCOeval.summarize"),
    citation=("lin2014microsoft",),
    formats=("coco-instances",),
    pred_formats=("coco-results",),
    exceptions=(
        "A value without true masks is undefined; the reference prints -1.",
        "AP is computed for any number of detections; the reference prints -1 where none of them is 100.",
        "An annotation whose id is 0 is matched as any other; the reference counts its match as a miss.",
        "The area of a predicted mask is its own; the reference takes that of its box where results state both.",
        "Precision is hits / predictions; the reference adds 2⁻⁵² to the denominator.",
    ),
    neighbours=("lvis", "coco-panoptic"),
)
