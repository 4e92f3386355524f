"""Pair by one function, weigh by another: give the pairs of an alignment new weights, then take curves and NPQ of them.

Distances become weights by a declared normalisation, max(0, 1 − d/D), with D the distance at which a pair is worth
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally
from segmetry.errors import InputError, OptionError

Weight = int | float | Fraction


def reweight(alignment: Alignment, weights: Sequence[Weight] | ArrayLike, name: str = "own weight") -> Tally:
    """The tally of an alignment whose pairs carry these weights, one in [0, 1] for each pair in the alignment's order.

    Floats are taken as the exact numbers they are; fractions stay fractions. PQ and SQ still speak of IoU; curves and
    NPQ of the new weights.

    >>> import segmetry as sm
    >>> alignment = sm.align(sm.overlap([[1, 1, 1, 2, 2]], [[1, 1, 2, 2, 2]]))
    >>> tally = reweight(alignment, [Fraction(1), Fraction(1, 2)], "centre distance")
    >>> sm.curves(tally).area("f1")
    0.75
    """
    listed = list(weights.tolist() if hasattr(weights, "tolist") else weights)  # type: ignore[arg-type]
    if len(listed) != len(alignment):
        raise InputError(
            f"{len(listed)} weights for {len(alignment)} pairs; expected one for each pair of the alignment"
        )
    return replace(alignment.tally, weight=name, own=tuple(_checked(w, at, name) for at, w in enumerate(listed)))


def _checked(weight: Any, at: int, name: str) -> Fraction:
    number = isinstance(weight, int | float | Fraction) and not isinstance(weight, bool)
    if not (number and 0 <= weight <= 1):
        raise InputError(f"{name} of pair {at} is {weight!r}; expected a number in [0, 1]")
    return Fraction(weight)


def closeness(distances: ArrayLike, furthest: float | ArrayLike) -> list[float]:
    """Distances as weights: max(0, 1 − d/D), where D is one number or one for each distance.

    An infinite distance is worth 0; a D of 0 (both segments are one element) is worth 1 at distance 0.

    >>> closeness([0.0, 5.0, 20.0], 10.0)
    [1.0, 0.5, 0.0]
    """
    given = np.asarray(distances, dtype=np.float64)
    if given.ndim != 1 or np.isnan(given).any() or (given < 0).any():
        raise InputError(f"distances are {distances!r}; expected one number ≥ 0 for each pair")
    least = np.asarray(furthest, dtype=np.float64)
    if not np.isfinite(least).all() or (least < 0).any() or (least.ndim == 0 and least == 0):
        raise OptionError(f"furthest is {furthest!r}; expected positive finite distances")
    limits = np.broadcast_to(least, given.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(given == 0, 0.0, given / limits)
    found: list[float] = np.maximum(0.0, 1.0 - share).tolist()
    return found
