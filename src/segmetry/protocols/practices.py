"""What programs do that are no whole protocol: one metric under their decisions, which the tests compare with them.

A practice states only what differs from the defaults of the metric; the rest of a number is as in the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from segmetry._base import frozen_dataclass


@frozen_dataclass()
class Practice:
    """A program's way of computing one metric; ``values`` are its decisions by name, ``note`` what they mean."""

    name: str
    program: str
    metric: str
    values: Mapping[str, Any]
    note: str = ""


def _hd95(name: str, program: str, note: str = "", **values: Any) -> Practice:
    return Practice(f"{name}-hd95", program, "class_hausdorff95", values, note)


def _der(name: str, program: str, note: str, **values: Any) -> Practice:
    return Practice(f"{name}-der", program, "der", values, note)


PRACTICES: Mapping[str, Practice] = {
    one.name: one
    for one in (
        _hd95("medpy", "MedPy 0.5.2, hd95", "all distances of both directions together", percentile="pooled"),
        _hd95("simpleitk", "SimpleITK 2.5, LabelContour and SignedMaurerDistanceMap", "as MedPy, but that segments "
              "have no surface at the frame of the image", percentile="pooled"),
        _hd95("seg-metrics", "seg-metrics 1.2.8, hd95", "as SimpleITK's example", percentile="pooled"),
        _hd95("pymia", "pymia 0.3.4, HausdorffDistance(95)", "by area", weights="area"),
        _hd95("metrics-reloaded", "MetricsReloaded, measured_hausdorff_distance_perc", "the larger of both"),
        _hd95("monai", "MONAI 1.6.1, HausdorffDistanceMetric(percentile=95)", "the larger of both directions"),
        _hd95("surface-distance", "surface-distance 0.1, compute_robust_hausdorff", "by area", weights="area"),
        Practice("pycocotools-ap", "pycocotools 2.0.11, COCOeval", "average_precision", {}),
        Practice(
            "ultralytics-ap", "Ultralytics 8.3, ap_per_class", "average_precision",
            {"partners": "best", "recall_points": "trapezoid", "max_detections": 300, "limit": "image"},
            "predictions go for their best truth only; the area below the envelope by trapezoids",
        ),
        _der("pyannote", "pyannote.metrics 4.2, DiarizationErrorRate(collar)", "the collar is the whole width",
             collar_width="whole"),
        _der("md-eval", "md-eval 22", "from the first to the last reference turn, mapped before the collar",
             region="true", map_within="region"),
    )
}  # fmt: skip
