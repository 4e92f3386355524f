"""Tallies: the pairs of an alignment and the numbers of segments without a partner. Tallies add up.

The tally of a class in an item or of all small segments of a data set is a sum of tallies, and every panoptic score and
curve is a function of one. Pairs keep their integer counts, so any weight can be computed and any threshold compared
exactly afterwards; a sum of weights is the exactly rounded sum of correctly rounded quotients, the same bits in every
order of addition.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray, IntArray, exact_sum, frozen_dataclass, ratio
from segmetry.alignments.weights import TVERSKY, WEIGHTS, QuotientArrays, is_weight, quotient
from segmetry.errors import ClashError, InputError, OptionError
from segmetry.kernels import rounded_sum

FEW = 64
"""Pairs whose IoUs are divided one by one: arrays cost more than they save."""


@frozen_dataclass(eq=False)
class Tally:
    """Matched pairs with their shared, missed and spurious elements, and the numbers of missed and spurious segments.

    ``own`` are weights that replace the IoU in curves, under the name ``weight`` (:func:`segmetry.reweight`).
    ``clash`` is the error of an alignment that is not one-to-one: scores that count segments raise it.
    """

    shared: IntArray
    missed: IntArray
    spurious: IntArray
    n_unmatched_true: int
    n_unmatched_pred: int
    rule: Any
    weight: str = "iou"
    own: tuple[Fraction, ...] | None = None
    clash: ClashError | None = None

    @property
    def n_pairs(self) -> int:
        """The number of matched pairs."""
        return self.shared.size

    @property
    def n_true(self) -> int:
        """The number of matched and missed true segments."""
        return self.n_pairs + self.n_unmatched_true

    @property
    def n_pred(self) -> int:
        """The number of matched and spurious pred segments."""
        return self.n_pairs + self.n_unmatched_pred

    @property
    def occurs(self) -> bool:
        """Whether there is a segment to score."""
        return self.n_true + self.n_pred > 0

    def one_to_one(self) -> Tally:
        """Return the tally; raise if a segment has several partners and ``resolve`` is not ``"keep"``."""
        if self.clash is not None:
            raise self.clash
        return self

    def quotient(self, weight: str | None = None) -> QuotientArrays:
        """Return numerators and denominators of a weight of every pair; the tally's weight by default."""
        if weight is None or (weight == self.weight and self.own is not None):
            if self.own is None:
                return quotient(self.weight, self.shared, self.missed, self.spurious)
            return _column(w.numerator for w in self.own), _column(w.denominator for w in self.own)
        if self.own is not None and not is_weight(weight):
            known = ", ".join((*WEIGHTS, TVERSKY))
            raise OptionError(f"weight is {weight!r}; expected {self.weight} or one of {known}")
        return quotient(weight, self.shared, self.missed, self.spurious)

    def weights(self, weight: str | None = None) -> FloatArray:
        """Return a weight of every pair, correctly rounded."""
        return ratio(*self.quotient(weight))

    def total(self, weight: str | None = None) -> float:
        """Return Σ weight over the pairs, exactly rounded from correctly rounded weights."""
        return rounded_sum(self.weights(weight))

    def exact_total(self, weight: str | None = None) -> Fraction:
        """Return Σ weight over the pairs as an exact fraction."""
        top, bottom = self.quotient(weight)
        return exact_sum(top.tolist(), bottom.tolist())

    @cached_property
    def iou_sum(self) -> float:
        """Σ IoU over the pairs: the exactly rounded sum of correctly rounded IoUs, the same in every order."""
        if self.n_pairs > FEW:
            return self.total("iou")
        # Python rounds the quotient of two integers correctly, and needs no arrays for a few of them.
        pairs = zip(self.shared.tolist(), self.missed.tolist(), self.spurious.tolist(), strict=True)
        return math.fsum([s / (s + m + p) if s + m + p else math.nan for s, m, p in pairs])

    def __add__(self, other: Tally) -> Tally:
        return add_tallies([self, other])

    def __repr__(self) -> str:
        return f"Tally({self.n_pairs} pairs, {self.n_unmatched_true} missed, {self.n_unmatched_pred} spurious)"


def add_tallies(tallies: Sequence[Tally]) -> Tally:
    """Return the sum of at least one tally; all must have the same rule and weight."""
    if not tallies:
        raise InputError("no tallies to add; expected at least one")
    first = tallies[0]
    for tally in tallies[1:]:
        if (tally.rule, tally.weight) != (first.rule, first.weight):
            raise InputError(
                f"tallies of rule {first.rule} with weight {first.weight} and of rule {tally.rule} "
                f"with weight {tally.weight} cannot be added; expected one rule and one weight"
            )
    own = None if first.own is None else tuple(w for tally in tallies for w in tally.own or ())
    return Tally(
        shared=np.concatenate([tally.shared for tally in tallies]),
        missed=np.concatenate([tally.missed for tally in tallies]),
        spurious=np.concatenate([tally.spurious for tally in tallies]),
        n_unmatched_true=sum(tally.n_unmatched_true for tally in tallies),
        n_unmatched_pred=sum(tally.n_unmatched_pred for tally in tallies),
        rule=first.rule,
        weight=first.weight,
        own=own,
        clash=next((tally.clash for tally in tallies if tally.clash is not None), None),
    )


def _column(values: Iterable[int]) -> NDArray[Any]:
    listed = list(values)
    column = np.empty(len(listed), dtype=object)
    column[:] = listed
    return column
