"""Semantic segmentation as mmsegmentation and Hugging Face evaluate it: mIoU over the data set.

ADE20K [zhou2017scene] has 150 classes: 0 of its truth is ignored, and its classes count from 1.
"""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

MMSEGMENTATION = (
    "MMSegmentation Contributors, MMSegmentation: OpenMMLab Semantic Segmentation Toolbox and Benchmark, 2020, "
    "https://github.com/open-mmlab/mmsegmentation"
)
SEMANTIC_METRICS = ("mean_iou", "dice", "pixel_accuracy", "mean_accuracy", "frequency_weighted_iou")
DATA_SET = Grid(
    rows=(Heading("all", average="by_class"),),
    columns=(
        Heading("aAcc", key="pixel_accuracy"),
        Heading("mIoU", key="mean_iou"),
        Heading("mAcc", key="mean_accuracy"),
        Heading("mDice", key="dice"),
        Heading("FWIoU", key="frequency_weighted_iou"),
        Heading("classes", key="mean_iou", show="n"),
    ),
)
"""The values of the data set, as mmsegmentation prints them, and how many classes the mean is over."""
CLASSES = Grid(
    rows=(EachClass(average="pooled"),),
    columns=(Heading("IoU", key="mean_iou"), Heading("Acc", key="mean_accuracy"), Heading("Dice", key="dice")),
    corner="class",
)
"""The values of each class over the data set."""
NEVER_VANISHES = (
    "A true value that is no class (outside 0 to N-1, and not 255) is an error where --num-classes declares the range, "
    "and a class of its own otherwise; the reference drops it from the class sizes and keeps the prediction there."
)


SEMANTIC = declare(
    name="semantic",
    field="semantic segmentation",
    summary="mIoU, accuracy, Dice and frequency weighted IoU over all pixels of a data set, as mmsegmentation and "
    "Hugging Face's mean_iou compute them.",
    header="labels are classes, 0 too; 255 ignored in the truth; pixels of the data set, then mean over classes",
    decisions=(
        "Every value is a class, 0 too.",
        "Pixels whose true value is 255 do not count.",
        "A predicted 255 is no class: it is a miss of the true class and no false positive.",
        "Pixels are counted over the data set before the quotient of each class is taken.",
        "mIoU and mDice are means over the classes that occur on either side, mAcc over those of the truth.",
        "aAcc is the share of pixels whose class is right.",
        "FWIoU weighs the IoU of each class by its true pixels.",
    ),
    metrics=SEMANTIC_METRICS,
    headline="mIoU",
    cells=DATA_SET,
    class_cells=CLASSES,
    numbers=NumberStyle(decimals=2, percent=True),
    reading={"labels": "classes", "outside": None, "true_void": 255, "pred_outside": 255},
    reference=ReferenceImplementation(
        "mmsegmentation", "1.2.2", "IoUMetric; Hugging Face evaluate 0.4.6, mean_iou", transcribed=True
    ),
    citation=("long2015fully", MMSEGMENTATION),
    exceptions=(
        NEVER_VANISHES,
        (
            "Labels are mapped at once; label_map of Hugging Face's mean_iou and of older mmsegmentation cascades, "
            "so that with 0:1,1:2 a 0 becomes 2."
        ),
        "Without a class on either side values are undefined; the reference prints nan.",
    ),
    neighbours=("torchmetrics-miou", "cityscapes-semantic", "ade20k"),
)


N_CLASSES = 150
REDUCED = {0: 255, **{label: label - 1 for label in range(1, N_CLASSES + 1)}}
"""``reduce_zero_label``: the label that a label of the truth becomes."""

ADE20K = declare(
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
    reference=ReferenceImplementation("mmsegmentation", "1.2.2", "IoUMetric with reduce_zero_label", transcribed=True),
    citation=("zhou2017scene", MMSEGMENTATION),
    exceptions=(
        "A predicted value beyond 149 is an error; the reference drops it from the predicted classes.",
        "Without a class on either side values are undefined; the reference prints nan.",
    ),
    neighbours=("semantic",),
)
