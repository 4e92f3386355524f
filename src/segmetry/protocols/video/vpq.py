"""Video panoptic quality: PQ of the tubes in windows of a few frames [kim2020video]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_VPQ = Heading("VPQ", key="vpq", average="by_class")

VIDEO_PANOPTIC = declare(
    name="vpq",
    field="video panoptic segmentation",
    summary="VPQ over windows of 1 to 4 frames, and of each length, for all classes, things and stuff.",
    header="tubes matched within their class at IoU > 0.5 in windows of 1 to 4 frames; void ignored; windows of "
    "all videos, then mean over classes",
    decisions=(
        "Windows of k frames start at every frame; a tube is a label within a window.",
        "Tubes of the same class match if their IoU in the window is above 0.5.",
        "The union of a pair leaves out the elements of the prediction that are void in the truth.",
        "An unmatched prediction that is more than half void is dropped.",
        "Pairs and unmatched tubes of all windows of all videos are added up by class, then PQ is taken.",
        "VPQ of a length is the mean over classes that occur, VPQ the mean over the four lengths.",
    ),
    options={"vpq": {"k": (1, 2, 3, 4), "policy": "coco"}},
    headline=("All", "VPQ"),
    cells=Grid(
        rows=(
            Heading("All", level="group", name="all"),
            Heading("Things", level="group", name="things", optional=True),
            Heading("Stuff", level="group", name="stuff", optional=True),
        ),
        columns=(
            _VPQ,
            *(Heading(f"k = {k}", key="vpq", average="by_class", show=("k", f"{k}")) for k in (1, 2, 3, 4)),
        ),
    ),
    class_cells=Grid(rows=(EachClass(),), columns=(_VPQ,), corner="class"),
    numbers=NumberStyle(decimals=1, percent=True),
    reference=ReferenceImplementation("deeplab2", "(64bc1c1)", "VideoPanopticQuality", transcribed=True),
    citation=("kim2020video",),
    format="kitti-step",
    exceptions=(
        "Crowd regions are neither matched nor missed; deeplab2 counts a thing of instance 0 as a segment.",
        "Where no video has four frames, VPQ and its four lengths are undefined.",
    ),
    neighbours=("kitti-step", "coco-panoptic"),
    policy="coco",
)
