"""ADE20K scene parsing, 150 classes [zhou2017scene]: 0 of the truth is ignored, and its classes count from 1."""

from segmetry.protocols.protocol import Protocol, ReferenceImplementation, declare_protocol
from segmetry.protocols.semantic.semantic_table import CLASSES, DATA_SET, MMSEGMENTATION, SEMANTIC_METRICS
from segmetry.results import NumberStyle

N_CLASSES = 150
REDUCED = {0: 255, **{label: label - 1 for label in range(1, N_CLASSES + 1)}}
"""``reduce_zero_label``: the label that a label of the truth becomes."""

ADE20K = declare_protocol(
    Protocol(
        name="ade20k",
        field="semantic segmentation (ADE20K)",
        summary="mIoU, accuracy, Dice and frequency weighted IoU of the 150 classes, as mmsegmentation with "
        "reduce_zero_label.",
        header="labels are classes; the truth counts them from 1, and its 0 is ignored; predictions count from 0; "
        "pixels of the data set, then mean over classes",
        decisions=(
            "The label 0 of the truth, everything else, does not count; nor does 255.",
            "The labels 1 to 150 of the truth are the classes 0 to 149 of the prediction; only the truth is changed.",
            "Another value is an error.",
            "Pixels are counted over the data set before the quotient of each class is taken.",
            "mIoU and mDice are means over the classes that occur on either side, mAcc over those of the truth.",
        ),
        metrics=SEMANTIC_METRICS,
        headline="mIoU",
        cells=DATA_SET,
        class_cells=CLASSES,
        numbers=NumberStyle(decimals=2, percent=True),
        reading={"labels": "classes", "outside": None, "true_map": REDUCED, "true_void": 255, "num_classes": N_CLASSES},
        reference=ReferenceImplementation(
            "mmsegmentation", "1.2.2", "IoUMetric with reduce_zero_label", transcribed=True
        ),
        citation=("zhou2017scene", MMSEGMENTATION),
        exceptions=(
            "A predicted value beyond 149 is an error; the reference drops it from the predicted classes.",
            "Without a class on either side values are undefined; the reference prints nan.",
        ),
        neighbours={"semantic": "takes the labels of the truth as they are, with 0 as a class."},
    )
)
