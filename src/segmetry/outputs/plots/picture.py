"""A picture of plain shapes; each writes itself as SVG text and paints itself on a Pillow image.

The origin is the upper left corner, lengths are pixels, colours are ``#rrggbb``. Built-in texts are ASCII because the
font of Pillow has little more: in a PNG, other letters of a name show as boxes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from html import escape
from io import BytesIO
from itertools import pairwise
from math import ceil, floor, hypot
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from segmetry._base import short_repr
from segmetry.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

    from segmetry.results import Table


Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
_FONT = "system-ui, sans-serif"
PLAIN = {"−": "-", "θ": "theta", "⁺": "+", "≥": ">=", "≤": "<=", "→": "->", "τ": "tau", "κ": "kappa", "π": "pi"}
"""What stands for letters that the fonts at hand do not have."""
INK, GREY, PALE, WHITE = "#222222", "#6e6e6e", "#d7d7d7", "#ffffff"


@dataclass(frozen=True)
class Rectangle:
    """A filled rectangle; ``note`` is shown when the pointer rests on it."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str | None = None
    note: str = ""

    def as_svg(self) -> str:
        place = _svg_numbers(x=self.x, y=self.y, width=self.width, height=self.height)
        line = f' stroke="{self.stroke}"' if self.stroke else ""
        return _svg_element("rect", f'{place} fill="{self.fill}"{line}', self.note)

    def paint(self, image: Image, scale: float) -> None:
        from PIL import ImageDraw

        beyond = 0.5 if self.stroke else 0.0  # Half of the outline is outside, as in SVG.
        left, top = round((self.x - beyond) * scale), round((self.y - beyond) * scale)
        right = max(left, round((self.x + self.width + beyond) * scale) - 1)
        bottom = max(top, round((self.y + self.height + beyond) * scale) - 1)
        outline = max(1, round(scale))
        ImageDraw.Draw(image).rectangle([left, top, right, bottom], self.fill, self.stroke, outline)


@dataclass(frozen=True)
class Line:
    """A line through points, dashed where the lengths that are drawn and left out are given."""

    points: tuple[Point, ...]
    stroke: str = INK
    width: float = 1.0
    dashes: tuple[float, float] | None = None

    def as_svg(self) -> str:
        dashes = f' stroke-dasharray="{svg_number(self.dashes[0])} {svg_number(self.dashes[1])}"' if self.dashes else ""
        look = f'fill="none" stroke="{self.stroke}" {_svg_numbers(stroke_width=self.width)}{dashes}'
        return f'<polyline points="{_svg_places(self.points)}" {look}/>'

    def paint(self, image: Image, scale: float) -> None:
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image)
        for piece in _dashed_lines(self.points, self.dashes) if self.dashes else [self.points]:
            draw.line(_scaled_points(piece, scale), self.stroke, max(1, round(self.width * scale)), joint="curve")


@dataclass(frozen=True)
class Polygon:
    """A filled area."""

    points: tuple[Point, ...]
    fill: str
    opacity: float = 1.0

    def as_svg(self) -> str:
        opacity = _svg_numbers(fill_opacity=self.opacity)
        return f'<polygon points="{_svg_places(self.points)}" fill="{self.fill}" {opacity}/>'

    def paint(self, image: Image, scale: float) -> None:
        _blend_shape(image, "polygon", _scaled_points(self.points, scale), self.fill, self.opacity)


@dataclass(frozen=True)
class Dot:
    """A filled circle; ``note`` is shown when the pointer rests on it."""

    x: float
    y: float
    radius: float = 4.0
    fill: str = INK
    opacity: float = 1.0
    note: str = ""

    def as_svg(self) -> str:
        place = _svg_numbers(cx=self.x, cy=self.y, r=self.radius, fill_opacity=self.opacity)
        return _svg_element("circle", f'{place} fill="{self.fill}"', self.note)

    def paint(self, image: Image, scale: float) -> None:
        corners = [(self.x + side, self.y + side) for side in (-self.radius, self.radius)]
        _blend_shape(image, "ellipse", _scaled_points(corners, scale), self.fill, self.opacity)


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its middle. Upright text reads from below to above and has its middle at ``x``."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: Anchor = "start"
    fill: str = INK
    upright: bool = False

    def as_svg(self) -> str:
        turn = f' transform="rotate(-90 {svg_number(self.x)} {svg_number(self.y)})"' if self.upright else ""
        place = f'{_svg_numbers(x=self.x, y=self.y, font_size=self.size)} text-anchor="{self.anchor}"{turn}'
        return f'<text {place} dominant-baseline="central" fill="{self.fill}">{escape(self.text)}</text>'

    def paint(self, image: Image, scale: float, family: str | None = None) -> None:
        from PIL import Image as Images, ImageDraw, ImageFont

        font: Any = found_font(family, self.size * scale) if family else ImageFont.load_default(self.size * scale)
        text = self.text if family else plain_text(self.text)
        x, y, draw = self.x * scale, self.y * scale, ImageDraw.Draw(image)
        if not self.upright:
            draw.text((x, y), text, self.fill, font, {"start": "lm", "middle": "mm", "end": "rm"}[self.anchor])
            return
        length, height = ceil(font.getlength(text)) + 2, round(self.size * scale * 1.4)
        strip = Images.new("L", (length, height), 0)
        ImageDraw.Draw(strip).text((1, height / 2), text, 255, font, "lm")
        above = {"start": length, "middle": length / 2, "end": 0}[self.anchor]
        draw.bitmap((round(x - height / 2), round(y - above)), strip.rotate(90, expand=True), self.fill)


