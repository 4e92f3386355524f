"""PanNuke's evaluation [gamper2020pannuke]: binary and multi-class panoptic quality, mean over images."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare

PANNUKE = declare(
    name="pannuke",
    field="cell nuclei of several classes in histology images",
    summary="mPQ and bPQ, mean over images, and PQ of each class, as run.py of PanNuke-metrics prints them.",
    header="segments carry classes; PQ at IoU > 0.5; classes and images without truth left out; mean over images",
    decisions=(
        "A predicted and a true nucleus match if their IoU is above 0.5, for mPQ within their class.",
        "bPQ is the PQ of all nuclei of an image, whatever their class.",
        "mPQ of an image is the mean of PQ over the classes of which its truth has a nucleus.",
        "Predictions of a class of which the truth of the image has no nucleus do not count in mPQ.",
        "An image without a true nucleus is left out, whatever is predicted in it.",
        "PQ of a class is the mean over the images whose truth has a nucleus of it.",
        "The values are means over images; --by tissue gives those of each tissue in types.npy, or in --columns.",
    ),
    options={"bpq": {"skip_without_truth": True}},
    headline="mPQ",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item_of_classes"),),
        columns=(Heading("mPQ", key="mpq"), Heading("bPQ", key="bpq"), Heading("images", key="bpq", show="n")),
    ),
    class_cells=Grid(rows=(EachClass(average="by_item"),), columns=(Heading("PQ", key="mpq"),), corner="class"),
    reference=ReferenceImplementation("PanNuke-metrics", "c00014d", "run.py", transcribed=True),
    citation=("gamper2020pannuke", "kirillov2019panoptic"),
    formats=("pannuke",),
    exceptions=(
        "The reference adds 1e-6 to the number of pairs, so its values are lower by at most two millionths.",
        "The mean is over images; the reference's mean over tissues is the last row of --by tissue.",
        "A pixel that two classes claim belongs to the later class; for mPQ the reference counts it in both.",
    ),
    neighbours=("conic", "hover-net"),
)
