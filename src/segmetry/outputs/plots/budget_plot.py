"""Plots of an error analysis: gain in PQ if each kind of error is fixed, confused classes, boundary sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from segmetry.alignments import rule_heading, rule_symbol
from segmetry.diagnosis import BASE, KINDS, Diagnosis, Sensitivity, State
from segmetry.errors import InputError
from segmetry.metrics import AVERAGES, Score, value_or_none
from segmetry.outputs.plots.picture import GREY, INK, PALE, Line, Picture, Rectangle, Shape, Words
from segmetry.results import counted, cut_text, number, signed

# Okabe and Ito's palette: distinguishable in colour blindness; every bar is named as well.
COLOURS = {
    "class": "#cc79a7",
    "split": "#0072b2",
    "merge": "#56b4e9",
    "missed": "#d55e00",
    "spurious": "#e69f00",
    "boundary": "#009e73",
}
_BASE = "#5b5b5b"
_LEFT, _FIELD, _RIGHT, _ROW, _LONGEST = 110, 470, 90, 26, 20
_MOST_CLASSES = 24
_LOWER = "outlined: PQ falls, since segments that are fixed are now counted with those of this size"
_Pick = Callable[[State], Score | None]


@dataclass(frozen=True)
class _Panel:
    """One waterfall: PQ as predicted, and PQ after each kind of error is fixed, individually and cumulatively."""

    title: str
    base: float | None
    alone: tuple[float | None, ...]
    in_turn: tuple[float | None, ...]


def budget_plot(diagnosis: Diagnosis, average: str | None = None, *, system: str = "") -> Picture:
    """Draw PQ as predicted and its gain if kinds of errors are fixed cumulatively; thin bars: individually."""
    items, name = counted(diagnosis.n_items, "item"), average or diagnosis.average
    panel = _panel_of("", diagnosis, lambda state: state.scores["pq"].find(name))
    return _waterfall_picture(
        f"Error analysis: PQ ({AVERAGES[name].heading}) of {items} if fixed, {rule_heading(diagnosis.rule)}",
        [panel],
        system,
    )


def sizes_plot(diagnosis: Diagnosis, *, system: str = "") -> Picture:
    """Draw the same for the segments of every size."""
    panels = [
        _panel_of(name, diagnosis, lambda state, name=name: state.part("size", name).get("pq"))  # type: ignore[misc]
        for name in diagnosis.base.sizes
    ]
    return _waterfall_picture(
        f"Error analysis by size: PQ (pooled) if fixed, {rule_heading(diagnosis.rule)}", panels, system
    )


def _panel_of(title: str, diagnosis: Diagnosis, score: _Pick) -> _Panel:
    def value(state: State) -> float | None:
        return value_or_none(score(state))

    alone = tuple(value(diagnosis.individually[kind]) for kind in KINDS)
    return _Panel(title, value(diagnosis.base), alone, tuple(value(diagnosis.cumulative[kind]) for kind in KINDS))


def _waterfall_picture(words: str, panels: Sequence[_Panel], system: str) -> Picture:
    title = f"{cut_text(system, _LONGEST)}: {words}" if system else words
    shapes: list[Shape] = [Words(16, 20, title, 15), Words(_x(1) + 8, 40, "cumulative", 11, fill=GREY)]
    top = 50.0
    for panel in panels:
        height = (len(KINDS) + 1) * _ROW
        if panel.title:
            shapes.append(Words(_LEFT, top + 8, panel.title, 13))
            top += 22
        shapes += _grid_lines(top, height)
        shapes += _panel_bars(panel, top)
        top += height + 40
    shapes += _legend_shapes(top)
    steps = [[value for value in (panel.base, *panel.in_turn) if value is not None] for panel in panels]
    if any(after < before for values in steps for before, after in pairwise(values)):  # a step lowers PQ
        shapes.append(Words(_LEFT, top + 14, _LOWER, 11, fill=GREY))
        top += 20
    return Picture(_LEFT + _FIELD + _RIGHT, top + 24, title, tuple(shapes))


def _x(value: float) -> float:
    return _LEFT + _FIELD * value


def _grid_lines(top: float, height: float) -> list[Shape]:
    shapes: list[Shape] = []
    for part in range(6):
        x = _x(part / 5)
        shapes.append(Line(((x, top), (x, top + height)), PALE))
        shapes.append(Words(x, top + height + 12, f"{part / 5:g}", 11, "middle", GREY))
    return shapes


def _panel_bars(panel: _Panel, top: float) -> list[Shape]:
    shapes: list[Shape] = [Words(_LEFT - 8, top + _ROW / 2, "as predicted", 12, "end")]
    if panel.base is None:
        return [*shapes, Words(_x(0) + 6, top + _ROW / 2, "undefined", 12, "start", GREY)]
    shapes.append(Rectangle(_x(0), top + 5, _FIELD * panel.base, _ROW - 10, _BASE, None, f"PQ {number(panel.base)}"))
    shapes.append(Words(_x(1) + 8, top + _ROW / 2, number(panel.base), 12))
    before = panel.base
    for at, kind in enumerate(KINDS):
        y = top + (at + 1) * _ROW
        shapes.append(Words(_LEFT - 8, y + _ROW / 2, kind, 12, "end"))
        alone, after = panel.alone[at], panel.in_turn[at]
        if alone is not None:
            note = f"{kind} individually: {signed(alone - panel.base)}"
            shapes.append(_gain_bar(panel.base, alone, y + _ROW - 7, 4, GREY, note))
        if after is not None:
            note = f"{kind} cumulative: {number(before)} to {number(after)}"
            shapes.append(_gain_bar(before, after, y + 4, _ROW - 13, COLOURS[kind], note))
            if kind != KINDS[-1]:
                shapes.append(Line(((_x(after), y + 4), (_x(after), y + _ROW + 4)), INK, 0.8))
            shapes.append(Words(_x(1) + 8, y + _ROW / 2, signed(after - before), 12))
            before = after
    return shapes


def _gain_bar(start: float, stop: float, y: float, height: float, fill: str, note: str) -> Rectangle:
    low, high = min(start, stop), max(start, stop)
    width = max(_FIELD * (high - low), 0.5)
    if stop < start:
        return Rectangle(_x(low), y, width, height, "#ffffff", fill, note)
    return Rectangle(_x(low), y, width, height, fill, None, note)


def _legend_shapes(y: float) -> list[Shape]:
    y -= 8
    return [
        *(Rectangle(_LEFT + 6 * at, y - 5, 6, 10, COLOURS[kind]) for at, kind in enumerate(KINDS)),
        Words(_LEFT + 44, y, "fixed after all kinds above"),
        Rectangle(_LEFT + 246, y - 2, 22, 4, GREY),
        Words(_LEFT + 274, y, "fixed individually"),
    ]


def confusion_plot(diagnosis: Diagnosis) -> Picture:
    """Draw how often each true class (row) is confused with each predicted one (column); the most frequent classes."""
    if not diagnosis.confusion:
        raise InputError("no pair of segments differs in class only; there is no confusion to draw")
    names = _confused_classes(diagnosis)
    total = sum(row.pairs for row in diagnosis.confusion)
    cells = {(row.true_class, row.pred_class): row.pairs for row in diagnosis.confusion}
    most, side, left = max(cells.values()), 24, 150
    title = f"Confused classes: {counted(total, 'pair')}"
    shapes: list[Shape] = [
        Words(16, 20, title, 15),
        Words(16, 40, "rows: true class, columns: predicted class", 12, fill=GREY),
    ]
    top = 62.0
    for row, true in enumerate(names):
        y = top + row * side
        shapes.append(Words(left - 8, y + side / 2, cut_text(diagnosis.called(true), _LONGEST), 11, "end"))
        for column, pred in enumerate(names):
            pairs, x = cells.get((true, pred), 0), left + column * side
            fill = PALE if true == pred else _shade_of_pairs(pairs, most)
            note = f"{diagnosis.called(true)} predicted as {diagnosis.called(pred)}: {pairs}" if pairs else ""
            shapes.append(Rectangle(x, y, side - 1, side - 1, fill, None, note))
            if pairs:
                ink = "#ffffff" if 2 * pairs > most else INK
                shapes.append(Words(x + side / 2, y + side / 2, str(pairs), 10, "middle", ink))
    bottom = top + len(names) * side + 6
    for column, pred in enumerate(names):
        name = cut_text(diagnosis.called(pred), _LONGEST)
        shapes.append(Words(left + (column + 0.5) * side, bottom, name, 11, "end", upright=True))
    if left_out := len({name for cell in cells for name in cell}) - len(names):
        shapes.append(Words(16, bottom + 130, f"and {left_out} more classes", 11, fill=GREY))
    width = max(left + len(names) * side + 20, 360)
    return Picture(width, bottom + 146, title, tuple(shapes))


def _confused_classes(diagnosis: Diagnosis) -> list[Hashable]:
    """Return the classes with most confusions."""
    weight: dict[Hashable, int] = {}
    for confusion in diagnosis.confusion:
        for name in (confusion.true_class, confusion.pred_class):
            weight[name] = weight.get(name, 0) + confusion.pairs
    return sorted(weight, key=lambda name: -weight[name])[:_MOST_CLASSES]


def _shade_of_pairs(pairs: int, most: int) -> str:
    """Return a shade from white to dark blue."""
    if not pairs:
        return "#f4f4f4"
    part = 0.15 + 0.85 * pairs / most
    return "#" + "".join(f"{round(255 + (dark - 255) * part):02x}" for dark in (0, 68, 136))


# Blue and vermilion are distinguishable in every kind of colour blindness.
_RULE_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", INK)
_MOVES_LEFT, _PANEL, _GAP, _BAR, _SPACE = 90, 160, 46, 9, 10


def sensitivity_plot(sensitivity: Sensitivity, average: str = "by_item") -> Picture:
    """Draw the change of PQ for every move and rule, below PQ as predicted."""
    items = counted(sensitivity.n_items, "item")
    title = f"PQ ({AVERAGES[average].heading}) when predicted segments move by one pixel: {items}"
    row = _BAR * len(sensitivity.rules) + _SPACE
    top = 62 + 15 * len(sensitivity.rules)
    bottom = top + len(sensitivity.moves) * row
    shapes: list[Shape] = [Words(16, 20, title, 15)]
    for at, move in enumerate(sensitivity.moves):
        shapes.append(Words(_MOVES_LEFT - 10, top + (at + 0.5) * row, move_words(move, sensitivity.moves), 12, "end"))
    sizes: tuple[str | None, ...] = (None, *sensitivity.present_sizes)
    reach = _axis_reach(sensitivity, average, sizes)
    for at, size in enumerate(sizes):
        field = _Field(_MOVES_LEFT + at * (_PANEL + _GAP), top, bottom, row, reach)
        shapes += field.frame(size or "all segments")
        shapes += field.bars(sensitivity, average, size)
    width = max(_MOVES_LEFT + len(sizes) * (_PANEL + _GAP) + 10, 560)
    return Picture(width, bottom + 30, title, tuple(shapes))


def move_words(move: str, moves: Iterable[str]) -> str:
    """Return what a move is called: that of an image goes up, down, left and right."""
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
            colour = _RULE_COLOURS[line % len(_RULE_COLOURS)]
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