@dataclass(frozen=True, eq=False)
class Raster:
    """An image of RGBA values, each as a rectangle with sharp edges."""

    x: float
    y: float
    width: float
    height: float
    values: NDArray[np.uint8]

    def as_svg(self) -> str:
        from base64 import b64encode
        from io import BytesIO

        from PIL import Image as Images

        file = BytesIO()
        Images.fromarray(self.values).save(file, "PNG", optimize=True)
        place = _svg_numbers(x=self.x, y=self.y, width=self.width, height=self.height)
        data = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
        return f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated" href="{data}"/>'

    def paint(self, image: Image, scale: float) -> None:
        from PIL import Image as Images

        size = max(1, round(self.width * scale)), max(1, round(self.height * scale))
        image.alpha_composite(
            Images.fromarray(self.values).resize(size, Images.Resampling.NEAREST),
            (round(self.x * scale), round(self.y * scale)),
        )


Shape = Rectangle | Line | Polygon | Dot | Words | Raster


def plain_text(text: str) -> str:
    """Return a text without letters that the built-in fonts do not have.

    >>> plain_text("IoU ≥ 0.5 (θ⁺)")
    'IoU >= 0.5 (theta+)'
    """
    return "".join(PLAIN.get(letter, letter) for letter in text)


def ramp(count: int) -> list[str]:
    """Return colours from light to dark, for lines in an order such as thresholds.

    >>> ramp(3)
    ['#8cbde0', '#4a769e', '#08305c']
    """
    ends = (0x8C, 0xBD, 0xE0), (0x08, 0x30, 0x5C)
    shares = [at / max(1, count - 1) for at in range(count)]
    return ["#" + "".join(f"{round(a + (b - a) * x):02x}" for a, b in zip(*ends, strict=True)) for x in shares]


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the three bytes of a colour."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def svg_number(number: float) -> str:
    """Format a number with no more digits than a screen can show."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


def _svg_numbers(**named: float) -> str:
    return " ".join(f'{name.replace("_", "-")}="{svg_number(number)}"' for name, number in named.items())


def _svg_places(points: Sequence[Point]) -> str:
    return " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in points)


def _svg_element(kind: str, look: str, note: str) -> str:
    return f"<{kind} {look}><title>{escape(note)}</title></{kind}>" if note else f"<{kind} {look}/>"


def _scaled_points(points: Sequence[Point], scale: float) -> list[Point]:
    return [(x * scale, y * scale) for x, y in points]


def _blend_shape(
    image: Image, kind: Literal["polygon", "ellipse"], points: list[Point], fill: str, opacity: float
) -> None:
    """Blend a translucent area over the image, within its bounding box."""
    from PIL import Image as Images, ImageDraw

    left, top = (floor(min(side)) for side in zip(*points, strict=True))
    right, bottom = (ceil(max(side)) + 1 for side in zip(*points, strict=True))
    layer = Images.new("RGBA", (right - left, bottom - top))
    moved = [(x - left, y - top) for x, y in points]
    getattr(ImageDraw.Draw(layer), kind)(moved, fill=(*rgb(fill), round(255 * opacity)))
    image.alpha_composite(layer, (left, top))


def _dashed_lines(points: Sequence[Point], dashes: tuple[float, float]) -> list[tuple[Point, Point]]:
    """Return the drawn pieces of a dashed line; the pattern continues round corners."""
    pieces: list[tuple[Point, Point]] = []
    drawn, left = True, dashes[0]
    for (x0, y0), (x1, y1) in pairwise(points):
        length, at = hypot(x1 - x0, y1 - y0), 0.0
        while at < length:
            step = min(left, length - at)
            if drawn:
                start, stop = ((x0 + (x1 - x0) * d / length, y0 + (y1 - y0) * d / length) for d in (at, at + step))
                pieces.append((start, stop))
            at, left = at + step, left - step
            if left <= 0:
                drawn, left = not drawn, dashes[1] if drawn else dashes[0]
    return pieces


_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML document may contain, however they are written."""
_FINER = 2  # PNGs are painted finer and shrunk, which smooths slanted lines.


