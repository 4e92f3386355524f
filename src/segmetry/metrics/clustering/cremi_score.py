r"""The CREMI score: the geometric mean of variation of information and adapted Rand error [funke2016cremi].

√(VOI · ARAND), where elements outside in the truth are left out and the outside of the prediction is one segment, and
ARAND pairs each element also with itself.
"""

from __future__ import annotations

import math

from segmetry.metrics.clustering.element_pairs import adapted_rand_error
from segmetry.metrics.clustering.shared_notes import NO_ELEMENTS
from segmetry.metrics.clustering.variation_of_information import variation_of_information
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.score import Score
from segmetry.overlaps.contingency import contingency
from segmetry.overlaps.table import OverlapTable


@metric(
    symbol=r"\mathrm{CREMI}",
    order=115,
    formula=r"\sqrt{\mathrm{VI}\cdot\mathrm{ARE}}",
    summary="The geometric mean of the variation of information, in bits, and the adapted Rand error; 0 is perfect.",
    citation=("funke2016cremi",),
    bounds=(0, math.inf),
    better="lower",
    notes="Elements outside in the truth are left out and the outside of the prediction is one segment, whatever "
    "background is: the convention 'cremi' of variation_of_information and adapted_rand_error. details contain both "
    "factors and the share of the elements that counts. The script of the challenge scales predicted zeros wrongly, so "
    "that its value differs where the prediction leaves elements outside. Overlapping segments are an error. "
    "Undefined without a true segment.",
    examples=(
        Example([[1, 1, 2, 2, 0]], [[1, 1, 1, 1, 2]], math.sqrt(1 * 1 / 3)),
        Example([[1, 1, 2, 2, 0]], [[3, 3, 4, 4, 4]], 0.0),
    ),
)
def cremi_score(table: OverlapTable) -> Score:
    parts = contingency(table, "cremi")
    if not parts.n:
        return Score.undefined("cremi_score", NO_ELEMENTS, **parts.details)
    information = variation_of_information.compute(parts).value
    error = adapted_rand_error.compute(parts).value
    return Score.number(
        "cremi_score",
        math.sqrt(information * error),
        **parts.details,
        variation_of_information=information,
        adapted_rand_error=error,
    )
