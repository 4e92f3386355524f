"""The Cell Segmentation Benchmark of the Cell Tracking Challenge [maska2014benchmark, matula2015cell]: SEG and DET."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

CTC_SEG = declare(
    name="ctc-seg",
    field="cells in time-lapse microscopy",
    summary="SEG and DET over all frames of a sequence, as the evaluation software of the Cell Tracking Challenge.",
    header="labels are instances, 0 is background; a match covers more than half of a true cell; all frames",
    decisions=(
        "A predicted cell matches a true cell if it covers more than half of it.",
        "SEG is the mean over the true cells of all frames of the IoU with their match, 0 without one.",
        "Spurious cells cost nothing in SEG.",
        "DET is 1 − min(D, D₀)/D₀ with D = 5 splits + 10 missed + 1 spurious, and D₀ = 10 for each true cell.",
        "A prediction that matches k true cells needs k − 1 splits; operations are added up over all frames.",
        "The challenge takes SEG from the frames in SEG, and DET from the markers in TRA: score each folder.",
    ),
    headline="SEG",
    cells=Grid(
        rows=(Heading("all frames", average="pooled"),),
        columns=(
            Heading("SEG", key="seg"),
            Heading("DET", key="det"),
            Heading("true cells", key="det", show="true"),
            Heading("splits", key="det", show="splits"),
            Heading("missed", key="det", show="missed"),
            Heading("spurious", key="det", show="spurious"),
        ),
    ),
    reference=ReferenceImplementation("py-ctcmetrics", "1.3.3", "seg, det"),
    citation=("maska2014benchmark", "matula2015cell"),
    classes="ignore",
    formats=("cell-tracking",),
    exceptions=(
        "Without a true cell SEG and DET are undefined; the reference gives 0 and an error.",
        "A frame without a background pixel loses no cell; the reference drops the smallest label there.",
    ),
    neighbours=("sorted-ap",),
)
