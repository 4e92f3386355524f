"""Axes of two numbers from 0 to 1: frame, grid and labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from segmetry.outputs.plots.shapes import GREY, INK, PALE, Line, Point, Shape, Words


@dataclass(frozen=True)
class Axes:
    """Position and size of the axes on the page."""

    left: float
    top: float
    width: float
    height: float

    def place(self, x: float, y: float) -> Point:
        """Return the position of a point on the page.

        >>> Axes(10, 10, 100, 50).place(0, 1)
        (10, 10)
        """
        return self.left + self.width * x, self.top + self.height * (1 - y)

    def shapes(self, x_name: str, y_name: str = "", *, parts: int = 4) -> list[Shape]:
        """Return the frame, a grid of equal parts with numbers, and the labels."""
        (left, bottom), (right, top) = self.place(0, 0), self.place(1, 1)
        drawn: list[Shape] = []
        for at in range(parts + 1):
            x, y = self.place(at / parts, at / parts)
            drawn += [Line(((x, top), (x, bottom)), PALE), Line(((left, y), (right, y)), PALE)]
            drawn.append(Words(x, bottom + 14, f"{at / parts:g}", 11, "middle", GREY))
            drawn.append(Words(left - 8, y, f"{at / parts:g}", 11, "end", GREY))
        drawn.append(Line(((left, top), (left, bottom), (right, bottom)), INK))
        drawn.append(Words((left + right) / 2, bottom + 34, x_name, 13, "middle"))
        if y_name:
            drawn.append(Words(left - 44, (top + bottom) / 2, y_name, 13, "middle", upright=True))
        return drawn


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


def y_axis(scale: Scale, left: float, right: float, name: str = "") -> list[Shape]:
    """Return the frame, a line with its number for every tick of an upright scale, and the label."""
    drawn: list[Shape] = []
    for tick in scale.ticks():
        y = scale.at(tick)
        drawn += [Line(((left, y), (right, y)), PALE), Words(left - 8, y, f"{tick:g}", 11, "end", GREY)]
    drawn.append(Line(((left, scale.stop), (left, scale.start), (right, scale.start)), INK))
    if name:
        drawn.append(Words(14, (scale.start + scale.stop) / 2, name, 13, "middle", upright=True))
    return drawn
