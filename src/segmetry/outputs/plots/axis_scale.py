"""Linear scales from numbers to positions on the page, with round ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high`` along a line from ``start`` to ``stop``."""

    low: float
    high: float
    start: float
    stop: float

    def at(self, value: float) -> float:
        """Return the position of a number.

        >>> Scale(0, 2, 100, 200).at(1)
        150.0
        """
        return self.start + (self.stop - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 7) -> list[float]:
        """Return round numbers in the range, at most about ``most``.

        >>> Scale(-0.013, 0.024, 0, 1).ticks()
        [-0.01, 0.0, 0.01, 0.02]
        """
        span = self.high - self.low
        power = 10.0 ** math.floor(math.log10(span / most))
        step = next(factor * power for factor in (1, 2, 5, 10, 20) if span / (factor * power) <= most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step)))
        return [round(at * step, digits) + 0.0 for at in range(first, last + 1)]


def scale_of(values: list[float], start: float, stop: float, *, margin: float = 0.06) -> Scale:
    """Return a scale that shows all numbers with a margin, also if they are equal.

    >>> scale_of([1.0, 1.0], 0, 100).low < 1 < scale_of([1.0, 1.0], 0, 100).high
    True
    """
    low, high = min(values), max(values)
    room = (high - low) * margin or 0.5 * max(abs(low), 0.02)
    return Scale(low - room, high + room, start, stop)
