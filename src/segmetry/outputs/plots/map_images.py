"""Precision and recall maps as pictures: brown to orange below alpha, light to dark blue above it, outside transparent.

Orange and blue are distinguishable in every kind of colour blindness, and each ramp runs from dark to light or back, so
values can be read without colour as well. A volume becomes a sheet of evenly spaced slices across its shortest axis,
those without a segment left out; a line (text) becomes a bar.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base import FloatArray
from segmetry.alignments import Curves, rule_heading
from segmetry.errors import OptionError
from segmetry.metrics import Maps
from segmetry.outputs.plots.curve_plot import curve_plot, weight_words
from segmetry.outputs.plots.picture import Line, Picture, Rectangle, Shape, Words, rgb
from segmetry.results import as_csv

if TYPE_CHECKING:
    from PIL.Image import Image

BELOW = ("#542708", "#f0aa3c")
"""The colours of value 0 and of values just below alpha."""
ABOVE = ("#bedef5", "#00346e")
"""The colours of values just above alpha and of value 1."""
TRANSPARENT = (0, 0, 0, 0)
LEGEND_WIDTH, LEGEND_HEIGHT = 320, 64
BAR_HEIGHT = 32
# Slices of a volume on one sheet.
SHEET = 16
MOST_PIXELS = 4096
"""The longer side of a sheet; of larger slices every second, third … row and column is drawn."""


def colours_of(values: FloatArray, above: NDArray[np.bool_], alpha: Fraction) -> NDArray[np.uint8]:
    """Return one opaque RGBA colour per value; ``above`` decides the ramp, so a value equal to alpha is below."""
    bound = float(alpha)
    low = np.divide(values, bound, out=np.zeros_like(values), where=bound > 0)
    high = (values - bound) / (1 - bound) if bound < 1 else np.ones_like(values)
    share = np.clip(np.where(above, high, low), 0, 1)[:, None]
    start, stop = (
        np.where(above[:, None], rgb(upper), rgb(lower)).astype(float)
        for lower, upper in zip(BELOW, ABOVE, strict=True)
    )
    colours = np.full((values.size, 4), 255, dtype=np.uint8)
    colours[:, :3] = np.rint(start + (stop - start) * share)
    return colours


def map_picture(maps: Maps, side: str = "precision", *, slices: int = SHEET, axis: int | None = None) -> Image:
    """Return the picture of one map with its legend below; small maps are enlarged by an integer factor.

    Parameters
    ----------
    maps : Maps
        What :func:`segmetry.maps` returns.
    side : {'precision', 'recall'}, default 'precision'
        Which of the two maps.
    slices : int, default 16
        The number of slices of a volume.
    axis : int, optional
        The axis across which a volume is cut, by default its shortest one.

    Returns
    -------
    PIL.Image.Image
        The picture, transparent outside of segments.

    Examples
    --------
    >>> import segmetry as sm
    >>> map_picture(sm.maps([[1, 1, 2, 0]], [[1, 1, 1, 1]]), "recall").size
    (320, 144)
    """
    from PIL import Image as Images

    if side not in ("precision", "recall"):
        raise OptionError(f"side is {side!r}; expected 'precision' or 'recall'")
    if slices < 1:
        raise OptionError(f"slices is {slices}; expected at least 1")
    segment_values = maps.pred_values if side == "precision" else maps.true_values
    colours = colours_of(segment_values.values, segment_values.above, maps.alpha)
    sheet = _sheet_of_slices(segment_values.painted(colours, TRANSPARENT), slices, axis)
    factor = max(1, LEGEND_WIDTH // sheet.shape[1])
    tall = BAR_HEIGHT if segment_values.array.ndim == 1 else factor
    picture = Images.fromarray(sheet.repeat(factor, axis=1).repeat(tall, axis=0))
    legend = legend_picture(maps, side).image(scale=1)
    whole = Images.new("RGBA", (max(picture.width, legend.width), picture.height + legend.height), TRANSPARENT)
    whole.paste(picture, (0, 0))
    whole.paste(legend, (0, picture.height))
    return whole


def write_maps(maps: Maps, folder: str | Path, *, slices: int = SHEET, axis: int | None = None) -> list[Path]:
    """Write ``precision.png``, ``recall.png``, both maps as float arrays (``.npy``), and the best partner and weight of
    every segment as ``segments.csv``; return the paths.

    Where pairs are one-to-one, precision, recall and F1 by the least weight of a pair are written to ``curves.svg``.

    Parameters
    ----------
    maps : Maps
        What :func:`segmetry.maps` returns.
    folder : str or Path
        The folder, which is made if it does not exist.
    slices : int, default 16
        The number of slices of a volume.
    axis : int, optional
        The axis across which a volume is cut, by default its shortest one.

    Returns
    -------
    list of Path
        The files.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    for side in ("precision", "recall"):
        picture, array = target / f"{side}.png", target / f"{side}.npy"
        map_picture(maps, side, slices=slices, axis=axis).save(picture)
        np.save(array, maps.precision if side == "precision" else maps.recall)
        written += [picture, array]
    segments = target / "segments.csv"
    segments.write_text(as_csv(maps.edges()), encoding="utf-8")
    written.append(segments)
    if maps.alignment.is_one_to_one:
        curve_plot(Curves.of(maps.alignment.tally, maps.weight)).save(target / "curves.svg")
        written.append(target / "curves.svg")
    return written


