"""A picture of precision, recall and F1 over the weight a pair must reach; the shaded area under F1 is PQ."""

from __future__ import annotations

import math
from fractions import Fraction

from segmetry.alignments.curves import Curves, Measure
from segmetry.exact import FloatArray
from segmetry.outputs.svg import (
    BLACK,
    GREY,
    PALE,
    Colour,
    Drawing,
    Line,
    Point,
    Polygon,
    Polyline,
    Rectangle,
    Shape,
    Text,
)

WIDTH, HEIGHT = 700, 500
LEFT, TOP, RIGHT, BOTTOM = 64.0, 52.0, 676.0, 376.0
# Vermilion, blue and black tell apart under every kind of colour blindness; the dashes help in print.
STYLES: dict[Measure, tuple[str, Colour, tuple[float, float] | None]] = {
    "precision": ("Precision", (213, 94, 0), (9, 5)),
    "recall": ("Recall", (0, 114, 178), (3, 3.5)),
    "f1": ("F1", BLACK, None),
}
SHADE, SHADE_OPACITY, SHADE_ON_WHITE = (0, 158, 115), 0.25, (191, 231, 220)
ALPHA_COLOUR = (127, 74, 136)


def curve_plot(curves: Curves, title: str | None = None) -> Drawing:
    """Draw the curves; α, below which no pair of the rule can lie, is the dashed vertical line.

    ``save`` writes the drawing as ``.svg`` or ``.png``.

    >>> import segmetry as sm
    >>> drawing = curve_plot(sm.curves([[1, 1, 1, 2]], [[1, 1, 2, 2]]))
    >>> drawing.svg().startswith("<svg"), drawing.words
    (True, 'P, R and F1 over IoU (theta_and)')
    """
    word = weight_words(curves.weight)
    words = title or f"P, R and F1 over {word} ({curves.tally.rule.name})"
    arrays = curves.arrays()
    area = _steps(arrays["t"], arrays["f1"])
    shapes: list[Shape] = [Text((LEFT + RIGHT) / 2, 26, words, 17, "middle")]
    if area:
        shapes.append(Polygon((_at(0, 0), *area), SHADE, SHADE_OPACITY))
    shapes += _axes(f"least {word} of a pair, t")
    if curves.alpha:
        shapes += _alpha_mark(curves.alpha)
    for measure, (_, colour, dashes) in STYLES.items():
        steps = _steps(arrays["t"], arrays[measure])
        if steps:
            shapes.append(Polyline(steps, colour, 2.5 if measure == "f1" else 2.0, dashes))
    return Drawing(WIDTH, HEIGHT, words, [*shapes, *_legend(curves)])


def weight_words(weight: str) -> str:
    """The name of a weight as people write it.

    >>> weight_words("iou"), weight_words("coverage_true")
    ('IoU', 'coverage of true')
    """
    written = {"iou": "IoU", "dice": "Dice", "coverage_true": "coverage of true", "coverage_pred": "coverage of pred"}
    return written.get(weight, weight.replace("_", " "))


def _at(t: float, value: float) -> Point:
    return LEFT + t * (RIGHT - LEFT), BOTTOM - value * (BOTTOM - TOP)


def _steps(t: FloatArray, values: FloatArray) -> tuple[Point, ...]:
    """The corners of a step function; none where it is undefined."""
    if math.isnan(values[0]):
        return ()
    corners = [
        corner
        for at, value in enumerate(values.tolist())
        for corner in (_at(float(t[at]), value), _at(float(t[at + 1]), value))
    ]
    return (*corners, _at(1, 0))


def _axes(below: str) -> list[Shape]:
    shapes: list[Shape] = []
    for tick in range(6):
        share = tick / 5
        (x, _), (_, y) = _at(share, 0), _at(0, share)
        shapes += [Line(LEFT, y, RIGHT, y, PALE), Line(x, BOTTOM, x, BOTTOM + 5, GREY)]
        shapes += [
            Text(x, BOTTOM + 17, f"{share:.1f}", 13, "middle"),
            Text(LEFT - 9, y, f"{share:.1f}", 13, "end"),
        ]
    shapes += [Line(LEFT, TOP, LEFT, BOTTOM, GREY), Line(LEFT, BOTTOM, RIGHT, BOTTOM, GREY)]
    return [*shapes, Text((LEFT + RIGHT) / 2, BOTTOM + 40, below, 14, "middle")]


def _alpha_mark(alpha: Fraction) -> list[Shape]:
    x, _ = _at(float(alpha), 0)
    # PNG text keeps to ASCII: the font that comes with Pillow knows little more.
    label = f"alpha = {alpha}"
    beside = Text(x - 6, TOP + 10, label, 13, "end", ALPHA_COLOUR)
    if alpha <= Fraction(1, 4):
        beside = Text(x + 6, TOP + 10, label, 13, "start", ALPHA_COLOUR)
    return [Polyline(((x, TOP), (x, BOTTOM)), ALPHA_COLOUR, 1.5, (6, 5)), beside]


def _legend(curves: Curves) -> list[Shape]:
    y = BOTTOM + 72
    shapes: list[Shape] = []
    for at, (name, colour, dashes) in enumerate(STYLES.values()):
        x = LEFT + 140 * at
        shapes += [Polyline(((x, y), (x + 34, y)), colour, 2.5, dashes), Text(x + 42, y, name, 14)]
    names = ("PQ", "NPQ") if curves.weight == "iou" else ("area under F1", "normalised above alpha")
    shown = ["undefined" if math.isnan(value) else f"{value:.4f}" for value in (curves.area(), curves.npq())]
    shapes.append(Rectangle(LEFT, y + 18, 34, 14, SHADE_ON_WHITE))
    return [*shapes, Text(LEFT + 42, y + 25, f"{names[0]} = {shown[0]}      {names[1]} = {shown[1]}", 14)]
