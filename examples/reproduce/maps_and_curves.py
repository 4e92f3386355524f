"""Chazalon and Carlinet 2021, "Revisiting the COCO Panoptic Metric …": figures 5 to 9 on a worked pair.

Figure 5: precision and recall maps. Figure 6: precision, recall and F over the minimum weight, PQ as the area.
Figure 7: the histogram of pairs of labels. Figure 8: lines of equal similarity over the two coverages, and categories.
Figure 9: maps and curves weighted by IoU and by each marginal coverage.
Writes images into the folder named on the command line (``build/figures`` of the checkout by default).
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

import segmetry as sm
from segmetry.samples.shipped import street

from beside import OWN, PROJECT, Beside, finish


def figure_5(folder: Path) -> None:
    """Red segments (orange here) are never matched; green ones (blue here) are above α."""
    found = sm.maps(*street())
    for side in ("precision", "recall"):
        sm.map_picture(found, side).save(folder / f"figure_5_{side}.png")


def figure_6(folder: Path) -> Beside:
    """The area under F is exactly PQ; NPQ is the part above α."""
    alignment = sm.align(sm.overlap(*street()), "theta_plus")
    curves = sm.curves(alignment)
    sm.curve_plot(curves).save(folder / "figure_6.svg")
    table = Beside("Figure 6: eq. 6–8, the area under the F curve is PQ: by steps, by product", OWN)
    ious = [float(pair.iou) for pair in alignment.pairs()]
    by_product = sum(ious) / len(ious) * (2 * len(ious) / (alignment.tally.n_true + alignment.tally.n_pred))
    table.same("PQ", None, curves.area(), by_product, digits=12)
    area, at_half = curves.exact_area(), curves.at(Fraction(1, 2))
    assert area is not None
    assert at_half is not None
    normalised = (area - Fraction(1, 2) * at_half) / Fraction(1, 2)
    table.same("NPQ", None, curves.npq(), float(normalised), digits=12)
    return table


def figure_7(folder: Path) -> None:
    """The histogram of pairs of labels with its margins, of a corner of the scene."""
    sm.overlap_plot(*(np.asarray(side.labels)[:40, :60] for side in street())).save(folder / "figure_7.svg")


def figure_8(folder: Path) -> None:
    """Four similarities as functions of the coverages of the predicted and of the true segment, with its categories."""
    for weight in ("half_link_force", "iou", "dice", "min_coverage"):
        sm.coverage_plot(*street(), weight=weight).save(folder / f"figure_8_{weight}.svg")


def figure_9(folder: Path) -> Beside:
    """Marginal coverages accept over- and under-segmented regions: their curves are above that of IoU."""
    true, pred = street()
    table = Beside("Figure 9: area under the F curve, weighted by IoU and by marginal coverage", "text of section 4")
    alignment = sm.align(sm.overlap(true, pred), "theta_plus")
    by_iou = sm.curves(alignment).area()
    for weight in ("coverage_pred", "coverage_true"):
        curves = sm.curves(alignment, weight=weight)
        sm.curve_plot(curves).save(folder / f"figure_9_{weight}.svg")
        for side in ("precision", "recall"):
            found = sm.maps(true, pred, weight=weight)
            sm.map_picture(found, side).save(folder / f"figure_9_{weight}_{side}.png")
        table.differs(weight, "above IoU", f"{curves.area():.4f}", f"IoU {by_iou:.4f}")
        table.wrong += curves.area() < by_iou
    return table


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "build" / "figures"
    target.mkdir(parents=True, exist_ok=True)
    figure_5(target)
    figure_7(target)
    figure_8(target)
    finish([figure_6(target), figure_9(target)])
    print(f"\nimages in {target}: {', '.join(sorted(path.name for path in target.iterdir()))}")
