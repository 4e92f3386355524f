"""The precision–recall plot: the corner of a segment, what is drawn, and that both formats show the same."""

from __future__ import annotations

import io
from fractions import Fraction

import numpy as np
from defusedxml.ElementTree import fromstring
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.alignments.counted_overlaps import CountedOverlaps
from segmetry.outputs.plots.picture import Axes, Dot, rgb
from segmetry.outputs.plots.precision_recall_plot import (
    CORNERS,
    PlotDot,
    corner_counts,
    item_points,
    precision_recall_plot,
    precision_recall_plot_of_items,
    segment_points,
)
from segmetry.outputs.plots.recall_pictures import class_size_picture, recall_plot
from segmetry.testing.strategies import void_pairs
from tests.metrics.partner_oracle import Pair, families, partners

SVG = "{http://www.w3.org/2000/svg}"
HALF = Fraction(1, 2)


@given(shared=st.integers(0, 20), missed=st.integers(0, 20), spurious=st.integers(0, 20))
def test_corners_meet_at_one_half(shared: int, missed: int, spurious: int) -> None:
    point = PlotDot("", shared, missed, spurious)
    assert {
        (True, True): "good",
        (True, False): "over-segmentation",
        (False, True): "under-segmentation",
        (False, False): "bad",
    }[point.precision > HALF, point.recall > HALF] == point.corner
    if point.corner == "over-segmentation":
        assert missed > spurious
    if point.corner == "under-segmentation":
        assert spurious > missed
    assert (point.corner == "good") == (shared > missed and shared > spurious), "good is θ&"


@given(pair=void_pairs())
def test_one_point_per_true_segment_with_its_partner(pair: Pair) -> None:
    true, pred, _ = families(pair, "none")
    points = segment_points(CountedOverlaps.of(sm.overlap(*pair), policy="none"))
    expected = [(len(t & h), len(t - h), len(h - t)) for t, h in partners(true, pred)]
    assert [(p.shared, p.missed, p.spurious) for p in points] == expected
    assert [p.name for p in points] == [f"true segment {number}" for number in true]


TRUE = np.array([[1, 1, 1, 1, 2, 2, 3, 4, 4, 4]])
PRED = np.array([[1, 1, 1, 1, 5, 0, 6, 6, 6, 0]])


def test_what_is_drawn_can_be_counted_in_the_svg() -> None:
    plot = precision_recall_plot(TRUE, PRED, title="Cells & <others>")
    root = fromstring(plot.svg)
    titles = [circle.findtext(f"{SVG}title") for circle in root.iter(f"{SVG}circle")]
    assert titles == [
        "true segment 1: recall 1.000, precision 1.000 (shared 4, missed 0, spurious 0)",
        "true segment 2: recall 0.500, precision 1.000 (shared 1, missed 1, spurious 0)",
        "true segment 3: recall 1.000, precision 0.333 (shared 1, missed 0, spurious 2)",
        "true segment 4: recall 0.667, precision 0.667 (shared 2, missed 1, spurious 1)",
    ]
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"good: 2", "over-segmentation: 1", "under-segmentation: 1", "bad: 0", "recall", "precision"} < set(words)
    assert "Cells & <others>" in words
    assert root.findtext(f"{SVG}title") == plot.title


def test_dots_lie_where_recall_and_precision_say() -> None:
    plot = precision_recall_plot(TRUE, PRED)
    axes = Axes(70, 44, 400, 400)
    dots = [(shape.x, shape.y) for shape in plot.shapes if isinstance(shape, Dot)]
    assert dots == [axes.place(1, 1), axes.place(0.5, 1), axes.place(1, 1 / 3), axes.place(2 / 3, 2 / 3)]


def test_the_png_shows_the_same_dots() -> None:
    from PIL import Image

    plot = precision_recall_plot(TRUE, PRED)
    picture = np.asarray(Image.open(io.BytesIO(plot.png())))
    assert picture.shape == (1000, 1000, 3)
    for shape in plot.shapes:
        if isinstance(shape, Dot):
            seen = picture[round(2 * shape.y), round(2 * shape.x)].astype(int)
            wanted = 255 + shape.opacity * (np.array(rgb(shape.fill)) - 255)
            assert np.abs(seen - wanted).max() < 60, "the colour of the dot over white or a pale line"
            assert np.abs(seen - 255).max() > 60, "not the page"


def test_items_are_pooled_to_one_dot_each() -> None:
    tables = {"a": sm.overlap(TRUE, PRED), "b": sm.overlap(TRUE, TRUE), "empty": sm.overlap(0 * TRUE, PRED)}
    points = item_points(tables)
    assert points == [PlotDot("a", 8, 2, 3), PlotDot("b", 10, 0, 0)]
    plot = precision_recall_plot_of_items(tables)
    assert plot.title == "Precision and recall of 2 items: good 2, over-segmentation 0, under-segmentation 0, bad 0"


def test_a_segment_without_partner_is_bad() -> None:
    points = segment_points(CountedOverlaps.of(sm.overlap([[1]], [[0]])))
    assert corner_counts(points) == dict(zip(CORNERS, (0, 0, 0, 1), strict=True))


def test_the_example_of_corner() -> None:
    assert [PlotDot("", 2, m, p).corner for m, p in ((1, 1), (3, 1), (1, 3), (2, 2))] == [
        "good",
        "over-segmentation",
        "under-segmentation",
        "bad",
    ]


def test_the_example_of_corner_counts() -> None:
    assert corner_counts([PlotDot("a", 5, 0, 0), PlotDot("b", 1, 4, 0)]) == {
        "good": 1,
        "over-segmentation": 1,
        "under-segmentation": 0,
        "bad": 0,
    }


def test_the_example_of_recall_plot() -> None:
    picture = recall_plot({"IoU 0.5": np.linspace(1, 0, 101)}, "all classes")
    assert (picture.svg.startswith("<svg"), "AP 0.500" in picture.svg) == (True, True)


def test_the_example_of_class_size_picture() -> None:
    import numpy as np

    import segmetry as sm

    stack = np.ones((1, 1, 9), dtype=bool)
    pair = {"a": sm.Masks.from_dense(stack)}, {"a": sm.Masks.from_dense(stack, scores=[0.5])}
    picture = class_size_picture(sm.evaluate(*pair, metrics="average_precision"), "all")
    assert (
        picture.title,
        "all: AP 1.000" in picture.svg,
        "small: AP 1.000" in picture.svg,
        "large" in picture.svg,
    ) == ("all", True, True, False)
