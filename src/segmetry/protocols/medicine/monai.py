"""MONAI's metrics of segmentation [cardoso2022monai]: each class of each image, mean over classes, then over images."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

_COLUMNS = (
    Heading("Dice", key="dice"),
    Heading("IoU", key="iou"),
    Heading("HD", key="class_hausdorff"),
    Heading("HD95", key="class_hausdorff95"),
    Heading("ASD", key="class_surface_distance"),
    Heading("NSD", key="class_surface_dice"),
)

MONAI = declare(
    name="monai",
    field="medical image segmentation",
    summary="Dice, IoU, Hausdorff distances, surface distance and surface Dice as MONAI's metrics compute and "
    "reduce them.",
    header="labels are classes, 0 is background; each image: mean over its classes, then mean over images",
    decisions=(
        "The value of a pixel or voxel is its class; label 0 is background (include_background=False).",
        "Dice and IoU of a class that an image does not have in the truth are left out (ignore_empty=True).",
        "A surface are the elements with a neighbour along an axis that is not of the class; elements count alike.",
        "HD95 is the larger of the 95th percentiles of both directions, interpolated linearly.",
        "ASD is the mean distance from the predicted surface to the true one (symmetric=False).",
        "NSD is the share of both surfaces within 1 unit of spacing (--option class_surface_dice.tolerance=2).",
        "A class on one side only has HD and ASD infinity, NSD 0, and no HD95.",
        "A class on neither side of an image is left out.",
        "The table is the reduction mean; that of classes is mean_batch, the mean over images of each class.",
    ),
    headline="Dice",
    cells=Grid(rows=(Heading("mean", average="by_item_of_classes"),), columns=_COLUMNS),
    class_cells=Grid(rows=(EachClass(average="by_item"),), columns=_COLUMNS, corner="class"),
    reference=ReferenceImplementation("monai", "1.6.1", "DiceMetric, MeanIoU, HausdorffDistanceMetric and others"),
    citation=("cardoso2022monai", "nikolov2021clinically"),
    reading={"labels": "classes"},
    options={
        "dice": {"ignore_empty": True},
        "iou": {"ignore_empty": True},
        "class_hausdorff": {"missing": "inf"},
        "class_surface_distance": {"average": "pred_to_true", "missing": "inf"},
        "class_surface_dice": {"tolerance": 1, "weights": "elements"},
    },
    exceptions=(
        "Where no class has a value, the table has none; the reference aggregates to 0.",
        "Numbers are computed in double precision, by the reference in single precision.",
    ),
    neighbours=("nnunet",),
)
