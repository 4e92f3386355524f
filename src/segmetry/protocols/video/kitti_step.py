"""KITTI-STEP: every pixel of a video is segmented and tracked [weber2021step]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

KITTI_STEP = declare(
    name="kitti-step",
    field="video panoptic segmentation",
    summary="STQ with its parts, association quality AQ and segmentation quality SQ, as KITTI-STEP prints.",
    header="labels are classes and instances of tubes; void and crowd ignored; tubes and pixels of all videos",
    decisions=(
        "A tube is a person or a car over a whole video; tubes are compared whatever their class.",
        "AQ is the mean over all true tubes of Σ (shared/|t|) · IoU over the predicted tubes.",
        "SQ is the mean IoU of classes, with the pixels of all videos counted together.",
        "Pixels that are void in the truth do not count for SQ and stay in predicted tubes.",
        "Crowd (a person or car of instance 0) is no tube, and is removed from predicted tubes.",
        "Pixels without a predicted class are one more class of IoU 0.",
        "STQ is the square root of AQ · SQ.",
    ),
    options={"stq": {"things": (11, 13)}},
    headline="STQ",
    cells=Grid(
        rows=(Heading("all videos", level="group", name="all"),),
        columns=(
            Heading("STQ", key="stq", average="by_class"),
            Heading("AQ", key="stq", average="by_class", show="association_quality"),
            Heading("SQ", key="stq", average="by_class", show="segmentation_quality"),
        ),
    ),
    reference=ReferenceImplementation("deeplab2", "(64bc1c1)", "STQuality", transcribed=True),
    citation=("weber2021step",),
    format="kitti-step",
    exceptions=(
        "Without a true tube STQ and AQ are undefined, and SQ stays; the reference gives 0 for both.",
        "Sizes are exact integers; the reference adds 32-bit floats, which lose pixels beyond 2²⁴.",
    ),
    neighbours=("vpq", "mots"),
)
