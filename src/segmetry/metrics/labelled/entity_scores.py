r"""Precision, recall and F1 of entities found exactly, as the CoNLL shared tasks count [tjongkimsang2003introduction].

With t true, p predicted and c exactly found entities:  P = c/p,  R = c/t,  F1 = 2c/(t + p).
Micro: over all entities of the data set. Macro: of each class, then the mean over classes. Weighted: the mean over
classes weighted by their true entities.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.labelled.entity_counts import NO_ENTITIES, entity_counts
from segmetry.metrics.statistics import Quotient, Sums
from segmetry.segmentation.spans import Spans

_NOTES = (
    "An entity is found if first token, last token and class are the same. All segments (micro) counts every entity of "
    "the data set; by class (macro) is the mean over the classes that occur; details contain the mean weighted by the "
    "number of true entities, and the counts. A class that occurs on one side alone has the value 0, as in seqeval. "
    "Undefined without an entity on either side. Takes two SpanLines as well: many lines at once."
)
_TRUE = Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC", "O", "B-PER"])
_PRED = Spans.from_tags(["B-PER", "I-PER", "O", "B-ORG", "O", "B-PER"])


def _counts(_: Quotient, sums: Sums, names: Sequence[Hashable]) -> dict[str, Any]:
    """Return the counts, and of all entities the mean over classes weighted by true ones; 0 where there are none."""
    if len(names):
        return {}
    counts = {name: int(sums[name][0, 0]) for name in ("true", "pred", "correct")}
    if sums.of_classes is None or not counts["true"] + counts["pred"]:
        return counts
    classes, quotient = sums.of_classes
    weighted = math.fsum(classes["true"][:, 0] * np.nan_to_num(quotient.values[:, 0]))
    return {"weighted": weighted / max(counts["true"], 1), **counts}


_ENTITIES = Aggregation(entity_counts, average=POOLED, describe=_counts, describes_classes=True)


def _quotient(top: Any, bottom: Any, either: Any) -> Quotient:
    """Return the value; 0 where its denominator is 0 but the other side has entities."""
    return Quotient(top, np.where(bottom > 0, bottom, either), NO_ENTITIES, occurs=either > 0)


@metric(
    symbol=r"P_{\mathrm{ent}}",
    order=40,
    kinds=("spans",),
    formula=r"P = \frac{c}{p}",
    summary="The share of predicted entities that are exactly true ones.",
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    swaps_with="entity_recall",
    notes=_NOTES,
    examples=(Example(_TRUE, _PRED, 2 / 3),),
    statistics=_ENTITIES,
)
def entity_precision(sums: Sums) -> Quotient:
    return _quotient(sums["correct"], sums["pred"], sums["true"] + sums["pred"])


@metric(
    symbol=r"R_{\mathrm{ent}}",
    kinds=("spans",),
    formula=r"R = \frac{c}{t}",
    summary="The share of true entities that are found exactly.",
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    swaps_with="entity_precision",
    notes=_NOTES,
    examples=(Example(_TRUE, Spans.from_tags(["B-PER", "I-PER", "O", "O", "O", "O"]), 1 / 3),),
    statistics=_ENTITIES,
)
def entity_recall(sums: Sums) -> Quotient:
    return _quotient(sums["correct"], sums["true"], sums["true"] + sums["pred"])


@metric(
    symbol=r"F_{1,\mathrm{ent}}",
    aliases=("ner_f1",),
    kinds=("spans",),
    formula=r"F_1 = \frac{2c}{t + p}",
    summary="The harmonic mean of precision and recall of entities that are found exactly.",
    citation=("tjongkimsang2003introduction", "ratinov2009design"),
    symmetric=True,
    notes=_NOTES,
    examples=(Example(_TRUE, _PRED, 2 / 3),),
    statistics=_ENTITIES,
)
def entity_f1(sums: Sums) -> Quotient:
    return _quotient(2 * sums["correct"], sums["true"] + sums["pred"], sums["true"] + sums["pred"])
