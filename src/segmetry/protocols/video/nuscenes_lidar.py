"""Panoptic nuScenes: panoptic segmentation and tracking of LiDAR scans [fong2022panoptic]."""

from __future__ import annotations

from typing import Any

from segmetry.protocols.protocol import EachClass, Grid, Heading, ReferenceImplementation, declare
from segmetry.results import NumberStyle

THINGS, STUFF = tuple(range(1, 11)), tuple(range(11, 17))
_SCANS = ("lidar_pq", "lidar_pq_dagger", "lidar_sq", "lidar_rq")
_TRACKS = ("pat", "lstq")
_COMMON: dict[str, Any] = {"min_points": 15, "n_classes": 16, "things": THINGS}

PANOPTIC_NUSCENES = declare(
    name="panoptic-nuscenes",
    field="panoptic tracking of LiDAR scans",
    summary="PAT, LSTQ and TQ of tracks, PQ, PQ†, SQ, RQ and mIoU of scans, as Panoptic nuScenes prints.",
    header="16 classes of the challenge; ignored points removed; segments from 15 points on; counts of all scans, "
    "then mean over 16 classes; tracks of all scenes",
    decisions=(
        "General classes of the truth are mapped to the 16 of the challenge; other points are removed.",
        "Segments of a class match within a scan at IoU > 0.5; unmatched ones count from 15 points on.",
        "PQ, SQ, RQ and mIoU are means over all 16 classes; one that occurs nowhere counts 0.",
        "PQ† takes the IoU over all points of a stuff class in place of its PQ.",
        "A true track is a thing over the scans in which it has more than 15 points.",
        "TQ notes for each scan of a track the prediction of IoU > 0.5, of any class.",
        "TQ is the mean over tracks of √(association · (1 − switches/(length − 1))).",
        "PAT is the harmonic mean of PQ and TQ; LSTQ the geometric mean of mIoU and the association of points.",
    ),
    options={
        **dict.fromkeys(_TRACKS, _COMMON),
        **{key: {**_COMMON, "stuff": STUFF} for key in _SCANS},
        "mean_iou": {"absent": 0, "n_classes": 16},
    },
    headline="PAT",
    cells=Grid(
        rows=(Heading("all scenes", level="group", name="all", average="by_class"),),
        columns=(
            Heading("PAT", key="pat"),
            Heading("LSTQ", key="lstq"),
            Heading("PQ", key="lidar_pq"),
            Heading("PQ†", key="lidar_pq_dagger"),
            Heading("SQ", key="lidar_sq"),
            Heading("RQ", key="lidar_rq"),
            Heading("TQ", key="pat", show="tq"),
            Heading("S_assoc", key="lstq", show="association"),
            Heading("mIoU", key="mean_iou"),
        ),
    ),
    class_cells=Grid(
        rows=(EachClass(average="pooled"),),
        columns=(
            Heading("PQ", key="lidar_pq"),
            Heading("SQ", key="lidar_sq"),
            Heading("RQ", key="lidar_rq"),
            Heading("IoU", key="mean_iou"),
        ),
        corner="class",
    ),
    numbers=NumberStyle(decimals=1, percent=True),
    reference=ReferenceImplementation(
        "nuscenes-devkit", "(d9de17a)", "PanopticEval, PanopticTrackingEval", transcribed=True
    ),
    citation=("fong2022panoptic", "aygun2021panoptic"),
    format="panoptic-nuscenes",
    exceptions=(
        "IoUs are 64-bit floats; PanopticTrackingEval adds 32-bit floats, so its PAT differs after seven digits.",
        "Without a true track PAT and LSTQ are undefined; the devkit divides by zero.",
        "LSTQ is computed once; get_lstq of the devkit adds up again when it is called twice.",
    ),
    neighbours=("semantic-kitti", "kitti-step"),
)
