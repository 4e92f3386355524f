"""Pictures: well-formed SVG, PNG with the pixels asked for, files by their ending."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from defusedxml.ElementTree import fromstring
from PIL import Image

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.outputs.plots.curve_plot import curve_plot
from segmetry.outputs.plots.map_images import legend_picture
from segmetry.outputs.plots.picture import (
    Axes,
    Dot,
    Line,
    Picture,
    Polygon,
    Rectangle,
    Scale,
    Shape,
    Words,
    rgb,
    scale_of,
)
from segmetry.outputs.plots.precision_recall_plot import precision_recall_plot

PICTURE = Picture(
    60,
    40,
    "red & blue",
    (
        Rectangle(10, 10, 20, 20, "#ff0000", note="a < b & c"),
        Line(((0, 35), (60, 35)), "#0000ff", 2),
        Line(((0, 5), (60, 5)), "#00ff00", 2, dashes=(4, 3)),
        Words(45, 20, "<&>", anchor="middle"),
    ),
)
SHAPES: dict[str, Shape] = {
    "line": Line(((2, 10), (38, 10)), width=3),
    "rectangle": Rectangle(5, 5, 20, 10, "#0000c8"),
    "polygon": Polygon(((5, 5), (25, 5), (25, 15)), "#0000c8"),
    "dot": Dot(20, 10, 6),
    "words": Words(2, 10, "word", 14),
    "upright words": Words(20, 30, "up", 14, "middle", upright=True),
}


def painted(picture: Picture, scale: float = 2) -> Image.Image:
    return Image.open(BytesIO(picture.png(scale)))


def test_the_svg_is_well_formed_and_escapes_what_it_must() -> None:
    root = fromstring(PICTURE.svg)
    names = [child.tag.rpartition("}")[2] for child in root]
    assert names == ["title", "rect", "rect", "polyline", "polyline", "text"]
    assert root[0].text == "red & blue"
    assert root[2][0].text == "a < b & c"
    assert root[5].text == "<&>"
    assert PICTURE._repr_svg_() == PICTURE.svg


def test_the_svg_says_where_and_how() -> None:
    root = fromstring(Picture(9, 9, "", tuple(SHAPES.values())).svg)
    attributes = {name: root[at].attrib for at, name in enumerate(SHAPES, start=2)}
    assert attributes["line"]["points"] == "2,10 38,10"
    assert attributes["line"]["stroke-width"] == "3"
    assert attributes["polygon"]["points"] == "5,5 25,5 25,15"
    assert (attributes["dot"]["cx"], attributes["dot"]["cy"], attributes["dot"]["r"]) == ("20", "10", "6")
    assert attributes["upright words"]["transform"] == "rotate(-90 20 30)"
    assert "transform" not in attributes["words"]


def test_the_png_has_the_shapes_where_they_belong() -> None:
    image = painted(PICTURE)
    assert image.mode == "RGB"
    assert image.size == (120, 80)
    assert image.getpixel((40, 40)) == (255, 0, 0)
    assert image.getpixel((60, 70)) == (0, 0, 255)
    assert image.getpixel((2, 40)) == (255, 255, 255)
    above = [image.getpixel((x, 10)) for x in range(120)]
    assert (0, 255, 0) in above
    assert (255, 255, 255) in above, "a dashed line has holes"
    dark = [at for at in range(70, 110) if sum(image.getpixel((at, 40))) < 600]  # type: ignore[arg-type]
    assert dark, "words are painted"


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_is_painted(name: str) -> None:
    dark = np.asarray(painted(Picture(40, 40, name, (SHAPES[name],)), 1).convert("L")) < 128
    assert 15 < dark.sum() < 700
    rows, columns = np.nonzero(dark)
    if name == "upright words":
        assert np.ptp(rows) > np.ptp(columns), "it stands"


@pytest.mark.parametrize("upright", [False, True])
def test_anchors_say_where_words_begin(upright: bool) -> None:
    """From left to right, or from below to above."""
    middles = []
    for anchor in ("start", "middle", "end"):
        words = Words(50, 50, "wwww", 12, anchor, upright=upright)
        rows, columns = np.nonzero(np.asarray(painted(Picture(100, 100, "", (words,)), 1).convert("L")) < 128)
        along, across = (-rows, columns) if upright else (columns, rows)
        assert across.mean() == pytest.approx(50, abs=4)
        middles.append(along.mean())
    assert middles[0] > middles[1] + 10 > middles[2] + 20
    assert middles[1] == pytest.approx(-50 if upright else 50, abs=2)


def test_a_rectangle_ends_where_it_says_and_its_outline_lies_half_outside() -> None:
    bare = np.asarray(painted(Picture(20, 20, "", (Rectangle(5, 5, 10, 10, "#000000"),)), 2))[:, :, 0]
    assert (bare == 0).sum() == 20 * 20
    lined = np.asarray(painted(Picture(20, 20, "", (Rectangle(5, 5, 10, 10, "#ffffff", "#000000"),)), 2))[:, :, 0]
    assert np.flatnonzero(lined[20] == 0).tolist() == [9, 10, 29, 30]


def test_dashes_leave_gaps_and_run_on_round_corners() -> None:
    line = Line(((0, 10), (10, 10), (10, 0)), "#000000", 1, (4, 4))
    drawn = np.asarray(Picture(20, 20, "dashes", (line,)).image(scale=1).convert("L")) < 200
    along = [bool(drawn[9:12, x].any()) for x in (1, 6)] + [bool(drawn[y, 9:12].any()) for y in (8, 6, 2)]
    assert along == [True, False, True, False, True]


def dark_columns(line: Line) -> list[int]:
    page = painted(Picture(60, 10, "a line", (line,)), 1).convert("L")
    return np.flatnonzero(np.asarray(page).min(axis=0) < 128).tolist()


def test_a_dashed_line_has_holes_and_the_same_ends() -> None:
    ends = ((5.0, 5.0), (54.0, 5.0))
    solid, dashed = dark_columns(Line(ends, width=3)), dark_columns(Line(ends, width=3, dashes=(4, 3)))
    assert len(solid) >= 48
    assert 20 <= len(dashed) <= 40
    assert set(dashed) <= set(solid)
    assert 'stroke-dasharray="4 3"' in Line(ends, dashes=(4, 3)).as_svg()


def test_a_dashed_line_of_no_length_can_be_painted() -> None:
    assert Picture(10, 10, "a point", (Line(((5, 5), (5, 5)), dashes=(4, 3)),)).png()


def test_a_rectangle_has_an_outline_and_an_escaped_note() -> None:
    shape = Rectangle(10, 10, 20, 20, "#ff0000", "#0000ff", "a < b & c")
    image = painted(Picture(40, 40, "", (shape,)))
    assert image.getpixel((40, 40)) == (255, 0, 0)
    red, _, blue = image.getpixel((20, 40))  # type: ignore[misc]
    assert blue > red, "the outline is painted"
    drawn = fromstring(shape.as_svg())
    assert drawn.attrib["stroke"] == "#0000ff"
    assert drawn[0].text == "a < b & c"
    assert Rectangle(0, 0, 1, 1, "#ff0000").as_svg().endswith("/>")


@pytest.mark.parametrize(
    "shape", [Dot(10, 10, 5, "#ff0000", 0.6), Polygon(((5, 5), (15, 5), (15, 15), (5, 15)), "#ff0000", 0.6)]
)
def test_what_is_below_shines_through(shape: Shape) -> None:
    image = painted(Picture(20, 20, "", (Rectangle(0, 0, 20, 20, "#0000ff"), shape)))
    assert image.getpixel((20, 20)) == pytest.approx((153, 0, 102), abs=1)
    assert image.getpixel((2, 2)) == (0, 0, 255)


def test_shapes_may_reach_over_the_edge() -> None:
    outside = (Dot(0, 0, 5, opacity=0.5), Dot(-20, 50, 5), Polygon(((15, 15), (40, 15), (40, 40)), "#ff0000", 0.5))
    image = painted(Picture(20, 20, "", outside), 1)
    assert image.size == (20, 20)
    assert max(image.getpixel((0, 0))) < 200  # type: ignore[arg-type]
    assert image.getpixel((10, 10)) == (255, 255, 255)


def test_without_a_background_the_rest_is_transparent() -> None:
    picture = Picture(20, 20, "", (Dot(10, 10, 5, "#ff0000", 0.6),), background=None)
    image = painted(picture)
    assert image.getpixel((20, 20)) == (255, 0, 0, 153)
    assert image.getpixel((2, 2))[3] == 0  # type: ignore[index]
    assert "<rect" not in picture.svg


def test_a_file_is_written_by_its_ending(tmp_path: Path) -> None:
    PICTURE.save(tmp_path / "a.svg")
    PICTURE.save(str(tmp_path / "a.PNG"))
    assert (tmp_path / "a.svg").read_text(encoding="utf-8") == PICTURE.svg
    assert (tmp_path / "a.PNG").read_bytes() == PICTURE.png()


@pytest.mark.parametrize(("name", "ending"), [("a.jpg", r"\.jpg"), ("a.eps", r"\.eps"), ("a", "nothing")])
def test_other_endings_are_rejected(tmp_path: Path, name: str, ending: str) -> None:
    with pytest.raises(OptionError, match=rf"{name} ends in {ending}; a picture is saved as \.svg, \.pdf, \.png"):
        PICTURE.save(tmp_path / name)


def test_axes_number_their_parts_and_name_both_numbers() -> None:
    axes = Axes(10, 20, 100, 50)
    assert (axes.place(0, 0), axes.place(1, 1), axes.place(0.5, 0.5)) == ((10, 70), (110, 20), (60, 45))
    texts = [shape.text for shape in axes.shapes("across", "up", parts=2) if isinstance(shape, Words)]
    assert texts == ["0", "0", "0.5", "0.5", "1", "1", "across", "up"]
    assert "up" not in [shape.text for shape in axes.shapes("across") if isinstance(shape, Words)]


def test_our_words_are_letters_that_the_font_of_pngs_has() -> None:
    lines = sm.Spans.from_masses([4, 4, 5]), sm.Spans.from_masses([5, 1, 2, 5])
    pictures = [
        curve_plot(sm.curves(*lines)),
        sm.draw_bars(lines),
        precision_recall_plot(*lines),
        *(legend_picture(sm.maps(*lines, rule=rule), "recall") for rule in ("theta_and", "theta_plus")),
    ]
    texts = [shape.text for picture in pictures for shape in picture.shapes if isinstance(shape, Words)]
    assert len(texts) > 60
    assert [text for text in texts if not text.isascii()] == []


def test_the_example_of_rgb() -> None:
    assert rgb("#ff8000") == (255, 128, 0)


def test_the_example_of_place() -> None:
    assert Axes(10, 10, 100, 50).place(0, 1) == (10, 10)


def test_the_example_of_at() -> None:
    assert Scale(0, 2, 100, 200).at(1) == 150.0


def test_the_example_of_ticks() -> None:
    assert Scale(-0.013, 0.024, 0, 1).ticks() == [-0.01, 0.0, 0.01, 0.02]


def test_the_example_of_scale_of() -> None:
    assert scale_of([1.0, 1.0], 0, 100).low < 1 < scale_of([1.0, 1.0], 0, 100).high
