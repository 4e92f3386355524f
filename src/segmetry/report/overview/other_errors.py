"""What costs most where no segments are matched: confusions of classes in mean IoU, kinds of detection errors in AP."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping

from segmetry.diagnosis.class_confusions import class_confusions
from segmetry.diagnosis.detection_errors import detection_errors, has_detections_only
from segmetry.report.page_records import OtherError, OtherErrors
from segmetry.report.sections import is_semantic
from segmetry.run.run import Run

MOST = 8
"""The most confusions on the first screen."""
DETECTION_WORDS = {
    "classification": "on a true mask of another class",
    "localisation": "of the right class, but overlaps too little",
    "both": "wrong class and too little overlap",
    "duplicate": "on a true mask that another prediction has taken",
    "background": "on no true mask",
    "missed": "a true mask that no prediction comes near",
}


def other_errors(run: Run) -> OtherErrors | None:
    """Return the errors of a run about classes of elements or detections, the costliest first; None of any other run.

    >>> import segmetry as sm
    >>> true, pred = ({"a": sm.LabelArray.from_classes([labels])} for labels in ([1, 1, 2, 2], [1, 2, 2, 2]))
    >>> facts = other_errors(sm.evaluate(true, pred, metrics="mean_iou"))
    >>> [(row["name"], row["count"], round(row["gain"], 4)) for row in facts["rows"]]
    [('1 taken for 2', 1, 0.4167)]
    """
    if is_semantic([run]):
        return _confusions(run)
    if has_detections_only(run):
        return _detections(run)
    return None


def _confusions(run: Run) -> OtherErrors:
    confusions = class_confusions(run)
    codes = {name: code for code, name in enumerate(run.tables_together.class_names)}
    rows: list[OtherError] = []
    for row in confusions.confusions[:MOST]:
        true, pred = (None if name is None else str(run.class_names.get(name, name)) for name in (row.true, row.pred))
        words = (
            f"{true} missed" if pred is None else f"{pred} in excess" if true is None else f"{true} taken for {pred}"
        )
        places = (_code(codes, row.true), _code(codes, row.pred))
        rows.append({"name": words, "words": None, "count": row.elements, "gain": row.gain, "classes": places})
    return {
        "name": "mIoU",
        "title": "mIoU gained if only this confusion is corrected",
        "unit": "elements",
        "base": _plain(confusions.mean_iou),
        "rows": rows,
    }


def _detections(run: Run) -> OtherErrors:
    errors = detection_errors(run)
    rows: list[OtherError] = [
        {"name": kind, "words": DETECTION_WORDS[kind], "count": errors.counts[kind], "gain": gain, "classes": None}
        for kind, gain in errors.gains.items()
        if not math.isnan(gain)
    ]
    return {
        "name": f"AP at IoU {errors.threshold:g}",
        "title": f"AP at IoU {errors.threshold:g} gained if all errors of a kind are fixed individually",
        "unit": "errors",
        "base": _plain(errors.average_precision),
        "rows": sorted(rows, key=lambda row: -row["gain"]),
    }


def _code(codes: Mapping[Hashable, int], name: Hashable | None) -> int | None:
    """Return the code of a class; None for elements outside all classes."""
    return None if name is None else codes.get(name)


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
