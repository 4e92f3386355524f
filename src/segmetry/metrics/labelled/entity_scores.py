r"""Entities found exactly, as CoNLL counts them, and in the four schemas of SemEval'13 task 9.

=========  ===========================================================================================================
strict     correct: boundaries and type; an overlap that is not is incorrect
exact      correct: boundaries, whatever the type; another overlap is incorrect
partial    correct: boundaries, whatever the type; another overlap is partial, which counts half
type       correct: an overlap and the same type; an overlap with another type is incorrect
=========  ===========================================================================================================

Predictions take true entities one after the other, from left to right, and a true entity is taken once. A prediction
that is not correct takes the first overlapping true entity that is free, in the order of the text; of several correct
ones (schema type) it takes that with the nearest boundaries. nervaluate does the same. A true entity that nobody takes
is missed, a prediction that takes none is spurious.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base import Column, IndexArray, IntArray, distinct, fraction
from segmetry.errors import OptionError
from segmetry.metrics.aggregation import Aggregation
from segmetry.metrics.average import POOLED
from segmetry.metrics.declare import Example, metric
from segmetry.metrics.statistics import Quotient, Statistics, Sums
from segmetry.overlaps import LabelCells, sorted_names
from segmetry.segmentation import SpanLines, Spans


@dataclass(frozen=True, eq=False)
class LineSpans:
    """The spans of one side, all lines one after the other; ``codes`` are positions in the names of both sides."""

    starts: IntArray
    stops: IntArray
    codes: IndexArray


def on_one_long_line(true: SpanLines, pred: SpanLines) -> tuple[LineSpans, LineSpans, tuple[Hashable, ...]]:
    """Return both sides with positions that count on over all lines, and the classes of both."""
    names = sorted_names({*true.names, *pred.names})
    place = {name: at for at, name in enumerate(names)}
    offsets = np.cumsum(true.lengths) - true.lengths
    sides = []
    for side in (true, pred):
        codes = np.array([place[name] for name in side.names], dtype=np.intp)[side.codes]
        shift = offsets[side.lines]
        sides.append(LineSpans(side.starts + shift, side.stops + shift, codes))
    return sides[0], sides[1], names


@dataclass(frozen=True, eq=False)
class SpanPairs:
    """Every pair of a true and a predicted span that share elements, by prediction, then by truth."""

    at_true: IndexArray
    at_pred: IndexArray
    shared: IntArray
    union: IntArray
    same_class: NDArray[np.bool_]


def span_pairs(true: LineSpans, pred: LineSpans) -> SpanPairs:
    """Return the overlapping pairs: the truths of a prediction follow each other, as spans of a side are disjoint."""
    first = np.searchsorted(true.stops, pred.starts, side="right")
    last = np.searchsorted(true.starts, pred.stops, side="left")
    number = np.maximum(last - first, 0)
    at_pred = np.repeat(np.arange(pred.starts.size), number)
    before = np.cumsum(number) - number
    at_true = np.arange(int(number.sum())) - np.repeat(before - first, number)
    starts, stops = true.starts[at_true], true.stops[at_true]
    shared = np.minimum(stops, pred.stops[at_pred]) - np.maximum(starts, pred.starts[at_pred])
    union = np.maximum(stops, pred.stops[at_pred]) - np.minimum(starts, pred.starts[at_pred])
    return SpanPairs(at_true, at_pred, shared, union, true.codes[at_true] == pred.codes[at_pred])


NO_ENTITIES = "no entity on either side"


def entity_counts(true: SpanLines, pred: SpanLines) -> Statistics:
    """Collect the number of true, predicted and exactly found entities of each class, for every line."""
    first, second, names = on_one_long_line(true, pred)
    at = np.searchsorted(second.starts, first.starts)
    at[at == second.starts.size] = 0
    found = np.zeros(first.starts.size, dtype=np.bool_)
    if second.starts.size:
        found = (
            (second.starts[at] == first.starts) & (second.stops[at] == first.stops) & (second.codes[at] == first.codes)
        )
    of_true, of_pred = (side.lines * len(names) + spans.codes for side, spans in ((true, first), (pred, second)))
    used = distinct(np.concatenate((of_true, of_pred)))
    line, code = np.divmod(used, max(len(names), 1))
    places = [np.searchsorted(used, cells) for cells in (of_true, of_pred)]
    cells = LabelCells(line, code, names, *places)
    counts = [np.bincount(at, minlength=used.size) for at in (*places, places[0][found])]
    return Statistics.of_cells(len(true), cells, dict(zip(("true", "pred", "correct"), counts, strict=True)), {})


_NOTES = (
    "An entity is found if first token, last token and class are the same. All segments (micro) counts every entity of "
    "the data set; by class (macro) is the mean over the classes that occur; details contain the mean weighted by the "
    "number of true entities, and the counts. A class that occurs on one side alone has the value 0, as in seqeval. "
    "Undefined without an entity on either side. Takes two SpanLines as well: many lines at once."
)
_TRUE = Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC", "O", "B-PER"])
_PRED = Spans.from_tags(["B-PER", "I-PER", "O", "B-ORG", "O", "B-PER"])


def _count_details(_: Quotient, sums: Sums, names: Sequence[Hashable]) -> dict[str, Any]:
    """Return the counts, and of all entities the mean over classes weighted by true ones; 0 where there are none."""
    if len(names):
        return {}
    counts = {name: int(sums[name][:1].sum()) for name in ("true", "pred", "correct")}
    if sums.of_classes is None or not counts["true"] + counts["pred"]:
        return counts
    classes, quotient = sums.of_classes
    weighted = math.fsum(classes["true"][:, 0] * np.nan_to_num(quotient.values[:, 0]))
    return {"weighted": weighted / max(counts["true"], 1), **counts}


_ENTITIES = Aggregation(entity_counts, average=POOLED, describe=_count_details, describes_classes=True)


def _entity_quotient(top: Any, bottom: Any, either: Any) -> Quotient:
    """Return the value; 0 where its denominator is 0 but the other side has entities."""
    return Quotient(top, np.where(bottom > 0, bottom, either), NO_ENTITIES, occurs=either > 0)


_entity_score = partial(
    metric, citation=("tjongkimsang2003introduction", "ratinov2009design"), notes=_NOTES, statistics=_ENTITIES
)


@_entity_score(
    symbol=r"P_{\mathrm{ent}}",
    order=40,
    formula=r"P = \frac{c}{p}",
    summary="The share of predicted entities that are exactly true ones.",
    swaps_with="entity_recall",
    examples=(Example(_TRUE, _PRED, 2 / 3),),
)
def entity_precision(sums: Sums) -> Quotient:
    return _entity_quotient(sums["correct"], sums["pred"], sums["true"] + sums["pred"])


@_entity_score(
    symbol=r"R_{\mathrm{ent}}",
    formula=r"R = \frac{c}{t}",
    summary="The share of true entities that are found exactly.",
    examples=(Example(_TRUE, Spans.from_tags(["B-PER", "I-PER", "O", "O", "O", "O"]), 1 / 3),),
)
def entity_recall(sums: Sums) -> Quotient:
    return _entity_quotient(sums["correct"], sums["true"], sums["true"] + sums["pred"])


@_entity_score(
    symbol=r"F_{1,\mathrm{ent}}",
    aliases=("ner_f1",),
    formula=r"F_1 = \frac{2c}{t + p}",
    summary="The harmonic mean of precision and recall of entities that are found exactly.",
    symmetric=True,
    examples=(Example(_TRUE, _PRED, 2 / 3),),
)
def entity_f1(sums: Sums) -> Quotient:
    return _entity_quotient(2 * sums["correct"], sums["true"] + sums["pred"], sums["true"] + sums["pred"])


Schema = Literal["strict", "exact", "partial", "type"]
SCHEMAS: tuple[Schema, ...] = ("strict", "exact", "partial", "type")
LEAST_SHARE = "0.01"
"""nervaluate's default: its min_overlap_percentage=1.0 means 1 %."""


