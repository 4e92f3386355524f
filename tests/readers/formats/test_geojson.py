"""GeoJSON: exact areas or a stated grid, reference systems compared, everything else refused by name."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import segmetry as sm
from segmetry.errors import DataWarning, FormatError, InputError, OptionError, SegmetryError
from segmetry.readers.formats.map_polygons import MapGrid, equal_area, feature_class, rasterize_features
from segmetry.readers.reader import ReadOptions
from segmetry.segmentation.masks import Masks
from segmetry.segmentation.polygons import Polygons
from tests.cli.running import Runner
from tests.readers.data_sets import collection, feature, ring
from tests.readers.formats.test_page_xml import is_inside
from tests.readers.samples import read

shapely = pytest.importorskip("shapely")

SQUARE = ring(1000, 0, 1004, 4)


def write(folder: Path, data: Any, name: str = "a.geojson") -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def load(folder: Path, data: Any, **options: Any) -> Polygons:
    (item,) = read(write(folder, data), None, **options)
    assert isinstance(item.load(), Polygons) and item.name == "a" and not item.named
    return item.load()


def test_what_the_file_says_comes_back(tmp_path: Path) -> None:
    several = {"type": "MultiPolygon", "coordinates": [[ring(0, 0, 1, 1)], [ring(2, 0, 3, 1.5)[::-1]]]}
    hole = feature(SQUARE, ring(1001, 1, 1002, 2), id=8, properties={"kind": "field", "n": 3})
    found = load(tmp_path, collection(hole, {**feature(id=3), "geometry": several}), class_field="kind")
    assert (found.crs, found.precision, found.ids.tolist()) == ("EPSG:28992", Fraction(1, 10), [8, 3])
    assert found.sizes.tolist() == [2 * 15 * 100, 2 * 2.5 * 100] and found.classes == {8: "field", 3: "a"}
    by_number = load(tmp_path, collection(hole), class_field="n")
    assert by_number.classes == {8: 3}
    one = load(tmp_path, {**hole, "crs": collection()["crs"]})
    assert one.classes is None and one.sizes.tolist() == [30]
    tall = [[*point, 77.5] for point in SQUARE]
    assert load(tmp_path, collection(feature(tall))).sizes.tolist() == [32], "heights are not used"
    named = collection(feature(SQUARE, id="north"), feature(ring(1004, 0, 1005, 1)))
    assert load(tmp_path, named).ids.tolist() == [1, 2]


def test_written_by_another_program(tmp_path: Path) -> None:
    """GDAL's own GeoJSON, through pyogrio, in a projected system."""
    raw = pytest.importorskip("pyogrio.raw")
    shapes = [shapely.Point(150000, 450000).buffer(25), shapely.box(150100, 450000, 150120.5, 450010)]
    content = np.array([shapely.to_wkb(shape) for shape in shapes], dtype=object)
    path = tmp_path / "b.geojson"
    raw.write(path, content, [np.array(["x", "y"], dtype=object)], ["kind"], geometry_type="Polygon", crs="EPSG:28992")
    (item,) = read(path, None, precision=Fraction(1, 1000), class_field="kind")
    found = item.load()
    assert isinstance(found, Polygons) and found.classes == {1: "x", 2: "y"} and item.crs == "EPSG:28992"
    assert (found.sizes / 2e6).tolist() == pytest.approx([shape.area for shape in shapes], abs=0.1)


def test_no_features_are_no_segments(tmp_path: Path) -> None:
    assert load(tmp_path, collection()).ids.size == 0
    assert load(tmp_path, collection(), class_field="kind").classes == {}


def test_degrees_are_read_with_a_note_unless_stated(tmp_path: Path) -> None:
    near = feature(ring(4.5, 52, 4.75, 52.5))
    for crs, name, words in (
        (None, "EPSG:4326", r"degrees or look like them \(no reference system .*; --crs plane if they are lengths"),
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", r"\(EPSG:4326\): IoU counts squares of degrees"),
        ("urn:ogc:def:crs:EPSG::4258", "EPSG:4258", r"\(EPSG:4258\).*--crs EPSG:4258 leaves this note out"),
    ):
        with pytest.warns(DataWarning, match=words):
            assert load(tmp_path, collection(near, crs=crs)).crs == name
    with pytest.raises(FormatError, match="names no coordinate reference system; pass --crs plane if"):
        load(tmp_path, collection(feature(SQUARE), crs=None))
    assert load(tmp_path, collection(near, crs=None), crs="EPSG:4326").crs == "EPSG:4326"
    assert load(tmp_path, collection(near, crs=None), crs="plane").crs == "plane"
    with pytest.raises(FormatError, match="its coordinates are in EPSG:28992, but --crs says plane"):
        load(tmp_path, collection(feature(SQUARE)), crs="plane")


