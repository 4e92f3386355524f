"""The evaluation of the sortedAP paper [chen2023sortedap]: sortedAP, mAP, AJI, SBD and PQ over all images."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

SORTED_AP = declare(
    name="sorted-ap",
    field="instances in microscopy and plant images",
    summary="sortedAP, mAP, AJI and RQ of all images together, as the Evaluator of sortedAP computes them.",
    header="labels are instances, 0 is background; counts of all images",
    decisions=(
        "Every label but 0 is an object; classes are ignored.",
        "sortedAP is the area under TP/(TP + FP + FN) over all IoU thresholds.",
        "Its pairs are those of one assignment with the largest sum of IoUs.",
        "The curve joins its falls by straight lines, as in the reference; the option area=steps is exact.",
        "mAP is the mean of TP/(TP + FP + FN) over the thresholds 0.50, 0.55, …, 0.95; IoU must be above them.",
        "AJI takes for each true object the prediction of largest intersection.",
        "Counts are added up over all images; the column 'by item' of a summary is the mean over images.",
        "Without an object on either side the values are 1.",
    ),
    options={
        "sorted_ap": {"area": "trapezoid", "empty": 1},
        "segment_accuracy": {"strict": True, "empty": 1},
        "aji": {"reading": "sortedap", "empty": 1},
        "segment_f1": {"thresholds": 0.5, "strict": True, "empty": 1},
    },
    headline="sortedAP",
    cells=Grid(
        rows=(Heading("all images", average="pooled"),),
        columns=(
            Heading("sortedAP", key="sorted_ap"),
            Heading("mAP", key="segment_accuracy"),
            Heading("AP50", key="segment_accuracy", show=("thresholds", "0.5")),
            Heading("AJI", key="aji"),
            Heading("RQ", key="segment_f1"),
        ),
    ),
    reference=ReferenceImplementation("sortedAP", "d263ada", "evaluation.Evaluator", transcribed=True),
    citation=("chen2023sortedap",),
    classes="ignore",
    undefined=1,
    exceptions=(
        "Predictions without any true object score 0; the reference stops with an error for sortedAP.",
        "The reference adds 1e-12 to unions.",
    ),
    neighbours=("dsb2018",),
)
