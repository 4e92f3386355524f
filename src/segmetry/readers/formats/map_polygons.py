"""Maps: the polygons of a GeoJSON file, or of a layer of a GeoPackage. Heights are ignored.

GeoJSON: the polygons of a feature collection [RFC 7946], read as strict JSON. Rings may have either orientation. If
every feature has an integer ``id``, it is the id of the segment; otherwise segments are numbered in file order. A class
may be text, an integer, or an object with a ``name``. Files of QuPath are lists of features, or collections, whose
coordinates are pixels: a plane.

GeoPackage: the file is an SQLite database [OGC 12-128]; only plain tables are read. It is opened immutable and
read-only, with every other action denied: views, functions and triggers of an untrusted file do not run. The primary
key of a feature is the id of its segment. Neither pyogrio nor shapely parse it, see docs/decisions/decoders.md: GDAL
runs the views of a file, and GEOS follows multipolygons inside of each other until the process ends.
"""

from __future__ import annotations

import math
import re
import sqlite3
import struct
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from segmetry._base import common_step, field, fraction, limit_database, list_field, translate_errors
from segmetry.errors import DataWarning, FormatError, OptionError, UnknownNameError, list_some
from segmetry.readers.formats.data_sets.coco_masks import mentions
from segmetry.readers.items import Item, check_label
from segmetry.readers.label_reading import MIN_SIZE
from segmetry.readers.parts.file_head import json_start
from segmetry.readers.parts.polygon_raster import RingCoordinates, rasterize_rings
from segmetry.readers.parts.text_file import load_json
from segmetry.readers.reader import Option, OptionType, PositiveNumber, ReadOptions, Text, reads
from segmetry.segmentation import Masks, Polygons, shapely, stacked_masks, with_n_removed


class MapGrid(NamedTuple):
    """The edges of a grid and the side of its cells, in units of the map; the first row is the topmost."""

    left: Fraction
    bottom: Fraction
    right: Fraction
    top: Fraction
    cell: Fraction

    @classmethod
    def parse(cls, text: str) -> MapGrid:
        """Return the grid written as ``LEFT,BOTTOM,RIGHT,TOP,CELL``."""
        parts = text.split(",")
        if len(parts) != 5:
            raise OptionError(f"grid is {text!r}; expected LEFT,BOTTOM,RIGHT,TOP,CELL")
        grid = cls(*(fraction(part, "grid") for part in parts))
        if grid.cell <= 0 or grid.right <= grid.left or grid.top <= grid.bottom:
            raise OptionError(f"grid is {text!r}; expected LEFT < RIGHT, BOTTOM < TOP and a positive CELL")
        if (grid.right - grid.left) % grid.cell or (grid.top - grid.bottom) % grid.cell:
            raise OptionError(f"grid is {text!r}; expected edges an integer number of cells apart")
        return grid

    @property
    def shape(self) -> tuple[int, int]:
        return int((self.top - self.bottom) / self.cell), int((self.right - self.left) / self.cell)

    def __str__(self) -> str:
        return ",".join(str(part) for part in self)


@dataclass(frozen=True)
class GridText(OptionType[MapGrid]):
    """A grid, or its text."""

    def check(self, value: Any, name: str) -> MapGrid:
        if isinstance(value, MapGrid):
            return value
        if not isinstance(value, str):
            raise OptionError(f"{name} is {value!r}; expected LEFT,BOTTOM,RIGHT,TOP,CELL")
        return MapGrid.parse(value)

    def plain(self, value: MapGrid) -> str:
        return str(value)


DEGREES = "EPSG:4326"
"""Longitude and latitude, in this order: the default of GeoJSON, and what GeoPackage calls by this name."""
PLANE = "plane"

CLASS_FIELD: Option[str | None] = Option(
    "class_field", "Maps: the property that contains the class.", Text(), metavar="NAME"
)
CRS: Option[str | None] = Option(
    "crs", "Maps: reference system of the coordinates, if in doubt: plane, EPSG:28992, …", Text(), metavar="NAME"
)
PRECISION: Option[Fraction | None] = Option(
    "precision",
    "Maps: round coordinates to it. [default: the finest decimal that can be counted]",
    PositiveNumber("length"),
    metavar="LENGTH",
)
GRID: Option[MapGrid | None] = Option(
    "grid",
    "Maps: draw polygons on this grid. [default: exact areas, no grid]",
    GridText(),
    metavar="LEFT,BOTTOM,RIGHT,TOP,CELL",
)
PROJECT: Option[Fraction | None] = Option(
    "project",
    "Maps in degrees: measure in metres of an equal-area plane that is true at this latitude, north and south, such as "
    "52.",
    PositiveNumber("latitude", zero=True),
    metavar="LATITUDE",
)
MAP_OPTIONS: tuple[Option[Any], ...] = (CLASS_FIELD, CRS, PRECISION, PROJECT, GRID, MIN_SIZE)
_FITS = 2**30  # products of two coordinates, and their sums, then fit into 64 bits


