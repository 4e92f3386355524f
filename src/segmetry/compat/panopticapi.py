"""``panopticapi.evaluation``: panoptic quality of two JSON files with their folders of PNG images."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

_KEYS = ("pq", "sq", "rq")


def pq_compute(
    gt_json_file: str | Path,
    pred_json_file: str | Path,
    gt_folder: str | Path | None = None,
    pred_folder: str | Path | None = None,
) -> dict[str, Any]:
    """Print and return PQ, SQ, RQ and the number of classes: of all, of things and of stuff, and of each class.

    Areas are those of the images; panopticapi takes those of true segments from the JSON file. It divides by zero where
    a group has no class, of which the values are NaN here.
    """
    import segmetry as sm

    folders = {"true_folder": gt_folder, "pred_folder": pred_folder}
    read = {name: str(folder) for name, folder in folders.items() if folder is not None}
    run = sm.evaluate(gt_json_file, pred_json_file, protocol="coco-panoptic", read=read)
    data, results = run.data, dict[str, Any]()
    sys.stdout.write(f"{'':10s}| {'PQ':>5s}  {'SQ':>5s}  {'RQ':>5s} {'N':>5s}\n{'-' * 38}\n")
    for name, group in (("All", "all"), ("Things", "things"), ("Stuff", "stuff")):
        scores = {key: data.score(key, "by_class", group) for key in _KEYS} if group in data.group_names else {}
        values = {key: scores[key].value if key in scores else math.nan for key in _KEYS}
        results[name] = {**values, "n": int(scores["sq"].denominator or 0) if scores else 0}
        numbers = "  ".join(f"{100 * values[key]:5.1f}" for key in _KEYS)
        sys.stdout.write(f"{name:10s}| {numbers} {results[name]['n']:5d}\n")
    of_classes = {key: data.class_scores(key) for key in _KEYS}
    results["per_class"] = {
        label: {key: 0.0 if math.isnan(value := float(of_classes[key][label])) else value for key in _KEYS}
        for label in data.parts
    }
    return results
