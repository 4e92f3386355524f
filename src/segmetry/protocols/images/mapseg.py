"""The ICDAR 2021 competition on historical map segmentation, task 1: building blocks [chazalon2021revisiting]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

MAPSEG = declare(
    name="mapseg",
    field="building blocks in historical maps",
    summary="COCO PQ, SQ and RQ of building blocks, mean over map sheets, as the program of the ICDAR 2021 "
    "competition on historical map segmentation.",
    header="blocks are 4-connected regions of a binary image, or labels; IoU > 0.5; each sheet, then mean over sheets",
    decisions=(
        "The blocks of an image of two values are its 4-connected regions of equal value; 0 is outside.",
        "An image of more values, or of more than 8 bits, has a label per block; 0 is outside.",
        "A predicted and a true block match if their IoU is above 0.5; there are no classes.",
        "SQ is the mean over the distinct IoUs of the matched pairs: equal values count once.",
        "RQ is the F1 of the blocks, PQ the product of SQ and RQ, of each sheet.",
        "Without a matched pair SQ, RQ and PQ of a sheet are 0.",
        "The score is the mean PQ over sheets.",
    ),
    headline="COCO PQ",
    cells=Grid(
        rows=(Heading("mean over sheets", average="by_item"),),
        columns=(
            Heading("COCO PQ", key="distinct_pq"),
            Heading("COCO SQ", key="distinct_sq"),
            Heading("COCO RQ", key="rq"),
            Heading("sheets", key="distinct_pq", show="n"),
        ),
    ),
    reference=ReferenceImplementation("icdar21-mapseg-eval", "1.0.4", "COCO"),
    citation=("chazalon2021revisiting",),
    classes="ignore",
    undefined=0,
    rule="theta_plus",
    formats=("mapseg",),
    format="mapseg",
    exceptions=(
        "A sheet where only the prediction has blocks scores 0; the reference stops with an error.",
        "Numbers that no pixel has are no labels; the reference counts those below the largest label as missed.",
        "What is outside is no partner; the reference stops or counts a match where IoU with it is above 0.5.",
    ),
    neighbours=("coco-panoptic", "spacenet"),
)
