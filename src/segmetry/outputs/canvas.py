"""A picture of rectangles, lines and words, written as SVG text by us or painted as PNG through Pillow."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from segmetry.errors import OptionError

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

INK = "#222222"
_FONT = "system-ui, sans-serif"
_FINER = 2  # PNGs are painted finer and shrunk, which smooths slanted lines.


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
        line = f' stroke="{self.stroke}"' if self.stroke else ""
        place = f'x="{self.x:.2f}" y="{self.y:.2f}" width="{self.width:.2f}" height="{self.height:.2f}"'
        if not self.note:
            return f'<rect {place} fill="{self.fill}"{line}/>'
        return f'<rect {place} fill="{self.fill}"{line}><title>{escape(self.note)}</title></rect>'

    def paint(self, draw: ImageDraw, scale: float) -> None:
        box = [self.x * scale, self.y * scale, (self.x + self.width) * scale, (self.y + self.height) * scale]
        draw.rectangle(box, fill=self.fill, outline=self.stroke, width=max(1, round(scale)))


@dataclass(frozen=True)
class Line:
    """A straight line, solid or dashed."""

    start: tuple[float, float]
    stop: tuple[float, float]
    stroke: str = INK
    width: float = 1.5
    dashed: bool = False

    def as_svg(self) -> str:
        (x1, y1), (x2, y2) = self.start, self.stop
        dashes = ' stroke-dasharray="4 3"' if self.dashed else ""
        return (
            f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" '
            f'stroke="{self.stroke}" stroke-width="{self.width:g}"{dashes}/>'
        )

    def paint(self, draw: ImageDraw, scale: float) -> None:
        for start, stop in self._dashes() if self.dashed else [(self.start, self.stop)]:
            ends = [(start[0] * scale, start[1] * scale), (stop[0] * scale, stop[1] * scale)]
            draw.line(ends, fill=self.stroke, width=max(1, round(self.width * scale)))

    def _dashes(self) -> Iterable[tuple[tuple[float, float], tuple[float, float]]]:
        (x1, y1), (x2, y2) = self.start, self.stop
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        at = 0.0
        while at < length:
            here, there = at / length, min(at + 4, length) / length
            yield (
                (x1 + here * (x2 - x1), y1 + here * (y2 - y1)),
                (x1 + there * (x2 - x1), y1 + there * (y2 - y1)),
            )
            at += 7


@dataclass(frozen=True)
class Words:
    """One line of text; ``y`` is its middle."""

    x: float
    y: float
    text: str
    size: float = 12
    anchor: Literal["start", "middle", "end"] = "start"
    fill: str = INK

    def as_svg(self) -> str:
        return (
            f'<text x="{self.x:.2f}" y="{self.y:.2f}" font-size="{self.size:g}" text-anchor="{self.anchor}" '
            f'dominant-baseline="central" fill="{self.fill}">{escape(self.text)}</text>'
        )

    def paint(self, draw: ImageDraw, scale: float) -> None:
        from PIL import ImageFont

        letters = {"start": "lm", "middle": "mm", "end": "rm"}
        font = ImageFont.load_default(self.size * scale)
        draw.text((self.x * scale, self.y * scale), self.text, fill=self.fill, font=font, anchor=letters[self.anchor])


Shape = Rectangle | Line | Words


@dataclass(frozen=True)
class Picture:
    """Shapes on white, the first at the bottom; draws itself in a notebook.

    >>> picture = Picture(40, 20, (Rectangle(0, 0, 40, 20, "#ffffff"), Words(2, 10, "a < b")))
    >>> "a &lt; b" in picture.svg
    True
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""

    @property
    def svg(self) -> str:
        """The picture as SVG text."""
        size = f'width="{self.width:g}" height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}"'
        name = f"<title>{escape(self.title)}</title>" if self.title else ""
        body = "\n".join(shape.as_svg() for shape in self.shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONT}" role="img">{name}\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n{body}\n</svg>\n'
        )

    def _repr_svg_(self) -> str:
        return self.svg

    def png(self, scale: float = 2) -> bytes:
        """The picture as PNG bytes, ``scale`` pixels to a unit."""
        from PIL import Image, ImageDraw

        pixels = round(self.width * scale), round(self.height * scale)
        image = Image.new("RGB", (pixels[0] * _FINER, pixels[1] * _FINER), "#ffffff")
        draw = ImageDraw.Draw(image)
        for shape in self.shapes:
            shape.paint(draw, scale * _FINER)
        written = BytesIO()
        image.resize(pixels, Image.Resampling.BOX).save(written, format="PNG", optimize=True)
        return written.getvalue()

    def save(self, path: str | Path) -> None:
        """Write a file ending in .svg or .png."""
        place = Path(path)
        if place.suffix == ".svg":
            place.write_text(self.svg, encoding="utf-8")
        elif place.suffix == ".png":
            place.write_bytes(self.png())
        else:
            raise OptionError(f"{place.name} ends in {place.suffix or 'nothing'}; a picture is saved as .svg or .png")
