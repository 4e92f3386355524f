"""Pictures: well-formed SVG, PNG with the pixels asked for, files by their ending."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring
from PIL import Image

from segmetry.errors import OptionError
from segmetry.outputs.canvas import Line, Picture, Rectangle, Words

PICTURE = Picture(
    60,
    40,
    (
        Rectangle(10, 10, 20, 20, "#ff0000", note="a < b & c"),
        Line((0, 35), (60, 35), "#0000ff", 2),
        Line((0, 5), (60, 5), "#00ff00", 2, dashed=True),
        Words(45, 20, "<&>", anchor="middle"),
    ),
    title="red & blue",
)


def pixels(scale: float) -> Image.Image:
    return Image.open(BytesIO(PICTURE.png(scale))).convert("RGB")


def test_the_svg_is_well_formed_and_escapes_what_it_must() -> None:
    root = fromstring(PICTURE.svg)
    names = [child.tag.rpartition("}")[2] for child in root]
    assert names == ["title", "rect", "rect", "line", "line", "text"]
    assert root[0].text == "red & blue"
    assert root[2][0].text == "a < b & c"
    assert root[5].text == "<&>"
    assert PICTURE._repr_svg_() == PICTURE.svg


def test_the_png_has_the_shapes_where_they_belong() -> None:
    image = pixels(2)
    assert image.size == (120, 80)
    assert image.getpixel((40, 40)) == (255, 0, 0)
    assert image.getpixel((60, 70)) == (0, 0, 255)
    assert image.getpixel((2, 40)) == (255, 255, 255)
    above = [image.getpixel((x, 10)) for x in range(120)]
    assert (0, 255, 0) in above
    assert (255, 255, 255) in above, "a dashed line has holes"
    dark = [at for at in range(70, 110) if sum(image.getpixel((at, 40))) < 600]  # type: ignore[arg-type]
    assert dark, "words are painted"


def test_a_file_is_written_by_its_ending(tmp_path: Path) -> None:
    PICTURE.save(tmp_path / "a.svg")
    PICTURE.save(str(tmp_path / "a.png"))
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == PICTURE.svg
    assert (tmp_path / "a.png").read_bytes() == PICTURE.png()
    with pytest.raises(OptionError, match=r"a\.jpg ends in \.jpg; a picture is saved as \.svg or \.png"):
        PICTURE.save(tmp_path / "a.jpg")
