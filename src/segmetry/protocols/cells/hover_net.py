"""HoVer-Net's statistics of nuclei [graham2019hovernet]: Dice, AJI, DQ, SQ, PQ and AJI+ of each image."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

HOVER_NET = declare(
    name="hover-net",
    field="cell nuclei in histology images",
    summary="Dice, AJI, DQ, SQ, PQ and AJI+, mean over images, as compute_stats.py of HoVer-Net prints them; and "
    "Dice2.",
    header="labels are instances, 0 is background; PQ at IoU > 0.5; each image, then mean over images",
    decisions=(
        "Every label but 0 is a nucleus; classes are ignored.",
        "Dice compares the foregrounds.",
        "AJI takes for each true nucleus the prediction of largest IoU, which may be taken several times.",
        "AJI+ takes one-to-one pairs with the largest sum of IoUs.",
        "DQ is RQ: F1 of nuclei that are matched at IoU above 0.5; SQ is the mean IoU of the pairs, 0 without one.",
        "Dice2 adds up intersections and sizes over all overlapping pairs.",
        "Every metric is computed for each image, and images count alike in the mean.",
    ),
    options={"dice": {"foreground": True}},
    headline="PQ",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item_of_classes"),),
        columns=(
            Heading("Dice", key="dice"),
            Heading("AJI", key="aji"),
            Heading("DQ", key="rq"),
            Heading("SQ", key="sq"),
            Heading("PQ", key="pq"),
            Heading("AJI+", key="aji_plus"),
            Heading("Dice2", key="ensemble_dice"),
            Heading("images", key="pq", show="n"),
        ),
    ),
    reference=ReferenceImplementation("hover_net", "1.0 (67e2ce5)", "run_nuclei_inst_stat", transcribed=True),
    citation=("graham2019hovernet", "kumar2017dataset", "vu2019methods"),
    rule="theta_plus",
    classes="ignore",
    undefined=0,
    exceptions=(
        "The reference adds 1e-6 to the number of pairs in SQ, so its SQ and PQ are lower by up to two millionths.",
        "The reference stops at an image without a background pixel or without a nucleus; here such images count.",
        "An image without a nucleus on either side has the value 0 in every mean.",
    ),
    neighbours=("pannuke", "conic", "cellpose"),
)