def legend_picture(maps: Maps, side: str) -> Picture:
    """Return the legend: a bar from 0 over alpha to 1, with both zones named."""
    alpha = float(maps.alpha)
    title = f"{side} map, {weight_words(maps.weight)}"
    heading = rule_heading(maps.rule).partition(" (θ")[0]  # the letters of pictures have no Greek
    rule = heading if len(heading) < 24 else heading[:22] + ".."
    left, right, top = 12.0, LEGEND_WIDTH - 12.0, 22.0
    shapes: list[Shape] = [Words(left, 10, title, 11), Words(right, 10, rule, 11, "end")]
    edges = np.arange(right - left + 1) / (right - left)
    middle = (edges[:-1] + edges[1:]) / 2
    colours = colours_of(middle, middle > alpha, maps.alpha)
    for at, (red, green, blue, _) in enumerate(colours.tolist()):
        # Columns overlap, or their smoothed edges would show as pale stripes.
        width = 1.5 if at + 1 < len(colours) else 1
        shapes.append(Rectangle(left + at, top, width, 14, f"#{red:02x}{green:02x}{blue:02x}"))
    at_alpha = left + alpha * (right - left)
    shapes.append(Line(((at_alpha, top - 2), (at_alpha, top + 18)), "#000000", 1.2))
    shapes += [Words(left, top + 22, "0", 10), Words(right, top + 22, "1", 10, "end")]
    if maps.alpha:
        shapes.append(Words(at_alpha, top + 22, f"alpha = {maps.alpha}", 10, "middle"))
        shapes.append(Words(left, top + 35, "below alpha", 10))
    shapes.append(Words(right, top + 35, "matched zone", 10, "end"))
    return Picture(LEGEND_WIDTH, LEGEND_HEIGHT, title, tuple(shapes))


def _sheet_of_slices(pixels: NDArray[Any], slices: int, axis: int | None) -> NDArray[Any]:
    """Return an image of any number of axes as one picture: a line as a bar, a volume as a sheet of slices."""
    n_axes = pixels.ndim - 1
    if axis is not None and not (n_axes == 3 and 0 <= axis < 3):
        raise OptionError(f"axis is {axis}; expected 0, 1 or 2 of a volume, but the map has {n_axes} axes")
    if n_axes == 1:
        return pixels[None]
    if n_axes == 2:
        return np.ascontiguousarray(_every_nth(pixels, max(pixels.shape[:2])))
    if n_axes == 3:
        pixels = np.moveaxis(pixels, int(np.argmin(pixels.shape[:3])) if axis is None else axis, 0)
    stack = pixels.reshape(-1, *pixels.shape[-3:])
    drawn = np.flatnonzero(stack[..., 3].any(axis=(1, 2)))
    places = drawn if drawn.size else np.arange(len(stack))
    chosen = places[np.unique(np.linspace(0, len(places) - 1, min(slices, len(places))).round().astype(int))]
    height, width = stack.shape[1:3]
    columns = min(len(chosen), max(1, round(math.sqrt(len(chosen) * height / width))))
    rows = -(-len(chosen) // columns)
    shown = [_every_nth(stack[at], max(rows * height, columns * width)) for at in chosen.tolist()]
    height, width = shown[0].shape[:2]
    sheet = np.zeros((rows * (height + 1) - 1, columns * (width + 1) - 1, 4), dtype=np.uint8)
    for place, part in enumerate(shown):
        row, column = divmod(place, columns)
        top, left = row * (height + 1), column * (width + 1)
        sheet[top : top + height, left : left + width] = part
    return sheet


def _every_nth(pixels: NDArray[Any], longer: int) -> NDArray[Any]:
    """Return every n-th row and column of a part of a picture whose longer side would be too large."""
    step = -(-longer // MOST_PIXELS)
    return pixels[::step, ::step]
