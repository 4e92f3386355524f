"""StarDist's ``matching_dataset`` [schmidt2018cell]: precision, recall, accuracy and F1 at IoU thresholds."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_COLUMNS = (
    *(Heading(count, key="segment_accuracy", show=count) for count in ("TP", "FP", "FN")),
    Heading("precision", key="segment_precision"),
    Heading("recall", key="segment_recall"),
    Heading("accuracy", key="segment_accuracy"),
    Heading("f1", key="segment_f1"),
    Heading("mean true", key="mean_true_iou"),
    Heading("mean matched", key="mean_matched_iou"),
    Heading("PQ", key="segment_pq"),
)
_OPTIONS = {"thresholds": THRESHOLDS, "compare": "float32", "empty": 0, "at": 0.5}

STARDIST = declare(
    name="stardist",
    field="cells in microscopy images",
    summary="Precision, recall, accuracy (the 'AP' of cell segmentation), F1 and PQ at IoU thresholds, as "
    "matching_dataset of StarDist prints them.",
    header="labels are instances, 0 is background; matched again at each IoU ≥ t; counts of all images",
    decisions=(
        "Every label but 0 is an object; classes are ignored.",
        "At each threshold the largest number of one-to-one pairs with IoU of at least the threshold is matched.",
        "Of equally many pairs those with the largest sum of IoUs are taken.",
        "IoUs and thresholds are compared in single precision.",
        "Counts are added up over all images before a quotient is taken (by_image=False).",
        "The column 'by item' of a summary is the mean over images (by_image=True).",
        "Accuracy is TP/(TP + FP + FN), which papers of this field call average precision.",
        "Mean true is the sum of IoUs of the pairs over the number of true objects, mean matched over the pairs.",
        "A quotient without a pair is 0, 0/0 included.",
        "The value one quotes is the accuracy at IoU 0.5, where the other scores are taken too.",
    ),
    options={str(column.key): _OPTIONS for column in _COLUMNS},
    headline=("IoU ≥ 0.5", "accuracy"),
    cells=Grid(
        rows=tuple(
            Heading(f"IoU ≥ {threshold}", average="pooled", show=("thresholds", str(threshold)))
            for threshold in THRESHOLDS
        ),
        columns=_COLUMNS,
        corner="threshold",
    ),
    reference=ReferenceImplementation("stardist", "0.9.2", "matching.matching_dataset"),
    citation=("schmidt2018cell",),
    numbers=NumberStyle(decimals=3),
    classes="ignore",
    undefined=0,
    exceptions=("Sums of IoUs are in double precision; those of the reference are in single precision: seven digits.",),
    neighbours=("cellpose", "dsb2018"),
)
