"""Semantic segmentation as mmsegmentation and Hugging Face evaluate it: mIoU over the data set."""

from segmetry.protocols.protocol import Protocol, ReferenceImplementation, declare_protocol
from segmetry.protocols.semantic.semantic_table import (
    CLASSES,
    DATA_SET,
    MMSEGMENTATION,
    NEVER_VANISHES,
    SEMANTIC_METRICS,
)
from segmetry.results import NumberStyle

SEMANTIC = declare_protocol(
    Protocol(
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
        neighbours={
            "torchmetrics-miou": "averages over all pairs of an image and a class, not over classes of the data set.",
            "cityscapes-semantic": "reads the ids of Cityscapes and adds categories and iIoU; the IoU of a class is "
            "the same.",
            "ade20k": "leaves out the label 0 of the truth and counts its classes from 1.",
        },
    )
)
