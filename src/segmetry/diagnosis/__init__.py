"""Error analysis: what is wrong with a prediction, and the gain if it is fixed.

:func:`diagnose` answers from a run alone: how much every score rises if all errors of one kind are fixed.
:func:`sensitivity` needs the elements: how much every score changes if all predicted segments grow, shrink or
move by one.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.diagnosis.boundary_sensitivity import RULES, sensitivity
    from segmetry.diagnosis.element_errors import is_about_classes
    from segmetry.diagnosis.costly_confusions import ClassConfusions, class_confusions
    from segmetry.diagnosis.detection_diagnosis import KEY, DetectionErrors, confidence_curve, detection_errors
    from segmetry.diagnosis.detection_diagnosis import has_detections, has_detections_only, recall_curves
    from segmetry.diagnosis.diagnosis_result import WORDS, Diagnosis, difference
    from segmetry.diagnosis.error_budget import diagnose, overlap_problem, run_reasons
    from segmetry.diagnosis.error_reasons import KINDS, KIND_BITS
    from segmetry.diagnosis.error_tables import diagnosis_tables, errors_table, moves_without_effect
    from segmetry.diagnosis.error_tables import sensitivity_tables
    from segmetry.diagnosis.run_errors import RunError, RunErrors, errors_of
    from segmetry.diagnosis.scored_state import AVERAGES, KEYS, State, n_defined
    from segmetry.diagnosis.error_tables import segments_with_errors
    from segmetry.diagnosis.sensitivity_result import BASE, Sensitivity
    from segmetry.diagnosis.verdicts import Verdicts, judged
else:
    __getattr__, __dir__ = names_on_demand(__name__)
