"""Regions of pages: PAGE-XML and ALTO. Every region is a mask on the grid of the page; regions may overlap.

A PAGE region is of class ``TextRegion``, ``ImageRegion``, …, with its ``type`` after a colon where it has one. An ALTO
block is of the class of its element, drawn by its polygon or, without one, as a rectangle; the grid is that of its unit
of measurement. Lines, words and glyphs are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from segmetry.errors import FormatError
from segmetry.readers.items import Item, check_label
from segmetry.readers.parts.polygon_raster import ExactPoint, rasterize_polygon
from segmetry.readers.parts.text_file import read_xml
from segmetry.readers.reader import ReadOptions, reads
from segmetry.segmentation import Masks, stacked_masks

_NUMBER = re.compile(r"-?\d{1,9}(\.\d{1,9})?")
_ALTO_BLOCKS = ("TextBlock", "Illustration", "GraphicalElement", "ComposedBlock")


PageRegion = tuple[str, list[ExactPoint], str]
"""The class and the outline of one region, and its name in error messages."""


def _page_regions(page: Any, path: Path) -> Iterator[PageRegion]:
    for number, element in enumerate((child for child in page.iter() if _tag_name(child).endswith("Region")), start=1):
        place = f"{path}: region {number}"
        outlines = [child for child in element if _tag_name(child) == "Coords"]
        if len(outlines) != 1 or outlines[0].get("points") is None:
            raise FormatError(f"{place} has no Coords with points")
        label = _tag_name(element) + (f":{element.get('type')}" if element.get("type") else "")
        yield check_label(label, f"{place}: its type"), _parse_points(outlines[0].get("points"), place), place


def _alto_regions(page: Any, path: Path) -> Iterator[PageRegion]:
    for number, element in enumerate((child for child in page.iter() if _tag_name(child) in _ALTO_BLOCKS), start=1):
        place = f"{path}: block {number}"
        shapes = [child for child in element if _tag_name(child) == "Shape"]
        polygons = [child for shape in shapes for child in shape if _tag_name(child) == "Polygon"]
        if shapes and len(polygons) != 1:
            raise FormatError(
                f"{place} has a shape that is not a polygon; expected one polygon, or none for a rectangle"
            )
        if polygons:
            outline = _parse_points(polygons[0].get("POINTS") or "", place)
        else:
            left, top, width, height = (_parse_number(element.get(name), f"{place}: {name}") for name in _BOX)
            right, bottom = left + width, top + height
            outline = [(left, top), (right, top), (right, bottom), (left, bottom)]
        yield _tag_name(element), outline, place


_BOX = ("HPOS", "VPOS", "WIDTH", "HEIGHT")


def _parse_points(text: str, place: str) -> list[ExactPoint]:
    """Return pairs of coordinates: ``x,y x,y`` or, in older ALTO files, ``x y x y``."""
    numbers = [_parse_number(part, f"{place}: a coordinate") for part in text.replace(",", " ").split()]
    if len(numbers) % 2:
        raise FormatError(f"{place}: {len(numbers)} coordinates; expected x and y of every point")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def _parse_number(text: str | None, what: str) -> Fraction:
    if text is None or not _NUMBER.fullmatch(text):
        raise FormatError(f"{what} is {str(text)[:40]!a}; expected a number")
    return Fraction(text)


def _page_length(page: Any, name: str, path: Path) -> int:
    length = _parse_number(page.get(name), f"{path}: {name} of the page")
    if length.denominator != 1 or length < 1:
        raise FormatError(f"{path}: {name} of the page is {float(length):g}; expected an integer of at least 1")
    return int(length)


def _tag_name(element: Any) -> str:
    """Return the name of an element without its namespace; comments and instructions have none."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


@reads(
    "page-xml",
    "regions of a page in PAGE-XML or ALTO, which may overlap",
    (".xml",),
    sniff=lambda _path, head: bool(re.search(rb"<(\w{1,40}:)?(PcGts|alto)[\s>]", head)),
)
def _read_page(path: Path, options: ReadOptions) -> Iterator[Item]:
    root = read_xml(path, "regions")
    kind = _tag_name(root)
    if kind not in ("PcGts", "alto"):
        raise FormatError(f"{path}: its root is {kind[:40]!a}; expected PcGts (PAGE-XML) or alto")
    pages = [element for element in root.iter() if _tag_name(element) == "Page"]
    if len(pages) != 1:
        raise FormatError(f"{path}: contains {len(pages)} pages; expected one")
    names = ("imageHeight", "imageWidth") if kind == "PcGts" else ("HEIGHT", "WIDTH")
    shape = _page_length(pages[0], names[0], path), _page_length(pages[0], names[1], path)
    options.check_size(shape, str(path))
    regions = list(_page_regions(pages[0], path) if kind == "PcGts" else _alto_regions(pages[0], path))
    runs = stacked_masks([rasterize_polygon(outline, shape, place) for _, outline, place in regions])
    yield Item(path.stem, Masks(runs, shape, classes=[label for label, _, _ in regions]))