@dataclass(frozen=True)
class Feature:
    """One feature: its id, if it has feature, its rings by part, outline first, and its class, if requested."""

    number: int | None
    parts: Sequence[Sequence[NDArray[np.float64]]]
    label: Any = None


def feature_class(value: Any, field: str, where: str) -> Any:
    """Return the class of a feature: text or an integer, or the name of an object, as QuPath writes it."""
    if isinstance(value, dict) and "name" in value:
        return feature_class(value["name"], f"{field}.name", where)
    if isinstance(value, str):
        return check_label(value, f"{where}: {field}")
    if type(value) is int:
        return value
    raise FormatError(f"{where}: {field[:40]!a} is {str(value)[:40]!a}; expected the class, text or an integer")


def check_crs(path: Path, declared: str | None, options: ReadOptions, *, planar: bool) -> str:
    """Return the reference system of the coordinates; of degrees that nobody stated there is a note."""
    stated = options[CRS]
    if stated is not None:
        if declared is not None and declared != stated:
            raise FormatError(f"{path}: its coordinates are in {declared}, but --crs says {stated}")
        return stated
    if declared is None and planar:
        raise FormatError(
            f"{path}: names no coordinate reference system; pass --crs {PLANE} if the coordinates are lengths in a "
            "plane, or the name of the system, such as EPSG:28992"
        )
    if not planar and options[PROJECT] is None:
        found, lengths = f"({declared})", ""
        if declared is None:
            found, lengths = "(no reference system is named: RFC 7946)", f"; --crs {PLANE} if they are lengths"
        warnings.warn(
            f"{path}: coordinates are degrees or look like them {found}: IoU counts squares of degrees, which hardly "
            f"differ within a segment; --project LATITUDE measures in metres, --crs {declared or DEGREES} leaves this "
            f"note out{lengths}",
            DataWarning,
            stacklevel=2,
        )
    return declared or DEGREES


def map_item(path: Path, features: Sequence[Feature], crs: str, options: ReadOptions, *, planar: bool) -> Item:
    """Return the features of a map as an item: polygons, or masks if a grid was stated; small ones are left out."""
    options.check_size((sum(len(ring) for feature in features for part in feature.parts for ring in part),), str(path))
    precision, latitude = options[PRECISION], options[PROJECT]
    if latitude is not None:
        features = [replace(feature, parts=_projected(feature, latitude, path)) for feature in features]
        crs, planar, precision = f"equal-area plane at {float(latitude):g}°", True, precision or Fraction(1, 10**4)
    ids, least, grid = _feature_ids(features, path), options[MIN_SIZE], options[GRID]
    geometries, removed = [_shapely_geometry(feature) for feature in features], 0
    if least:
        areas = _areas(geometries, crs, grid, path, planar=planar)
        kept = [at for at, area in enumerate(areas) if area >= least]
        removed = len(features) - len(kept)
        features, geometries = [features[at] for at in kept], [geometries[at] for at in kept]
        ids = None if ids is None else [ids[at] for at in kept]
    classes = None if options[CLASS_FIELD] is None else [feature.label for feature in features]
    polygons = Polygons(geometries, precision=precision, ids=ids, classes=classes, crs=crs)
    found = polygons if grid is None else rasterize_features(polygons, grid, options, str(path))
    return Item(path.stem, with_n_removed(found, removed), crs=crs)


def _areas(geometries: Sequence[Any], crs: str, grid: MapGrid | None, path: Path, *, planar: bool) -> list[float]:
    """Return areas in cells of a grid, in m² where coordinates are degrees, or in squares of the unit of a plane."""
    lib = shapely()
    if grid is None and not planar and crs not in (PLANE, DEGREES):
        raise FormatError(
            f"{path}: whether its coordinates ({crs}) are lengths or degrees is unknown, so no area can be compared "
            f"with --min-size; convert them to {DEGREES} or a plane, state --grid to count cells, or --min-size 0 to "
            "keep all"
        )
    if grid is None and crs == DEGREES:
        geometries = lib.transform(geometries, equal_area)
    areas: list[float] = (lib.area(geometries) / (1 if grid is None else float(grid.cell) ** 2)).tolist()
    return areas