def changed(**fields: Any) -> dict[str, Any]:
    data = collection(feature(SQUARE), feature(ring(1005, 0, 1006, 1)))
    for name, value in fields.items():
        target = data["features"][1]["geometry"] if name in ("coordinates", "kind") else data["features"][1]
        target["type" if name == "kind" else name] = value
    return data


BOW = [[1000, 0], [1002, 2], [1002, 0], [1000, 2], [1000, 0]]
POLYGON = {"type": "Polygon", "coordinates": [SQUARE]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (changed(coordinates=[BOW]), r"segment 2 is not a valid polygon: Self-intersection\[1001 1\]"),
        (changed(coordinates=[SQUARE, ring(0, 0, 1, 1)]), "segment 2 is not a valid polygon: Hole lies outside shell"),
        (changed(geometry=None), "feature 2 has no geometry; .*leave the feature out"),
        (changed(geometry={"type": "GeometryCollection", "geometries": [POLYGON]}), "is a 'GeometryCollection'"),
        (changed(geometry={"type": "Point", "coordinates": [1, 2]}), "feature 2 is a 'Point'; expected a Polygon"),
        (changed(kind="MultiPolygon", coordinates=[]), "feature 2 is an empty MultiPolygon"),
        (changed(coordinates=[]), r"a polygon is '\[\]'; expected a list of rings"),
        (changed(coordinates=[SQUARE[:3]]), "expected at least 4 positions"),
        (changed(coordinates=[SQUARE[:-1]]), "a ring ends at .*; expected its first position again"),
        (changed(coordinates=[[[1, 2], [3, 4], [5], [1, 2]]]), r"a position is '\[5\]'; expected two or three numbers"),
        (changed(coordinates=[[[1, 2], [3, 4], [5, True], [1, 2]]]), "a position is"),
        (changed(coordinates=[[[1, 2], [3, 4], [5, "6"], [1, 2]]]), "a position is"),
        (changed(coordinates=[[[1, 2], [3, 4], [5, 10**400], [1, 2]]]), "a coordinate is not finite"),
        (changed(coordinates=[[[[1, 2]]]]), "expected at least 4 positions"),
        (changed(id=7), "1 of 2 features have an id; expected all or none"),
        (changed(type="Polygon"), "feature 2: type is 'Polygon'; expected Feature"),
        (collection(feature(SQUARE, id=1), feature(SQUARE, id=1)), "two features have the id 1"),
        (collection(feature(SQUARE), crs="mine"), "crs is 'mine'; expected a name such as"),
        ({"type": "FeatureCollection", "features": {}}, r"features is '\{\}'; expected a list"),
        ({"type": "FeatureCollection"}, "has no field 'features'"),
        (json.dumps(changed()).replace("1005", "NaN"), "NaN or Infinity, which is not JSON"),
        (json.dumps(changed()).replace("1005", "1e999"), "a coordinate is not finite"),
        (json.dumps(changed()).replace('"type": "Feature"', '"type": "Feature", "type": "Feature"'), "occurs twice"),
        (json.dumps(changed()).replace("[[1005", "[" * 5000 + "[[1005"), "nested deeper|not JSON"),
        (json.dumps(changed())[:-20], "not JSON"),
    ],
)
def test_traps_are_named(data: Any, words: str, tmp_path: Path) -> None:
    path = write(tmp_path, data)
    with pytest.raises(SegmetryError, match=words) as caught:
        read(path, "geojson")
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "'kind' is 'None'"), (1.5, "'kind' is '1.5'"), (True, "'kind' is 'True'"),
     ("\x1b[31m", r"kind, .* contains a control"),
     ("", "kind is empty"), ({}, r"'kind' is '\{\}'")],
)  # fmt: skip
def test_classes_are_texts_or_whole_numbers(value: Any, words: str, tmp_path: Path) -> None:
    data = collection(feature(SQUARE, properties={"kind": value}))
    with pytest.raises(FormatError, match=f"feature 1: {words}"):
        load(tmp_path, data, class_field="kind")
    with pytest.raises(FormatError, match="feature 1 has no field 'colour'"):
        load(tmp_path, data, class_field="colour")


