"""A small drawing of lines, areas, dots and text that is written as SVG, or as PNG without a rasteriser.

Coordinates are pixels from the top left corner. The same shapes are written as SVG text by hand and painted with
Pillow, so a plot looks the same in both and needs no plotting package.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from xml.sax.saxutils import escape, quoteattr

from segmetry.errors import OptionError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

Anchor = Literal["start", "middle", "end"]
Colour = tuple[int, int, int]
Point = tuple[float, float]

BLACK: Colour = (0, 0, 0)
GREY: Colour = (110, 110, 110)
PALE: Colour = (215, 215, 215)
WHITE: Colour = (255, 255, 255)
_DASH, _GAP = 4, 3
_FINER = 3
"""PNGs are painted this many times larger and then reduced, which smooths the edges."""


@dataclass(frozen=True)
class Line:
    """A straight line, solid or dashed."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: Colour = BLACK
    width: float = 1.0
    dashed: bool = False

    def svg(self) -> str:
        ends = f'x1="{_n(self.x1)}" y1="{_n(self.y1)}" x2="{_n(self.x2)}" y2="{_n(self.y2)}"'
        dashes = f' stroke-dasharray="{_DASH} {_GAP}"' if self.dashed else ""
        return f'<line {ends} stroke="{_hex(self.colour)}" stroke-width="{_n(self.width)}"{dashes}/>'

    def paint(self, canvas: ImageDraw) -> None:
        ends = (self.x1, self.y1), (self.x2, self.y2)
        Polyline(ends, self.colour, self.width, (_DASH, _GAP) if self.dashed else None).paint(canvas)


@dataclass(frozen=True)
class Rectangle:
    """A filled rectangle, perhaps with an outline; ``title`` is shown when the pointer rests on it."""

    x: float
    y: float
    width: float
    height: float
    colour: Colour = PALE
    outline: Colour | None = None
    title: str = ""

    def svg(self) -> str:
        place = f'x="{_n(self.x)}" y="{_n(self.y)}" width="{_n(self.width)}" height="{_n(self.height)}"'
        look = f'fill="{_hex(self.colour)}"' + (f' stroke="{_hex(self.outline)}"' if self.outline else "")
        if not self.title:
            return f"<rect {place} {look}/>"
        return f"<rect {place} {look}><title>{escape(self.title)}</title></rect>"

    def paint(self, canvas: ImageDraw) -> None:
        right, bottom = self.x + self.width, self.y + self.height
        corners = [_FINER * place for place in (self.x, self.y, right, bottom)]
        box = [corners[0], corners[1], corners[2] - 1, corners[3] - 1]
        canvas.rectangle(box, fill=self.colour, outline=self.outline, width=_FINER)


@dataclass(frozen=True)
class Dot:
    """A filled circle; ``title`` is shown when the pointer rests on it."""

    x: float
    y: float
    radius: float = 4.0
    colour: Colour = BLACK
    opacity: float = 0.6
    title: str = ""

    def svg(self) -> str:
        place = f'cx="{_n(self.x)}" cy="{_n(self.y)}" r="{_n(self.radius)}"'
        look = f'fill="{_hex(self.colour)}" fill-opacity="{_n(self.opacity)}"'
        return f"<circle {place} {look}><title>{escape(self.title)}</title></circle>"

    def paint(self, canvas: ImageDraw) -> None:
        box = [_FINER * (at + side) for side in (-self.radius, self.radius) for at in (self.x, self.y)]
        canvas.ellipse(box, fill=(*self.colour, round(255 * self.opacity)))


@dataclass(frozen=True)
class Text:
    """One line of text; ``y`` is its middle. Upright text reads from below to above."""

    x: float
    y: float
    words: str
    size: float = 12.0
    anchor: Anchor = "start"
    colour: Colour = BLACK
    upright: bool = False

    def svg(self) -> str:
        turn = f' transform="rotate(-90 {_n(self.x)} {_n(self.y)})"' if self.upright else ""
        place = f'x="{_n(self.x)}" y="{_n(self.y)}" font-size="{_n(self.size)}" text-anchor="{self.anchor}"{turn}'
        return f'<text {place} dominant-baseline="central" fill="{_hex(self.colour)}">{escape(self.words)}</text>'

    def paint(self, canvas: ImageDraw) -> None:
        from PIL import Image as Images
        from PIL import ImageDraw, ImageFont

        font = ImageFont.load_default(_FINER * self.size)
        if not self.upright:
            side = {"start": "l", "middle": "m", "end": "r"}[self.anchor]
            place = (_FINER * self.x, _FINER * self.y)
            canvas.text(place, self.words, fill=self.colour, font=font, anchor=f"{side}m")
            return
        length, height = round(font.getlength(self.words)) + 2, round(_FINER * self.size * 1.4)
        strip = Images.new("L", (length, height), 0)
        ImageDraw.Draw(strip).text((1, height / 2), self.words, fill=255, font=font, anchor="lm")
        turned = strip.rotate(90, expand=True)
        down = {"start": length, "middle": length / 2, "end": 0}[self.anchor]
        place = (round(_FINER * self.x - height / 2), round(_FINER * self.y - down))
        canvas.bitmap(place, turned, fill=self.colour)


