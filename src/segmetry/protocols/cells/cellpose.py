"""Cellpose's ``average_precision`` and ``aggregated_jaccard_index`` [stringer2021cellpose]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

THRESHOLDS = (0.5, 0.75, 0.9)

CELLPOSE = declare(
    name="cellpose",
    field="cells in microscopy images",
    summary="'AP' = TP/(TP + FP + FN) at IoU 0.5, 0.75 and 0.9, and the AJI, mean over images, as Cellpose.",
    header="labels are instances, 0 is background; matched again at each IoU ≥ t; each image, then mean over images",
    decisions=(
        "Every label but 0 is an object; classes are ignored.",
        "At each threshold the largest number of one-to-one pairs with IoU of at least the threshold is matched.",
        "AP is TP/(TP + FP + FN) of an image; there is no ranking and no precision-recall curve in it.",
        "AJI is the intersection of one-to-one pairs over the number of pixels in an object of either side.",
        "Its pairs are the most with IoU of at least 0.5, then those of the largest sum of IoUs, also below 0.5.",
        "Images without an object on either side have no value and are left out.",
    ),
    options={"segment_accuracy": {"thresholds": THRESHOLDS}, "aji": {"reading": "cellpose"}},
    headline="mean AP",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item_of_classes"),),
        columns=(
            *(
                Heading(f"AP@{threshold}", key="segment_accuracy", show=("thresholds", str(threshold)))
                for threshold in THRESHOLDS
            ),
            Heading("mean AP", key="segment_accuracy"),
            Heading("AJI", key="aji"),
            Heading("images", key="segment_accuracy", show="n"),
        ),
    ),
    reference=ReferenceImplementation("cellpose", "4.2.1.1", "metrics.average_precision, aggregated_jaccard_index"),
    citation=("stringer2021cellpose", "caicedo2019nucleus"),
    classes="ignore",
    exceptions=(
        "An image without a background pixel on a side has one object more there than the reference counts.",
        "Images without an object on either side are left out; the reference has NaN for them and for their mean.",
        "The AJI of an image with objects on one side only is 0; the reference has an error for it.",
    ),
    neighbours=("stardist", "dsb2018"),
)
