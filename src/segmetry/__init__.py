"""Evaluate segmentations of anything: exact overlaps, explicit alignment rules, more than 250 metrics.

>>> import segmetry as sm
>>> true = [[1, 1, 1, 2]]
>>> pred = [[3, 4, 4, 4]]
>>> sm.pq(true, pred).value, sm.pq(true, pred, rule="theta_and").value
(0.0, 0.25)

Every metric is a function of this module under its key (:func:`list_metrics` lists them), every alignment rule one of
``sm.rules``; importing segmetry imports numpy only.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from segmetry._base.version import __version__ as __version__

_HOMES = {
    "about": "segmetry.installation",
    "align": "segmetry.alignments.align_table",
    "fairness": "segmetry.metrics.panoptic.alignment_facts",
    "improves": "segmetry.metrics.panoptic.alignment_facts",
    "error_kinds": "segmetry.alignments.pair_errors",
    "curves": "segmetry.metrics.panoptic.threshold_scores",
    "Curves": "segmetry.alignments.curves",
    "hierarchy": "segmetry.metrics.panoptic.hierarchies",
    "Hierarchy": "segmetry.metrics.panoptic.hierarchies",
    "break_down": "segmetry.alignments.breakdown",
    "ByClass": "segmetry.alignments.breakdown",
    "ByColumn": "segmetry.alignments.breakdown",
    "ByGroup": "segmetry.alignments.breakdown",
    "ByItem": "segmetry.run.part_rows",
    "BySize": "segmetry.alignments.breakdown",
    "segment_rows": "segmetry.alignments.segment_table",
    "shape_table": "segmetry.evaluation.reopen",
    "Summary": "segmetry.statistics.summary",
    "Intervals": "segmetry.statistics.resampled_intervals",
    "Interval": "segmetry.statistics.bootstrap",
    "compare": "segmetry.comparison.compare_runs",
    "Comparison": "segmetry.comparison.compare_runs",
    "rule_sensitivity": "segmetry.comparison.ranking_by_rule",
    "two_alignments": "segmetry.comparison.rules_of_run",
    "TwoAlignments": "segmetry.statistics.wider_rule",
    "two_rules": "segmetry.statistics.wider_rule",
    "maps": "segmetry.metrics.panoptic.precision_recall_maps",
    "Maps": "segmetry.metrics.panoptic.precision_recall_maps",
    "reweight": "segmetry.geometry.matched_shapes",
    "matched_shapes": "segmetry.geometry.matched_shapes",
    "MatchedShapes": "segmetry.geometry.matched_shapes",
    "Tally": "segmetry.alignments.tally",
    "overlap": "segmetry.overlaps.count",
    "confusion_matrix": "segmetry.overlaps.class_table",
    "confusion_matrix_plot": "segmetry.outputs.plots.confusion_matrix_plot",
    "overlap_batch": "segmetry.overlaps.count",
    "score_batch": "segmetry.metrics.batches.score_batch",
    "BatchScores": "segmetry.metrics.batches.score_batch",
    "precision_recall_plot": "segmetry.outputs.plots.precision_recall_plot",
    "precision_recall_plot_of_items": "segmetry.outputs.plots.precision_recall_plot",
    "threshold_plot": "segmetry.outputs.plots.threshold_plot",
    "evaluate": "segmetry.evaluation.evaluate_items",
    "Run": "segmetry.run.run",
    "score": "segmetry.evaluation.score_pair",
    "Scores": "segmetry.metrics.score_many",
    "ProtocolScores": "segmetry.evaluation.protocol_scores",
    "Score": "segmetry.metrics.score",
    "Table": "segmetry.results.records",
    "to_json": "segmetry._base.standard_json",
    "Counts": "segmetry.metrics.score",
    "OverlapTable": "segmetry.overlaps.table",
    "Alignment": "segmetry.alignments.alignment",
    "Policy": "segmetry.alignments.policy",
    "MatchRule": "segmetry.alignments.candidates",
    "Segmentation": "segmetry.segmentation.base",
    "Annotations": "segmetry.segmentation.annotations",
    "agreement": "segmetry.metrics.agreement.chance_corrected",
    "agreement_matrix": "segmetry.comparison.annotator_matrix",
    "AgreementMatrix": "segmetry.comparison.annotator_matrix",
    "boundary_edits": "segmetry.metrics.boundaries.boundary_edit",
    "window_confusion": "segmetry.metrics.windows.window_metrics",
    "window_size": "segmetry.metrics.windows.sliding_windows",
    "against_all": "segmetry.metrics.agreement.several_references",
    "pairwise": "segmetry.metrics.agreement.several_references",
    "diagnose": "segmetry.diagnosis.error_budget",
    "class_confusions": "segmetry.diagnosis.costly_confusions",
    "ClassConfusions": "segmetry.diagnosis.costly_confusions",
    "Diagnosis": "segmetry.diagnosis.diagnosis_result",
    "sensitivity": "segmetry.diagnosis.boundary_sensitivity",
    "Sensitivity": "segmetry.diagnosis.sensitivity_result",
    "boundary_sweep": "segmetry.metrics.geometry.boundary_iou",
    "sweep_plot": "segmetry.outputs.plots.threshold_plot",
    "overlap_plot": "segmetry.outputs.plots.coverage_plot",
    "coverage_plot": "segmetry.outputs.plots.coverage_plot",
    "curve_plot": "segmetry.outputs.plots.curve_plot",
    "map_picture": "segmetry.outputs.plots.map_images",
    "write_maps": "segmetry.outputs.plots.map_images",
    "draw_bars": "segmetry.outputs.plots.aligned_bars",
    "look": "segmetry.outputs.plots.look_picture",
    "Picture": "segmetry.outputs.plots.picture",
    "SeveralScores": "segmetry.metrics.agreement.several_references",
    "LabelArray": "segmetry.segmentation.labels",
    "TimeIntervals": "segmetry.segmentation.time_intervals",
    "Spans": "segmetry.segmentation.spans",
    "SpanLines": "segmetry.segmentation.span_lines",
    "detection_errors": "segmetry.diagnosis.detection_diagnosis",
    "recall_curves": "segmetry.diagnosis.detection_diagnosis",
    "DetectionFacts": "segmetry.segmentation.masks",
    "Skeletons": "segmetry.segmentation.skeleton_graphs",
    "read_skeletons": "segmetry.readers.skeleton_files",
    "expected_run_length": "segmetry.metrics.skeletons.expected_run_length",
    "RunLengths": "segmetry.metrics.skeletons.expected_run_length",
    "Masks": "segmetry.segmentation.masks",
    "Polygons": "segmetry.segmentation.polygons",
    "Sets": "segmetry.segmentation.sets",
    "SegmetryError": "segmetry.errors",
    "read": "segmetry.readers.read_file",
    "ReadItems": "segmetry.readers.read_file",
    "merge_runs": "segmetry.run.run",
    "reconcile": "segmetry.receipts.reconciliation",
    "seal": "segmetry.receipts.receipt",
    "verify": "segmetry.receipts.receipt_checks",
    "leaderboard": "segmetry.receipts.ranked_folder",
}
_MODULES = ("plots", "rules")


def list_metrics() -> dict[str, Any]:
    """Return every metric by its key, family by family.

    Returns
    -------
    dict of str to Metric
        The declarations; ``segmetry.<key>`` is the function of each.

    Examples
    --------
    >>> list_metrics()["pq"].symbol
    'PQ'
    """
    return dict(import_module("segmetry.metrics.declare").METRICS)


def __getattr__(name: str) -> Any:
    value: Any
    if name == "__all__":
        value = sorted({"list_metrics", *_HOMES, *_MODULES, *list_metrics()})
    elif name in _MODULES:
        value = import_module(f"segmetry.{name}")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name.startswith("_"):
        raise AttributeError(name)
    else:
        value = _metric_function(name)
    globals()[name] = value
    return value


def _metric_function(name: str) -> Any:
    """Return the function of a metric by its key or an alias; ``AttributeError`` with a hint for any other name."""
    from segmetry.errors import UnknownNameError
    from segmetry.metrics.metric_function import function_of
    from segmetry.metrics.metric_names import find_metric

    try:
        metric, options = find_metric(name)
    except UnknownNameError as unknown:
        hint = str(unknown).removeprefix(f"there is no metric {name!r}")
        words = f"segmetry has no attribute or metric {name!r}{hint}"
        raise AttributeError(words, name=name, obj=sys.modules[__name__]) from None
    return function_of(metric, name, options) if options else metric.function


def __dir__() -> list[str]:
    return list(__getattr__("__all__"))


if os.environ.get("EAGER_IMPORT"):
    for _name in __dir__():
        getattr(sys.modules[__name__], _name)
