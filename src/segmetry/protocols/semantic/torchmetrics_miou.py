"""MeanIoU of torchmetrics [detlefsen2022torchmetrics]: the mean over all pairs of an image and a class in it."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

TORCHMETRICS = declare(
    name="torchmetrics-miou",
    field="semantic segmentation (torchmetrics)",
    summary="The mean IoU over all pairs of an image and a class that occurs in it, as torchmetrics' MeanIoU.",
    header="labels are classes, 0 too; nothing ignored; mean over all pairs of an image and a class in it",
    decisions=(
        "Every value is a class, 0 too; no value is ignored.",
        "The IoU of every class in every image in which it occurs on either side, then the mean over all of them.",
        "The value of a class is the mean over the images in which it occurs.",
    ),
    options={"mean_iou": {"average": "samples-and-classes"}},
    headline="MeanIoU",
    cells=Grid(
        rows=(Heading("all", average="by_item_and_class"),),
        columns=(Heading("MeanIoU", key="mean_iou"), Heading("pairs", key="mean_iou", show="n")),
    ),
    class_cells=Grid(rows=(EachClass(average="by_item"),), columns=(Heading("IoU", key="mean_iou"),), corner="class"),
    reading={"labels": "classes", "outside": None},
    reference=ReferenceImplementation("torchmetrics", "1.9.0", "MeanIoU(input_format='index')"),
    citation=("detlefsen2022torchmetrics",),
    exceptions=(
        "A class that occurs in no image has no value; the reference returns -1 for it (0 before version 1.5).",
        (
            "Values are sums of exact quotients; the reference adds in single precision, so that the last digits "
            "of large data sets differ."
        ),
    ),
    neighbours=("semantic",),
)
