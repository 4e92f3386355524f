"""GeoPackage: the polygons of one layer. The file is an SQLite database [OGC 12-128]; only plain tables are read.

The database is opened immutable and read-only, with every other action denied: views, functions and triggers of an
untrusted file do not run. The primary key of a feature is the id of its segment. Heights are ignored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

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
from segmetry.readers.parts.wkb import polygon_parts
from segmetry.readers.reader import Reader, declare_reader

LAYER: Option[str | None] = Option(
    "layer", "GeoPackage: the layer, if there are several.", Text(), None, metavar="NAME"
)

_MAGIC = b"SQLite format 3\0"
_MARKS = (b"GPKG", b"GP10", b"GP11")
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


def _read(path: Path, options: ReadOptions) -> Iterator[Item]:
    _check_settled(path)
    with translate_errors(path, "GeoPackage"), closing(_open(path)) as database:
        layer = _layer(database, path, options[LAYER])
        crs, planar = _crs(database, layer, path)
        features = list(_features(database, layer, path, options))
    yield map_item(path, features, check_crs(path, crs, options[CRS], planar=planar), options)


def _check_settled(path: Path) -> None:
    """Refuse a file with a journal beside it, whose changes are not in the file yet."""
    for end in ("-wal", "-journal"):
        journal = path.with_name(path.name + end)
        if journal.exists() and journal.stat().st_size:
            raise FormatError(
                f"{path}: {journal.name} beside it contains changes that are not in the file yet; close the program "
                "that writes it, or open and close the file with one"
            )


def _open(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(path.stat().st_size, 1000))  # nothing is longer than its file
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    return database


def _layer(database: sqlite3.Connection, path: Path, wanted: str | None) -> Layer:
    _check_table(database, "gpkg_geometry_columns", path)
    layers = {}
    for table, column, srs in database.execute(_LAYERS):
        if not (isinstance(table, str) and isinstance(column, str) and isinstance(srs, int)):
            raise FormatError(f"{path}: damaged GeoPackage: its list of layers contains invalid names")
        layers[check_label(table, f"{path}: the name of a layer")] = Layer(table, column, srs)
    if wanted is not None and wanted not in layers:
        raise UnknownNameError(f"{path}: there is no layer {wanted[:80]!a}; it contains {_listed(layers)}")
    if wanted is None and len(layers) != 1:
        raise FormatError(f"{path}: contains {len(layers)} layers ({_listed(layers)}); choose one with --layer")
    layer = layers[wanted] if wanted is not None else next(iter(layers.values()))
    _check_table(database, layer.table, path)
    return layer


def _listed(layers: dict[str, Layer]) -> str:
    return ", ".join(list(layers)[:10]) + (" …" if len(layers) > 10 else "") if layers else "none"


def _check_table(database: sqlite3.Connection, name: str, path: Path) -> None:
    if database.execute(_PLAIN_TABLE, (name,)).fetchone() is None:
        raise FormatError(f"{path}: has no plain table {name[:80]!a}; expected the layers of a GeoPackage")


def _crs(database: sqlite3.Connection, layer: Layer, path: Path) -> tuple[str | None, bool]:
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


def _features(database: sqlite3.Connection, layer: Layer, path: Path, options: ReadOptions) -> Iterator[Feature]:
    class_field = options[CLASS_FIELD]
    columns = [column[0] for column in database.execute(f"SELECT * FROM {_quoted(layer.table)} LIMIT 0").description]  # noqa: S608
    for name, what in ((layer.column, "geometry"), (class_field, "class")):
        if name is not None and name not in columns:
            raise FormatError(f"{path}: the layer {layer.table} has no column {name[:80]!a} for the {what}")
    selected = ", ".join(_quoted(name) for name in (layer.column, class_field) if name is not None)
    for row in database.execute(f"SELECT rowid, {selected} FROM {_quoted(layer.table)} ORDER BY rowid"):  # noqa: S608
        where = f"{path}: feature {row[0]}"
        label = None if class_field is None else feature_class(row[2], class_field, where)
        yield Feature(_number(row[0], where), polygon_parts(_geometry(row[1], layer.srs, where), where), label)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number(value: Any, where: str) -> int:
    if type(value) is not int:
        raise FormatError(f"{where}: its key is not an integer")
    return value


def _geometry(content: Any, srs: int, where: str) -> bytes:
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


declare_reader(
    Reader(
        name="geopackage",
        summary="polygons of a layer of a GeoPackage: exact areas, or drawn on a stated grid",
        extensions=(".gpkg",),
        sniff=lambda _path, head: head.startswith(_MAGIC) and head[68:72] in _MARKS,
        signatures=(_MAGIC,),
        read=_read,
        extra="maps",
        options=(*MAP_OPTIONS, LAYER),
    )
)
