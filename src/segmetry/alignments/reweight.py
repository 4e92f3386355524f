"""Replace the weights of the pairs of an alignment, for curves and NPQ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from segmetry.alignments.alignment import Alignment
from segmetry.alignments.tally import Tally
from segmetry.errors import InputError

Weight = int | float | Fraction


def reweight(alignment: Alignment, weights: Sequence[Weight] | ArrayLike, name: str = "own weight") -> Tally:
    """Return the tally of an alignment with other weights.

    PQ and SQ still use the IoU; curves and NPQ use the new weights.

    Parameters
    ----------
    alignment : Alignment
        The alignment.
    weights : sequence of numbers
        One weight in [0, 1] for each pair, in the order of the alignment; floats are converted exactly.
    name : str, default 'own weight'
        What the weights are called.

    Returns
    -------
    Tally
        The counts, with the new weights.

    Examples
    --------
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
    is_number = isinstance(weight, int | float | Fraction) and not isinstance(weight, bool)
    if not (is_number and 0 <= weight <= 1):
        raise InputError(f"{name} of pair {at} is {weight!r}; expected a number in [0, 1]")
    return Fraction(weight)
