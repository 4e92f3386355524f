"""DAVIS: video object segmentation, semi-supervised [ponttuset2017davis] and unsupervised [caelles2019davis]."""

from dataclasses import replace

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare, declare_protocol
from segmetry.results import NumberStyle

_METRICS = ("j_and_f", "region_similarity", "contour_accuracy")

DAVIS = declare(
    name="davis",
    field="video object segmentation",
    summary="J&F, and mean, recall and decay of region similarity J and contour accuracy F, as DAVIS 2017 prints.",
    header="labels are objects of a video; first and last frame left out; mean over frames, then over objects",
    decisions=(
        "A folder of frames is a video; palette indices are labels, and the same label is the same object.",
        "The objects are the labels of the first frame of the truth; 0 is background.",
        "The first and the last frame do not count; 255 in the truth is background.",
        "J of an object in a frame is the IoU, and 1 where neither side has the object.",
        "F is the F-measure of one-pixel boundaries that lie half a pixel towards the origin.",
        "A boundary pixel is found if one of the other side is at most 0.008 of the diagonal away, rounded up.",
        "Where only one side has a boundary F is 0, where neither has one it is 1.",
        (
            "Mean, recall (frames above 0.5) and decay (first quarter minus last) of each object, then mean over "
            "the objects of all videos."
        ),
        "J&F is the mean of J and F.",
    ),
    headline="J&F",
    cells=Grid(
        rows=(Heading("mean over objects", average="pooled"),),
        columns=(
            Heading("J&F", key="j_and_f"),
            Heading("J-Mean", key="region_similarity"),
            Heading("J-Recall", key="region_similarity", show="recall"),
            Heading("J-Decay", key="region_similarity", show="decay"),
            Heading("F-Mean", key="contour_accuracy"),
            Heading("F-Recall", key="contour_accuracy", show="recall"),
            Heading("F-Decay", key="contour_accuracy", show="decay"),
        ),
    ),
    numbers=NumberStyle(decimals=3),
    reference=ReferenceImplementation(
        "davis2017-evaluation", "0.1.0 (ac7c43f)", "DAVISEvaluation.evaluate", transcribed=True
    ),
    citation=("perazzi2016benchmark", "ponttuset2017davis"),
    format="video",
    reading={"colours": "index", "true_void": 255},
    exceptions=(
        (
            "Labels that the first frame skips are no objects; the reference counts each of them as one that is "
            "absent on both sides, with J and F of 1 in every frame."
        ),
        "Predicted labels that are no objects are ignored; the reference refuses a label above the largest one.",
        (
            "Decay of videos of more than 257 frames takes the first and last quarter; the reference keeps the "
            "cuts in 8 bits, which overflow."
        ),
        "Both sides need the same frames; the reference does not read the first and the last frame of a result.",
        "A video of fewer than three frames has no frame that counts and is left out; the reference fails.",
    ),
    neighbours=("davis-unsupervised",),
)

DAVIS_UNSUPERVISED = declare_protocol(
    replace(
        DAVIS,
        name="davis-unsupervised",
        field="unsupervised video object segmentation",
        summary="J&F, J and F of the proposals that fit the objects of a video best, as DAVIS 2019 prints.",
        header="labels are proposals, assigned to objects by J&F; all frames; void ignored; mean over frames, then "
        "over objects",
        decisions=(
            *(text for text in DAVIS.decisions if not text.startswith("The first and the last")),
            "All frames count; void pixels of the truth (255) are removed from both sides.",
            (
                "Predicted labels are at most 20 proposals per video; objects get one each so that the sum of mean J "
                "and mean F is largest."
            ),
        ),
        options={key: {"task": "unsupervised"} for key in _METRICS},
        citation=("caelles2019davis", "perazzi2016benchmark"),
        exceptions=(
            *DAVIS.exceptions[:1],
            DAVIS.exceptions[2],
            "Values of single objects belong to their objects; the reference lists them in the order of proposals.",
        ),
        neighbours=("davis",),
    )
)