class EntityOutcomes(NamedTuple):
    """How many entities are correct, incorrect, partial, missed and spurious."""

    correct: int
    incorrect: int
    partial: int
    missed: int
    spurious: int


class _Entity(NamedTuple):
    start: int
    stop: int
    kind: int


def semeval_outcomes(true: SpanLines, pred: SpanLines, *, least_share: Any = LEAST_SHARE) -> dict[str, Column]:
    """Collect the outcomes of all entities, and of the entities of each class among themselves, for each schema."""
    share = fraction(least_share, "least_share")
    if not 0 < share <= 1:
        raise OptionError(f"least_share is {least_share!r}; expected a share of a true entity, above 0 and at most 1")
    first, second, names = on_one_long_line(true, pred)
    sides = [list(map(_Entity, *(c.tolist() for c in (s.starts, s.stops, s.codes)))) for s in (first, second)]
    kinds = range(len(names))
    by_kind = [[[entity for entity in side if entity.kind == kind] for side in sides] for kind in kinds]
    return {"all": _outcome_counts([sides], share), "class": list(names), "outcomes": _outcome_counts(by_kind, share)}


def _outcome_counts(pairs: Sequence[Sequence[Sequence[_Entity]]], share: Fraction) -> IntArray:
    """Return outcomes (pairs of sides × schemas × outcomes)."""
    counted = [[_outcomes_in(true, pred, schema, share) for schema in SCHEMAS] for true, pred in pairs]
    return np.array(counted, dtype=np.int64).reshape(len(pairs), len(SCHEMAS), len(EntityOutcomes._fields))


