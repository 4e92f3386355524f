"""Pictures as PDF: one page of vectors at the width of the picture on paper, with the font inside if one is named.

Without a font, texts are in Helvetica, which every reader of PDF has. Letters that the encoding of these fonts does not
have (Greek, for instance) are written as their names or as ``?``.
"""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path
from typing import Any

from segmetry.outputs.plots.picture import (
    Dot,
    Line,
    Picture,
    Polygon,
    Raster,
    Rectangle,
    Shape,
    Words,
    found_font,
    plain_text,
    rgb,
)

# The widths of Helvetica from the space on, in thousandths of its size [Adobe's font metrics].
_WIDTHS = (
    "278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 "
    "584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 "
    "667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 "
    "278 556 500 722 500 500 500 334 260 334 584"
)
HELVETICA = [int(width) for width in _WIDTHS.split()]
_ROUND = 0.5523  # of the radius: where the handles of a quarter of a circle are


class _Font:
    """A font of the file: the widths of its letters, and the objects that describe it."""

    def __init__(self, name: str | None) -> None:
        self.file: bytes | None = None
        self.widths = [*HELVETICA, *[556] * (224 - len(HELVETICA))]
        if name is not None:
            font = found_font(name, 1000)
            self.file = Path(str(font.path)).read_bytes()
            letters = bytes(range(32, 256)).decode("cp1252", "replace")
            self.widths = [round(font.getlength(letter)) for letter in letters]
            self.ascent, self.descent = font.getmetrics()

    def length(self, text: bytes, size: float) -> float:
        return sum(self.widths[byte - 32] for byte in text if byte >= 32) * size / 1000

    def objects(self, add: Any) -> int:
        """Add the objects of the font, and return the number of the first."""
        if self.file is None:
            return int(add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"))
        content = zlib.compress(self.file)
        head = f"<< /Length {len(content)} /Length1 {len(self.file)} /Filter /FlateDecode >>"
        file = add(head.encode() + b"\nstream\n" + content + b"\nendstream")
        facts = add(
            f"<< /Type /FontDescriptor /FontName /Embedded /Flags 32"
            f" /FontBBox [-1000 {-self.descent} 2000 {self.ascent}] /ItalicAngle 0"
            f" /Ascent {self.ascent} /Descent {-self.descent} /CapHeight 700 /StemV 80"
            f" /FontFile2 {file} 0 R >>".encode()
        )
        widths = " ".join(map(str, self.widths))
        return int(
            add(
                f"<< /Type /Font /Subtype /TrueType /BaseFont /Embedded /FirstChar 32 /LastChar 255 /Widths [{widths}]"
                f" /FontDescriptor {facts} 0 R /Encoding /WinAnsiEncoding >>".encode()
            )
        )


def pdf_file(picture: Picture, width_cm: float | None = None, font: str | None = None) -> bytes:
    """Return a picture as a PDF file of one page.

    >>> pdf_file(Picture(72, 36, "one", (Words(2, 20, "one"),)))[:8]
    b'%PDF-1.4'
    """
    scale = 0.75 if width_cm is None else width_cm / 2.54 * 72 / picture.width
    letters, images, shades = _Font(font), list[Raster](), dict[float, str]()
    background = (
        () if picture.background is None else (Rectangle(0, 0, picture.width, picture.height, picture.background),)
    )
    drawn = "\n".join(_drawn(shape, letters, images, shades) for shape in (*background, *picture.shapes))
    content = f"{scale:.6f} 0 0 {-scale:.6f} 0 {picture.height * scale:.3f} cm\n{drawn}".encode("cp1252", "replace")
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    add(b"<< /Type /Catalog /Pages 2 0 R >>")
    add(b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
    add(b"")
    text = add(_stream("", content))
    face = letters.objects(add)
    places = " ".join(f"/I{at} {_image(image, add)} 0 R" for at, image in enumerate(images))
    states = " ".join(f"/{name} << /ca {opacity:g} >>" for opacity, name in shades.items())
    objects[2] = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {picture.width * scale:.3f} {picture.height * scale:.3f}]"
        f" /Contents {text} 0 R /Resources << /Font << /F {face} 0 R >> /XObject << {places} >>"
        f" /ExtGState << {states} >> >> >>"
    ).encode()
    file, places_of = BytesIO(), list[int]()
    file.write(b"%PDF-1.4\n")
    for number, body in enumerate(objects, 1):
        places_of.append(file.tell())
        file.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = file.tell()
    table = "".join(f"{place:010d} 00000 n \n" for place in places_of)
    file.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode())
    file.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode())
    return file.getvalue()


