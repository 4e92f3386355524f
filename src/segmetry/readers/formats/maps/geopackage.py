"""GeoPackage: the polygons of one layer. The file is an SQLite database [OGC 12-128]; only plain tables are read.

The database is opened immutable and read-only, with every other action denied: views, functions and triggers of an
untrusted file do not run. The primary key of a feature is the id of its segment. Heights are ignored.

Not read by pyogrio: GDAL runs the views of a file, and one with an endless query never returns. Geometries are not
parsed by shapely: it follows multipolygons inside of each other without a limit (900 kB of them end the process), and
accepts bytes after a geometry, rings of three points and coordinates that are not finite.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from segmetry._base.optional import translate_errors
from segmetry.errors import FormatError, UnknownNameError
from segmetry.readers.items import Item
from segmetry.readers.option import Option, Text
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.map_features import (
    CLASS_FIELD,
    CRS,
    DEGREES,
    MAP_OPTIONS,
    PLANE,
    Feature,
    check_crs,
    feature_class,
    map_item,
)
from segmetry.readers.parts.safe_names import check_label
from segmetry.readers.reader import reads

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
        (mark,) = self._take_number("B", 1)
        if mark > 1:
            raise FormatError(f"{self.where}: damaged geometry: byte order {mark}")
        self.order = "<" if mark else ">"
        (kind,) = self._take_number("I", 4)
        if kind >= 4000:
            raise FormatError(f"{self.where}: damaged geometry: type {kind}")
        return kind % 1000, (2, 3, 3, 4)[kind // 1000]

    def count(self, least: int) -> int:
        """Return a declared count of parts of at least ``least`` bytes each."""
        (number,) = self._take_number("I", 4)
        if number * least > len(self.content) - self.at:
            raise FormatError(f"{self.where}: damaged geometry: it declares {number} parts, more than it has bytes for")
        return int(number)

    def rings(self, width: int) -> list[Ring]:
        """Return the rings of a polygon."""
        return [self._read_ring(width) for _ in range(self.count(4))]

    def _read_ring(self, width: int) -> Ring:
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

    def _take_number(self, kind: str, size: int) -> tuple[int, ...]:
        if self.at + size > len(self.content):
            raise FormatError(f"{self.where}: damaged geometry: cut off")
        values = struct.unpack_from(self.order + kind, self.content, self.at)
        self.at += size
        return values


LAYER: Option[str | None] = Option(
    "layer", "GeoPackage: the layer, if there are several.", Text(), None, metavar="NAME"
)

_MAGIC = b"SQLite format 3\0"
# The application id of versions from 1.2 on, of 1.0 and of 1.1.
_MARKS = (b"GPKG", b"GP10", b"GP11")
# Bytes of the envelope in a header by its kind: none, of x and y, and with z, m or both.
_ENVELOPES = (0, 32, 48, 48, 64)
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)
_PLAIN_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
_LAYERS = "SELECT table_name, column_name, srs_id FROM gpkg_geometry_columns ORDER BY table_name"
_SYSTEM = "SELECT organization, organization_coordsys_id, definition FROM gpkg_spatial_ref_sys WHERE srs_id = ?"


class Layer(NamedTuple):
    """A table of features: its name, the column of its geometries, and the number of its reference system."""

    table: str
    column: str
    srs: int


def _check_settled(path: Path) -> None:
    """Raise if there is a journal beside the file, whose changes are not in the file yet."""
    for end in ("-wal", "-journal"):
        journal = path.with_name(path.name + end)
        if journal.exists() and journal.stat().st_size:
            raise FormatError(
                f"{path}: {journal.name} beside it contains changes that are not in the file yet; close the program "
                "that writes it, or open and close the file with one"
            )


def _open_database(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(path.stat().st_size, 1000))  # nothing is longer than its file
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    return database


def _chosen_layer(database: sqlite3.Connection, path: Path, chosen: str | None) -> Layer:
    _check_table(database, "gpkg_geometry_columns", path)
    layers = {}
    for table, column, srs in database.execute(_LAYERS):
        if not (isinstance(table, str) and isinstance(column, str) and isinstance(srs, int)):
            raise FormatError(f"{path}: damaged GeoPackage: its list of layers contains invalid names")
        layers[check_label(table, f"{path}: the name of a layer")] = Layer(table, column, srs)
    if chosen is not None and chosen not in layers:
        raise UnknownNameError(f"{path}: there is no layer {chosen[:80]!a}; it contains {_list_layers(layers)}")
    if chosen is None and len(layers) != 1:
        raise FormatError(f"{path}: contains {len(layers)} layers ({_list_layers(layers)}); choose one with --layer")
    layer = layers[chosen] if chosen is not None else next(iter(layers.values()))
    _check_table(database, layer.table, path)
    return layer


def _list_layers(layers: dict[str, Layer]) -> str:
    return ", ".join(list(layers)[:10]) + (" …" if len(layers) > 10 else "") if layers else "none"


def _check_table(database: sqlite3.Connection, name: str, path: Path) -> None:
    if database.execute(_PLAIN_TABLE, (name,)).fetchone() is None:
        raise FormatError(f"{path}: has no plain table {name[:80]!a}; expected the layers of a GeoPackage")


def _layer_system(database: sqlite3.Connection, layer: Layer, path: Path) -> tuple[str | None, bool]:
    """Return the name of the reference system of a layer, and whether it is planar."""
    if layer.srs == -1:
        return PLANE, True
    _check_table(database, "gpkg_spatial_ref_sys", path)
    row = database.execute(_SYSTEM, (layer.srs,)).fetchone()
    if layer.srs == 0 or row is None or not isinstance(row[0], str) or not isinstance(row[1], int):
        return None, False
    planar = str(row[2]).startswith(("PROJCS[", "PROJCRS[", "ENGCRS[", "LOCAL_CS["))
    name = check_label(f"{row[0].upper()}:{row[1]}", f"{path}: the name of its reference system")
    return DEGREES if name == "OGC:84" else name, planar


def _read_features(database: sqlite3.Connection, layer: Layer, path: Path, options: ReadOptions) -> Iterator[Feature]:
    class_field = options[CLASS_FIELD]
    nothing = database.execute(f"SELECT * FROM {_sql_name(layer.table)} LIMIT 0")  # noqa: S608
    columns = [column[0] for column in nothing.description]
    for name, what in ((layer.column, "geometry"), (class_field, "class")):
        if name is not None and name not in columns:
            raise FormatError(f"{path}: the layer {layer.table} has no column {name[:80]!a} for the {what}")
    selected = ", ".join(_sql_name(name) for name in (layer.column, class_field) if name is not None)
    for row in database.execute(f"SELECT rowid, {selected} FROM {_sql_name(layer.table)} ORDER BY rowid"):  # noqa: S608
        where = f"{path}: feature {row[0]}"
        label = None if class_field is None else feature_class(row[2], class_field, where)
        yield Feature(
            _feature_number(row[0], where), polygon_parts(_geometry_bytes(row[1], layer.srs, where), where), label
        )


def _sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _feature_number(value: Any, where: str) -> int:
    if type(value) is not int:
        raise FormatError(f"{where}: its key is not an integer")
    return value


def _geometry_bytes(content: Any, srs: int, where: str) -> bytes:
    """Return the well-known binary after the GeoPackage header."""
    if content is None:
        raise FormatError(f"{where} has no geometry; expected a Polygon or MultiPolygon (leave the feature out)")
    if not isinstance(content, bytes) or len(content) < 8 or content[:3] != b"GP\0":
        raise FormatError(f"{where}: damaged geometry: it has no GeoPackage header")
    flags = content[3]
    own = int.from_bytes(content[4:8], "little" if flags & 1 else "big", signed=True)
    if flags & 0b100000 or flags >> 1 & 0b111 >= len(_ENVELOPES):
        raise FormatError(f"{where}: its geometry is of an extended kind; expected a Polygon or MultiPolygon")
    if own != srs:
        raise FormatError(f"{where}: is in reference system {own}, its layer in {srs}; expected one system")
    return content[8 + _ENVELOPES[flags >> 1 & 0b111] :]


@reads(
    "geopackage",
    "polygons of a layer of a GeoPackage: exact areas, or drawn on a stated grid",
    (".gpkg",),
    sniff=lambda _path, head: head.startswith(_MAGIC) and head[68:72] in _MARKS,
    signatures=(_MAGIC,),
    extra="maps",
    options=(*MAP_OPTIONS, LAYER),
)
def _read_geopackage(path: Path, options: ReadOptions) -> Iterator[Item]:
    _check_settled(path)
    with translate_errors(path, "GeoPackage"), closing(_open_database(path)) as database:
        layer = _chosen_layer(database, path, options[LAYER])
        crs, planar = _layer_system(database, layer, path)
        features = list(_read_features(database, layer, path, options))
    yield map_item(path, features, check_crs(path, crs, options[CRS], planar=planar), options)