def test_a_budget_of_corners(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="declares 5 elements, more than the budget of 4"):
        load(tmp_path, collection(feature(SQUARE)), most_elements=4)
    with pytest.raises(FormatError, match=r"shape \(400, 400\), 160000 elements, more than the budget of 1000"):
        load(tmp_path, collection(feature(SQUARE)), most_elements=1000, grid=MapGrid.parse("1000,0,1004,4,0.01"))
    comb = [[1000 + 40 * (at % 2), at] for at in range(301)] + [[2000, 300], [2000, -1], [1000, -1], [1000, 0]]
    with pytest.raises(FormatError, match="the outlines on this grid: declares"):
        load(tmp_path, collection(feature(comb)), most_elements=2000, grid=MapGrid.parse("1000,0,1050,30,1"))


numbers = st.integers(-20, 60).map(lambda value: Fraction(value, 8))


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=7), st.sampled_from([1, 10**12]))
def test_a_cell_belongs_if_its_centre_lies_inside(points: list[Any], far: int) -> None:
    outline = shapely.Polygon([(float(x), float(y)) for x, y in points])
    assume(outline.is_valid)
    shift = Fraction(1, 3) if far > 1 else Fraction(0)  # beyond 64 bits
    grid = MapGrid(shift - 1, shift / far, shift + 5, shift / far + 4, Fraction(1, 2))
    found = rasterize_features(Polygons([outline]), grid, ReadOptions(), "a map").dense()[0]
    down = [(x, -y) for x, y in points]
    quarter = Fraction(1, 4)
    expected = [
        [is_inside(grid.left + x * grid.cell + quarter, -(grid.top - y * grid.cell - quarter), down) for x in range(12)]
        for y in range(8)
    ]
    assert found.tolist() == expected


@pytest.mark.filterwarnings("ignore::segmetry.errors.DataWarning")
def test_neighbours_share_no_cell_and_leave_none_out(tmp_path: Path) -> None:
    """Edges through the centres of cells: the cell goes to one side."""
    sides = [feature([[0, 0], [5, 0], [0, 5], [0, 0]]), feature([[5, 0], [5, 5], [0, 5], [5, 0]])]
    grid = MapGrid.parse("0,0,5,5,1")
    (item,) = read(write(tmp_path, collection(*sides)), None, grid=grid, crs="EPSG:28992")
    found = item.load()
    assert isinstance(found, Masks) and found.is_disjoint and found.sizes.sum() == 25 and found.spacing == (1, 1)


def test_parts_and_holes_are_drawn(tmp_path: Path) -> None:
    parts = [[ring(1000, 0, 1004, 4), ring(1001, 1, 1003, 3)], [ring(1005, 2, 1006, 4)]]
    data = collection({**feature(), "geometry": {"type": "MultiPolygon", "coordinates": parts}})
    (item,) = read(write(tmp_path, data), None, grid=MapGrid.parse("1000,0,1006,4,1"))
    assert isinstance(item.load(), Masks)
    drawn = item.load().dense()[0].astype(int).tolist()
    assert drawn == [[1, 1, 1, 1, 0, 1], [1, 0, 0, 1, 0, 1], [1, 0, 0, 1, 0, 0], [1, 1, 1, 1, 0, 0]]


def test_polygons_without_a_cell_are_reported(tmp_path: Path) -> None:
    path = write(tmp_path, collection(feature(SQUARE), feature(ring(1, 1, 2, 2))))
    with pytest.warns(DataWarning, match=r"1 polygons contain no cell centre \(the first is segment 2\)"):
        (item,) = read(path, None, grid=MapGrid.parse("1000,0,1004,4,2"))
    assert isinstance(item.load(), Masks) and item.load().sizes.tolist() == [4, 0]


