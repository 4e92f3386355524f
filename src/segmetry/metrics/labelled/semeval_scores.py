r"""F1 of entities in the four schemas of SemEval'13 [segurabedmar2013semeval].

With the outcomes correct, incorrect, partial, missed and spurious (see semeval_outcomes.py):

    possible = COR + INC + PAR + MIS,   actual = COR + INC + PAR + SPU
    P = (COR + ½ PAR)/actual,   R = (COR + ½ PAR)/possible,   F1 = (2 COR + PAR)/(possible + actual)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.entity_counts import NO_ENTITIES
from segmetry.metrics.labelled.semeval_outcomes import SCHEMAS, Schema, semeval_outcomes
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation.spans import Spans

_NAMES = ("COR", "INC", "PAR", "MIS", "SPU")
_TRUE = Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"])
_PRED = Spans.from_tags(["B-PER", "O", "O", "B-ORG", "O", "O"])


def _declare(schema: Schema, words: str, value: float) -> None:
    """Declare the F1 of a schema."""

    def outcomes(sums: Sums) -> Any:
        """Return the numbers of outcomes, the first axis; of a class, those of its entities among themselves."""
        return np.moveaxis(sums["outcomes" if sums.is_by_class else "all"][..., SCHEMAS.index(schema), :], -1, 0)

    def f1(sums: Sums) -> Quotient:
        correct, incorrect, partial, missed, spurious = outcomes(sums)
        either = 2 * (correct + incorrect + partial) + missed + spurious
        return Quotient(2 * correct + partial, either, NO_ENTITIES, occurs=either > 0)

    def describe(_: Quotient, sums: Sums, names: Sequence[Hashable]) -> dict[str, Any]:
        if len(names):
            return {}
        counts = outcomes(sums)[:, 0, 0].tolist()
        details: dict[str, Any] = dict(zip(_NAMES, counts, strict=True))
        correct, incorrect, partial, missed, spurious = counts
        if sum(counts):
            found, taken = 2 * correct + partial, correct + incorrect + partial
            details["precision"] = found / (2 * (taken + spurious) or 1)
            details["recall"] = found / (2 * (taken + missed) or 1)
        return details

    f1.__name__ = f1.__qualname__ = f"semeval_{schema}"
    half = " + \\tfrac{1}{2}\\mathrm{PAR}" if schema == "partial" else ""
    metric(
        symbol=rf"F_{{1,\mathrm{{{schema}}}}}",
        order=70 + SCHEMAS.index(schema),
        kinds=("spans",),
        formula=rf"F_1 = \frac{{2(\mathrm{{COR}}{half})}}{{\mathrm{{possible}} + \mathrm{{actual}}}}",
        summary=f"F1 of entities in the schema {schema} of SemEval'13: {words}.",
        citation="segurabedmar2013semeval",
        notes="Predictions take true entities from left to right; one that is not correct takes the first free true "
        "entity that it overlaps, as nervaluate does, so another order can change the outcomes. An overlap must cover "
        "least_share of the true entity. details contain the outcomes, precision and recall. The values of a class "
        "compare the entities of this class alone. Undefined without an entity on either side.",
        examples=(Example(_TRUE, _PRED, value),),
        statistics=Aggregation(
            semeval_outcomes, average=POOLED, of_items=("all",), describe=describe, describes_classes=True
        ),
    )(f1)


_declare("strict", "boundaries and type must be those of a true entity", 0)
_declare("exact", "boundaries must be those of a true entity, whatever its type", 2 / 5)
_declare("partial", "boundaries count in full, an overlap by half, whatever the type", 3 / 5)
_declare("type", "an overlap with a true entity of the same type is correct", 2 / 5)
