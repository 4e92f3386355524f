"""Regions of pages: pixels by their centres against an independent count, PAGE and ALTO, hostile XML."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

import segmetry as sm
from segmetry.errors import FormatError
from segmetry.readers.parts.polygon_raster import ExactPoint, rasterize_polygon
from segmetry.readers.source import find_reader, read_items
from segmetry.segmentation.masks import Masks
from tests.readers.data_sets import DATA_SETS, PAGE
from tests.readers.samples import read_text_as

ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page HEIGHT="5" WIDTH="6"><PrintSpace>
<TextBlock HPOS="1" VPOS="0" WIDTH="2.0" HEIGHT="3"/>
<Illustration><Shape><Polygon POINTS="{points}"/></Shape></Illustration>
</PrintSpace></Page></Layout></alto>"""


def is_inside(x: Fraction, y: Fraction, points: list[ExactPoint]) -> bool:
    """Even-odd: edges of the outline crossed by the ray from a point towards smaller y, ends decided by x alone."""
    inside = False
    for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1], strict=True):
        if min(x1, x2) <= x < max(x1, x2) and y1 + (x - x1) * (y2 - y1) / (x2 - x1) <= y:
            inside = not inside
    return inside


numbers = st.integers(-50, 120).map(lambda value: Fraction(value, 10)) | st.integers(-5, 12).map(Fraction)


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=8))
def test_a_pixel_belongs_if_its_centre_lies_inside(points: list[ExactPoint]) -> None:
    height, width = 7, 6
    points = [(min(x, Fraction(12)), min(y, Fraction(14))) for x, y in points]
    found = Masks(rasterize_polygon(points, (height, width), "it"), (height, width)).dense()[0]
    half = Fraction(1, 2)
    expected = [[is_inside(x + half, y + half, points) for x in range(width)] for y in range(height)]
    assert found.tolist() == expected


def masks(folder: Path, content: str) -> Masks:
    (item,) = read_text_as(folder, None, content, "a.xml")
    assert isinstance(item.load(), Masks) and item.name == "a"
    return item.load()


def test_page_regions_may_overlap(tmp_path: Path) -> None:
    found = masks(tmp_path, PAGE)
    expected = np.zeros((2, 5, 6), dtype=bool)
    expected[0, :2, :4] = True
    expected[1, 1:, 1:] = True
    assert np.array_equal(found.dense(), expected) and not found.is_disjoint
    assert found.classes == {1: "TextRegion:heading", 2: "ImageRegion"}
    path = DATA_SETS["page-xml"].write(tmp_path)
    (item,) = read_items(path)
    assert sm.score(item.load(), found, ["pq"])["pq"].value == 1


@pytest.mark.parametrize("points", ["0,0 6,0 6,1 0,1", "0 0 6 0 6 1 0 1"])
def test_alto_blocks_are_rectangles_or_polygons(points: str, tmp_path: Path) -> None:
    found = masks(tmp_path, ALTO.format(points=points))
    assert found.sizes.tolist() == [6, 6] and found.domain == (5, 6)
    assert found.classes == {1: "TextBlock", 2: "Illustration"}


def test_a_page_without_regions_is_empty(tmp_path: Path) -> None:
    found = masks(tmp_path, '<PcGts><Page imageWidth="6" imageHeight="5"/></PcGts>')
    assert found.ids.size == 0 and found.domain == (5, 6)


BOMB = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (BOMB + PAGE[39:], "declares a document type or entities"),
        (OUTSIDE + PAGE[39:], "declares a document type or entities"),
        (PAGE[:-20], "damaged XML file"),
        (PAGE.replace('imageWidth="6"', 'imageWidth="99999999"'), "99999999|polygons are drawn on at most"),
        (PAGE.replace('imageWidth="6" imageHeight="5"', 'imageWidth="999999999" imageHeight="999999999"'), "budget"),
        (PAGE.replace('imageWidth="6"', ""), "imageWidth of the page is 'None'"),
        (PAGE.replace('imageWidth="6"', 'imageWidth="0"'), "expected an integer of at least 1"),
        (PAGE.replace("0,0 4,0 4,2 0,2", "0,0 4,0"), "region 1: an outline of 2 points"),
        (PAGE.replace("0,0 4,0 4,2 0,2", "0,0 4,0 4"), "5 coordinates; expected x and y"),
        (PAGE.replace("0,0 4,0 4,2 0,2", "0,0 4,0 999,2"), "region 1: the outline goes to 999"),
        (PAGE.replace("0,0 4,0 4,2 0,2", "0,0 4,0 nan,2"), "a coordinate is 'nan'"),
        (PAGE.replace("0,0 4,0 4,2 0,2", "0,0 4,0 1.00001,2"), "more than three decimals"),
        (PAGE.replace("0,0 4,0 4,2 0,2", "0,0 6,5 " * 500), "an outline too long for a page"),
        (PAGE.replace('<Coords points="0,0 4,0 4,2 0,2"/>', ""), "region 1 has no Coords"),
        (PAGE.replace("heading", "\u202eheading"), "an invisible formatting character"),
        (PAGE.replace("</Page>", '</Page><Page imageWidth="6" imageHeight="5"/>'), "contains 2 pages"),
        (ALTO.format(points="0,0 1,1"), "block 2: an outline of 2 points"),
        (ALTO.replace('HPOS="1"', 'HPOS="x"').format(points="0,0 1,1 1,0"), "block 1: HPOS is 'x'"),
    ],
)
def test_traps_are_named(content: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=words):
        masks(tmp_path, content)


def test_a_folder_of_pages_is_a_data_set(tmp_path: Path) -> None:
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        for name in ("page 1", "page 2"):
            (tmp_path / side / f"{name}.xml").write_text(PAGE)
    assert find_reader(tmp_path / "true").name == "folder"
    run = sm.evaluate(tmp_path / "true", tmp_path / "pred", metrics="pq,n_matched", resolve="keep")
    assert [row["item"] for row in run.items()] == ["page 1", "page 2"]
    assert {row["pq"] for row in run.items()} == {1.0}


def test_the_example_of_rasterize_polygon() -> None:
    square = [(Fraction(x), Fraction(y)) for x, y in ((0, 0), (2, 0), (2, 1), (0, 1))]
    masks = rasterize_polygon(square, (3, 4), "a square")
    assert (masks.starts.tolist(), masks.stops.tolist()) == ([0, 3], [1, 4])