@dataclass(frozen=True)
class Picture:
    """Shapes on a background (None leaves it transparent), the first at the bottom; draws itself in a notebook.

    >>> from segmetry.outputs.plots.picture import Words
    >>> picture = Picture(40, 20, "one word", (Words(2, 10, "a < b"),))
    >>> "a &lt; b" in picture.svg, picture.png()[1:4]
    (True, b'PNG')
    """

    __repr__ = short_repr

    width: float
    height: float
    title: str
    shapes: tuple[Shape, ...]
    background: str | None = WHITE
    data: Table | None = field(default=None, compare=False, repr=False)
    """The rows that are drawn; ``picture.data.to_pandas()`` is the data frame."""

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        return self.sized_svg()

    def sized_svg(self, width_cm: float | None = None, font: str = _FONT) -> str:
        """Return the SVG document at a width on paper and with a font, both to be found by whoever shows it."""
        width, height = svg_number(self.width), svg_number(self.height)
        size = f'width="{width}" height="{height}"'
        if width_cm is not None:
            size = f'width="{width_cm:g}cm" height="{svg_number(width_cm * self.height / self.width)}cm"'
        body = "\n".join(shape.as_svg() for shape in (*self._background_shapes(), *self.shapes))
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}"'
        head += f' font-family="{escape(font)}" role="img">'
        return _NOT_IN_XML.sub("\ufffd", f"{head}\n<title>{escape(self.title)}</title>\n{body}\n</svg>\n")

    def _repr_svg_(self) -> str:
        return self.svg

    def _background_shapes(self) -> tuple[Shape, ...]:
        return () if self.background is None else (Rectangle(0, 0, self.width, self.height, self.background),)

    def image(self, scale: float = 2, font: str | None = None) -> Image:
        """Return the picture as a Pillow image with transparency (RGBA), ``scale`` pixels to a unit."""
        from PIL import Image as Images

        pixels = round(self.width * scale), round(self.height * scale)
        image = Images.new("RGBA", (pixels[0] * _FINER, pixels[1] * _FINER), (255, 255, 255, 0))
        for shape in (*self._background_shapes(), *self.shapes):
            if isinstance(shape, Words):
                shape.paint(image, scale * _FINER, font)
            else:
                shape.paint(image, scale * _FINER)
        return image.resize(pixels, Images.Resampling.BOX)

    def png(self, scale: float = 2, font: str | None = None) -> bytes:
        """Return the picture as a PNG file, ``scale`` pixels to a unit."""
        image = self.image(scale, font)
        return png_file(image if self.background is None else image.convert("RGB"))

    def without_title(self) -> Picture:
        """Return the picture without the line above it, which a caption replaces.

        >>> picture = Picture(40, 60, "a title", (Words(2, 20, "a title"), Words(2, 50, "below")))
        >>> picture.without_title().height, [shape.y for shape in picture.without_title().shapes]
        (38, [28])
        """
        kept = [
            shape for shape in self.shapes if not (isinstance(shape, Words) and shape.y <= TITLE and not shape.upright)
        ]
        return replace(self, height=self.height - TITLE, shapes=tuple(moved(shape, 0, -TITLE) for shape in kept))

    def save(
        self, path: str | Path, *, width_cm: float | None = None, font: str | None = None, title: bool = True
    ) -> None:
        """Write a file ending in .svg, .pdf or .png.

        Parameters
        ----------
        path : str or Path
            The file.
        width_cm : float, optional
            The width on paper; a PNG then has 300 pixels to an inch.
        font : str, optional
            The name of a font, or a .ttf file; PDF contains it and PNG is painted with it, so Pillow has to find it.
        title : bool, default True
            Whether the line above the picture is drawn.
        """
        place = Path(path)
        kind = place.suffix.lower()
        if kind not in ENDINGS:
            raise OptionError(f"{place.name} ends in {kind or 'nothing'}; a picture is saved as {', '.join(ENDINGS)}")
        if width_cm is not None and not 0 < width_cm < 500:
            raise OptionError(f"width_cm is {width_cm:g}; expected a width in centimetres, such as 8.5 for a column")
        shown = self if title else self.without_title()
        if kind == ".svg":
            place.write_text(shown.sized_svg(width_cm, font or _FONT), encoding="utf-8")
        elif kind == ".pdf":
            from segmetry.outputs.plots.pdf import pdf_file

            place.write_bytes(pdf_file(shown, width_cm, font))
        else:
            place.write_bytes(shown.png(2 if width_cm is None else width_cm / 2.54 * 300 / shown.width, font))


