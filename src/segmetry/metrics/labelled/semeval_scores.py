r"""F1 of entities in the four schemas of SemEval'13 [segurabedmar2013semeval].

With the outcomes correct, incorrect, partial, missed and spurious (see semeval_outcomes.py):

    possible = COR + INC + PAR + MIS,   actual = COR + INC + PAR + SPU
    P = (COR + ½ PAR)/actual,   R = (COR + ½ PAR)/possible,   F1 = (2 COR + PAR)/(possible + actual)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, Metric, metric
from segmetry.metrics.labelled.semeval_outcomes import (
    LEAST_SHARE,
    SCHEMAS,
    EntityOutcomes,
    Schema,
    semeval_outcomes,
    sum_outcomes,
)
from segmetry.metrics.score import Score
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans

NO_ENTITIES = "no entity on either side"
_NAMES = ("COR", "INC", "PAR", "MIS", "SPU")
_TRUE = Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"])
_PRED = Spans.from_tags(["B-PER", "O", "O", "B-ORG", "O", "O"])


def _score(key: str, outcomes: EntityOutcomes) -> Score:
    top, either = 2 * outcomes.correct + outcomes.partial, outcomes.possible + outcomes.actual
    details: dict[str, float] = dict(zip(_NAMES, outcomes, strict=True))
    if either:
        details["precision"] = top / (2 * outcomes.actual) if outcomes.actual else 0.0
        details["recall"] = top / (2 * outcomes.possible) if outcomes.possible else 0.0
    return Score.of(key, top, either, NO_ENTITIES, **details)


def _accumulator(key: str, schema: Schema) -> Accumulator:
    def combine(collected: Collected) -> Combined:
        total, by_class = sum_outcomes(collected, schema)
        classes = {name: _score(key, outcomes) for name, outcomes in by_class.items()}
        mean = Score.of(key, math.fsum(score.value for score in classes.values()), len(classes), NO_ENTITIES)
        return Combined(_score(key, total), classes, mean)

    def resampled(collected: Collected, times: IntArray) -> FloatArray:
        correct, incorrect, partial, missed, spurious = collected.columns["all"][:, SCHEMAS.index(schema)].T @ times
        either = 2 * (correct + incorrect + partial) + missed + spurious
        return np.where(either > 0, (2 * correct + partial) / np.maximum(either, 1), math.nan)

    return Accumulator(semeval_outcomes, combine, pooled=True, resampled=resampled)


def _declared(schema: Schema, order: int, words: str, value: float) -> Callable[[Callable[..., Score]], Metric]:
    """Return the declaration of the F1 of a schema."""
    partial = " + \\tfrac{1}{2}\\mathrm{PAR}" if schema == "partial" else ""
    return metric(
        symbol=rf"F_{{1,\mathrm{{{schema}}}}}",
        family="labelled",
        order=order,
        needs="lines",
        kinds=("spans",),
        formula=rf"F_1 = \frac{{2(\mathrm{{COR}}{partial})}}{{\mathrm{{possible}} + \mathrm{{actual}}}}",
        summary=f"F1 of entities in the schema {schema} of SemEval'13: {words}.",
        citation="segurabedmar2013semeval",
        bounds=(0, 1),
        better="higher",
        symmetric=False,
        value_if_equal=1,
        notes="Predictions take true entities from left to right; one that is not correct takes the first free true "
        "entity that it overlaps, as nervaluate does, so another order can change the outcomes. An overlap must cover "
        "least_share of the true entity. details contain the outcomes, precision and recall. The values of a class "
        "compare the entities of this class alone. Undefined without an entity on either side.",
        examples=(Example(_TRUE, _PRED, value),),
        accumulator=_ACCUMULATORS[schema],
    )


_ACCUMULATORS = {schema: _accumulator(f"semeval_{schema}", schema) for schema in SCHEMAS}


@_declared("strict", 70, "boundaries and type must be those of a true entity", 0)
def semeval_strict(true: SpanLines, pred: SpanLines, *, least_share: Any = LEAST_SHARE) -> Score:
    return _ACCUMULATORS["strict"].score(true, pred, least_share=least_share)


@_declared("exact", 80, "boundaries must be those of a true entity, whatever its type", 2 / 5)
def semeval_exact(true: SpanLines, pred: SpanLines, *, least_share: Any = LEAST_SHARE) -> Score:
    return _ACCUMULATORS["exact"].score(true, pred, least_share=least_share)


@_declared("partial", 90, "boundaries count in full, an overlap by half, whatever the type", 3 / 5)
def semeval_partial(true: SpanLines, pred: SpanLines, *, least_share: Any = LEAST_SHARE) -> Score:
    return _ACCUMULATORS["partial"].score(true, pred, least_share=least_share)


@_declared("type", 100, "an overlap with a true entity of the same type is correct", 2 / 5)
def semeval_type(true: SpanLines, pred: SpanLines, *, least_share: Any = LEAST_SHARE) -> Score:
    return _ACCUMULATORS["type"].score(true, pred, least_share=least_share)