_EQUATOR, _ECCENTRICITY = 6_378_137.0, 0.081_819_190_842_622
"""The radius of the equator in m, and the eccentricity, of the ellipsoid WGS 84."""


def _projected(feature: Feature, latitude: Fraction, path: Path) -> list[list[NDArray[np.float64]]]:
    """Return the rings of a feature in degrees as metres."""
    if not all((np.abs(ring) <= (360.0, 90.0)).all() for part in feature.parts for ring in part) or latitude >= 90:
        raise FormatError(
            f"{path}: --project {latitude} takes longitudes and latitudes in degrees to a plane that is true at a "
            "latitude below 90; leave it out where coordinates are lengths"
        )
    return [[equal_area(ring, float(latitude)) for ring in part] for part in feature.parts]


def equal_area(degrees: NDArray[np.float64], true_at: float = 0) -> NDArray[np.float64]:
    """Return longitudes and latitudes as metres of a plane in which areas are those of the ellipsoid WGS 84.

    The projection is the cylindrical equal-area one, whose lengths are those of the ellipsoid at one latitude.
    """
    longitude, latitude = np.radians(degrees.T)
    sine, e = np.sin(latitude), _ECCENTRICITY
    height = (1 - e**2) * (sine / (1 - (e * sine) ** 2) + np.arctanh(e * sine) / e) / 2
    middle = math.radians(true_at)
    narrower = math.cos(middle) / math.sqrt(1 - (e * math.sin(middle)) ** 2)
    return _EQUATOR * np.stack([longitude * narrower, height / narrower], axis=1)


def _shapely_geometry(feature: Feature) -> Any:
    lib = shapely()
    parts = [lib.Polygon(part[0], part[1:]) for part in feature.parts]
    return parts[0] if len(parts) == 1 else lib.MultiPolygon(parts)


def _feature_ids(features: Sequence[Feature], path: Path) -> list[int] | None:
    numbers = [feature.number for feature in features if feature.number is not None]
    if len(numbers) not in (0, len(features)):
        raise FormatError(f"{path}: {len(numbers)} of {len(features)} features have an id; expected all or none")
    if len(set(numbers)) != len(numbers):
        twice = next(number for at, number in enumerate(numbers) if number in numbers[:at])
        raise FormatError(f"{path}: two features have the id {twice}; expected unique ids")
    return numbers or None


def rasterize_features(polygons: Polygons, grid: MapGrid, options: ReadOptions, where: str) -> Masks:
    """Return masks of the cells whose centre is in each polygon, computed on integers; see ``polygon_raster``."""
    options.check_size(grid.shape, where)
    unit = reduce(common_step, (polygons.precision, grid.cell, abs(grid.left), abs(grid.top)))
    scale, parts = int(polygons.precision / unit), int(grid.cell / unit)
    left, top = int(grid.left / unit), int(grid.top / unit)
    per_feature, crossed = [], 0
    for geometry in polygons.geometries:
        rings = []
        for ring in shapely().get_rings(shapely().get_parts(geometry)):
            points = shapely().get_coordinates(ring)[:-1]
            widths = np.abs(np.diff(points[:, 0], append=points[:1, 0])) * (scale / parts)
            crossed += int(np.clip(widths, 1, grid.shape[1]).sum())
            rings.append(_in_parts(points, scale, left, top, widest=2 * parts * max(grid.shape)))
        options.check_size((crossed,), f"{where}: the outlines on this grid")
        per_feature.append(rasterize_rings(rings, grid.shape, parts))
    runs, spacing = stacked_masks(per_feature), (float(grid.cell),) * 2
    masks = Masks(runs, grid.shape, ids=polygons.ids, classes=polygons.classes, spacing=spacing)
    empty = np.flatnonzero(masks.sizes == 0)
    if empty.size:
        warnings.warn(
            f"{where}: {empty.size} polygons contain no cell centre (the first is segment "
            f"{polygons.ids[empty[0]]}); they count as segments without elements",
            DataWarning,
            stacklevel=2,
        )
    return masks


