"""The tests of what θ& adds to θ⁺, as ``segmetry compare RUN --rules theta_plus,theta_and`` prints them."""

from __future__ import annotations

from segmetry.comparison import two_alignments
from segmetry.errors import SegmetryError
from segmetry.report.analysis_data import MANY_ITEMS
from segmetry.report.page_records import TwoRulesData
from segmetry.report.sections import is_about_detections, is_semantic
from segmetry.run import Run


def two_rules_facts(run: Run) -> TwoRulesData | None:
    """Return p values and the distance of classes; None where segments are not compared, clash, or are too many."""
    if len(run.names) > MANY_ITEMS or is_semantic([run]) or is_about_detections([run]):
        return None
    try:
        found = two_alignments(run).summary
    except SegmetryError:
        return None
    return {
        "ks_p": found.ks_p,
        "class_ks": found.class_ks_statistic,
        "class_ks_p": found.class_ks_p,
        "correlation_p": found.correlation_p,
    }
