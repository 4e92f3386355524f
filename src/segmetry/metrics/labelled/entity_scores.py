r"""Precision, recall and F1 of entities found exactly, as the CoNLL shared tasks count [tjongkimsang2003introduction].

With t true, p predicted and c exactly found entities:  P = c/p,  R = c/t,  F1 = 2c/(t + p).
Micro: over all entities of the data set. Macro: of each class, then the mean over classes. Weighted: the mean over
classes weighted by their true entities.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

from segmetry._base.exact import FloatArray, IntArray
from segmetry.metrics.accumulator import Accumulator, Collected, Combined
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.entity_counts import (
    NO_ENTITIES,
    EntityCounts,
    entity_counts,
    sampled_quotient,
    sampled_totals,
    sum_entities,
)
from segmetry.metrics.score import Score
from segmetry.segmentation.span_lines import SpanLines
from segmetry.segmentation.spans import Spans

_NOTES = (
    "An entity is found if first token, last token and class are the same. All segments (micro) counts every entity of "
    "the data set; by class (macro) is the mean over the classes that occur; details contain the mean weighted by the "
    "number of true entities, and the counts. A class that occurs on one side alone has the value 0, as in seqeval. "
    "Undefined without an entity on either side. Takes two SpanLines as well: many lines at once."
)
_TRUE = Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC", "O", "B-PER"])
_PRED = Spans.from_tags(["B-PER", "I-PER", "O", "B-ORG", "O", "B-PER"])


@dataclass(frozen=True)
class _EntityQuotient:
    """A quotient of counts, and its averages."""

    key: str
    parts: Callable[[EntityCounts], tuple[int, int]]

    def score(self, counts: EntityCounts, **details: float) -> Score:
        """Return the value; 0 where its denominator is 0 but the other side has entities."""
        top, bottom = self.parts(counts)
        numbers = {"true": counts.true, "pred": counts.pred, "correct": counts.correct}
        return Score.of(self.key, top, bottom or counts.true + counts.pred, NO_ENTITIES, **details, **numbers)

    def combine(self, collected: Collected) -> Combined:
        total, by_class = sum_entities(collected)
        classes = {name: self.score(counts) for name, counts in by_class.items()}
        mean = Score.of(self.key, math.fsum(score.value for score in classes.values()), len(classes), NO_ENTITIES)
        value = self.score(total, **self._weighted(by_class, classes))
        return Combined(value, classes, mean)

    def _weighted(self, counts: Mapping[Hashable, EntityCounts], scores: Mapping[Hashable, Score]) -> dict[str, float]:
        """Return the mean over classes weighted by true entities; 0 where there are predicted ones alone."""
        if not counts:
            return {}
        weight = sum(entry.true for entry in counts.values())
        weighted = math.fsum(entry.true * scores[name].value for name, entry in counts.items())
        return {"weighted": weighted / weight if weight else 0.0}

    def accumulator(self, resampled: Callable[[Collected, IntArray], FloatArray]) -> Accumulator:
        return Accumulator(entity_counts, self.combine, pooled=True, resampled=resampled)


_PRECISION = _EntityQuotient("entity_precision", lambda counts: (counts.correct, counts.pred))
_RECALL = _EntityQuotient("entity_recall", lambda counts: (counts.correct, counts.true))
_F1 = _EntityQuotient("entity_f1", lambda counts: (2 * counts.correct, counts.true + counts.pred))


def _precisions(collected: Collected, times: IntArray) -> FloatArray:
    true, pred, correct = sampled_totals(collected, times)
    return sampled_quotient(correct, pred, true + pred)


def _recalls(collected: Collected, times: IntArray) -> FloatArray:
    true, pred, correct = sampled_totals(collected, times)
    return sampled_quotient(correct, true, true + pred)


def _f1s(collected: Collected, times: IntArray) -> FloatArray:
    true, pred, correct = sampled_totals(collected, times)
    return sampled_quotient(2 * correct, true + pred, true + pred)


_OF_PRECISION = _PRECISION.accumulator(_precisions)
_OF_RECALL = _RECALL.accumulator(_recalls)
_OF_F1 = _F1.accumulator(_f1s)


@metric(
    symbol=r"P_{\mathrm{ent}}",
    family="labelled",
    order=40,
    needs="lines",
    kinds=("spans",),
    formula=r"P = \frac{c}{p}",
    summary="The share of predicted entities that are exactly true ones.",
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="entity_recall",
    value_if_equal=1,
    notes=_NOTES,
    examples=(Example(_TRUE, _PRED, 2 / 3),),
    accumulator=_OF_PRECISION,
)
def entity_precision(true: SpanLines, pred: SpanLines) -> Score:
    return _OF_PRECISION.score(true, pred)


@metric(
    symbol=r"R_{\mathrm{ent}}",
    family="labelled",
    order=50,
    needs="lines",
    kinds=("spans",),
    formula=r"R = \frac{c}{t}",
    summary="The share of true entities that are found exactly.",
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    bounds=(0, 1),
    better="higher",
    symmetric=False,
    swaps_with="entity_precision",
    value_if_equal=1,
    notes=_NOTES,
    examples=(Example(_TRUE, Spans.from_tags(["B-PER", "I-PER", "O", "O", "O", "O"]), 1 / 3),),
    accumulator=_OF_RECALL,
)
def entity_recall(true: SpanLines, pred: SpanLines) -> Score:
    return _OF_RECALL.score(true, pred)


@metric(
    symbol=r"F_{1,\mathrm{ent}}",
    family="labelled",
    order=60,
    aliases=("ner_f1",),
    needs="lines",
    kinds=("spans",),
    formula=r"F_1 = \frac{2c}{t + p}",
    summary="The harmonic mean of precision and recall of entities that are found exactly.",
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    value_if_equal=1,
    notes=_NOTES,
    examples=(Example(_TRUE, _PRED, 2 / 3),),
    accumulator=_OF_F1,
)
def entity_f1(true: SpanLines, pred: SpanLines) -> Score:
    return _OF_F1.score(true, pred)
