"""COCO panoptic [kirillov2019panoptic]: void is left out of unions, crowd regions are neither matched nor missed.

Cityscapes' panoptic benchmark uses the same script.
"""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_COLUMNS = (
    Heading("PQ", key="pq", average="by_class"),
    Heading("SQ", key="sq", average="by_class"),
    Heading("RQ", key="rq", average="by_class"),
)

COCO_PANOPTIC = declare(
    name="coco-panoptic",
    field="panoptic segmentation of images",
    summary="PQ, SQ and RQ of all classes, of things and of stuff, as the COCO and Cityscapes benchmarks print.",
    header="segments matched within their class at IoU > 0.5; void and crowd ignored; counts of the data set, "
    "then mean over classes",
    decisions=(
        "A predicted and a true segment of the same class match if their IoU is above 0.5.",
        "The union of a pair leaves out the elements of the prediction that are void in the truth.",
        "An unmatched prediction that is more than half void, or crowd of its class, is dropped.",
        "Crowd regions are neither matched nor missed.",
        "Of several crowd regions of a class in an image only the last one listed excuses predictions.",
        "Where an image has several, a note gives PQ with all of them (policy coco-all-crowds).",
        "Pairs, missed and spurious segments are counted by class over all images before PQ, SQ and RQ are taken.",
        "The value of a group is the mean over its classes that occur on either side.",
        "SQ of a class that occurs without a pair is 0.",
    ),
    headline=("All", "PQ"),
    cells=Grid(
        rows=(
            Heading("All", level="group", name="all"),
            Heading("Things", level="group", name="things", optional=True),
            Heading("Stuff", level="group", name="stuff", optional=True),
        ),
        columns=(*_COLUMNS, Heading("N", key="pq", average="by_class", show="n")),
    ),
    class_cells=Grid(rows=(EachClass(),), columns=_COLUMNS, corner="class"),
    numbers=NumberStyle(decimals=1, percent=True),
    reference=ReferenceImplementation("panopticapi", "0.1 (7bb4655)", "pq_compute", transcribed=True),
    citation=("kirillov2019panoptic",),
    formats=("coco-panoptic", "cityscapes"),
    exceptions=(
        "Where no class of a group occurs, its values are undefined; the reference divides by zero.",
        "Areas are numbers of pixels; the reference takes those of true segments from the JSON file.",
    ),
    policy="coco",
    rule="theta_plus",
)
