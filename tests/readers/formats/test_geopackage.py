"""GeoPackage: layers, keys and classes come back, and a stranger's database runs nothing."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from segmetry.cli.main import cli
from segmetry.errors import DataWarning, SegmetryError
from segmetry.readers.formats.map_polygons import MapGrid, polygon_parts
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygons import Polygons
from tests.readers.data_sets import geopackage, ring, wkb
from tests.readers.samples import read

shapely = pytest.importorskip("shapely")

SQUARE = wkb([ring(0, 0, 4, 4)])


def load(folder: Path, content: bytes, **options: Any) -> Polygons:
    path = folder / "a.gpkg"
    path.write_bytes(content)
    (item,) = read(path, None, **options)
    assert isinstance(item.load(), Polygons)
    return item.load()


def test_what_the_file_says_comes_back(tmp_path: Path) -> None:
    parts = wkb([ring(4, 0, 5, 1)], [ring(6, 0, 7, 1.5), ring(6.5, 0.5, 6.75, 1)], multi=True)
    tall = wkb([[(*point, 9.0) for point in ring(8, 0, 9, 1)]])
    found = load(tmp_path, geopackage((5, SQUARE, "a"), (2, parts, "b"), (9, tall, "a")), class_field="kind")
    assert found.ids.tolist() == [2, 5, 9] and found.classes == {2: "b", 5: "a", 9: "a"}
    assert (found.sizes / 20000).tolist() == [1 + 1.5 - 0.125, 16, 1] and found.crs == "EPSG:28992"
    assert load(tmp_path, geopackage()).ids.size == 0
    (item,) = read(tmp_path / "a.gpkg", None, grid=MapGrid.parse("0,0,4,4,1"))
    assert isinstance(item.load(), Masks)


def test_written_by_another_program(tmp_path: Path) -> None:
    """GDAL's own GeoPackage, through pyogrio, with its triggers, its index and two layers."""
    raw = pytest.importorskip("pyogrio.raw")
    shapes = [shapely.Point(150000, 450000).buffer(25), shapely.box(150100, 450000, 150120.5, 450010)]
    content = np.array([shapely.to_wkb(shape) for shape in shapes], dtype=object)
    path = tmp_path / "b.gpkg"
    for layer in ("fields", "woods"):
        kinds = [np.array([7, 8])]
        raw.write(path, content, kinds, ["kind"], layer=layer, geometry_type="Polygon", crs="EPSG:28992")
    (item,) = read(path, None, precision=Fraction(1, 1000), class_field="kind", layer="woods")
    found = item.load()
    assert isinstance(found, Polygons) and found.classes == {1: 7, 2: 8} and item.crs == "EPSG:28992"
    assert (found.sizes / 2e6).tolist() == pytest.approx([shape.area for shape in shapes], abs=0.1)
    told = CliRunner().invoke(cli, ["score", str(path), str(path), "--layer", "fields", "--precision", "0.01"])
    assert told.exit_code == 0 and "1.0000" in told.output, told.output


def test_reference_systems(tmp_path: Path) -> None:
    degrees = geopackage((1, SQUARE, "a"), srs=4326, definition="GEOGCS[]")
    with pytest.warns(DataWarning, match=r"coordinates are degrees or look like them \(EPSG:4326\)"):
        assert load(tmp_path, degrees).crs == "EPSG:4326"
    assert load(tmp_path, degrees, crs="EPSG:4326").crs == "EPSG:4326"
    assert load(tmp_path, geopackage((1, SQUARE, "a"), srs=-1, definition="undefined")).crs == "plane"
    with pytest.raises(SegmetryError, match="names no coordinate reference system"):
        load(tmp_path, geopackage((1, SQUARE, "a"), srs=0, definition="undefined"))


VIEW = (
    "DROP TABLE fields; CREATE VIEW fields AS WITH RECURSIVE n(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM n) "
    "SELECT fid, zeroblob(1000000000) AS geom, 'a' AS kind FROM n;"
)
MADE = (
    "DROP TABLE fields; CREATE TABLE fields (fid INTEGER PRIMARY KEY, geom AS (zeroblob(1000000000)), kind TEXT);"
    "INSERT INTO fields (fid, kind) VALUES (1, 'a');"
)


