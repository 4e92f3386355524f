"""What maps have in common: polygons with ids and classes, a reference system, and a grid to draw them on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import common_step
from segmetry.errors import DataWarning, FormatError
from segmetry.readers.items import Item
from segmetry.readers.option import Option, PositiveNumber, Text
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.map_grid import Grid, GridText
from segmetry.readers.parts.polygon_raster import Whole, runs_of_rings, stack
from segmetry.readers.parts.safe_names import check_label
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygon_areas import shapely
from segmetry.segmentation.polygons import Polygons

DEGREES = "EPSG:4326"
"""Longitude and latitude, in this order: what GeoJSON means when it says nothing, and GeoPackage under this name."""
PLANE = "plane"

CLASS_FIELD: Option[str | None] = Option(
    "class_field", "Maps: the property that contains the class.", Text(), None, metavar="NAME"
)
CRS: Option[str | None] = Option(
    "crs", "Maps: reference system of the coordinates, if in doubt: plane, EPSG:28992, …", Text(), None, metavar="NAME"
)
PRECISION: Option[Fraction | None] = Option(
    "precision",
    "Maps: round coordinates to it. [default: the finest decimal]",
    PositiveNumber("length"),
    None,
    metavar="LENGTH",
)
GRID: Option[Grid | None] = Option(
    "grid",
    "Maps: draw polygons on this grid. [default: exact areas, no grid]",
    GridText(),
    None,
    metavar="LEFT,BOTTOM,RIGHT,TOP,CELL",
)
MAP_OPTIONS: tuple[Option[Any], ...] = (CLASS_FIELD, CRS, PRECISION, GRID)
_FITS = 2**30


@dataclass(frozen=True)
class Feature:
    """One feature: its id, if it has one, its rings by part, outline first, and its class, if one was asked for."""

    number: int | None
    parts: Sequence[Sequence[NDArray[np.float64]]]
    label: Any = None


def feature_class(value: Any, field: str, where: str) -> Any:
    """The class of a feature: a text or a whole number."""
    if isinstance(value, str):
        return check_label(value, f"{where}: {field}")
    if type(value) is int:
        return value
    raise FormatError(f"{where}: {field[:40]!a} is {str(value)[:40]!a}; expected the class, a text or a whole number")


def check_crs(path: Path, found: str | None, stated: str | None, *, planar: bool) -> str:
    """The system the coordinates are in; degrees are no lengths, and who wants their squares must say so."""
    if stated is not None:
        if found is not None and found != stated:
            raise FormatError(f"{path}: its coordinates are in {found}, but --crs says {stated}")
        return stated
    if found is None:
        raise FormatError(
            f"{path}: names no coordinate reference system, which in GeoJSON means degrees; say --crs {PLANE} if the "
            f"coordinates are lengths in a plane, or reproject (--crs {DEGREES} counts squares of degrees)"
        )
    if not planar:
        raise FormatError(
            f"{path}: its coordinates ({found}) are degrees or look like them, and their squares differ in size; "
            f"reproject to a plane (ogr2ogr -t_srs), or take them as they are with --crs {found}"
        )
    return found


def map_item(path: Path, features: Sequence[Feature], crs: str, options: ReadOptions) -> Item:
    """The features of one map as an item: polygons, or masks where a grid was stated."""
    options.check_size((sum(len(ring) for one in features for part in one.parts for ring in part),), str(path))
    lib = shapely()
    drawn = []
    for one in features:
        parts = [lib.Polygon(part[0], part[1:]) for part in one.parts]
        drawn.append(parts[0] if len(parts) == 1 else lib.MultiPolygon(parts))
    found = Polygons(
        drawn,
        precision=options[PRECISION],
        ids=_ids(features, path),
        classes=None if options[CLASS_FIELD] is None else [one.label for one in features],
        crs=crs,
    )
    grid = options[GRID]
    if grid is None:
        return Item(path.stem, found, crs=crs)
    return Item(path.stem, drawn_on(found, grid, options, str(path)), crs=crs)


def _ids(features: Sequence[Feature], path: Path) -> list[int] | None:
    numbers = [one.number for one in features if one.number is not None]
    if len(numbers) not in (0, len(features)):
        raise FormatError(f"{path}: {len(numbers)} of {len(features)} features have an id; expected all or none")
    if len(set(numbers)) != len(numbers):
        twice = next(number for at, number in enumerate(numbers) if number in numbers[:at])
        raise FormatError(f"{path}: two features have the id {twice}; expected one of each")
    return numbers or None


def drawn_on(found: Polygons, grid: Grid, options: ReadOptions, where: str) -> Masks:
    """The cells whose centre lies in each polygon, decided on integers; see ``polygon_raster``.

    >>> from shapely import box
    >>> masks = drawn_on(Polygons([box(0, 0, 2, 1)]), Grid.parse("0,0,4,4,1"), ReadOptions(), "a map")
    >>> masks.dense()[0].astype(int).tolist()
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
    """
    options.check_size(grid.shape, where)
    unit = reduce(common_step, (found.precision, grid.cell, abs(grid.left), abs(grid.top)))
    scale, parts = int(found.precision / unit), int(grid.cell / unit)
    left, top = int(grid.left / unit), int(grid.top / unit)
    runs, crossed = [], 0
    for geometry in found.geometries:
        rings = []
        for ring in shapely().get_rings(shapely().get_parts(geometry)):
            points = shapely().get_coordinates(ring)[:-1]
            widths = np.abs(np.diff(points[:, 0], append=points[:1, 0])) * (scale / parts)
            crossed += int(np.clip(widths, 1, grid.shape[1]).sum())
            rings.append(_in_parts(points, scale, left, top, widest=2 * parts * max(grid.shape)))
        options.check_size((crossed,), f"{where}: the outlines on this grid")
        runs.append(runs_of_rings(rings, grid.shape, parts))
    masks = Masks(stack(runs), grid.shape, ids=found.ids, classes=found.classes, spacing=(float(grid.cell),) * 2)
    empty = np.flatnonzero(masks.sizes == 0)
    if empty.size:
        warnings.warn(
            f"{where}: {empty.size} polygons cover the centre of no cell (the first is segment "
            f"{found.ids[empty[0]]}); they count as segments without elements",
            DataWarning,
            stacklevel=2,
        )
    return masks


def _in_parts(points: NDArray[np.float64], scale: int, left: int, top: int, widest: int) -> tuple[Whole, Whole]:
    """Columns to the right and rows downwards, in halves of a part."""
    largest = max(2 * (int(np.abs(points).max()) * scale + max(abs(left), abs(top))), widest)
    kind: Any = np.int64 if largest < _FITS else object
    x, y = (np.array([int(value) for value in column], dtype=kind) for column in points.T.tolist())
    return 2 * (x * scale - left), 2 * (top - y * scale)
