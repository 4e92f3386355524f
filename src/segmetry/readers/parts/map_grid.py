"""A grid of square cells laid over a map, stated by the user and never guessed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from segmetry._base.exact import fraction
from segmetry.errors import OptionError
from segmetry.readers.option import OptionType


class Grid(NamedTuple):
    """The edges of a grid and the side of its cells, in units of the map; the first row is the topmost."""

    left: Fraction
    bottom: Fraction
    right: Fraction
    top: Fraction
    cell: Fraction

    @classmethod
    def parse(cls, text: str) -> Grid:
        """Return the grid written as ``LEFT,BOTTOM,RIGHT,TOP,CELL``.

        >>> Grid.parse("0,0,3,2,0.5").shape
        (4, 6)
        """
        parts = text.split(",")
        if len(parts) != 5:
            raise OptionError(f"grid is {text!r}; expected LEFT,BOTTOM,RIGHT,TOP,CELL")
        grid = cls(*(fraction(part, "grid") for part in parts))
        if grid.cell <= 0 or grid.right <= grid.left or grid.top <= grid.bottom:
            raise OptionError(f"grid is {text!r}; expected LEFT < RIGHT, BOTTOM < TOP and a positive CELL")
        if (grid.right - grid.left) % grid.cell or (grid.top - grid.bottom) % grid.cell:
            raise OptionError(f"grid is {text!r}; expected edges an integer number of cells apart")
        return grid

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return int((self.top - self.bottom) / self.cell), int((self.right - self.left) / self.cell)

    def __str__(self) -> str:
        return ",".join(str(part) for part in self)


@dataclass(frozen=True)
class GridText(OptionType[Grid]):
    """A grid, or its text."""

    def check(self, value: Any, name: str) -> Grid:
        if isinstance(value, Grid):
            return value
        if not isinstance(value, str):
            raise OptionError(f"{name} is {value!r}; expected LEFT,BOTTOM,RIGHT,TOP,CELL")
        return Grid.parse(value)

    def plain(self, value: Grid) -> str:
        return str(value)
