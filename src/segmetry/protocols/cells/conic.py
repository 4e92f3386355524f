"""The CoNIC challenge [graham2021conic]: PQ of each image, and mPQ+ from the counts of all images."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

CONIC = declare(
    name="conic",
    field="cell nuclei of several classes in histology images",
    summary="PQ, mean over images, and mPQ+, PQ by class over all images, as compute_stats.py of CoNIC.",
    header="segments carry classes; PQ at IoU > 0.5; PQ of each image; mPQ+ from counts of all images by class",
    decisions=(
        "A predicted and a true nucleus match if their IoU is above 0.5, for mPQ+ within their class.",
        "PQ (bPQ) is that of all nuclei of an image, whatever their class, and the mean over images.",
        "An image without a nucleus on either side has a PQ of 0.",
        "mPQ+ adds up pairs, missed and spurious nuclei of each class over all images; the mean over classes.",
        "A class of the six of the file format that occurs in no image counts as 0.",
    ),
    metrics=("bpq", "pq", "sq", "rq"),
    options={"bpq": {"empty": 0}},
    headline="mPQ+",
    cells=Grid(
        rows=(Heading("all images"),),
        columns=(
            Heading("mPQ+", key="pq", average="by_class"),
            Heading("PQ", key="bpq", average="by_item_of_classes"),
            Heading("classes", key="pq", average="by_class", show="n"),
            Heading("images", key="bpq", average="by_item_of_classes", show="n"),
        ),
    ),
    class_cells=Grid(
        rows=(EachClass(average="pooled"),),
        columns=(Heading("PQ", key="pq"), Heading("SQ", key="sq"), Heading("RQ", key="rq")),
        corner="class",
    ),
    reference=ReferenceImplementation("CoNIC", "c1c4964", "compute_stats.py", transcribed=True),
    citation=("graham2021conic", "kirillov2019panoptic"),
    rule="theta_plus",
    undefined=0,
    declared_classes=True,
    formats=("conic",),
    exceptions=(
        "The reference adds 1e-6 to both denominators, so its values are lower by at most four millionths.",
        "Without the names of the six classes, as in arrays in memory, a class in no image is left out of mPQ+.",
    ),
    neighbours=("pannuke", "hover-net"),
)
