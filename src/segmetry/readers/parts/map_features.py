"""Parts shared by map formats: polygons with ids and classes, a reference system, and a grid to draw them on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from segmetry._base.exact import common_step, fraction
from segmetry.errors import DataWarning, FormatError, OptionError
from segmetry.readers.items import Item
from segmetry.readers.label_options import MIN_SIZE
from segmetry.readers.option import Option, OptionType, PositiveNumber, Text
from segmetry.readers.options import ReadOptions
from segmetry.readers.parts.polygon_raster import RingCoordinates, rasterize_rings, stack
from segmetry.readers.parts.safe_names import check_label
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygon_areas import shapely
from segmetry.segmentation.polygons import Polygons


class Grid(NamedTuple):
    """The edges of a grid and the side of its cells, in units of the map; the first row is the topmost."""

    left: Fraction
    bottom: Fraction
    right: Fraction
    top: Fraction
    cell: Fraction

    @classmethod
    def parse(cls, text: str) -> Grid:
        """Return the grid written as ``LEFT,BOTTOM,RIGHT,TOP,CELL``.

        >>> Grid.parse("0,0,3,2,0.5").shape
        (4, 6)
        """
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
        """Rows and columns."""
        return int((self.top - self.bottom) / self.cell), int((self.right - self.left) / self.cell)

    def __str__(self) -> str:
        return ",".join(str(part) for part in self)


@dataclass(frozen=True)
class GridText(OptionType[Grid]):
    """A grid, or its text."""

    def check(self, value: Any, name: str) -> Grid:
        if isinstance(value, Grid):
            return value
        if not isinstance(value, str):
            raise OptionError(f"{name} is {value!r}; expected LEFT,BOTTOM,RIGHT,TOP,CELL")
        return Grid.parse(value)

    def plain(self, value: Grid) -> str:
        return str(value)


DEGREES = "EPSG:4326"
"""Longitude and latitude, in this order: the default of GeoJSON, and what GeoPackage calls by this name."""
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
MAP_OPTIONS: tuple[Option[Any], ...] = (CLASS_FIELD, CRS, PRECISION, GRID, MIN_SIZE)
_FITS = 2**30  # products of two coordinates, and their sums, then fit into 64 bits


@dataclass(frozen=True)
class Feature:
    """One feature: its id, if it has feature, its rings by part, outline first, and its class, if requested."""

    number: int | None
    parts: Sequence[Sequence[NDArray[np.float64]]]
    label: Any = None


def feature_class(value: Any, field: str, where: str) -> Any:
    """Return the class of a feature: text or an integer, or the name of an object, as QuPath writes it.

    >>> feature_class({"name": "Tumor", "color": [200, 0, 0]}, "classification", "feature 1")
    'Tumor'
    """
    if isinstance(value, dict) and "name" in value:
        return feature_class(value["name"], f"{field}.name", where)
    if isinstance(value, str):
        return check_label(value, f"{where}: {field}")
    if type(value) is int:
        return value
    raise FormatError(f"{where}: {field[:40]!a} is {str(value)[:40]!a}; expected the class, text or an integer")


def check_crs(path: Path, declared: str | None, stated: str | None, *, planar: bool) -> str:
    """Return the reference system of the coordinates; degrees are an error unless --crs states them."""
    if stated is not None:
        if declared is not None and declared != stated:
            raise FormatError(f"{path}: its coordinates are in {declared}, but --crs says {stated}")
        return stated
    if declared is None:
        raise FormatError(
            f"{path}: names no coordinate reference system, which in GeoJSON means degrees; pass --crs {PLANE} if the "
            f"coordinates are lengths in a plane, or reproject (--crs {DEGREES} counts squares of degrees)"
        )
    if not planar:
        raise FormatError(
            f"{path}: its coordinates ({declared}) are degrees or look like them, and their squares differ in size; "
            f"reproject to a plane (ogr2ogr -t_srs), or use them unchanged with --crs {declared}"
        )
    return declared


def map_item(path: Path, features: Sequence[Feature], crs: str, options: ReadOptions) -> Item:
    """Return the features of a map as an item: polygons, or masks if a grid was stated; small ones are left out."""
    options.check_size((sum(len(ring) for feature in features for part in feature.parts for ring in part),), str(path))
    ids, least = _feature_ids(features, path), options[MIN_SIZE]
    geometries = [_shapely_geometry(feature) for feature in features]
    if least is not None:
        kept = [at for at, geometry in enumerate(geometries) if geometry.area >= least]
        features, geometries = [features[at] for at in kept], [geometries[at] for at in kept]
        ids = None if ids is None else [ids[at] for at in kept]
    polygons = Polygons(
        geometries,
        precision=options[PRECISION],
        ids=ids,
        classes=None if options[CLASS_FIELD] is None else [feature.label for feature in features],
        crs=crs,
    )
    grid = options[GRID]
    if grid is None:
        return Item(path.stem, polygons, crs=crs)
    return Item(path.stem, rasterize_features(polygons, grid, options, str(path)), crs=crs)


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


def rasterize_features(polygons: Polygons, grid: Grid, options: ReadOptions, where: str) -> Masks:
    """Return masks of the cells whose centre is in each polygon, computed on integers; see ``polygon_raster``.

    >>> from shapely import box
    >>> masks = rasterize_features(Polygons([box(0, 0, 2, 1)]), Grid.parse("0,0,4,4,1"), ReadOptions(), "a map")
    >>> masks.dense()[0].astype(int).tolist()
    [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
    """
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
    masks = Masks(
        stack(per_feature), grid.shape, ids=polygons.ids, classes=polygons.classes, spacing=(float(grid.cell),) * 2
    )
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