def damaged(statements: str) -> bytes:
    """A file with one feature, 3, to which something was done."""
    return geopackage((3, SQUARE, "a"), extra=statements)


POINT = struct.pack("<BI2d", 1, 1, 0, 0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (geopackage((1, SQUARE, "a"), layers=("a", "b")), r"contains 2 layers \(a, b\); choose one with --layer"),
        (geopackage(layers=()), r"contains 0 layers \(none\)"),
        (geopackage((3, None, "a")), "feature 3 has no geometry"),
        (geopackage((3, SQUARE[:-1], "a")), "feature 3: damaged geometry: it declares 5 parts, more than it has bytes"),
        (geopackage((3, SQUARE[:7], "a")), "feature 3: damaged geometry: cut off"),
        (geopackage((3, SQUARE + b"x", "a")), "feature 3: 1 bytes after its geometry"),
        (geopackage((3, struct.pack("<BII", 1, 3, 2**32 - 1), "a")), "it declares 4294967295 parts"),
        (geopackage((3, wkb([]), "a")), "feature 3 is an empty polygon"),
        (geopackage((3, wkb(multi=True), "a")), "feature 3 is an empty polygon"),
        (geopackage((3, POINT, "a")), "feature 3 is a Point; expected a Polygon or MultiPolygon"),
        (geopackage((3, struct.pack("<BII", 1, 7, 0), "a")), "feature 3 is a GeometryCollection"),
        (geopackage((3, struct.pack("<BII", 1, 6, 1) * 100_000, "a")), "feature 3: a part of it is not a polygon"),
        (geopackage((3, struct.pack("<BII", 1, 99999, 0), "a")), "damaged geometry: type 99999"),
        (geopackage((3, b"\7" + SQUARE[1:], "a")), "damaged geometry: byte order 7"),
        (geopackage((3, wkb([ring(0, 0, float("nan"), 4)]), "a")), "a coordinate is not finite"),
        (geopackage((3, wkb([ring(0, 0, float("inf"), 4)]), "a")), "a coordinate is not finite"),
        (
            geopackage((3, wkb([ring(0, 0, 4, 4)[:-1]]), "a")),
            "a ring of 4 points; expected .* the last equal to the first",
        ),
        (geopackage((3, wkb([[(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)]]), "a")), "segment 3 is not a valid polygon"),
        (damaged("UPDATE fields SET geom = 'GP'"), "it has no GeoPackage header"),
        (damaged("UPDATE gpkg_geometry_columns SET srs_id = 7"), "is in reference system 28992, its"),
        (damaged("UPDATE gpkg_geometry_columns SET column_name = 'g'"), "has no column 'g'"),
        (damaged("UPDATE gpkg_geometry_columns SET table_name = 3"), "no plain table '3'"),
        (damaged("UPDATE gpkg_geometry_columns SET table_name = char(27)"), "control character"),
        (damaged("DROP TABLE gpkg_geometry_columns"), "no plain table 'gpkg_geometry_columns'"),
        (damaged(VIEW), "has no plain table 'fields'"),
        (damaged(MADE), "damaged GeoPackage"),
        (geopackage((3, SQUARE, "a"))[:1500], "damaged GeoPackage|no plain table"),
        (damaged("UPDATE fields SET kind = x'ff'"), "'kind' is"),
        (damaged("UPDATE fields SET kind = CAST(x'ff' AS TEXT)"), "damaged GeoPackage: Could not decode"),
        (b"SQLite format 3\0" + b"\0" * 52 + b"GPKG" + b"\0" * 500, "damaged GeoPackage"),
    ],
)  # fmt: skip
def test_traps_are_named(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match=words) as caught:
        load(tmp_path, content, class_field="kind")
    assert str(tmp_path / "a.gpkg") in str(caught.value)


