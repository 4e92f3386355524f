"""A small drawing: rectangles, lines, polygons and text, written as SVG or painted as PNG. No plotting package needed.

The origin is the upper left corner, lengths are pixels, colours are ``#rrggbb``. Text keeps to ASCII, because the
font that comes with Pillow knows little more.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from PIL.Image import Image

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
_PILLOW_ANCHOR = {"start": "ls", "middle": "ms", "end": "rs"}


@dataclass(frozen=True)
class Polygon:
    """A filled area."""

    points: tuple[Point, ...]
    fill: str
    opacity: float

    def svg(self) -> str:
        """As an SVG element."""
        return f'<polygon points="{_points(self.points)}" fill="{self.fill}" fill-opacity="{self.opacity:g}"/>'

    def paint(self, image: Image, scale: int) -> None:
        """On an RGBA image."""
        from PIL import Image as Images
        from PIL import ImageDraw

        layer = Images.new("RGBA", image.size, (0, 0, 0, 0))
        points = [(x * scale, y * scale) for x, y in self.points]
        ImageDraw.Draw(layer).polygon(points, fill=(*_rgb(self.fill), round(255 * self.opacity)))
        image.alpha_composite(layer)


@dataclass(frozen=True)
class Line:
    """A line through points, dashed if dashes (drawn, left out, …) are given."""

    points: tuple[Point, ...]
    colour: str
    width: float
    dash: tuple[float, float] | None

    def svg(self) -> str:
        """As an SVG element."""
        dashes = f' stroke-dasharray="{self.dash[0]:g} {self.dash[1]:g}"' if self.dash else ""
        return (
            f'<polyline points="{_points(self.points)}" fill="none" stroke="{self.colour}" '
            f'stroke-width="{self.width:g}"{dashes}/>'
        )

    def paint(self, image: Image, scale: int) -> None:
        """On an RGBA image."""
        from PIL import ImageDraw

        draw = ImageDraw.Draw(image)
        pieces = [self.points] if self.dash is None else _dashes(self.points, self.dash)
        for piece in pieces:
            points = [(x * scale, y * scale) for x, y in piece]
            draw.line(points, fill=_rgb(self.colour), width=max(1, round(self.width * scale)), joint="curve")


@dataclass(frozen=True)
class Text:
    """A line of text; the point is its foot, at the start, in the middle or at the end."""

    at: Point
    text: str
    size: float
    anchor: Anchor
    colour: str

    def svg(self) -> str:
        """As an SVG element."""
        return (
            f'<text x="{self.at[0]:g}" y="{self.at[1]:g}" font-size="{self.size:g}" text-anchor="{self.anchor}" '
            f'fill="{self.colour}">{escape(self.text)}</text>'
        )

    def paint(self, image: Image, scale: int) -> None:
        """On an RGBA image."""
        from PIL import ImageDraw, ImageFont

        font = ImageFont.load_default(self.size * scale)
        at = (self.at[0] * scale, self.at[1] * scale)
        ImageDraw.Draw(image).text(at, self.text, _rgb(self.colour), font, anchor=_PILLOW_ANCHOR[self.anchor])


@dataclass
class Drawing:
    """Shapes in the order they are drawn, on a background (None leaves it transparent).

    >>> drawing = Drawing(40, 20, "a small one")
    >>> drawing.rectangle(5, 5, 10, 10, "#0072b2")
    >>> drawing.svg().count("<polygon"), drawing.png()[1:4]
    (2, b'PNG')
    """

    width: float
    height: float
    title: str
    background: str | None = "#ffffff"
    shapes: list[Polygon | Line | Text] = field(default_factory=list)

    def polygon(self, points: Sequence[Point], fill: str, opacity: float = 1.0) -> None:
        """Add a filled area."""
        self.shapes.append(Polygon(tuple(points), fill, opacity))

    def rectangle(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """Add a filled rectangle."""
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill)

    def line(
        self, points: Sequence[Point], colour: str, width: float = 1.0, dash: tuple[float, float] | None = None
    ) -> None:
        """Add a line."""
        self.shapes.append(Line(tuple(points), colour, width, dash))

    def text(
        self, x: float, y: float, text: str, size: float = 12, anchor: Anchor = "start", colour: str = "#222222"
    ) -> None:
        """Add a line of text."""
        self.shapes.append(Text((x, y), text, size, anchor, colour))

    def _all(self) -> list[Any]:
        ground: list[Any] = []
        if self.background is not None:
            corners = ((0.0, 0.0), (self.width, 0.0), (self.width, self.height), (0.0, self.height))
            ground = [Polygon(corners, self.background, 1.0)]
        return [*ground, *self.shapes]

    def svg(self) -> str:
        """The drawing as a standalone SVG document."""
        body = "\n".join(shape.svg() for shape in self._all())
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{self.height:g}" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" font-family="sans-serif" role="img">\n'
            f"<title>{escape(self.title)}</title>\n{body}\n</svg>\n"
        )

    def image(self, scale: int = 2) -> Image:
        """The drawing as an RGBA image, ``scale`` pixels per unit; painted at twice that and shrunk to smooth edges."""
        from PIL import Image as Images

        size = (round(self.width * scale), round(self.height * scale))
        image = Images.new("RGBA", (size[0] * 2, size[1] * 2), (255, 255, 255, 0))
        for shape in self._all():
            shape.paint(image, scale * 2)
        return image.resize(size, Images.Resampling.BOX)

    def png(self, scale: int = 2) -> bytes:
        """The drawing as a PNG file."""
        buffer = io.BytesIO()
        self.image(scale).save(buffer, "PNG")
        return buffer.getvalue()


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{round(x, 3):g},{round(y, 3):g}" for x, y in points)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _dashes(points: Sequence[Point], dash: tuple[float, float]) -> list[tuple[Point, Point]]:
    """The drawn pieces of a dashed line; the pattern runs on round corners."""
    pieces: list[tuple[Point, Point]] = []
    drawn, left = True, dash[0]
    for (x0, y0), (x1, y1) in pairwise(points):
        length, at = hypot(x1 - x0, y1 - y0), 0.0
        while at < length:
            step = min(left, length - at)
            if drawn:
                ends = [(x0 + (x1 - x0) * d / length, y0 + (y1 - y0) * d / length) for d in (at, at + step)]
                pieces.append((ends[0], ends[1]))
            at, left = at + step, left - step
            if left <= 0:
                drawn, left = not drawn, dash[1] if drawn else dash[0]
    return pieces
