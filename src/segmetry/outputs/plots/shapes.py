"""The shapes of a picture; each writes itself as SVG text and paints itself on a Pillow image.

The origin is the upper left corner, lengths are pixels, colours are ``#rrggbb``. Built-in texts are ASCII because the
font of Pillow has little more: in a PNG, other letters of a name show as boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, hypot
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from PIL.Image import Image

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]
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

    def paint(self, image: Image, scale: float) -> None:
        from PIL import Image as Images, ImageDraw, ImageFont

        font = ImageFont.load_default(self.size * scale)
        x, y, draw = self.x * scale, self.y * scale, ImageDraw.Draw(image)
        if not self.upright:
            draw.text((x, y), self.text, self.fill, font, {"start": "lm", "middle": "mm", "end": "rm"}[self.anchor])
            return
        length, height = ceil(font.getlength(self.text)) + 2, round(self.size * scale * 1.4)
        strip = Images.new("L", (length, height), 0)
        ImageDraw.Draw(strip).text((1, height / 2), self.text, 255, font, "lm")
        above = {"start": length, "middle": length / 2, "end": 0}[self.anchor]
        draw.bitmap((round(x - height / 2), round(y - above)), strip.rotate(90, expand=True), self.fill)


Shape = Rectangle | Line | Polygon | Dot | Words


def rgb(colour: str) -> tuple[int, int, int]:
    """Return the three bytes of a colour.

    >>> rgb("#ff8000")
    (255, 128, 0)
    """
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
