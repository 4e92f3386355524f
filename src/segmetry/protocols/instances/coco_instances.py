"""COCO instances and boxes [lin2014microsoft]: the twelve numbers of COCOeval."""

from segmetry.protocols.grid import EachClass, Grid, Heading
from segmetry.protocols.instances.coco_lines import line_heading
from segmetry.protocols.protocol import Protocol, ReferenceImplementation, declare_protocol
from segmetry.results import NumberStyle

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

COCO_INSTANCES = declare_protocol(
    Protocol(
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
        neighbours={
            "lvis": "It looks for some classes only in each image, and keeps 300 predictions of an image.",
            "coco-panoptic": "It compares segments without scores, which do not overlap.",
        },
    )
)
