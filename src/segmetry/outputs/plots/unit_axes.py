"""Axes of two numbers from 0 to 1: frame, grid and labels."""

from __future__ import annotations

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
