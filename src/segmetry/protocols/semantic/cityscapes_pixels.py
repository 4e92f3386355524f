"""Cityscapes pixel-level semantic labelling [cordts2016cityscapes]: IoU and iIoU of classes and of categories."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

CATEGORIES = {
    "flat": (7, 8),
    "construction": (11, 12, 13),
    "object": (17, 19, 20),
    "nature": (21, 22),
    "sky": (23,),
    "human": (24, 25),
    "vehicle": (26, 27, 28, 31, 32, 33),
}
MEAN_SIZES = {
    24: 3462.4756337644,
    25: 3930.4788056518,
    26: 12794.0202738185,
    27: 27855.1264367816,
    28: 35732.1511111111,
    31: 67583.7075812274,
    32: 6298.7200839748,
    33: 4672.3249222261,
}
"""The mean size of the instances of each class in the training data, in pixels, as the reference states it."""
_WITH_INSTANCES = {name: CATEGORIES[name] for name in ("human", "vehicle")}

CITYSCAPES_SEMANTIC = declare(
    name="cityscapes-semantic",
    field="semantic segmentation (Cityscapes)",
    summary="IoU and instance-weighted iIoU of the 19 classes and 7 categories, as the Cityscapes benchmark.",
    header="19 classes; ignored classes void in the truth, wrong in the prediction; pixels of the data set, then "
    "mean over classes",
    decisions=(
        (
            "The truth of a frame is *_instanceIds.png, else *_labelIds.png; a prediction is the PNG file named "
            "after the frame."
        ),
        "Pixels whose true class is not evaluated do not count: a prediction there is no false positive.",
        "A prediction of a class that is not evaluated is a miss of the true class.",
        "Pixels are counted over the data set before the quotient of each class or category is taken.",
        "A class that is taken for another one of its category is right for the category.",
        (
            "iIoU weighs a true instance by the mean size of its class in the training data over its own size; "
            "false positives count plainly, and groups whose members were not told apart have no weight."
        ),
        "Averages are over the classes or categories that have a value.",
    ),
    metrics=("mean_iou", "iiou", "category_iou", "category_iiou", "dice"),
    options={
        "iiou": {"mean_sizes": MEAN_SIZES},
        "category_iou": {"categories": CATEGORIES},
        "category_iiou": {"mean_sizes": MEAN_SIZES, "categories": _WITH_INSTANCES},
    },
    headline=("average", "IoU class"),
    cells=Grid(
        rows=(
            Heading("average", average="by_class"),
            *(Heading(name, average="by_class", show=("categories", name), optional=True) for name in CATEGORIES),
        ),
        columns=(
            Heading("IoU class", key="mean_iou"),
            Heading("iIoU class", key="iiou"),
            Heading("IoU category", key="category_iou"),
            Heading("iIoU category", key="category_iiou"),
        ),
    ),
    class_cells=Grid(
        rows=(EachClass(average="pooled"),),
        columns=(Heading("IoU", key="mean_iou"), Heading("iIoU", key="iiou")),
        corner="class",
    ),
    numbers=NumberStyle(decimals=3),
    format="cityscapes-semantic",
    reference=ReferenceImplementation("cityscapesScripts", "2.3.0", "evalPixelLevelSemanticLabeling"),
    citation=("cordts2016cityscapes",),
    exceptions=(
        (
            "Classes and instances of the truth are both read from *_instanceIds.png, whose classes are those of "
            "*_labelIds.png."
        ),
        (
            "A predicted caravan or trailer, which are not evaluated, is a miss for the category iIoU, too; the "
            "reference counts it as a vehicle there, and only there."
        ),
    ),
    neighbours=("coco-panoptic", "semantic"),
)