def _outcomes_in(true: Sequence[_Entity], pred: Sequence[_Entity], schema: Schema, share: Fraction) -> EntityOutcomes:
    taken = [False] * len(true)
    correct = half = spurious = first = 0
    for entity in pred:
        while first < len(true) and true[first].stop <= entity.start:
            first += 1  # it ends before this prediction, so it overlaps no later one
        near = []
        for at in range(first, len(true)):
            if true[at].start >= entity.stop:
                break
            if not taken[at]:
                near.append(at)
        hit, other = _chosen_entity(entity, near, true, schema, share)
        if hit is not None:
            correct += 1
            taken[hit] = True
        elif other is not None:
            half += 1
            taken[other] = True
        else:
            spurious += 1
    missed = len(true) - sum(taken)
    return EntityOutcomes(correct, *((0, half) if schema == "partial" else (half, 0)), missed, spurious)


def _chosen_entity(
    entity: _Entity, near: Sequence[int], true: Sequence[_Entity], schema: Schema, share: Fraction
) -> tuple[int | None, int | None]:
    """Return the true entity that a prediction finds correctly, or the first one that it overlaps otherwise."""
    enough = [
        at for at in near if _n_shared(entity, true[at]) * share.denominator >= share.numerator * _size_of(true[at])
    ]
    if schema == "type":
        alike = [at for at in enough if true[at].kind == entity.kind]
        hit = min(alike, key=lambda at: _end_distance(entity, true[at]), default=None)
        others = [at for at in enough if true[at].kind != entity.kind]
        return hit, others[0] if others else None
    same = [at for at in near if true[at][:2] == entity[:2] and (schema != "strict" or true[at].kind == entity.kind)]
    return (same[0] if same else None), (enough[0] if enough else None)


def _size_of(entity: _Entity) -> int:
    return entity.stop - entity.start


def _n_shared(first: _Entity, second: _Entity) -> int:
    return min(first.stop, second.stop) - max(first.start, second.start)


def _end_distance(first: _Entity, second: _Entity) -> int:
    return abs(first.start - second.start) + abs(first.stop - second.stop)


_NAMES = ("COR", "INC", "PAR", "MIS", "SPU")
_SEMEVAL_TRUE = Spans.from_tags(["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"])
_SEMEVAL_PRED = Spans.from_tags(["B-PER", "O", "O", "B-ORG", "O", "O"])


def _declare_schema(schema: Schema, words: str, value: float) -> None:
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
        formula=rf"F_1 = \frac{{2(\mathrm{{COR}}{half})}}{{\mathrm{{possible}} + \mathrm{{actual}}}}",
        summary=f"F1 of entities in the schema {schema} of SemEval'13: {words}.",
        citation="segurabedmar2013semeval",
        notes="Predictions take true entities from left to right; one that is not correct takes the first free true "
        "entity that it overlaps, as nervaluate does, so another order can change the outcomes. An overlap must cover "
        "least_share of the true entity. details contain the outcomes, precision and recall. The values of a class "
        "compare the entities of this class alone. Undefined without an entity on either side.",
        examples=(Example(_SEMEVAL_TRUE, _SEMEVAL_PRED, value),),
        statistics=Aggregation(
            semeval_outcomes, average=POOLED, of_items=("all",), describe=describe, describes_classes=True
        ),
    )(f1)


_declare_schema("strict", "boundaries and type must be those of a true entity", 0)
_declare_schema("exact", "boundaries must be those of a true entity, whatever its type", 2 / 5)
_declare_schema("partial", "boundaries count in full, an overlap by half, whatever the type", 3 / 5)
_declare_schema("type", "an overlap with a true entity of the same type is correct", 2 / 5)
