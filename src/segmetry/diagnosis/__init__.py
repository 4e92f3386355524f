"""Error analysis: what is wrong with a prediction, and the gain if it is fixed.

:func:`diagnose` answers from a run alone: how much every score rises if all errors of one kind are fixed.
:func:`sensitivity` needs the elements: how much every score changes if all predicted segments grow, shrink or
move by one.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.diagnosis.boundary_sensitivity import RULES as RULES, sensitivity as sensitivity
    from segmetry.diagnosis.costly_confusions import ClassConfusions as ClassConfusions
    from segmetry.diagnosis.costly_confusions import class_confusions as class_confusions
    from segmetry.diagnosis.detection_diagnosis import DetectionErrors as DetectionErrors, KEY as KEY
    from segmetry.diagnosis.detection_diagnosis import WrongDetection as WrongDetection
    from segmetry.diagnosis.detection_diagnosis import detection_errors as detection_errors
    from segmetry.diagnosis.detection_diagnosis import has_detections as has_detections
    from segmetry.diagnosis.detection_diagnosis import has_detections_only as has_detections_only
    from segmetry.diagnosis.detection_diagnosis import recall_curves as recall_curves
    from segmetry.diagnosis.detection_diagnosis import worst_detections as worst_detections
    from segmetry.diagnosis.diagnosis_result import Diagnosis as Diagnosis, WORDS as WORDS, difference as difference
    from segmetry.diagnosis.error_tables import diagnosis_tables as diagnosis_tables
    from segmetry.diagnosis.error_tables import moves_without_effect as moves_without_effect
    from segmetry.diagnosis.error_tables import sensitivity_tables as sensitivity_tables
    from segmetry.diagnosis.error_budget import diagnose as diagnose, overlap_problem as overlap_problem
    from segmetry.diagnosis.error_budget import run_reasons as run_reasons
    from segmetry.diagnosis.error_reasons import KINDS as KINDS, KIND_BITS as KIND_BITS
    from segmetry.diagnosis.scored_state import AVERAGES as AVERAGES, KEYS as KEYS, State as State
    from segmetry.diagnosis.scored_state import n_defined as n_defined
    from segmetry.diagnosis.sensitivity_result import BASE as BASE, Sensitivity as Sensitivity
else:
    __getattr__, __dir__ = names_on_demand(__name__)
