"""Plot of precision, recall and F1 by threshold; the shaded area under F1 is PQ."""

from __future__ import annotations

import math
from fractions import Fraction

from segmetry._base import FloatArray
from segmetry.alignments import Curves, Measure
from segmetry.outputs.plots.picture import INK, Axes, Line, Picture, Point, Polygon, Rectangle, Shape, Words
from segmetry.results import number

WIDTH, HEIGHT = 560, 400
AXES = Axes(left=56, top=40, width=484, height=260)
# Blue, vermilion and black are distinguishable in every kind of colour blindness; the dashes help in print.
STYLES: dict[Measure, tuple[str, str, tuple[float, float] | None]] = {
    "precision": ("Precision", "#d55e00", (8, 4)),
    "recall": ("Recall", "#0072b2", (2.5, 3)),
    "f1": ("F1", INK, None),
}
SHADE, SHADE_ON_WHITE, ALPHA = "#009e73", "#bfe7dc", "#7f4a88"


def curve_plot(curves: Curves, title: str | None = None) -> Picture:
    """Draw the curves; alpha, the lower bound of pairs under the rule, is the dashed vertical line.

    Parameters
    ----------
    curves : Curves
        What :func:`segmetry.curves` returns.
    title : str, optional
        The title; by default it names the weight and the rule.

    Returns
    -------
    Picture
        The plot; the shaded area under F1 is PQ where the weight is the IoU.

    Examples
    --------
    >>> import segmetry as sm
    >>> picture = curve_plot(sm.curves([[1, 1, 1, 2]], [[1, 1, 2, 2]]))
    >>> picture.svg.startswith("<svg"), picture.title
    (True, 'P, R and F1 over IoU (theta_plus)')
    """
    word = weight_words(curves.weight)
    title = title or f"P, R and F1 over {word} ({curves.tally.rule.name})"
    arrays = curves.arrays()
    steps = {measure: _step_corners(arrays["t"], arrays[measure]) for measure in STYLES}
    shapes: list[Shape] = [Words(AXES.left + AXES.width / 2, 19, title, 15, "middle")]
    if steps["f1"]:
        shapes.append(Polygon((AXES.place(0, 0), *steps["f1"]), SHADE, 0.25))
    shapes += AXES.shapes(f"least {word} of a pair, t", parts=5)
    if curves.alpha:
        shapes += _alpha_line(curves.alpha)
    for measure, (_, colour, dashes) in STYLES.items():
        if steps[measure]:
            shapes.append(Line(steps[measure], colour, 2.2 if measure == "f1" else 1.8, dashes))
    return Picture(WIDTH, HEIGHT, title, (*shapes, *_legend_shapes(curves)))


def weight_words(weight: str) -> str:
    """Return the name of a weight for people."""
    written = {"iou": "IoU", "dice": "Dice", "coverage_true": "coverage of true", "coverage_pred": "coverage of pred"}
    return written.get(weight, weight.replace("_", " "))


def _step_corners(t: FloatArray, values: FloatArray) -> tuple[Point, ...]:
    """Return the corners of a step function; none if it is undefined."""
    if math.isnan(values[0]):
        return ()
    corners = [
        corner
        for at, value in enumerate(values.tolist())
        for corner in (AXES.place(float(t[at]), value), AXES.place(float(t[at + 1]), value))
    ]
    return (*corners, AXES.place(1, 0))


def _alpha_line(alpha: Fraction) -> list[Shape]:
    foot, head = AXES.place(float(alpha), 0), AXES.place(float(alpha), 1)
    wide = alpha > Fraction(1, 4)
    words = Words(
        head[0] + (-5 if wide else 5), head[1] + 10, f"alpha = {alpha}", 11, "end" if wide else "start", ALPHA
    )
    return [Line((head, foot), ALPHA, 1.5, (5, 4)), words]


def _legend_shapes(curves: Curves) -> list[Shape]:
    x, y = AXES.place(0, 0)
    y += 60
    shapes: list[Shape] = []
    for at, (name, colour, dashes) in enumerate(STYLES.values()):
        start = x + 110 * at
        shapes += [Line(((start, y), (start + 28, y)), colour, 2.2, dashes), Words(start + 34, y, name)]
    names = ("PQ", "NPQ") if curves.weight == "iou" else ("area under F1", "normalised above alpha")
    values = ["undefined" if math.isnan(value) else number(value) for value in (curves.area(), curves.npq())]
    shapes.append(Rectangle(x, y + 18, 28, 12, SHADE_ON_WHITE))
    shapes.append(Words(x + 34, y + 24, f"{names[0]} = {values[0]}      {names[1]} = {values[1]}"))
    return shapes
