"""Curve plots and maps as files: pixels where they belong, colours that everyone can tell apart."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import OptionError
from segmetry.outputs.plots.curve_plot import AXES, curve_plot, weight_words
from segmetry.outputs.plots.map_images import colours_of, map_picture, write_maps

CURVES = sm.curves(sm.Spans.from_masses([4, 4, 5]), sm.Spans.from_masses([5, 1, 2, 5]))


def points_of(element: ET.Element) -> list[tuple[float, float]]:
    return [tuple(map(float, pair.split(","))) for pair in element.attrib["points"].split()]  # type: ignore[misc]


def area(points: list[tuple[float, float]]) -> float:
    """The shoelace formula."""
    turned = zip(points, [*points[1:], points[0]], strict=True)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in turned)) / 2


def test_the_shaded_area_is_pq() -> None:
    svg = ET.fromstring(curve_plot(CURVES).svg)  # noqa: S314 - our own file
    shaded = [e for e in svg.iter() if e.tag.endswith("polygon") and e.attrib["fill-opacity"] == "0.25"]
    assert area(points_of(shaded[0])) / (AXES.width * AXES.height) == pytest.approx(18 / 35, abs=1e-5)


def test_alpha_is_marked_where_it_is_and_values_are_written() -> None:
    svg = ET.fromstring(curve_plot(CURVES).svg)  # noqa: S314 - our own file
    upright = [
        points_of(e)
        for e in svg.iter()
        if e.tag.endswith("polyline") and "stroke-dasharray" in e.attrib and len(points_of(e)) == 2
    ]
    assert [x for (x, _), (end, _) in upright if x == end] == [pytest.approx(AXES.left + AXES.width / 2, abs=1e-3)]
    words = " ".join(e.text or "" for e in svg.iter())
    assert "alpha = 1/2" in words
    assert "PQ = 0.5143" in words
    assert "NPQ = 0.4571" in words


def test_a_plot_of_nothing_says_undefined() -> None:
    svg = curve_plot(sm.curves([[0]], [[0]])).svg
    assert svg.count("undefined") == 2
    assert 'fill-opacity="0.25"' not in svg


def test_reweighted_curves_name_their_weight() -> None:
    alignment = sm.align(sm.overlap([[1, 1]], [[1, 1]]))
    curves = sm.curves(sm.reweight(alignment, [0.5], "hausdorff"))
    text = curve_plot(curves, "Ours & theirs <1>").svg
    assert "Ours &amp; theirs &lt;1&gt;" in text
    assert "least hausdorff of a pair" in text
    assert "area under F1 = 0.5000" in text


def test_png_has_the_shade_under_the_curve_only() -> None:
    scale = 2
    image = np.asarray(Image.open(io.BytesIO(curve_plot(CURVES).png(scale)))).astype(int)
    across = int((AXES.left + 200) * scale)
    inside = image[int((AXES.top + AXES.height - 20) * scale), across]
    outside = image[int((AXES.top + 70) * scale), across]
    assert inside[1] > inside[0] + 30
    assert outside.tolist() == [255, 255, 255]


# Linear RGB as two kinds of red-green blindness see it (Viénot, Brettel, Mollon 1999); yellow to blue stays.
BLINDNESS = {
    "protanopia": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deuteranopia": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
    "nothing": np.eye(3),
}


@pytest.mark.parametrize("kind", sorted(BLINDNESS))
@pytest.mark.parametrize("alpha", ["0", "1/3", "1/2", "2/3"])
def test_the_zones_tell_apart_and_values_are_ordered_by_lightness(kind: str, alpha: str) -> None:
    bound = Fraction(alpha)
    values = np.linspace(0, 1, 101)
    above = values > float(bound)
    seen = ((colours_of(values, above, bound)[:, :3] / 255) ** 2.2) @ BLINDNESS[kind].T
    blueness = seen[:, 2] - seen[:, :2].mean(axis=1)
    assert (blueness[above] > 0.02).all()
    assert (blueness[~above] < -0.005).all()
    light = seen @ [0.2126, 0.7152, 0.0722]
    assert (np.diff(light[~above]) > 0).all()
    assert (np.diff(light[above]) < 0).all()


def test_map_pixels_are_their_segments_colours_and_outside_is_transparent() -> None:
    true, pred = np.array([[1, 1, 2, 0]]), np.array([[1, 1, 1, 1]])
    maps = sm.maps(true, pred, rule="theta_and")
    image = np.asarray(map_picture(maps, "recall"))
    factor = 80
    assert image.shape == (factor + 64, 320, 4)
    expected = colours_of(np.array([0.5, 0.25]), np.array([True, False]), Fraction(1, 3))
    assert (image[:factor, : 2 * factor] == expected[0]).all()
    assert (image[:factor, 2 * factor : 3 * factor] == expected[1]).all()
    assert (image[:factor, 3 * factor :, 3] == 0).all()
    assert (image[factor:, :, 3] == 255).all()


def test_lines_become_bars_and_volumes_sheets() -> None:
    line = sm.maps(sm.Spans.from_masses([2, 3]), sm.Spans.from_masses([3, 2]))
    assert map_picture(line).size == (320, 32 + 64)
    volume = np.ones((20, 30, 40), dtype=np.int64)
    volume[10:] = 2
    sheet = np.asarray(map_picture(sm.maps(volume, volume), slices=4))
    assert sheet.shape == (61 * (320 // 81) + 64, 320, 4)
    assert map_picture(sm.maps(volume[None], volume[None]), slices=1).size == (320, 30 * 8 + 64)


def test_files_hold_the_arrays_and_the_pictures(tmp_path: Path) -> None:
    maps = sm.maps([[1, 1, 2, 0]], [[1, 1, 1, 1]], weight="dice")
    written = write_maps(maps, tmp_path / "new" / "folder")
    assert [path.name for path in written] == [
        "precision.png", "precision.npy", "recall.png", "recall.npy", "segments.csv", "curves.svg"
    ]  # fmt: skip
    assert np.array_equal(np.load(written[3]), maps.recall, equal_nan=True)
    with Image.open(io.BytesIO(written[0].read_bytes())) as image:
        assert image.mode == "RGBA"


@pytest.mark.parametrize(("options", "message"), [({"side": "f1"}, "side is 'f1'"), ({"slices": 0}, "slices is 0")])
def test_bad_choices_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        map_picture(sm.maps([[1]], [[1]]), **options)


def test_the_example_of_weight_words() -> None:
    assert (weight_words("iou"), weight_words("coverage_true")) == ("IoU", "coverage of true")


def test_the_example_of_colours_of() -> None:
    assert colours_of(np.array([0.0, 1.0]), np.array([False, True]), Fraction(1, 2)).tolist() == [
        [84, 39, 8, 255],
        [0, 52, 110, 255],
    ]
