"""``segmetry diagnose`` of detections with scores."""

from __future__ import annotations

import json
from pathlib import Path

import segmetry as sm
from tests.cli.running import Runner
from tests.diagnosis.test_detection_diagnosis import TRUE, bars


def test_diagnose_prints_the_errors_and_writes_the_curves(segmetry: Runner, tmp_path: Path) -> None:
    pred = bars((0, 10), (20, 30), classes=["cat", "cat"], scores=[0.9, 0.5])
    sm.evaluate({"a": TRUE}, {"a": pred}, metrics="average_precision,ap50", out=tmp_path / "run.segm")
    shown = segmetry("diagnose", str(tmp_path / "run.segm"), "--plots", str(tmp_path / "plots"))
    assert shown.code == 0 and "AP at IoU 0.50 is 0.5000" in shown.out and "classification" in shown.out
    assert sorted(path.name for path in (tmp_path / "plots").iterdir()) == [
        "recall_classes.svg",
        "recall_sizes.svg",
        "recall_thresholds.svg",
    ]
    data = json.loads(segmetry("diagnose", str(tmp_path / "run.segm"), "--json", "-").out)
    assert data["errors"]["classification"] == {"count": 1, "gain": 0.5}
    assert "--rule is about aligned segments" in segmetry.refused(
        "diagnose", str(tmp_path / "run.segm"), "--rule", "theta_and"
    )
