"""LVIS [gupta2019lvis]: average precision where each image is annotated for some of many classes only."""

from segmetry.protocols.instances.coco_instances import COCO_INSTANCES, DECISIONS, VALUES, line_heading
from segmetry.protocols.protocol import Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_VALUES = {text: key for text, key in VALUES.items() if text not in ("AR1", "AR10")}
_SHARED = {"max_detections": 300, "limit": "image", "federated": True}
_LINES = [line_heading(text, key, classes="all") for text, key in _VALUES.items()]
_GROUPS = [
    line_heading(f"AP{group[0]}", "average_precision", group=group, classes=group[0])
    for group in ("rare", "common", "frequent")
]

LVIS = declare(
    name="lvis",
    field="instance segmentation with many classes",
    summary="AP of all, rare, common and frequent classes, by threshold and size, and AR: the lines of LVISEval.",
    header="masks of a class matched by descending score; classes not looked for dropped; "
    "300 masks of an image; images ranked together, mean over classes",
    decisions=(
        *DECISIONS,
        "The first 300 predictions of an image are considered, of all its classes together.",
        "A prediction of a class that is neither annotated in the image nor listed as absent from it is dropped.",
        "An unmatched prediction of a class that is not annotated exhaustively in the image is ignored.",
        "Classes are rare, common or frequent as the file states.",
    ),
    options=dict.fromkeys(_VALUES.values(), _SHARED),
    headline="AP",
    cells=Grid(rows=(*_LINES[:6], *_GROUPS, *_LINES[6:]), columns=(Heading("value"),)),
    numbers=NumberStyle(decimals=3),
    class_cells=COCO_INSTANCES.class_cells,
    reference=ReferenceImplementation("lvis", "0.5.3", "LVISEval.summarize"),
    citation=("gupta2019lvis",),
    formats=("lvis",),
    pred_formats=("coco-results",),
    exceptions=(
        "A value without true masks is undefined; the reference prints -1.",
        "An annotation whose id is 0 is matched as any other; the reference counts its match as a miss.",
        "The area of a predicted mask is its own; the reference takes that of its box where results state both.",
        "Annotations and predictions of area 0 count; the reference leaves them out.",
        "The field ignore of an annotation, which no version of LVIS has, is not read.",
    ),
    neighbours=("coco-instances",),
)