@dataclass(frozen=True)
class Polygon:
    """A filled area with straight edges."""

    points: tuple[Point, ...]
    colour: Colour = PALE
    opacity: float = 1.0

    def svg(self) -> str:
        look = f'fill="{_hex(self.colour)}" fill-opacity="{_n(self.opacity)}"'
        return f'<polygon points="{_points(self.points)}" {look}/>'

    def paint(self, canvas: ImageDraw) -> None:
        corners = [(_FINER * x, _FINER * y) for x, y in self.points]
        canvas.polygon(corners, fill=(*self.colour, round(255 * self.opacity)))


@dataclass(frozen=True)
class Polyline:
    """A line through points; ``dashes`` are the lengths drawn and left out, and run on round corners."""

    points: tuple[Point, ...]
    colour: Colour = BLACK
    width: float = 1.0
    dashes: tuple[float, float] | None = None

    def svg(self) -> str:
        pattern = f' stroke-dasharray="{_n(self.dashes[0])} {_n(self.dashes[1])}"' if self.dashes else ""
        look = f'fill="none" stroke="{_hex(self.colour)}" stroke-width="{_n(self.width)}"{pattern}'
        return f'<polyline points="{_points(self.points)}" {look}/>'

    def paint(self, canvas: ImageDraw) -> None:
        for piece in [self.points] if self.dashes is None else _pieces(self.points, self.dashes):
            places = [(_FINER * x, _FINER * y) for x, y in piece]
            canvas.line(places, fill=self.colour, width=max(1, round(_FINER * self.width)), joint="curve")


def _points(points: tuple[Point, ...]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _pieces(points: tuple[Point, ...], dashes: tuple[float, float]) -> list[tuple[Point, Point]]:
    """The drawn pieces of a dashed line."""
    pieces: list[tuple[Point, Point]] = []
    drawn, left = True, dashes[0]
    for (x1, y1), (x2, y2) in pairwise(points):
        length, at = hypot(x2 - x1, y2 - y1), 0.0
        while at < length:
            step = min(left, length - at)
            if drawn:
                ends = [(x1 + (x2 - x1) * d / length, y1 + (y2 - y1) * d / length) for d in (at, at + step)]
                pieces.append((ends[0], ends[1]))
            at, left = at + step, left - step
            if left <= 0:
                drawn, left = not drawn, dashes[1] if drawn else dashes[0]
    return pieces


Shape = Line | Rectangle | Dot | Text | Polygon | Polyline


@dataclass
class Drawing:
    """Shapes on a white page, later ones on top.

    >>> page = Drawing(20, 10, "a dot", [Dot(5, 5)])
    >>> page.svg().splitlines()[0]
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" viewBox="0 0 20 10" role="img" aria-label="a dot">'
    >>> page.png()[1:4]
    b'PNG'
    """

    width: int
    height: int
    words: str
    shapes: list[Shape] = field(default_factory=list)

    def svg(self) -> str:
        """The drawing as an SVG document."""
        size = f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label={quoteattr(self.words)}>'
        page = Rectangle(0, 0, self.width, self.height, WHITE).svg()
        body = "\n".join([page, '<g font-family="sans-serif">', *(shape.svg() for shape in self.shapes), "</g>"])
        return f"{head}\n{body}\n</svg>\n"

    def image(self) -> Image:
        """The drawing painted."""
        from PIL import Image as Images
        from PIL import ImageDraw

        large = Images.new("RGB", (_FINER * self.width, _FINER * self.height), WHITE)
        canvas = ImageDraw.Draw(large, "RGBA")
        for shape in self.shapes:
            shape.paint(canvas)
        return large.resize((self.width, self.height), Images.Resampling.LANCZOS)

    def png(self) -> bytes:
        """The drawing as a PNG file."""
        file = io.BytesIO()
        self.image().save(file, "PNG", optimize=True)
        return file.getvalue()

    def save(self, path: str | Path) -> None:
        """Write an ``.svg`` or a ``.png`` file."""
        file = Path(path)
        kind = file.suffix.lower()
        if kind == ".svg":
            file.write_text(self.svg(), encoding="utf-8")
        elif kind == ".png":
            file.write_bytes(self.png())
        else:
            raise OptionError(f"{file} ends in {file.suffix!r}; a drawing is written as .svg or .png")

    def _repr_svg_(self) -> str:
        return self.svg()


@dataclass(frozen=True)
class Axes:
    """A square field for two numbers from 0 to 1, with ticks, grid and the names of both."""

    left: float
    top: float
    side: float

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the field lies on the page.

        >>> Axes(10, 10, 100).place(0, 1)
        (10, 10)
        """
        return self.left + self.side * x, self.top + self.side * (1 - y)

    def shapes(self, x_name: str, y_name: str) -> list[Shape]:
        """The frame, a tick and a pale line every quarter, and the two names."""
        right, bottom = self.left + self.side, self.top + self.side
        drawn: list[Shape] = []
        for part in (0.0, 0.25, 0.5, 0.75, 1.0):
            x, y = self.place(part, part)
            drawn += [Line(x, self.top, x, bottom, PALE), Line(self.left, y, right, y, PALE)]
            drawn += [
                Text(x, bottom + 14, f"{part:g}", 11, "middle", GREY),
                Text(self.left - 8, y, f"{part:g}", 11, "end", GREY),
            ]
        drawn += [Line(self.left, self.top, self.left, bottom), Line(self.left, bottom, right, bottom)]
        drawn.append(Text(self.left + self.side / 2, bottom + 34, x_name, 13, "middle"))
        drawn.append(Text(self.left - 44, self.top + self.side / 2, y_name, 13, "middle", upright=True))
        return drawn


def _n(number: float) -> str:
    """A number with no more digits than a screen can show."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
