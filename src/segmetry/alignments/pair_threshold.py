"""The threshold of a rule: the weight of a pair is above a number (>), or at least that number (≥)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from segmetry._base import IntArray, Threshold, as_python_ints, fraction_in, frozen_dataclass, products_fit, widest
from segmetry.errors import OptionError


@frozen_dataclass()
class PairThreshold:
    """``weight > value`` where ``strict``, else ``weight ≥ value``; ``option`` is how it was written."""

    value: Fraction
    strict: bool
    option: str

    @classmethod
    def of(
        cls,
        above: Threshold | None,
        at_least: Threshold | None,
        names: tuple[str, str] = ("above", "at_least"),
    ) -> PairThreshold:
        """Return the threshold of which exactly one form was given.

        >>> str(PairThreshold.of("0.75", None)), str(PairThreshold.of(None, 1))
        ('above=3/4', 'at_least=1')
        """
        if (above is None) == (at_least is None):
            found = f"both {names[0]} and {names[1]} are" if at_least is not None else f"no {names[0]} or {names[1]} is"
            raise OptionError(
                f"{found} given; expected exactly one: {names[0]}=0.5 means > 0.5, {names[1]}=0.5 means ≥ 0.5"
            )
        if above is not None:
            return cls(fraction_in(above, names[0], 0, 1), True, names[0])
        return cls(fraction_in(at_least or 0, names[1], 0, 1, open_low=True), False, names[1])

    def admits(self, top: IntArray, bottom: IntArray) -> NDArray[np.bool_]:
        """Return whether each quotient satisfies the threshold, compared exactly.

        >>> PairThreshold.of(None, "1/2").admits(np.array([1, 1]), np.array([2, 3])).tolist()
        [True, False]
        """
        if top.dtype != object and not products_fit(self.value.denominator, widest(top, bottom)):
            top, bottom = as_python_ints(top), as_python_ints(bottom)  # type: ignore[assignment]
        left, right = top * self.value.denominator, self.value.numerator * bottom
        return (left > right if self.strict else left >= right).astype(bool)

    def __str__(self) -> str:
        return f"{self.option}={self.value}"
