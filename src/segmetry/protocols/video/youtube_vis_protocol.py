"""YouTube-VIS: instance segmentation of videos [yang2019video]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

_VALUES = {"AP": "average_precision", "AP50": "ap50", "AP75": "ap75", "AR1": "ar_1", "AR10": "ar_10"}
_COLUMNS = tuple(Heading(text, key=key, average="by_class") for text, key in _VALUES.items())

YOUTUBE_VIS = declare(
    name="youtube-vis",
    field="video instance segmentation",
    summary="AP, AP50, AP75, AR1 and AR10 of tubes, as YouTube-VIS prints.",
    header="tubes of a class matched by descending score; crowds ignored; all videos ranked together, mean over "
    "classes",
    decisions=(
        "A tube is an object in all frames of a video; its IoU with another is Σ|∩| / Σ|∪| over the frames.",
        "Predictions of a class are matched within a video in descending order of score, as in COCO.",
        "Each takes the free true tube of its class with the largest IoU of at least the threshold.",
        "What matches a crowd is ignored; its overlap is the IoU, and not the share of the prediction as in COCO.",
        "Thresholds are the floats of numpy.linspace(0.5, 0.95, 10).",
        "Predictions of all videos are ranked together, and precision is taken at 101 recalls.",
        "Values are means over thresholds and over the classes that have true tubes.",
        "The first 100 predictions of each class in a video are considered, for AR the first 1 and 10.",
    ),
    options={key: {"crowd_overlap": "iou"} for key in _VALUES.values()},
    headline="AP",
    cells=Grid(rows=(Heading("all videos", level="group", name="all"),), columns=_COLUMNS),
    class_cells=Grid(rows=(EachClass(),), columns=_COLUMNS, corner="class"),
    numbers=NumberStyle(decimals=1, percent=True),
    reference=ReferenceImplementation(
        "youtubevos/cocoapi", "2.0 (f3f9948)", "YTVOSeval on pycocotools' COCOeval", transcribed=True
    ),
    citation=("yang2019video", "lin2014microsoft"),
    formats=("youtube-vis",),
    pred_formats=("youtube-vis-results",),
    exceptions=(
        "Values by size (small, medium, large) are left out.",
        "A video of which no prediction has a mask in any frame is an error.",
        "A value without true tubes is undefined; the reference prints -1.",
    ),
    neighbours=("coco-instances",),
)