def _in_parts(
    points: NDArray[np.float64], scale: int, left: int, top: int, widest: int
) -> tuple[RingCoordinates, RingCoordinates]:
    """Return coordinates as columns to the right and rows downwards, in halves of a part."""
    largest = max(2 * (int(np.abs(points).max()) * scale + max(abs(left), abs(top))), widest)
    kind: Any = np.int64 if largest < _FITS else object
    x, y = (np.array([int(value) for value in column], dtype=kind) for column in points.T.tolist())
    return 2 * (x * scale - left), 2 * (top - y * scale)


_SYSTEM_NAME = re.compile(r"(?:urn:ogc:def:crs:)?([A-Za-z]{2,10}):(?:[\d.]*:)?(\w{1,20})")
_FIRST_KEY = re.compile(rb'\{\s*"(type|name|crs|bbox|features|id|properties|geometry|xy_coordinate_resolution)"')
_FEATURE = re.compile(rb'"type"\s*:\s*"Feature')


def _stated_system(data: Any, where: str) -> str | None:
    """Return the name in the member ``crs`` of older files; None for newer ones, which have no such member."""
    if data.get("crs") is None:
        return None
    name = field(field(data["crs"], "properties", f"{where}: crs"), "name", f"{where}: crs")
    match = _SYSTEM_NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise FormatError(f"{where}: crs is {str(name)[:60]!a}; expected a name such as urn:ogc:def:crs:EPSG::28992")
    return DEGREES if match[2] == "CRS84" else f"{match[1].upper()}:{match[2]}"


def _parse_feature(feature: Any, where: str, class_field: str | None) -> Feature:
    if field(feature, "type", where) != "Feature":
        raise FormatError(f"{where}: type is {str(feature['type'])[:40]!a}; expected Feature")
    geometry = field(feature, "geometry", where)
    if geometry is None:
        raise FormatError(f"{where} has no geometry; expected a Polygon or MultiPolygon (leave the feature out)")
    kind = field(geometry, "type", f"{where}: its geometry")
    if kind not in ("Polygon", "MultiPolygon"):
        raise FormatError(f"{where} is a {str(kind)[:40]!a}; expected a Polygon or MultiPolygon, which have an area")
    coordinates = list_field(geometry, "coordinates", where)
    parts = []
    for rings in coordinates if kind == "MultiPolygon" else [coordinates]:
        if not isinstance(rings, list) or not rings:
            raise FormatError(f"{where}: a polygon is {str(rings)[:40]!a}; expected a list of rings")
        parts.append([_parse_ring(ring, where) for ring in rings])
    if not parts:
        raise FormatError(f"{where} is an empty {kind}; expected one with an area")
    number = feature.get("id")
    known = type(number) is int and 0 <= number < 2**63
    label = None
    if class_field is not None:
        label = feature_class(field(field(feature, "properties", where), class_field, where), class_field, where)
    return Feature(number if known else None, parts, label)


def _parse_ring(points: Any, where: str) -> NDArray[np.float64]:
    if not isinstance(points, list) or len(points) < _POINTS:
        raise FormatError(f"{where}: a ring is {str(points)[:40]!a}; expected at least {_POINTS} positions")
    for point in points:
        if not (isinstance(point, list) and len(point) in (2, 3) and all(type(x) in (int, float) for x in point)):
            raise FormatError(f"{where}: a position is {str(point)[:40]!a}; expected two or three numbers")
    if points[0] != points[-1]:
        raise FormatError(f"{where}: a ring ends at {str(points[-1])[:40]}; expected its first position again")
    try:
        ring = np.array([point[:2] for point in points], dtype=np.float64)
    except OverflowError:
        raise FormatError(f"{where}: a coordinate is not finite; expected finite numbers") from None
    if not np.isfinite(ring).all():
        raise FormatError(f"{where}: a coordinate is not finite; expected finite numbers")
    return ring


def _is_geojson(path: Path, head: bytes) -> bool:
    start = json_start(head)
    if _FIRST_KEY.match(start.removeprefix(b"[").lstrip()) is None:
        return False
    return _FEATURE.search(head) is not None or mentions(path, b'"FeatureCollection"')


