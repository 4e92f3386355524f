"""SemanticKITTI: panoptic and semantic segmentation of LiDAR scans [behley2021panoptic]."""

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

THINGS, STUFF = tuple(range(1, 9)), tuple(range(9, 20))
_OPTIONS = {"min_points": 50, "n_classes": 19, "things": THINGS, "stuff": STUFF}
_KEYS = ("lidar_pq", "lidar_pq_dagger", "lidar_sq", "lidar_rq")
_PARTS = (("PQ", "lidar_pq"), ("SQ", "lidar_sq"), ("RQ", "lidar_rq"))

SEMANTIC_KITTI = declare(
    name="semantic-kitti",
    field="panoptic segmentation of LiDAR scans",
    summary="PQ, PQ†, SQ and RQ of all classes, things and stuff, and mIoU, as SemanticKITTI's papers print.",
    header="19 classes of the learning map; unlabelled points removed; unmatched segments from 50 points on; "
    "counts of all scans, then mean over 19 classes",
    decisions=(
        "Classes are mapped to the 19 of the benchmark; moving objects have the class of standing ones.",
        "A segment is a value of the file: instances that move and that stand still are different segments.",
        "Points that are unlabelled in the truth are removed.",
        "Segments of a class match within a scan at IoU > 0.5, whatever their size.",
        "A missed or spurious segment of fewer than 50 points does not count (the script; its class says 30).",
        "Counts are added up over all scans, then PQ, SQ and RQ of each class are taken.",
        "The mean is over all 19 classes (8 things, 11 stuff); one that occurs nowhere counts 0.",
        "PQ† takes the IoU over all points of a stuff class in place of its PQ.",
        "Points without a predicted class are missed by their true class.",
    ),
    options={**dict.fromkeys(_KEYS, _OPTIONS), "mean_iou": {"absent": 0, "n_classes": 19}},
    headline="PQ",
    cells=Grid(
        rows=(Heading("all scans", level="group", name="all", average="by_class"),),
        columns=(
            Heading("PQ", key="lidar_pq"),
            Heading("PQ†", key="lidar_pq_dagger"),
            Heading("SQ", key="lidar_sq"),
            Heading("RQ", key="lidar_rq"),
            *(Heading(f"{word}Th", key=key, show="things") for word, key in _PARTS),
            *(Heading(f"{word}St", key=key, show="stuff") for word, key in _PARTS),
            Heading("mIoU", key="mean_iou"),
        ),
    ),
    class_cells=Grid(
        rows=(EachClass(average="pooled"),),
        columns=(*(Heading(word, key=key) for word, key in _PARTS), Heading("IoU", key="mean_iou")),
        corner="class",
    ),
    numbers=NumberStyle(decimals=1, percent=True),
    reference=ReferenceImplementation(
        "semantic-kitti-api", "(a9c749e)", "evaluate_panoptic, evaluate_semantics", transcribed=True
    ),
    citation=("behley2019semantickitti", "behley2021panoptic"),
    format="semantic-kitti-sequences",
    exceptions=(
        "Without any segment on either side the values are undefined; the script gives 0.",
        "A class that the data set does not have is an error; the script takes it as unlabelled.",
    ),
    neighbours=("panoptic-nuscenes", "coco-panoptic"),
)
