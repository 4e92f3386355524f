"""Plots of pairs: what is drawn stands where the counts say."""

from __future__ import annotations

import re

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.outputs.plots.coverage_plot import AXES, level_line

TRUE = np.array([[1, 1, 1, 1, 2, 2, 2, 2, 3, 4]])
PRED = np.array([[1, 1, 1, 1, 5, 5, 6, 0, 7, 7]])


def dots(svg: str) -> set[tuple[float, float]]:
    found = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg)
    return {(round(float(x) - AXES.left), round(AXES.top + AXES.height - float(y))) for x, y in found}


def test_a_pair_stands_at_its_coverages() -> None:
    plot = sm.coverage_plot(TRUE, PRED)
    assert plot.title == "Coverages of 5 overlapping pairs: match 1, split 1, merge 2"
    size = round(AXES.width)
    assert dots(plot.svg) == {(size, size), (size, size // 2), (size, size // 4), (size // 2, size)}


def test_categories_are_decided_exactly() -> None:
    """A coverage of exactly the threshold is not above it."""
    halves = sm.coverage_plot([[1, 1]], [[1, 2]], candidate="1/2", match="1/2")
    assert halves.title.endswith("match 0, split 0, merge 0")
    with pytest.raises(OptionError, match="candidate is 3/4 and match is 1/2"):
        sm.coverage_plot([[1]], [[1]], candidate="3/4", match="1/2")


@pytest.mark.parametrize(
    ("weight", "b_of"),
    [
        ("iou", lambda a: 1 / (1 / 0.6 + 1 - 1 / a)),
        ("dice", lambda a: 1 / (2 / 0.6 - 1 / a)),
        ("half_link_force", lambda a: (2 * 0.6 - a * a) ** 0.5),
        ("tversky(alpha=1,beta=1)", lambda a: 1 / (1 / 0.6 + 1 - 1 / a)),
    ],
)
def test_a_line_has_one_weight(weight: str, b_of: object) -> None:
    line = level_line(weight, 0.6)
    assert len(line) > 20
    for a, b in line:
        assert b == pytest.approx(b_of(a), abs=1e-5)  # type: ignore[operator]


def test_a_line_of_the_least_coverage_has_a_corner() -> None:
    line = level_line("min_coverage", 0.6)
    assert line[0] == pytest.approx((0.6, 1)) and line[-1] == pytest.approx((1, 0.6))
    assert all(min(point) == pytest.approx(0.6) for point in line)


def test_the_histogram_has_every_count_and_margin() -> None:
    words = re.findall(r">(\d+)<", sm.overlap_plot(TRUE, PRED).svg)
    table = sm.overlap(TRUE, PRED)
    expected = [*table.shared, *table.true.ids, *table.true.sizes, *table.pred.ids, *table.pred.sizes]
    assert sorted(words) == sorted(map(str, expected))


def test_the_largest_segments_of_many_are_drawn() -> None:
    many = np.repeat(np.arange(1, 61), np.arange(1, 61))
    svg = sm.overlap_plot(many, many).svg
    assert "the 40 largest of a side" in svg and ">60<" in svg and ">20<" not in svg
