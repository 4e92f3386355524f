"""nnU-Net's evaluation of a folder [isensee2021nnunet]: Dice and IoU of each case and label, foreground mean."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.readers import described_reading

_COLUMNS = (
    Heading("Dice", key="dice"),
    Heading("IoU", key="iou"),
    Heading("TP", key="true_positive_elements"),
    Heading("FP", key="false_positive_elements"),
    Heading("FN", key="false_negative_elements"),
    Heading("TN", key="true_negative_elements"),
    Heading("n ref", key="true_elements"),
    Heading("n pred", key="pred_elements"),
)

NNUNET = declare(
    name="nnunet",
    field="medical image segmentation",
    summary="Dice, IoU and voxel counts of each label, mean over cases and then over labels, as nnU-Net writes "
    "them to summary.json.",
    header="labels are classes, 0 is background; each case and label, mean over cases, then over labels",
    decisions=(
        "The value of a voxel is its class; label 0 is background and has no value.",
        "Dice and IoU are computed for each case and label.",
        "A label on neither side of a case has no Dice and no IoU there and is left out of its mean.",
        "A label on one side of a case only scores 0.",
        "TP, FP, FN and TN of a label are voxels, and their means are over all cases.",
        "The means of counts include the labels and regions that dataset.json names and no case has.",
        "The value of a label is its mean over cases; the foreground mean is the mean of the labels' values.",
        "Names, regions and the ignore label come from dataset.json in the folder of the truth or above it.",
        "Regions are unions of labels, also --union whole=1,2,3; the ignore label is void, also --true-void 9.",
    ),
    headline="Dice",
    cells=Grid(
        rows=(Heading("foreground mean", level="group", name="all", average="by_class_of_items"),), columns=_COLUMNS
    ),
    class_cells=Grid(rows=(EachClass(average="by_item"),), columns=_COLUMNS, corner="label"),
    reference=ReferenceImplementation("nnunetv2", "2.6", "compute_metrics_on_folder", transcribed=True),
    citation=("isensee2021nnunet", "dice1945measures", "jaccard1912distribution"),
    reading={"labels": "classes"},
    declared_classes=True,
    companion=described_reading,
    exceptions=(
        "A label that no case has is left out of Dice and IoU; with it the reference's foreground mean is NaN.",
        "A predicted label that dataset.json does not name is a label of its own; the reference does not count it.",
        "A case without a prediction is an error (--missing as-empty counts it); the reference leaves it out.",
        "Regions that overlap cannot be combined with an ignore label.",
    ),
)
