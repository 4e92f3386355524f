"""Evaluate segmentations of anything: exact overlaps, honest alignment, every metric of the field.

>>> import segmetry as sm
>>> true = [[1, 1, 1, 2]]
>>> pred = [[3, 4, 4, 4]]
>>> sm.pq(true, pred).value, sm.pq(true, pred, rule="theta_plus").value
(0.25, 0.0)

Every metric is a function of this module under its key (:func:`metrics` lists them); importing segmetry imports
numpy only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "about": "segmetry.installation",
    "align": "segmetry.alignments",
    "fairness": "segmetry.alignments.fairness",
    "error_kinds": "segmetry.alignments.kinds",
    "curves": "segmetry.scores.curves",
    "Curves": "segmetry.alignments.curves",
    "break_down": "segmetry.alignments.breakdown",
    "ByClass": "segmetry.alignments.breakdown",
    "ByColumn": "segmetry.alignments.breakdown",
    "ByGroup": "segmetry.alignments.breakdown",
    "BySize": "segmetry.alignments.breakdown",
    "segment_rows": "segmetry.alignments.rows",
    "record_of": "segmetry.aggregate",
    "summarise": "segmetry.aggregate",
    "Summary": "segmetry.aggregate",
    "intervals": "segmetry.aggregate",
    "Intervals": "segmetry.aggregate",
    "Interval": "segmetry.aggregate",
    "compare": "segmetry.comparisons",
    "Comparison": "segmetry.comparisons",
    "rule_sensitivity": "segmetry.comparisons",
    "two_alignments": "segmetry.comparisons",
    "TwoAlignments": "segmetry.aggregate.two_rules",
    "two_rules": "segmetry.aggregate.two_rules",
    "maps": "segmetry.scores.maps",
    "Maps": "segmetry.scores.maps",
    "reweight": "segmetry.alignments.reweight",
    "matched_shapes": "segmetry.geometry",
    "MatchedShapes": "segmetry.geometry",
    "average_precision_over": "segmetry.scores.average_precision",
    "vpq_over": "segmetry.scores.video",
    "Tally": "segmetry.alignments",
    "overlap": "segmetry.overlaps",
    "precision_recall_plot": "segmetry.outputs.precision_recall_plot",
    "precision_recall_plot_of_items": "segmetry.outputs.precision_recall_plot",
    "evaluate": "segmetry.evaluation",
    "Run": "segmetry.run.run",
    "score": "segmetry.scoring",
    "Scores": "segmetry.scoring",
    "Score": "segmetry.scores.score",
    "Counts": "segmetry.scores.score",
    "OverlapTable": "segmetry.overlaps",
    "Alignment": "segmetry.alignments",
    "Policy": "segmetry.alignments",
    "MatchRule": "segmetry.alignments",
    "Segmentation": "segmetry.segmentation",
    "Annotations": "segmetry.segmentation",
    "agreement": "segmetry.scores.agreement",
    "boundary_edits": "segmetry.scores.boundary_edit",
    "window_confusion": "segmetry.scores.winpr",
    "window_size": "segmetry.scores.windows",
    "against_all": "segmetry.scores.several",
    "pairwise": "segmetry.scores.several",
    "diagnose": "segmetry.diagnosis.budget",
    "Diagnosis": "segmetry.diagnosis.diagnosis",
    "sensitivity": "segmetry.diagnosis.sensitivity",
    "Sensitivity": "segmetry.diagnosis.moved_scores",
    "draw_bars": "segmetry.outputs.bars",
    "Picture": "segmetry.outputs.canvas",
    "SeveralScores": "segmetry.scores.several",
    "LabelArray": "segmetry.segmentation",
    "Spans": "segmetry.segmentation",
    "Masks": "segmetry.segmentation",
    "Polygons": "segmetry.segmentation",
    "Sets": "segmetry.segmentation",
    "SegmetryError": "segmetry.errors",
    "theta_plus": "segmetry.alignments.rules",
    "theta_and": "segmetry.alignments.rules",
    "iou": "segmetry.alignments.rules",
    "dice": "segmetry.alignments.rules",
    "tversky": "segmetry.alignments.rules",
    "mutual_coverage": "segmetry.alignments.rules",
    "largest_overlap": "segmetry.alignments.partners",
    "maximum_weight": "segmetry.alignments.partners",
    "greedy": "segmetry.alignments.partners",
}
_ALIASES = {"panoptic_quality": "pq"}

if TYPE_CHECKING:
    from segmetry.alignments import Alignment as Alignment
    from segmetry.alignments import MatchRule as MatchRule
    from segmetry.alignments import Policy as Policy
    from segmetry.alignments import align as align
    from segmetry.diagnosis.budget import diagnose as diagnose
    from segmetry.diagnosis.sensitivity import sensitivity as sensitivity
    from segmetry.evaluation import evaluate as evaluate
    from segmetry.installation import about as about
    from segmetry.outputs.bars import draw_bars as draw_bars
    from segmetry.outputs.canvas import Picture as Picture
    from segmetry.overlaps import OverlapTable as OverlapTable
    from segmetry.overlaps import overlap as overlap
    from segmetry.run.run import Run as Run
    from segmetry.scores.agreement import agreement as agreement
    from segmetry.scores.boundary_edit import boundary_edits as boundary_edits
    from segmetry.scores.several import against_all as against_all
    from segmetry.scores.several import pairwise as pairwise
    from segmetry.scores.windows import window_size as window_size
    from segmetry.scores.winpr import window_confusion as window_confusion
    from segmetry.scoring import Scores as Scores
    from segmetry.scoring import score as score
    from segmetry.segmentation import Annotations as Annotations
    from segmetry.segmentation import LabelArray as LabelArray
    from segmetry.segmentation import Masks as Masks
    from segmetry.segmentation import Polygons as Polygons
    from segmetry.segmentation import Sets as Sets
    from segmetry.segmentation import Spans as Spans


def metrics() -> dict[str, Any]:
    """Every metric by its key, family by family.

    >>> metrics()["pq"].symbol
    'PQ'
    """
    place = import_module("segmetry.scores.keys").place
    declared = import_module("segmetry.scores.metric").METRICS
    return dict(sorted(declared.items(), key=lambda entry: place(entry[1].family, entry[0])))


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(_HOMES[name]), name)
    elif name.startswith("_"):
        raise AttributeError(name)
    else:
        declared = import_module("segmetry.scores.metric").METRICS
        key = _ALIASES.get(name, name)
        if key not in declared:
            raise AttributeError(f"segmetry has no attribute and no metric {name!r}")
        found = declared[key]
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, *_ALIASES, *metrics()])