@pytest.mark.parametrize(
    ("text", "words"),
    [("0,0,1,1", "expected LEFT,BOTTOM,RIGHT,TOP,CELL"), ("0,0,1,1,0.3", "an integer number of cells apart"),
     ("1,0,1,1,1", "expected LEFT < RIGHT"), ("0,0,1,1,-1", "a positive CELL"), ("0,0,x,1,1", "grid is 'x'")],
)  # fmt: skip
def test_a_grid_is_stated_completely(text: str, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        MapGrid.parse(text)


def test_from_the_command_line_to_the_run_file(segmetry: Runner, tmp_path: Path) -> None:
    """Two fields of 10 × 4; the first is found 2 too far to the right (IoU 32/48), the second not at all."""
    fields = [feature(ring(1000, 0, 1010, 4)), feature(ring(1000, 10, 1010, 14))]
    true = write(tmp_path, collection(*fields), "true.geojson")
    pred = write(tmp_path, collection(feature(ring(1002, 0, 1012, 4))), "pred.geojson")
    kept = tmp_path / "run.segm"
    told = segmetry("score", true, pred, "--rule", "theta_plus", "--metrics", "pq,sq,rq", "--out", kept, "--json", "-")
    assert told.code == 0, told.err
    scores = json.loads(told.out)["rules"]["theta_plus"]["scores"]
    assert [scores[key]["by_item"]["value"] for key in ("sq", "rq", "pq")] == [2 / 3, 2 / 3, pytest.approx(4 / 9)]
    areas = [shapely.Polygon(one["geometry"]["coordinates"][0]) for one in fields]
    moved = shapely.box(1002, 0, 1012, 4)
    assert scores["sq"]["by_item"]["value"] == areas[0].intersection(moved).area / areas[0].union(moved).area
    with sm.Run.open(kept) as found:
        assert found.rescore(rule="iou(above=0.7)").summary()["rq"].usual.value == 0
    drawn = segmetry(
        "score", true, pred, "--grid", "1000,0,1020,20,1", "--metrics", "sq", "--rule", "theta_plus", "--json", "-"
    )
    assert json.loads(drawn.out)["rules"]["theta_plus"]["scores"]["sq"]["by_item"]["value"] == 2 / 3
    for engine in ("serial", "processes"):
        with sm.evaluate(true, pred, engine=engine) as found:
            assert found.summary()["sq"].usual.value == 2 / 3
    write(tmp_path, collection(feature(ring(1003, 0, 1012, 4))), "pred.geojson")
    with pytest.raises(InputError, match=r"the input pred.geojson of pred has changed"):
        sm.evaluate(true, pred, rule="theta_plus", metrics="pq,sq,rq", out=kept, resume=True)


def test_systems_of_both_sides_are_compared(segmetry: Runner, tmp_path: Path) -> None:
    true = write(tmp_path, collection(feature(SQUARE)), "true.geojson")
    pred = write(tmp_path, collection(feature(SQUARE), crs="EPSG:25832"), "pred.geojson")
    for more in ([], ["--grid", "1000,0,1004,4,1"]):
        told = segmetry("score", true, pred, *more)
        assert told.code == 2 and "true has coordinates in EPSG:28992 and pred in EPSG:25832" in told.err


def test_other_mistakes_on_the_command_line(segmetry: Runner, tmp_path: Path) -> None:
    true = write(tmp_path, collection(feature(SQUARE)), "true.geojson")
    for more, words in (
        (["--precision", "0"], "precision is 0; expected a positive length"),
        (["--layer", "x"], "--layer is not supported by format geojson (it applies to geopackage)"),
        (["--grid", "1,2"], "expected LEFT,BOTTOM,RIGHT,TOP,CELL"),
    ):
        told = segmetry("score", true, true, *more)
        assert (told.code, words in told.err) == (2, True), told.err


def footprints(moved: float = 0) -> list[Any]:
    """About 3.43 m × 5.56 m and 6.87 m × 11.13 m, which is 19.1 m² and 76.4 m²; moved by a part of their width."""
    found = []
    for at, width in enumerate((5e-5, 1e-4)):
        left = 4.35 + at / 1000 + moved * width
        found.append([[round(x, 7), round(y, 7)] for x, y in ring(left, 52, left + width, 52 + width)])
    return found


def test_the_smallest_area_is_in_square_metres_where_coordinates_are_degrees(tmp_path: Path) -> None:
    document = collection(*map(feature, footprints()), crs=None)
    for least, n_left in ((0, 2), (19, 2), (20, 1), (76, 1), (77, 0)):
        found = load(tmp_path, document, crs="EPSG:4326", min_size=least)
        assert (found.ids.size, found.n_removed) == (n_left, 2 - n_left), least
        assert found.in_steps_of(Fraction(1, 10**9)).n_removed == 2 - n_left


def test_the_smallest_area_is_in_cells_of_a_grid(tmp_path: Path) -> None:
    document = collection(feature(SQUARE), feature(ring(1000, 0, 1002, 4)))
    for grid, ids in (("1000,0,1004,4,1", [1]), ("1000,0,1004,4,0.5", [1, 2])):
        (item,) = read(write(tmp_path, document), None, crs="EPSG:28992", min_size=16, grid=grid)
        assert item.load().ids.tolist() == ids and item.load().n_removed == 2 - len(ids)


@given(st.floats(-80, 80), st.floats(-170, 170))
def test_areas_of_degrees_are_those_of_the_ellipsoid(latitude: float, longitude: float) -> None:
    """A small cell is the product of its sides, from the radii of curvature; pyproj gives 1146.2393601 m² for one."""
    step, e2 = 1e-4, 0.006_694_379_990_14
    middle = np.radians(latitude + step / 2)
    curve = 1 - e2 * np.sin(middle) ** 2
    sides = 6_378_137 * (1 - e2) / curve**1.5, 6_378_137 / np.sqrt(curve) * np.cos(middle)
    cell = shapely.box(longitude, latitude, longitude + step, latitude + step)
    area = shapely.area(shapely.transform(cell, equal_area))
    assert area == pytest.approx(np.prod(sides) * np.radians(step) ** 2, rel=1e-5)
    known = shapely.area(shapely.transform(shapely.box(4.35, 52, 4.3505, 52.0003), equal_area))
    assert known == pytest.approx(1146.2393601, rel=1e-9)


def test_degrees_are_scored_with_a_note_or_in_metres(tmp_path: Path, segmetry: Runner) -> None:
    """Two footprints moved by a tenth of their width overlap by 9/11, in squares of degrees and in square metres."""
    true = write(tmp_path, collection(*map(feature, footprints()), crs=None), "t.geojson")
    pred = write(tmp_path, collection(*map(feature, footprints(moved=1 / 10)), crs=None), "p.geojson")
    stated = ("score", true, pred, "--metrics", "sq", "--rule", "theta_plus")
    told = segmetry(*stated)
    assert (told.code, "0.8182" in told.out, told.err.count("squares of degrees")) == (0, True, 2), told.err
    told = segmetry(*stated, "--project", 52)
    assert (told.code, "0.8182" in told.out, told.err) == (0, True, "")
    (item,) = read(true, None, project=52)
    areas = (item.load().sizes / 2e8).tolist()
    assert areas == pytest.approx([19.1, 76.4], abs=0.05) and item.crs == "equal-area plane at 52°"
    outline = shapely.bounds(item.load().geometries)[0] / 1e4
    assert (outline[2:] - outline[:2]).tolist() == pytest.approx([3.433, 5.563], abs=0.001), "lengths are true there"


def test_reprojected_layers_need_no_precision(tmp_path: Path, segmetry: Runner) -> None:
    """Coordinates of fifteen digits, as a reprojection writes them: 1000/3 m wide, one moved by a tenth of that."""
    sides = [
        ring(150_000 / 7 + at * 100 / 3, 450_000 / 7, 150_000 / 7 + (10 + at) * 100 / 3, 460_000 / 7) for at in (0, 1)
    ]
    paths = [write(tmp_path, collection(feature(side)), name) for side, name in zip(sides, "tp", strict=True)]
    told = segmetry("score", *paths, "--format", "geojson", "--metrics", "sq", "--rule", "theta_plus")
    assert (told.code, "0.8182" in told.out, told.err.count("rounded to 0.0001")) == (0, True, 2), told.err


def test_spacenet_of_longitudes_and_latitudes(tmp_path: Path, segmetry: Runner) -> None:
    """Two footprints on each side, of which one has less than 20 m², and both overlap by 9/11."""
    true = write(tmp_path, collection(*map(feature, footprints()), crs=None), "t.geojson")
    pred = write(tmp_path, collection(*map(feature, footprints(moved=1 / 10)), crs=None), "p.geojson")
    stated = ("--protocol", "spacenet", "--crs", "EPSG:4326")
    outcome = segmetry("score", true, pred, *stated)
    assert "footprints below 20 m² of a map" in outcome.out and "1.0000" in outcome.out
    assert "1 true and 1 predicted segments in 1 item are left out by --min-size" in outcome.err
    outcome = segmetry("score", true, pred, *stated, "--min-size", 0, "--json", "-")
    assert outcome.err == "" and json.loads(outcome.out)["modified"] == ["min_size"]
    outcome = segmetry("score", true, pred, *stated, "--min-size", 100)
    assert "in 1 item none of true is left; in 1 item none of pred is left; --min-size 0 keeps all" in outcome.err


def test_the_example_of_parse() -> None:
    assert MapGrid.parse("0,0,3,2,0.5").shape == (4, 6)


def test_the_example_of_feature_class() -> None:
    assert feature_class({"name": "Tumor", "color": [200, 0, 0]}, "classification", "feature 1") == "Tumor"


def test_the_example_of_equal_area() -> None:
    x, y = equal_area(np.array([[180.0, 90.0]]))[0].tolist()
    assert round(4 * x * y / 1e6)  # the area of the Earth in km² == 510065622


def test_the_example_of_rasterize_features() -> None:
    from shapely import box

    masks = rasterize_features(Polygons([box(0, 0, 2, 1)]), MapGrid.parse("0,0,4,4,1"), ReadOptions(), "a map")
    assert masks.dense()[0].astype(int).tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]]