ENDINGS = (".svg", ".pdf", ".png")
TITLE = 22
"""Text whose middle is above this line is the title."""


def moved(shape: Shape, x: float, y: float) -> Shape:
    """Return a shape at another place.

    >>> moved(Dot(1, 2), 10, 0).x, moved(Line(((0, 0), (1, 1))), 1, 2).points
    (11, ((1, 2), (2, 3)))
    """
    if isinstance(shape, Line | Polygon):
        return replace(shape, points=tuple((a + x, b + y) for a, b in shape.points))
    return replace(shape, x=shape.x + x, y=shape.y + y)


def found_font(name: str, size: float) -> FreeTypeFont:
    """Return a font that Pillow finds by its name or file; one that it does not find is an error."""
    from PIL import ImageFont

    for given in (name, name.replace(" ", "_"), name.replace(" ", "")):
        try:
            return ImageFont.truetype(given if given.endswith((".ttf", ".otf")) else f"{given}.ttf", size)
        except OSError:
            continue
    raise OptionError(f"there is no font {name!r} here; give the path of a .ttf file, such as DejaVuSans.ttf")


def png_file(image: Image) -> bytes:
    """Return a Pillow image as the content of a PNG file."""
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


@dataclass(frozen=True)
class Axes:
    """Position and size of the axes on the page."""

    left: float
    top: float
    width: float
    height: float

    def place(self, x: float, y: float) -> Point:
        """Return the position of a point on the page."""
        return self.left + self.width * x, self.top + self.height * (1 - y)

    def shapes(self, x_name: str, y_name: str = "", *, parts: int = 4) -> list[Shape]:
        """Return the frame, a grid of equal parts with numbers, and the labels."""
        (left, bottom), (right, top) = self.place(0, 0), self.place(1, 1)
        drawn: list[Shape] = []
        for at in range(parts + 1):
            x, y = self.place(at / parts, at / parts)
            drawn += [Line(((x, top), (x, bottom)), PALE), Line(((left, y), (right, y)), PALE)]
            drawn.append(Words(x, bottom + 14, f"{at / parts:g}", 11, "middle", GREY))
            drawn.append(Words(left - 8, y, f"{at / parts:g}", 11, "end", GREY))
        drawn.append(Line(((left, top), (left, bottom), (right, bottom)), INK))
        drawn.append(Words((left + right) / 2, bottom + 34, x_name, 13, "middle"))
        if y_name:
            drawn.append(Words(left - 44, (top + bottom) / 2, y_name, 13, "middle", upright=True))
        return drawn


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high`` along a line from ``start`` to ``stop``."""

    low: float
    high: float
    start: float
    stop: float

    def at(self, value: float) -> float:
        """Return the position of a number."""
        return self.start + (self.stop - self.start) * (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 7) -> list[float]:
        """Return round numbers in the range, at most about ``most``."""
        span = self.high - self.low
        power = 10.0 ** math.floor(math.log10(span / most))
        step = next(factor * power for factor in (1, 2, 5, 10, 20) if span / (factor * power) <= most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step)))
        return [round(at * step, digits) + 0.0 for at in range(first, last + 1)]


def scale_of(values: list[float], start: float, stop: float, *, margin: float = 0.06) -> Scale:
    """Return a scale that shows all numbers with a margin, also if they are equal."""
    low, high = min(values), max(values)
    room = (high - low) * margin or 0.5 * max(abs(low), 0.02)
    return Scale(low - room, high + room, start, stop)


def y_axis(scale: Scale, left: float, right: float, name: str = "") -> list[Shape]:
    """Return the frame, a line with its number for every tick of an upright scale, and the label."""
    drawn: list[Shape] = []
    for tick in scale.ticks():
        y = scale.at(tick)
        drawn += [Line(((left, y), (right, y)), PALE), Words(left - 8, y, f"{tick:g}", 11, "end", GREY)]
    drawn.append(Line(((left, scale.stop), (left, scale.start), (right, scale.start)), INK))
    if name:
        drawn.append(Words(14, (scale.start + scale.stop) / 2, name, 13, "middle", upright=True))
    return drawn
