"""A picture of precision, recall and F1 over the weight a pair must reach; the shaded area under F1 is PQ."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

from segmetry.alignments.curves import Curves, Measure
from segmetry.errors import OptionError
from segmetry.exact import FloatArray
from segmetry.outputs.drawing import Drawing, Point

WIDTH, HEIGHT = 560, 400
LEFT, TOP, RIGHT, BOTTOM = 56.0, 40.0, 540.0, 300.0
# Blue, vermilion and black tell apart under every kind of colour blindness; the dashes help in print.
STYLES: dict[Measure, tuple[str, str, tuple[float, float] | None]] = {
    "precision": ("Precision", "#d55e00", (8, 4)),
    "recall": ("Recall", "#0072b2", (2.5, 3)),
    "f1": ("F1", "#222222", None),
}
SHADE, GRID, ALPHA = "#009e73", "#dddddd", "#7f4a88"


def curve_plot(curves: Curves, title: str | None = None) -> Drawing:
    """Draw the curves; alpha, below which no pair of the rule can lie, is the dashed vertical line.

    >>> import segmetry as sm
    >>> drawing = curve_plot(sm.curves([[1, 1, 1, 2]], [[1, 1, 2, 2]]))
    >>> drawing.svg().startswith("<svg"), drawing.title
    (True, 'P, R and F1 over IoU (theta_and)')
    """
    word = weight_words(curves.weight)
    drawing = Drawing(WIDTH, HEIGHT, title or f"P, R and F1 over {word} ({curves.tally.rule.name})")
    arrays = curves.arrays()
    drawing.text((LEFT + RIGHT) / 2, 24, drawing.title, 15, "middle")
    _shade(drawing, arrays["t"], arrays["f1"])
    _axes(drawing, f"least {word} of a pair, t")
    if curves.alpha:
        x, _ = _at(float(curves.alpha), 0)
        drawing.line([(x, TOP), (x, BOTTOM)], ALPHA, 1.5, (5, 4))
        wide = curves.alpha > Fraction(1, 4)
        drawing.text(
            x + (-5 if wide else 5), TOP + 14, f"alpha = {curves.alpha}", 11, "end" if wide else "start", ALPHA
        )
    for measure, (_, colour, dash) in STYLES.items():
        steps = _steps(arrays["t"], arrays[measure])
        if steps:
            drawing.line(steps, colour, 2.2 if measure == "f1" else 1.8, dash)
    _legend(drawing, curves)
    return drawing


def weight_words(weight: str) -> str:
    """The name of a weight as people write it.

    >>> weight_words("iou"), weight_words("coverage_true")
    ('IoU', 'coverage of true')
    """
    written = {"iou": "IoU", "dice": "Dice", "coverage_true": "coverage of true", "coverage_pred": "coverage of pred"}
    return written.get(weight, weight.replace("_", " "))


def write_curve_plot(curves: Curves, path: str | Path, title: str | None = None) -> Path:
    """Write the plot as ``.svg`` or ``.png``, whichever the name says."""
    target = Path(path)
    drawing = curve_plot(curves, title)
    if target.suffix == ".svg":
        target.write_text(drawing.svg(), encoding="utf-8")
    elif target.suffix == ".png":
        target.write_bytes(drawing.png())
    else:
        raise OptionError(f"path is {str(path)!r}; expected a name that ends in .svg or .png")
    return target


def _at(t: float, value: float) -> Point:
    return LEFT + t * (RIGHT - LEFT), BOTTOM - value * (BOTTOM - TOP)


def _steps(t: FloatArray, values: FloatArray) -> list[Point]:
    """The corners of a step function; none where it is undefined."""
    if math.isnan(values[0]):
        return []
    corners = [
        corner
        for at, value in enumerate(values.tolist())
        for corner in (_at(float(t[at]), value), _at(float(t[at + 1]), value))
    ]
    return [*corners, _at(1, 0)]


def _shade(drawing: Drawing, t: FloatArray, f1: FloatArray) -> None:
    steps = _steps(t, f1)
    if steps:
        drawing.polygon([_at(0, 0), *steps], SHADE, 0.25)


def _axes(drawing: Drawing, below: str) -> None:
    for tick in range(6):
        share = tick / 5
        (x, _), (_, y) = _at(share, 0), _at(0, share)
        drawing.line([(LEFT, y), (RIGHT, y)], GRID)
        drawing.line([(x, BOTTOM), (x, BOTTOM + 4)], "#666666")
        drawing.text(x, BOTTOM + 18, f"{share:.1f}", 11, "middle")
        drawing.text(LEFT - 7, y + 4, f"{share:.1f}", 11, "end")
    drawing.line([(LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM)], "#666666", 1.2)
    drawing.text((LEFT + RIGHT) / 2, BOTTOM + 36, below, 12, "middle")


def _legend(drawing: Drawing, curves: Curves) -> None:
    y = BOTTOM + 60
    for at, (name, colour, dash) in enumerate(STYLES.values()):
        x = LEFT + 110 * at
        drawing.line([(x, y - 4), (x + 28, y - 4)], colour, 2.2, dash)
        drawing.text(x + 34, y, name, 12)
    area, npq = curves.area(), curves.npq()
    drawing.rectangle(LEFT, y + 14, 28, 12, "#bfe7dc")
    names = ("PQ", "NPQ") if curves.weight == "iou" else ("area under F1", "normalised above alpha")
    shown = ["undefined" if math.isnan(value) else f"{value:.4f}" for value in (area, npq)]
    drawing.text(LEFT + 34, y + 25, f"{names[0]} = {shown[0]}      {names[1]} = {shown[1]}", 12)
