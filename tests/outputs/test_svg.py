"""Shapes that bars need: dashed lines with holes, rectangles with an outline and a title."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from defusedxml.ElementTree import fromstring
from PIL import Image

from segmetry.outputs.svg import Drawing, Line, Rectangle


def dark_columns(line: Line) -> list[int]:
    page = Image.open(BytesIO(Drawing(60, 10, "a line", [line]).png())).convert("L")
    return np.flatnonzero(np.asarray(page).min(axis=0) < 128).tolist()


def test_a_dashed_line_has_holes_and_the_same_ends() -> None:
    solid, dashed = dark_columns(Line(5, 5, 54, 5, width=3)), dark_columns(Line(5, 5, 54, 5, width=3, dashed=True))
    assert len(solid) >= 48
    assert 20 <= len(dashed) <= 40
    assert set(dashed) <= set(solid)
    assert 'stroke-dasharray="4 3"' in Line(0, 0, 9, 9, dashed=True).svg()


def test_a_dashed_line_of_no_length_is_a_point() -> None:
    assert Drawing(10, 10, "a point", [Line(5, 5, 5, 5, dashed=True)]).png()


def test_a_rectangle_has_an_outline_and_an_escaped_title() -> None:
    shape = Rectangle(10, 10, 20, 20, (255, 0, 0), (0, 0, 255), "a < b & c")
    page = Image.open(BytesIO(Drawing(40, 40, "", [shape]).png())).convert("RGB")
    assert page.getpixel((20, 20)) == (255, 0, 0)
    red, _, blue = page.getpixel((10, 20))  # type: ignore[misc]
    assert blue > red, "the outline is painted"
    drawn = fromstring(shape.svg())
    assert drawn.attrib["stroke"] == "#0000ff"
    assert drawn[0].text == "a < b & c"
    assert Rectangle(0, 0, 1, 1).svg().endswith("/>")
