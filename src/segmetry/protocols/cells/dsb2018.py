"""The Data Science Bowl 2018 on Kaggle [caicedo2019nucleus]: mean of TP/(TP + FP + FN) over IoU thresholds."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

_SHOWN = ("0.5", "0.75", "0.95")

DSB2018 = declare(
    name="dsb2018",
    field="cell nuclei in microscopy images",
    summary="The score of the Data Science Bowl 2018: TP/(TP + FP + FN) at IoU above 0.50, 0.55, …, 0.95, mean "
    "over thresholds and then over images.",
    header="labels are instances, 0 is background; matched at IoU > t; each image, then mean over images",
    decisions=(
        "Every label but 0 is an object; classes are ignored.",
        "A pair matches at a threshold if its IoU is above it; an IoU equal to the threshold is no match.",
        "The score of an image is the mean over ten thresholds of TP/(TP + FP + FN).",
        "The score is the mean over images.",
        "An image with predictions and without a true object scores 0.",
    ),
    options={"segment_accuracy": {"strict": True}, "segment_f1": {"strict": True}},
    headline="score",
    cells=Grid(
        rows=(Heading("mean over images", average="by_item_of_classes"),),
        columns=(
            Heading("score", key="segment_accuracy"),
            *(Heading(f"IoU > {t}", key="segment_accuracy", show=("thresholds", t)) for t in _SHOWN),
            Heading("F1 > 0.5", key="segment_f1", show=("thresholds", "0.5")),
            Heading("images", key="segment_accuracy", show="n"),
        ),
    ),
    reference=ReferenceImplementation("Kaggle", "2018", "the page of the competition", transcribed=True),
    citation=("caicedo2019nucleus",),
    classes="ignore",
    exceptions=(
        "Images without an object on either side are left out; the definition is 0/0 for them.",
        "Masks of one image that overlap are matched one-to-one; the competition allowed no overlap.",
    ),
    neighbours=("cellpose", "stardist"),
)
