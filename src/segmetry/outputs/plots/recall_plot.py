"""Plot of precision over recall, one line for each of several sets of curves, such as thresholds or sizes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from segmetry._base.exact import FloatArray
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.shapes import Line, Shape, Words
from segmetry.outputs.plots.unit_axes import Axes

WIDTH, HEIGHT = 560, 400
AXES = Axes(left=56, top=40, width=300, height=300)
# Colours that are distinguishable in every kind of colour blindness, darkest first.
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f4a88", "#999933", "#882255")


def recall_plot(lines: Mapping[str, FloatArray], title: str) -> Picture:
    """Draw precision at 101 recalls, one line per name; the legend states the mean of each, its AP.

    >>> picture = recall_plot({"IoU 0.5": np.linspace(1, 0, 101)}, "all classes")
    >>> picture.svg.startswith("<svg"), "AP 0.500" in picture.svg
    (True, True)
    """
    shapes: list[Shape] = [
        Words(AXES.left + AXES.width / 2, 19, title, 15, "middle"),
        *AXES.shapes("recall", "precision", parts=5),
    ]
    for at, (name, precision) in enumerate(lines.items()):
        colour = COLOURS[at % len(COLOURS)]
        recalls = np.linspace(0, 1, precision.size).tolist()
        points = tuple(AXES.place(*point) for point in zip(recalls, precision.tolist(), strict=True))
        x, y = AXES.place(1, 1)[0] + 16, AXES.place(1, 1)[1] + 10 + 20 * at
        shapes += [
            Line(points, colour, 1.8),
            Line(((x, y), (x + 20, y)), colour, 1.8),
            Words(x + 26, y, f"{name}: AP {precision.mean():.3f}", 11),
        ]
    return Picture(WIDTH, max(HEIGHT, AXES.top + 30 + 20 * len(lines)), title, tuple(shapes))