def _stream(facts: str, content: bytes) -> bytes:
    packed = zlib.compress(content)
    return f"<< {facts} /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode() + packed + b"\nendstream"


def _image(image: Raster, add: Any) -> int:
    """Add an image and its mask, and return its number."""
    height, width = image.values.shape[:2]
    facts = f"/Type /XObject /Subtype /Image /Width {width} /Height {height} /BitsPerComponent 8"
    mask = add(_stream(f"{facts} /ColorSpace /DeviceGray", image.values[..., 3].tobytes()))
    return int(add(_stream(f"{facts} /ColorSpace /DeviceRGB /SMask {mask} 0 R", image.values[..., :3].tobytes())))


def _drawn(shape: Shape, font: _Font, images: list[Raster], shades: dict[float, str]) -> str:
    """Return the operators that draw a shape."""
    if isinstance(shape, Rectangle):
        box = f"{shape.x:.3f} {shape.y:.3f} {shape.width:.3f} {shape.height:.3f} re"
        line = f"\n{_colour(shape.stroke, 'RG')} 1 w {box} S" if shape.stroke else ""
        return f"{_colour(shape.fill)} {box} f{line}"
    if isinstance(shape, Line):
        dashes = f"[{shape.dashes[0]:g} {shape.dashes[1]:g}] 0 d" if shape.dashes else "[] 0 d"
        return f"{_colour(shape.stroke, 'RG')} {shape.width:g} w {dashes} {_path(shape.points)} S [] 0 d"
    if isinstance(shape, Polygon):
        return _shaded(f"{_colour(shape.fill)} {_path(shape.points)} f", shape.opacity, shades)
    if isinstance(shape, Dot):
        return _shaded(f"{_colour(shape.fill)} {_circle(shape.x, shape.y, shape.radius)} f", shape.opacity, shades)
    if isinstance(shape, Raster):
        images.append(shape)
        place = f"{shape.width:.3f} 0 0 {-shape.height:.3f} {shape.x:.3f} {shape.y + shape.height:.3f} cm"
        return f"q {place} /I{len(images) - 1} Do Q"
    return _text(shape, font)


def _text(words: Words, font: _Font) -> str:
    text = plain_text(words.text).encode("cp1252", "replace")
    back = font.length(text, words.size) * {"start": 0, "middle": 0.5, "end": 1}[words.anchor]
    down = 0.35 * words.size  # from the middle of a line to its baseline
    place = (
        f"0 -1 -1 0 {words.x + down:.3f} {words.y + back:.3f}"
        if words.upright
        else f"1 0 0 -1 {words.x - back:.3f} {words.y + down:.3f}"
    )
    shown = text.decode("cp1252", "replace").replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT {_colour(words.fill)} /F {words.size:g} Tf {place} Tm ({shown}) Tj ET"


def _colour(colour: str, operator: str = "rg") -> str:
    return " ".join(f"{part / 255:.4f}" for part in rgb(colour)) + f" {operator}"


def _path(points: Any) -> str:
    (x, y), *rest = points
    return f"{x:.3f} {y:.3f} m " + " ".join(f"{a:.3f} {b:.3f} l" for a, b in rest)


def _circle(x: float, y: float, r: float) -> str:
    h = _ROUND * r
    curves = ((r, h, h, r, 0, r), (-h, r, -r, h, -r, 0), (-r, -h, -h, -r, 0, -r), (h, -r, r, -h, r, 0))
    return f"{x + r:.3f} {y:.3f} m " + " ".join(
        " ".join(f"{(x, y)[at % 2] + part:.3f}" for at, part in enumerate(curve)) + " c" for curve in curves
    )


def _shaded(drawn: str, opacity: float, shades: dict[float, str]) -> str:
    if opacity == 1:
        return drawn
    return f"q /{shades.setdefault(opacity, f'G{len(shades)}')} gs {drawn} Q"
