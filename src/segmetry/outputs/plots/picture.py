"""A picture of plain shapes, written as SVG text or painted as PNG by Pillow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from segmetry.errors import OptionError
from segmetry.outputs.plots.shapes import WHITE, Rectangle, Shape, svg_number

if TYPE_CHECKING:
    from PIL.Image import Image

_FONT = "system-ui, sans-serif"
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML document may contain, however they are written."""
_FINER = 2  # PNGs are painted finer and shrunk, which smooths slanted lines.


@dataclass(frozen=True)
class Picture:
    """Shapes on a background (None leaves it transparent), the first at the bottom; draws itself in a notebook.

    >>> from segmetry.outputs.plots.shapes import Words
    >>> picture = Picture(40, 20, "one word", (Words(2, 10, "a < b"),))
    >>> "a &lt; b" in picture.svg, picture.png()[1:4]
    (True, b'PNG')
    """

    width: float
    height: float
    title: str
    shapes: tuple[Shape, ...]
    background: str | None = WHITE

    @property
    def svg(self) -> str:
        """The picture as an SVG document."""
        width, height = svg_number(self.width), svg_number(self.height)
        size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        body = "\n".join(shape.as_svg() for shape in (*self._background_shapes(), *self.shapes))
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONT}" role="img">'
        return _NOT_IN_XML.sub("\ufffd", f"{head}\n<title>{escape(self.title)}</title>\n{body}\n</svg>\n")

    def _repr_svg_(self) -> str:
        return self.svg

    def _background_shapes(self) -> tuple[Shape, ...]:
        return () if self.background is None else (Rectangle(0, 0, self.width, self.height, self.background),)

    def image(self, scale: float = 2) -> Image:
        """Return the picture as a Pillow image with transparency (RGBA), ``scale`` pixels to a unit."""
        from PIL import Image as Images

        pixels = round(self.width * scale), round(self.height * scale)
        image = Images.new("RGBA", (pixels[0] * _FINER, pixels[1] * _FINER), (255, 255, 255, 0))
        for shape in (*self._background_shapes(), *self.shapes):
            shape.paint(image, scale * _FINER)
        return image.resize(pixels, Images.Resampling.BOX)

    def png(self, scale: float = 2) -> bytes:
        """Return the picture as a PNG file, ``scale`` pixels to a unit."""
        image = self.image(scale)
        return png_file(image if self.background is None else image.convert("RGB"))

    def save(self, path: str | Path) -> None:
        """Write a file ending in .svg or .png."""
        place = Path(path)
        kind = place.suffix.lower()
        if kind == ".svg":
            place.write_text(self.svg, encoding="utf-8")
        elif kind == ".png":
            place.write_bytes(self.png())
        else:
            raise OptionError(f"{place.name} ends in {place.suffix or 'nothing'}; a picture is saved as .svg or .png")


def png_file(image: Image) -> bytes:
    """Return a Pillow image as the content of a PNG file."""
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()
