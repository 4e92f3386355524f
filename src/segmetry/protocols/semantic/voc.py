"""PASCAL VOC segmentation [everingham2010pascal]: 20 classes and background, the border (255) ignored."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare
from segmetry.protocols.semantic.mmsegmentation import CLASSES
from segmetry.results import NumberStyle

CLASS_NAMES: Mapping[Hashable, str] = {
    0: "background", 1: "aeroplane", 2: "bicycle", 3: "bird", 4: "boat", 5: "bottle", 6: "bus", 7: "car", 8: "cat",
    9: "chair", 10: "cow", 11: "diningtable", 12: "dog", 13: "horse", 14: "motorbike", 15: "person", 16: "pottedplant",
    17: "sheep", 18: "sofa", 19: "train", 20: "tvmonitor",
}  # fmt: skip

VOC = declare(
    name="voc",
    field="semantic segmentation (PASCAL VOC)",
    summary="The mean IoU of the 20 classes and the background over all pixels of a data set, as VOCevalseg.",
    header="palette indices are classes 0 to 20; 255 ignored in the truth; pixels of the data set, then mean over "
    "classes",
    decisions=(
        "The value of a pixel is its palette index, or its grey value; 0 is the background, a class as the others.",
        "Pixels whose true value is 255, the border of objects, do not count.",
        "A value beyond 20 is an error, as in the reference; so is a predicted 255.",
        "Pixels are counted over the data set before the quotient of each class is taken.",
        "The average is the mean over the classes that occur on either side.",
    ),
    headline="average accuracy (IoU)",
    cells=Grid(
        rows=(Heading("all", average="by_class"),),
        columns=(
            Heading("average accuracy (IoU)", key="mean_iou"),
            Heading("correctly labelled", key="pixel_accuracy"),
            Heading("mean class accuracy", key="mean_accuracy"),
            Heading("classes", key="mean_iou", show="n"),
        ),
    ),
    class_cells=CLASSES,
    numbers=NumberStyle(decimals=3, percent=True),
    reading={"labels": "classes", "outside": None, "true_void": 255, "num_classes": 21, "colours": "index"},
    class_names=CLASS_NAMES,
    reference=ReferenceImplementation("VOC development kit", "2012", "VOCevalseg", transcribed=True),
    citation=("everingham2010pascal",),
    exceptions=("A class that occurs on neither side is left out of the mean, which is NaN in the reference.",),
    neighbours=("semantic",),
)
