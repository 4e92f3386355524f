"""The outcomes of entities in the four schemas of SemEval'13 task 9 [segurabedmar2013semeval].

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

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np

from segmetry._base.exact import IntArray, fraction
from segmetry.errors import OptionError
from segmetry.metrics.labelled.span_pairs import on_one_long_line
from segmetry.metrics.statistics import Column
from segmetry.segmentation.span_lines import SpanLines

Schema = Literal["strict", "exact", "partial", "type"]
SCHEMAS: tuple[Schema, ...] = ("strict", "exact", "partial", "type")
LEAST_SHARE = "0.01"


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
    """Collect the outcomes of all entities, and of the entities of each class among themselves, for each schema.

    >>> lines = [SpanLines.from_tags([["B-PER", tag, "O", "B-LOC"]]) for tag in ("I-PER", "O")]
    >>> semeval_outcomes(*lines)["all"][0].tolist()
    [[1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [2, 0, 0, 0, 0]]
    """
    share = fraction(least_share, "least_share")
    if not 0 < share <= 1:
        raise OptionError(f"least_share is {least_share!r}; expected a share of a true entity, above 0 and at most 1")
    first, second, names = on_one_long_line(true, pred)
    sides = [list(map(_Entity, *(c.tolist() for c in (s.starts, s.stops, s.codes)))) for s in (first, second)]
    kinds = range(len(names))
    by_kind = [[[entity for entity in side if entity.kind == kind] for side in sides] for kind in kinds]
    return {
        "all": _counted([sides], share),
        "class": list(names),
        "outcomes": _counted(by_kind, share),
    }


def _counted(pairs: Sequence[Sequence[Sequence[_Entity]]], share: Fraction) -> IntArray:
    """Return outcomes (pairs of sides × schemas × outcomes)."""
    counted = [[_outcomes(true, pred, schema, share) for schema in SCHEMAS] for true, pred in pairs]
    return np.array(counted, dtype=np.int64).reshape(len(pairs), len(SCHEMAS), len(EntityOutcomes._fields))


def _outcomes(true: Sequence[_Entity], pred: Sequence[_Entity], schema: Schema, share: Fraction) -> EntityOutcomes:
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
        hit, other = _choice(entity, near, true, schema, share)
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


def _choice(
    entity: _Entity, near: Sequence[int], true: Sequence[_Entity], schema: Schema, share: Fraction
) -> tuple[int | None, int | None]:
    """Return the true entity that a prediction finds correctly, or the first one that it overlaps otherwise."""
    enough = [at for at in near if _overlap(entity, true[at]) * share.denominator >= share.numerator * _size(true[at])]
    if schema == "type":
        alike = [at for at in enough if true[at].kind == entity.kind]
        hit = min(alike, key=lambda at: _distance(entity, true[at]), default=None)
        others = [at for at in enough if true[at].kind != entity.kind]
        return hit, others[0] if others else None
    same = [at for at in near if true[at][:2] == entity[:2] and (schema != "strict" or true[at].kind == entity.kind)]
    return (same[0] if same else None), (enough[0] if enough else None)


def _size(entity: _Entity) -> int:
    return entity.stop - entity.start


def _overlap(first: _Entity, second: _Entity) -> int:
    return min(first.stop, second.stop) - max(first.start, second.start)


def _distance(first: _Entity, second: _Entity) -> int:
    return abs(first.start - second.start) + abs(first.stop - second.stop)
