"""Parse polygons in well-known binary, as stored by GeoPackage; every declared count is checked."""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from segmetry.errors import FormatError

_NAMES = {1: "Point", 2: "LineString", 3: "Polygon", 4: "MultiPoint", 5: "MultiLineString", 6: "MultiPolygon"}
_NAMES |= {7: "GeometryCollection", 10: "CurvePolygon", 11: "MultiCurve", 12: "MultiSurface"}
_POLYGON, _MULTIPOLYGON = 3, 6
_POINTS = 4

Ring = NDArray[np.float64]


def polygon_parts(content: bytes, where: str) -> list[list[Ring]]:
    """Return the rings of a polygon or multipolygon by part, outline first; heights and measures are dropped.

    >>> import struct
    >>> points = struct.pack("<8d", 0, 0, 1, 0, 1, 1, 0, 0)
    >>> polygon_parts(struct.pack("<BIII", 1, 3, 1, 4) + points, "a triangle")[0][0].tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    """
    source = _WkbCursor(content, where)
    kind, width = source.head()
    if kind == _POLYGON:
        parts = [source.rings(width)]
    elif kind == _MULTIPOLYGON:
        parts = []
        for _ in range(source.count(9)):
            inner, inner_width = source.head()
            if inner != _POLYGON:
                raise FormatError(f"{where}: a part of it is not a polygon")
            parts.append(source.rings(inner_width))
    else:
        raise FormatError(
            f"{where} is a {_NAMES.get(kind, f'geometry of type {kind}')}; expected a Polygon or MultiPolygon"
        )
    if source.at != len(content):
        raise FormatError(f"{where}: {len(content) - source.at} bytes after its geometry")
    if not parts or not all(parts):
        raise FormatError(f"{where} is an empty polygon; expected one with an area")
    return parts


class _WkbCursor:
    """A position in the bytes of a geometry, and the byte order there."""

    def __init__(self, content: bytes, where: str) -> None:
        self.content, self.where = content, where
        self.at, self.order = 0, "<"

    def head(self) -> tuple[int, int]:
        """Return the type of a geometry and the numbers per point: ISO adds 1000 for heights, 2000 for measures."""
        (mark,) = self._take("B", 1)
        if mark > 1:
            raise FormatError(f"{self.where}: damaged geometry: byte order {mark}")
        self.order = "<" if mark else ">"
        (kind,) = self._take("I", 4)
        if kind >= 4000:
            raise FormatError(f"{self.where}: damaged geometry: type {kind}")
        return kind % 1000, (2, 3, 3, 4)[kind // 1000]

    def count(self, least: int) -> int:
        """Return a declared count of parts of at least ``least`` bytes each."""
        (number,) = self._take("I", 4)
        if number * least > len(self.content) - self.at:
            raise FormatError(f"{self.where}: damaged geometry: it declares {number} parts, more than it has bytes for")
        return int(number)

    def rings(self, width: int) -> list[Ring]:
        """Return the rings of a polygon."""
        return [self._ring(width) for _ in range(self.count(4))]

    def _ring(self, width: int) -> Ring:
        points = self.count(8 * width)
        numbers = np.frombuffer(self.content, dtype=f"{self.order}f8", count=points * width, offset=self.at)
        self.at += numbers.nbytes
        ring = numbers.reshape(points, width)[:, :2].astype(np.float64)
        if points < _POINTS or not np.array_equal(ring[0], ring[-1]):
            raise FormatError(
                f"{self.where}: a ring of {points} points; expected at least {_POINTS}, the last equal to the first"
            )
        if not np.isfinite(ring).all():
            raise FormatError(f"{self.where}: a coordinate is not finite")
        return ring

    def _take(self, kind: str, size: int) -> tuple[int, ...]:
        if self.at + size > len(self.content):
            raise FormatError(f"{self.where}: damaged geometry: cut off")
        values = struct.unpack_from(self.order + kind, self.content, self.at)
        self.at += size
        return values
