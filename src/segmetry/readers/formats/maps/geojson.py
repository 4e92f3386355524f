"""GeoJSON: the polygons of a feature collection [RFC 7946], read as strict JSON.

Rings may have either orientation. Heights are ignored. If every feature has an integer ``id``, it is the id of the
segment; otherwise segments are numbered in file order. A class may be text, an integer, or an object with a ``name``.

Files of QuPath are lists of features, or collections, whose coordinates are pixels: a plane.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.json_fields import field, list_field
from segmetry.errors import FormatError
from segmetry.readers.items import Item
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.coco_json import mentions
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
from segmetry.readers.parts.strict_json import load_json
from segmetry.readers.reader import reads

_SYSTEM = re.compile(r"(?:urn:ogc:def:crs:)?([A-Za-z]{2,10}):(?:[\d.]*:)?(\w{1,20})")
_FIRST_KEY = re.compile(rb'\{\s*"(type|name|crs|bbox|features|id|properties|geometry|xy_coordinate_resolution)"')
_FEATURE = re.compile(rb'"type"\s*:\s*"Feature')
_POINTS = 4


def _stated_system(data: Any, where: str) -> str | None:
    """Return the name in the member ``crs`` of older files; None for newer ones, which have no such member."""
    if data.get("crs") is None:
        return None
    name = field(field(data["crs"], "properties", f"{where}: crs"), "name", f"{where}: crs")
    match = _SYSTEM.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise FormatError(f"{where}: crs is {str(name)[:60]!a}; expected a name such as urn:ogc:def:crs:EPSG::28992")
    return DEGREES if match[2] == "CRS84" else f"{match[1].upper()}:{match[2]}"


def _is_qupath(features: list[Any]) -> bool:
    """Return whether all features are objects of QuPath, which says what kind of object each of them is."""
    properties = [feature.get("properties") if isinstance(feature, dict) else None for feature in features]
    return bool(features) and all(isinstance(one, dict) and "objectType" in one for one in properties)


def _could_be_degrees(features: list[Feature]) -> bool:
    limits = np.array([360.0, 90.0])
    rings = [ring for feature in features for part in feature.parts for ring in part]
    return bool(rings) and all((np.abs(ring) <= limits).all() for ring in rings)


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
    parts = [_parse_polygon(part, where) for part in (coordinates if kind == "MultiPolygon" else [coordinates])]
    if not parts:
        raise FormatError(f"{where} is an empty {kind}; expected one with an area")
    number = feature.get("id")
    known = type(number) is int and 0 <= number < 2**63
    label = None
    if class_field is not None:
        label = feature_class(field(field(feature, "properties", where), class_field, where), class_field, where)
    return Feature(number if known else None, parts, label)


def _parse_polygon(rings: Any, where: str) -> list[NDArray[np.float64]]:
    if not isinstance(rings, list) or not rings:
        raise FormatError(f"{where}: a polygon is {str(rings)[:40]!a}; expected a list of rings")
    return [_parse_ring(ring, where) for ring in rings]


def _parse_ring(points: Any, where: str) -> NDArray[np.float64]:
    if not isinstance(points, list) or len(points) < _POINTS:
        raise FormatError(f"{where}: a ring is {str(points)[:40]!a}; expected at least {_POINTS} positions")
    for point in points:
        if not _is_position(point):
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


def _is_position(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (2, 3) and all(type(number) in (int, float) for number in value)


def _is_geojson(path: Path, head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
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
    named = _stated_system(data, where) or (PLANE if _is_qupath(listed) else None)
    # A name alone does not distinguish degrees from lengths: coordinates that could be degrees need --crs.
    planar = named == PLANE or (named != DEGREES and not _could_be_degrees(features))
    yield map_item(path, features, check_crs(path, named, options[CRS], planar=planar), options)
