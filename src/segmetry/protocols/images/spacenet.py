"""SpaceNet's building detection [vanetten2018spacenet]: F1 of footprints at IoU 0.5."""

from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare

_KEYS = ("segment_f1", "segment_precision", "segment_recall")
MIN_AREA = 20

SPACENET = declare(
    name="spacenet",
    field="buildings in satellite images",
    summary="F1, precision and recall of building footprints at IoU 0.5 over all images, as SpaceNet scores them.",
    header="footprints below 20 m² of a map, or 20 pixels, left out; IoU ≥ 0.5; counts of all images",
    decisions=(
        "A footprint of fewer than 20 pixels or cells, or below 20 m² of a map, is left out on both sides.",
        "A predicted and a true footprint match if their IoU is at least 0.5, one-to-one.",
        "Counts are added up over all images before F1, precision and recall are taken.",
        "Without a match all three are 0.",
    ),
    options={key: {"thresholds": 0.5, "empty": 0} for key in _KEYS},
    headline="F1",
    cells=Grid(
        rows=(Heading("all images", average="pooled"),),
        columns=(
            Heading("F1", key="segment_f1"),
            Heading("precision", key="segment_precision"),
            Heading("recall", key="segment_recall"),
        ),
    ),
    reference=ReferenceImplementation("SpaceNet utilities", "3.0", "evalFunctions.score", transcribed=True),
    citation=("vanetten2018spacenet",),
    reading={"min_size": MIN_AREA},
    classes="ignore",
    undefined=0,
    exceptions=("As many pairs as possible are matched; the reference gives each proposal its best free footprint.",),
    neighbours=("neurips-cellseg",),
)
