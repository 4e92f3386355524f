"""Chazalon and Carlinet 2021, "Revisiting the COCO Panoptic Metric …": figures 5, 6, 8 and 9 on a worked pair.

Figure 5: precision and recall maps. Figure 6: precision, recall and F over the minimum weight, PQ as the area.
Figure 8: lines of equal similarity over the two coverages. Figure 9: the curves weighted by IoU and by each marginal
coverage.
Writes images into the folder named on the command line (``build/figures`` of the checkout by default).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import segmetry as sm
from segmetry.outputs.plots.curve_plot import curve_plot
from segmetry.outputs.plots.map_images import map_picture
from segmetry.outputs.plots.picture import Picture
from segmetry.outputs.plots.plot_axes import Axes
from segmetry.outputs.plots.shapes import Line, Point, Shape, Words
from segmetry.samples.shipped import street

from beside import PROJECT, Beside, finish

LEVELS = (0.2, 0.4, 0.6, 0.8)
PANEL = 260
SIMILARITIES: dict[str, Callable[[float, float], float]] = {
    "IoU": lambda a, b: 1 / (1 / a + 1 / b - 1),
    "Dice": lambda a, b: 2 / (1 / a + 1 / b),
    "link force / 2": lambda a, b: (a * a + b * b) / 2,
    "least coverage": min,
}


def figure_5(folder: Path) -> None:
    """Red segments (orange here) are never matched; green ones (blue here) are above α."""
    found = sm.maps(*street())
    for side in ("precision", "recall"):
        map_picture(found, side).save(folder / f"figure_5_{side}.png")


def figure_6(folder: Path) -> Beside:
    """The area under F is exactly PQ; NPQ is the part above α."""
    alignment = sm.align(sm.overlap(*street()), "theta_plus")
    curves = sm.curves(alignment)
    curve_plot(curves).save(folder / "figure_6.svg")
    table = Beside("Figure 6: eq. 6–8, the area under the F curve is PQ (by area, by product)")
    product = sm.sq(alignment.tally) * sm.rq(alignment.tally)
    table.same("PQ", curves.area(), product, digits=12)
    area, at_half = curves.exact_area(), curves.at(Fraction(1, 2))
    assert area is not None
    assert at_half is not None
    normalised = (area - Fraction(1, 2) * at_half) / Fraction(1, 2)
    table.same("NPQ", float(normalised), curves.npq(), digits=12)
    return table


def iso_line(similarity: Callable[[float, float], float], level: float) -> list[Point]:
    """Return points (a, b) of the line similarity = level; similarities are symmetric and increasing."""
    most = _root(lambda a: similarity(a, a), level)  # on the diagonal
    least = _root(lambda a: similarity(a, 1.0), level)  # on the upper edge
    steps = [least + (most - least) * at / 100 for at in range(101)]
    upper = [(a, _root(lambda b, a=a: similarity(a, b), level)) for a in steps]  # type: ignore[misc]
    if abs(similarity(least, 1.0) - level) < 1e-6:
        upper.insert(0, (least, 1.0))
    return [*upper, *((b, a) for a, b in reversed(upper))]


def _root(rising: Callable[[float], float], level: float) -> float:
    low, high = 1e-9, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < level else (low, middle)
    return high


def figure_8(folder: Path) -> None:
    """Four similarities as functions of the coverages of the predicted and of the true segment."""
    shapes: list[Shape] = []
    for at, (name, similarity) in enumerate(SIMILARITIES.items()):
        axes = Axes(left=56 + at % 2 * (PANEL + 70), top=40 + at // 2 * (PANEL + 80), width=PANEL, height=PANEL)
        shapes.append(Words(axes.left + PANEL / 2, axes.top - 16, name, 14, "middle"))
        shapes += axes.shapes("coverage of pred", "coverage of true" if at % 2 == 0 else "", parts=5)
        for level in LEVELS:
            line = [axes.place(a, b) for a, b in iso_line(similarity, level)]
            shapes += [Line(tuple(line), "#0072b2", 1.8), Words(line[0][0] + 4, line[0][1] + 9, f"{level}", 10)]
    Picture(2 * (PANEL + 70) + 20, 2 * (PANEL + 80) + 20, "Lines of equal similarity", tuple(shapes)).save(
        folder / "figure_8.svg"
    )


def figure_9(folder: Path) -> Beside:
    """Marginal coverages accept over- and under-segmented regions: their curves are above that of IoU."""
    true, pred = street()
    table = Beside("Figure 9: area under the F curve, weighted by IoU and by marginal coverage")
    alignment = sm.align(sm.overlap(true, pred), "theta_plus")
    by_iou = sm.curves(alignment).area()
    for weight in ("coverage_pred", "coverage_true"):
        curves = sm.curves(alignment, weight=weight)
        curve_plot(curves).save(folder / f"figure_9_{weight}.svg")
        table.differs(weight, "above IoU", f"{curves.area():.4f}", f"IoU {by_iou:.4f}")
        table.wrong += curves.area() < by_iou
    return table


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "build" / "figures"
    target.mkdir(parents=True, exist_ok=True)
    figure_5(target)
    figure_8(target)
    finish([figure_6(target), figure_9(target)])
    print(f"\nimages in {target}: {', '.join(sorted(path.name for path in target.iterdir()))}")
