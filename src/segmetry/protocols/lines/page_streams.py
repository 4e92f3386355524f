"""Page stream segmentation: documents as wholes, their boundaries, and streams without an error [marx2022most]."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

PAGE_STREAMS = declare(
    name="page-streams",
    field="page stream segmentation",
    summary="PQ of documents, WindowDiff and F1 of their boundaries, streams without any error, and MNDD.",
    header="documents are runs of pages, matched at IoU > 0.5; each stream, then mean over streams",
    decisions=(
        "A predicted and a true document match if their IoU in pages is above 0.5.",
        "PQ is the F1 score of documents weighted by the mean IoU of the pairs.",
        "SQ of a stream without a pair is undefined and left out of the mean.",
        "WindowDiff is an error: 0 is perfect.",
        "A window has half the mean length of the true documents of its stream, rounded half to even, at least 1.",
        "F1 of boundaries has no tolerance, and the first page of a stream is not a boundary.",
        "A stream is perfect if all its documents are found exactly.",
        "MNDD is the least number of pages to drag, one at a time, to another or a new document.",
        "Every metric is computed for each stream, and streams count alike in the mean.",
    ),
    formats=("bits",),
    headline="PQ",
    cells=Grid(
        rows=(Heading("mean over streams", average="by_item_of_classes"),),
        columns=(
            Heading("PQ", key="pq"),
            Heading("SQ", key="sq"),
            Heading("RQ", key="rq"),
            Heading("WD", key="window_diff"),
            Heading("boundary F1", key="boundary_f1"),
            Heading("perfect", key="perfect"),
            Heading("MNDD", key="minimum_moves"),
            Heading("streams", key="perfect", show="n"),
        ),
    ),
    numbers=NumberStyle(decimals=3),
    reference=ReferenceImplementation(
        "nltk and scikit-learn", "3.10.4 and 1.9.1", "windowdiff and f1_score of gaps; PQ and MNDD transcribed"
    ),
    citation=("marx2022most", "pevzner2002critique", "heidenreich2024large", "mungmeeprued2022tab"),
    rule="theta_plus",
    also=("theta_and",),
    exceptions=(
        "A stream without a boundary on either side has no F1 of boundaries; scikit-learn writes 0.",
        "The OpenPSS benchmark counts the first page as a boundary, so its F1 of boundaries differs.",
        "Its windows are rounded down, and it has one window more, so its WindowDiff differs.",
    ),
    neighbours=("text",),
)
