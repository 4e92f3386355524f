"""Every metric of regions, graphs and clusterings shows a drawn example of 4 to 12 elements."""

from __future__ import annotations

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring

from segmetry.metrics.declare import METRICS, Example
from segmetry.outputs.plots.example_plot import MOST_ELEMENTS, example_plot, first_example_svg
from segmetry.outputs.plots.picture import Line, Rectangle, Words
from segmetry.segmentation.labels import LabelArray
from segmetry.segmentation.pair import as_segmentation
from segmetry.segmentation.sets import Sets
from segmetry.segmentation.spans import Spans

SVG = "{http://www.w3.org/2000/svg}"
FAMILIES = ("regions", "graph", "clustering")
KEYS = sorted(key for key, metric in METRICS.items() if metric.family in FAMILIES)


@pytest.mark.parametrize("key", KEYS)
def test_the_first_example_is_small_and_drawn(key: str) -> None:
    metric = METRICS[key]
    example = metric.examples[0]
    assert 4 <= as_segmentation(example.true).n_elements <= 12
    picture = first_example_svg(metric)
    assert picture is not None
    drawn = example_plot(metric, example)
    assert drawn is not None
    assert drawn.svg == picture
    assert key in fromstring(picture).findtext(f"{SVG}title")


def test_segments_borders_and_outside() -> None:
    purity = METRICS["purity"]
    drawn = example_plot(purity, Example(np.array([[1, 1, 0], [2, 2, 0]]), np.array([[5, 5, 5], [5, 5, 5]]), 1 / 3))
    assert drawn is not None
    words = [shape.text for shape in drawn.shapes if isinstance(shape, Words)]
    assert words == ["true", "1", "1", "2", "2", "pred", *["5"] * 6, "purity = 0.333333"]
    assert len([shape for shape in drawn.shapes if isinstance(shape, Rectangle)]) == 2 * 12
    assert len([shape for shape in drawn.shapes if isinstance(shape, Line)]) == 2 + 2, (
        "right of 1 and 2, between 1 and 2"
    )


def test_void_and_spans() -> None:
    void = LabelArray(np.array([[1, 255]]), void=255)
    drawn = example_plot(METRICS["purity"], Example(void, LabelArray(np.array([[1, 1]])), 1))
    assert drawn is not None
    assert [s.text for s in drawn.shapes if isinstance(s, Words)] == ["true", "1", "pred", "1", "1", "purity = 1"]
    gaps = Spans.from_spans([(0, 1), (2, 3)], 3)
    drawn = example_plot(METRICS["purity"], Example(gaps, gaps, 1))
    assert drawn is not None
    assert [s.text for s in drawn.shapes if isinstance(s, Words)][:3] == ["true", "1", "2"]


def test_what_cannot_be_drawn_is_left_out() -> None:
    purity = METRICS["purity"]
    long = Spans.from_masses([MOST_ELEMENTS + 1])
    assert example_plot(purity, Example(long, long, 1)) is None
    sets = Sets([{1, 2}])
    assert example_plot(purity, Example(sets, sets, 1)) is None
    cube = np.ones((2, 2, 2), dtype=int)
    assert example_plot(purity, Example(cube, cube, 1)) is None


def test_the_example_of_first_example_svg() -> None:
    from segmetry.metrics.declare import METRICS

    assert first_example_svg(METRICS["agreement_pi"]) is None
