"""The tables that protocols of semantic segmentation have in common."""

from segmetry.protocols.grid import EachClass, Grid, Heading

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
