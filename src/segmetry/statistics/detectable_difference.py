r"""The smallest difference a data set can tell from nothing, and how many items a difference needs.

The estimated difference is about normal round the true one with the bootstrap's standard error SE of the paired
difference. A two-sided test at level α then finds a true difference Δ with probability β (its power) when
Δ = (z_{1−α/2} + z_β) · SE: 2.80 · SE for α = 5 % and a power of 80 %. SE falls with the square root of the number of
items, so a difference d needs about n · (Δ/d)² of them.
"""

from __future__ import annotations

import math
from statistics import NormalDist

POWER = 0.8


def detectable_difference(standard_error: float, level: float = 0.95, power: float = POWER) -> float:
    """The smallest difference that is found with this power at this confidence level.

    >>> round(detectable_difference(0.01), 4)
    0.028
    """
    normal = NormalDist()
    return (normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)) * standard_error


def items_needed(n_items: int, difference: float, detectable: float) -> int | None:
    """About how many items of this kind the observed difference needs to be found, two at least; None where it is 0.

    >>> items_needed(100, 0.01, 0.02)
    400
    """
    if difference == 0 or math.isnan(difference):
        return None
    return max(2, math.ceil(n_items * (detectable / difference) ** 2))