@reads(
    "geojson",
    "polygons of a map in GeoJSON: exact areas, or drawn on a stated grid",
    (".geojson", ".json"),
    sniff=_is_geojson,
    extra="maps",
    options=MAP_OPTIONS,
    one_item=True,
)
def _read_geojson(path: Path, options: ReadOptions) -> Iterator[Item]:
    where = str(path)
    data = load_json(path)
    if isinstance(data, list):
        data = {"type": "FeatureCollection", "features": data}
    kind = field(data, "type", where)
    if kind not in ("FeatureCollection", "Feature"):
        raise FormatError(f"{where}: type is {str(kind)[:40]!a}; expected a FeatureCollection")
    listed = [data] if kind == "Feature" else list_field(data, "features", where)
    features = [
        _parse_feature(feature, f"{where}: feature {at}", options[CLASS_FIELD])
        for at, feature in enumerate(listed, start=1)
    ]
    # QuPath says what kind of object each feature is; _parse_feature has checked that they are objects.
    properties = [feature.get("properties") for feature in listed]
    is_qupath = bool(listed) and all(isinstance(one, dict) and "objectType" in one for one in properties)
    named = _stated_system(data, where) or (PLANE if is_qupath else None)
    # A name alone does not distinguish degrees from lengths.
    rings = [ring for feature in features for part in feature.parts for ring in part]
    could_be_degrees = bool(rings) and all((np.abs(ring) <= (360.0, 90.0)).all() for ring in rings)
    planar = named == PLANE or (named != DEGREES and not could_be_degrees)
    crs = check_crs(path, named, options, planar=planar)
    yield map_item(path, features, crs, options, planar=planar)


_NAMES = {1: "Point", 2: "LineString", 3: "Polygon", 4: "MultiPoint", 5: "MultiLineString", 6: "MultiPolygon"}
_NAMES |= {7: "GeometryCollection", 10: "CurvePolygon", 11: "MultiCurve", 12: "MultiSurface"}
_POLYGON, _MULTIPOLYGON = 3, 6
_POINTS = 4

Ring = NDArray[np.float64]


def polygon_parts(content: bytes, where: str) -> list[list[Ring]]:
    """Return the rings of a polygon or multipolygon by part, outline first; heights and measures are dropped."""
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


LAYER: Option[str | None] = Option("layer", "GeoPackage: the layer, if there are several.", Text(), metavar="NAME")

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
    n_bytes = path.stat().st_size
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(n_bytes, 1000))  # nothing is longer than its file
    limit_database(database, n_bytes)
    database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY)
    return database


def _chosen_layer(database: sqlite3.Connection, path: Path, chosen: str | None) -> Layer:
    _check_table(database, "gpkg_geometry_columns", path)
    layers = {}
    for table, column, srs in database.execute(_LAYERS):
        if not (isinstance(table, str) and isinstance(column, str) and isinstance(srs, int)):
            raise FormatError(f"{path}: damaged GeoPackage: its list of layers contains invalid names")
        layers[check_label(table, f"{path}: the name of a layer")] = Layer(table, column, srs)
    listed = list_some(layers) or "none"
    if chosen is not None and chosen not in layers:
        raise UnknownNameError(f"{path}: there is no layer {chosen[:80]!a}; it contains {listed}")
    if chosen is None and len(layers) != 1:
        raise FormatError(f"{path}: contains {len(layers)} layers ({listed}); choose one with --layer")
    layer = layers[chosen] if chosen is not None else next(iter(layers.values()))
    _check_table(database, layer.table, path)
    return layer


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
        return None, True
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
    last = -(2**63) - 1
    for row in database.execute(f"SELECT rowid, {selected} FROM {_sql_name(layer.table)} ORDER BY rowid"):  # noqa: S608
        where = f"{path}: feature {row[0]}"
        if type(row[0]) is not int or row[0] <= last:  # pages that are branches of several others come again and again
            raise FormatError(f"{where}: its key is not an integer, or comes after a larger one: the file is damaged")
        last = row[0]
        label = None if class_field is None else feature_class(row[2], class_field, where)
        yield Feature(row[0], polygon_parts(_geometry_bytes(row[1], layer.srs, where), where), label)


def _sql_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


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
    one_item=True,
)
def _read_geopackage(path: Path, options: ReadOptions) -> Iterator[Item]:
    _check_settled(path)
    with translate_errors(path, "GeoPackage"), closing(_open_database(path)) as database:
        try:
            layer = _chosen_layer(database, path, options[LAYER])
            crs, planar = _layer_system(database, layer, path)
            features = list(_read_features(database, layer, path, options))
        except MemoryError:
            raise FormatError(f"{path}: damaged GeoPackage, or too large: it needs more memory than there is") from None
    crs = check_crs(path, crs, options, planar=planar)
    yield map_item(path, features, crs, options, planar=planar)
