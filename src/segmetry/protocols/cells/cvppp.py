"""The leaf segmentation challenge CVPPP [scharr2016leaf]: symmetric best Dice, foreground Dice, difference in count."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

CVPPP = declare(
    name="cvppp",
    field="leaves in plant images",
    summary="SBD, FBD, DiC and |DiC|, mean over images, as the script of the leaf segmentation challenge.",
    header="labels are instances, 0 is background; each image, then mean over images",
    decisions=(
        "Every label but 0 is a leaf; classes are ignored.",
        "Best Dice is the mean over the leaves of a side of the largest Dice coefficient with a leaf of the other.",
        "SBD is the lower of the two best Dice values of an image; with leaves on one side only it is 0.",
        "FBD is the Dice coefficient of the foregrounds of an image.",
        "DiC is the number of predicted leaves minus that of true leaves, |DiC| its absolute value.",
        "Without a leaf on either side SBD and FBD are 0.",
        "Every value is computed for each image, and images count alike in the mean.",
    ),
    options={"sbd": {"empty": 0}, "dice": {"foreground": True, "both_empty": 0}},
    headline="SBD",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item"),),
        columns=(
            Heading("SBD", key="sbd"),
            Heading("FBD", key="dice"),
            Heading("DiC", key="count_difference"),
            Heading("|DiC|", key="absolute_count_difference"),
            Heading("images", key="count_difference", show="n"),
        ),
    ),
    reference=ReferenceImplementation("CVPPP LSC", "2017", "evaluate.py", transcribed=True),
    citation=("scharr2016leaf",),
    classes="ignore",
    undefined=0,
    formats=("cvppp",),
    exceptions=(
        "Leaves are counted; the reference subtracts the smallest label from the largest, so gaps count.",
        "Label 0 is background; the reference takes the smallest label of an image for it.",
    ),
    neighbours=("sorted-ap",),
)
