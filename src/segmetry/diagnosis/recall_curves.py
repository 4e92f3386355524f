"""Precision over recall of a run, from its columns: by class, threshold, size and number of detections."""

from __future__ import annotations

from typing import Any

from segmetry.errors import OptionError
from segmetry.metrics.detection.detection_options import Evaluation
from segmetry.metrics.detection.precision_recall import PrecisionRecall, precision_recall
from segmetry.run.run import Run

KEY = "average_precision"


def has_detections(run: Run) -> bool:
    """Return whether a run has the columns of average precision."""
    return KEY in run.columns.accumulated


def has_detections_only(run: Run) -> bool:
    """Return whether a run has average precision and no metric of an alignment."""
    return any(metric.key == KEY for metric in run.metrics) and not any(
        metric.depends_on_rule for metric in run.metrics
    )


def recall_curves(run: Run, **options: Any) -> PrecisionRecall:
    """Return the precision at 101 recalls for every class that has true masks, and every threshold.

    Parameters
    ----------
    run : Run
        A run that has ``average_precision``, such as one by the protocol ``coco-instances``.
    **options
        Those of ``average_precision`` that need no masks: ``thresholds``, ``size``, ``max_detections``, …

    Returns
    -------
    PrecisionRecall
        ``names`` of the classes, ``precision`` (classes × thresholds × recalls) and the largest ``recall``.

    Examples
    --------
    >>> import numpy as np, segmetry as sm
    >>> stack = np.zeros((2, 1, 9), dtype=bool); stack[0, 0, :4] = stack[1, 0, 5:] = True
    >>> true, pred = sm.Masks.from_dense(stack), sm.Masks.from_dense(stack[:1], scores=[0.5])
    >>> run = sm.evaluate({"a": true}, {"a": pred}, metrics="average_precision")
    >>> curves = recall_curves(run, thresholds="0.5")
    >>> curves.names, curves.recall.tolist(), curves.precision[0, 0, [0, 50, 51]].tolist()
    (('all',), [[0.5]], [1.0, 1.0, 0.0])
    """
    if not has_detections(run):
        raise OptionError(f"the run has no {KEY}; evaluate with metrics={KEY!r} (--metrics {KEY})")
    columns = run.columns.accumulated[KEY]
    known = {name: value for name, value in columns.options.items() if name != "iou_type"}
    return precision_recall(columns.collected, Evaluation.of(**{**known, **options}))