def test_layers_and_columns_that_are_not_there(tmp_path: Path) -> None:
    content = geopackage((1, SQUARE, "a"), layers=("fields", 'a "quoted" one'.replace('"', "'")))
    assert load(tmp_path, content, layer="a 'quoted' one").ids.tolist() == [1]
    with pytest.raises(SegmetryError, match="there is no layer 'woods'; it contains a 'quoted' one, fields"):
        load(tmp_path, content, layer="woods")
    with pytest.raises(SegmetryError, match="the layer fields has no column 'colour' for the class"):
        load(tmp_path, content, layer="fields", class_field="colour")


def test_changes_beside_the_file_are_not_left_out(tmp_path: Path) -> None:
    """A journal that is not empty holds changes which a reader of the file alone would miss."""
    path = tmp_path / "a.gpkg"
    path.write_bytes(geopackage((1, SQUARE, "a")))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("DELETE FROM fields")
        database.commit()
        with pytest.raises(SegmetryError, match=r"a.gpkg-wal beside it contains changes"):
            read(path)
    (item,) = read(path)
    assert isinstance(item.load(), Polygons) and not item.load().ids.size
    before = path.read_bytes()
    read(path)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["a.gpkg"]


PAGE, FANOUT, DEPTH = 512, 60, 10


def branches_that_meet() -> bytes:
    """A layer whose tree of pages has ten levels of one page, each 60 times the branch of the one above: 60¹⁰ rows."""
    content = bytearray(geopackage(*((key, SQUARE, "x" * 300) for key in range(1, 400))))
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(bytes(content))
        (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'fields'").fetchone()
    start, n_pages, levels = (root - 1) * PAGE, len(content) // PAGE, b""
    leaf = int.from_bytes(content[start + 8 : start + 12], "big")
    for level in range(DEPTH):
        below = (n_pages + level + 2 if level < DEPTH - 1 else leaf).to_bytes(4, "big")
        first = PAGE - 5 * FANOUT
        head = bytes([5, 0, 0, 0, FANOUT]) + first.to_bytes(2, "big") + b"\0" + below
        head += b"".join((first + 5 * at).to_bytes(2, "big") for at in range(FANOUT))
        levels += head.ljust(first, b"\0") + (below + b"\1") * FANOUT
    cells = int.from_bytes(content[start + 3 : start + 5], "big")
    places = [int.from_bytes(content[start + 12 + 2 * at :][:2], "big") for at in range(cells)]
    for place in (8, *places):
        content[start + place : start + place + 4] = (n_pages + 1).to_bytes(4, "big")
    content[28:32] = (n_pages + DEPTH).to_bytes(4, "big")
    return bytes(content) + levels


def test_pages_that_come_again_and_again_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SegmetryError, match="comes after a larger one: the file is damaged"):
        load(tmp_path, branches_that_meet())


def test_the_work_for_a_list_of_layers_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("segmetry._base.hostile_database._LEAST_STEPS", -(10**9))
    with pytest.raises(SegmetryError, match="damaged GeoPackage: interrupted"):
        load(tmp_path, geopackage(*((key, SQUARE, "a") for key in range(1, 3000))))


def test_a_length_that_no_file_has_is_an_error_and_not_want_of_memory(tmp_path: Path) -> None:
    """SQLite answers some of these that there is no memory."""
    content = geopackage((1, SQUARE, "a"))
    for page in range(0, len(content), PAGE):
        head = page + 100 * (page == 0)
        for at in range(int.from_bytes(content[head + 3 : head + 5], "big")):
            place = page + int.from_bytes(content[head + 8 + 2 * at :][:2], "big")
            with suppress(SegmetryError):
                load(tmp_path, content[:place] + b"\xff" * 9 + content[place + 9 :])


def test_the_example_of_polygon_parts() -> None:
    import struct

    points = struct.pack("<8d", 0, 0, 1, 0, 1, 1, 0, 0)
    assert polygon_parts(struct.pack("<BIII", 1, 3, 1, 4) + points, "a triangle")[0][0].tolist() == [
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 1.0],
        [0.0, 0.0],
    ]
