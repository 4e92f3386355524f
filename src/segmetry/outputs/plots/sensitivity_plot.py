"""Plot of boundary sensitivity: the change of PQ by every move, under every rule, of all segments and by size."""

from __future__ import annotations

from collections.abc import Iterable

from segmetry.alignments import rule_symbol
from segmetry.diagnosis import BASE, Sensitivity
from segmetry.metrics import AVERAGES
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.shapes import GREY, INK, PALE, Line, Rectangle, Shape, Words
from segmetry.results import counted, number, signed

# Blue and vermilion are distinguishable in every kind of colour blindness.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", INK)
_LEFT, _PANEL, _GAP, _BAR, _SPACE = 90, 160, 46, 9, 10


def sensitivity_plot(sensitivity: Sensitivity, average: str = "by_item") -> Picture:
    """Draw the change of PQ for every move and rule, below PQ as predicted.

    >>> import segmetry as sm
    >>> sensitivity_plot(sm.sensitivity([[1, 1, 1]], [[1, 1, 0]])).title
    'PQ (by item) when predicted segments move by one pixel: 1 item'
    """
    items = counted(sensitivity.n_items, "item")
    title = f"PQ ({AVERAGES[average].heading}) when predicted segments move by one pixel: {items}"
    row = _BAR * len(sensitivity.rules) + _SPACE
    top = 62 + 15 * len(sensitivity.rules)
    bottom = top + len(sensitivity.moves) * row
    shapes: list[Shape] = [Words(16, 20, title, 15)]
    for at, move in enumerate(sensitivity.moves):
        shapes.append(Words(_LEFT - 10, top + (at + 0.5) * row, move_words(move, sensitivity.moves), 12, "end"))
    sizes: tuple[str | None, ...] = (None, *sensitivity.present_sizes)
    reach = _axis_reach(sensitivity, average, sizes)
    for at, size in enumerate(sizes):
        field = _Field(_LEFT + at * (_PANEL + _GAP), top, bottom, row, reach)
        shapes += field.frame(size or "all segments")
        shapes += field.bars(sensitivity, average, size)
    width = max(_LEFT + len(sizes) * (_PANEL + _GAP) + 10, 560)
    return Picture(width, bottom + 30, title, tuple(shapes))


def move_words(move: str, moves: Iterable[str]) -> str:
    """Return what a move is called: that of an image goes up, down, left and right.

    >>> moves = ["dilate", "shift_0-", "shift_0+", "shift_1-", "shift_1+"]
    >>> [move_words(move, moves) for move in moves], move_words("shift_2+", ["shift_2+"])
    (['grow', 'up', 'down', 'left', 'right'], 'axis 2 +')
    """
    if not move.startswith("shift_"):
        return {"dilate": "grow", "erode": "shrink"}.get(move, move)
    if {name[:7] for name in moves if name.startswith("shift_")} == {"shift_0", "shift_1"}:
        return {"shift_0-": "up", "shift_0+": "down", "shift_1-": "left", "shift_1+": "right"}[move]
    return f"axis {move.removeprefix('shift_')[:-1]} {move[-1]}"


def _axis_reach(sensitivity: Sensitivity, average: str, sizes: tuple[str | None, ...]) -> float:
    """Return the largest change, rounded up to 1, 2 or 5 times a power of ten."""
    changes = [
        abs(sensitivity.change(rule, move, average=average, size=size) or 0)
        for rule in sensitivity.rules
        for move in sensitivity.moves
        for size in sizes
    ]
    largest = max(changes)
    return next((s * 10.0**p for p in range(-4, 0) for s in (1, 2, 5) if s * 10.0**p >= largest), 1.0)


class _Field:
    """One field of bars, from -reach to reach."""

    def __init__(self, left: float, top: float, bottom: float, row: float, reach: float) -> None:
        self.left, self.top, self.bottom, self.row, self.reach = left, top, bottom, row, reach
        self.middle = left + _PANEL / 2

    def frame(self, name: str) -> list[Shape]:
        """Return the name, the grid and its numbers."""
        shapes: list[Shape] = [Words(self.middle, 46, name, 13, "middle")]
        for part in (-1, 0, 1):
            x = self.middle + part * _PANEL / 2
            shapes.append(Line(((x, self.top), (x, self.bottom)), GREY if part == 0 else PALE))
            words = "0" if part == 0 else f"{part * self.reach:+g}"
            shapes.append(Words(x, self.bottom + 12, words, 11, "middle", GREY))
        return shapes

    def bars(self, sensitivity: Sensitivity, average: str, size: str | None) -> list[Shape]:
        """Return PQ as predicted and its changes."""
        shapes: list[Shape] = []
        for line, rule in enumerate(sensitivity.rules):
            colour = _COLOURS[line % len(_COLOURS)]
            before = sensitivity.value(rule, BASE, average=average, size=size)
            words = f"{rule_symbol(rule)} {'undefined' if before is None else number(before)}"
            shapes.append(Words(self.middle, 64 + 15 * line, words, 11, "middle", colour))
            for at, move in enumerate(sensitivity.moves):
                change = sensitivity.change(rule, move, average=average, size=size)
                if change is not None:
                    length = change / self.reach * _PANEL / 2
                    y = self.top + at * self.row + _SPACE / 2 + line * _BAR
                    note = f"{move_words(move, sensitivity.moves)}, {rule_symbol(rule)}: {signed(change)}"
                    x, wide = self.middle + min(length, 0), max(abs(length), 0.5)
                    shapes.append(Rectangle(x, y, wide, _BAR - 1, colour, None, note))
        return shapes
