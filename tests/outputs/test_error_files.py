"""The errors of a run as files: every segment once, where it is, with its outcome."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.cli.main import main
from segmetry.errors import KindError, OptionError
from segmetry.outputs.error_files import BOTH, MISSED, SHARED, SPURIOUS, paths_of_items, write_errors

shapely = pytest.importorskip("shapely")
TRUE = np.kron(np.array([[1, 1, 0, 2], [1, 1, 0, 2], [0, 0, 0, 0], [3, 3, 0, 0]]), np.ones((3, 3), int))
PRED = np.kron(np.array([[5, 5, 0, 0], [5, 0, 0, 0], [0, 0, 6, 0], [7, 7, 7, 7]]), np.ones((3, 3), int))
EXPECTED = {"matched": 1, "missed": 2, "spurious": 2}


@pytest.fixture
def images(tmp_path: Path) -> tuple[Path, Path]:
    """Two items of label images as two folders."""
    for side, labels in (("t", TRUE), ("p", PRED)):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            Image.fromarray(labels.astype(np.uint8)).save(tmp_path / side / f"{name}.png")
    return tmp_path / "t", tmp_path / "p"


def mask_of(row: dict[str, Any]) -> Any:
    return (
        row["properties"]["true_id"] == TRUE
        if row["properties"]["side"] == "true"
        else row["properties"]["pred_id"] == PRED
    )


def test_outlines_of_label_images(
    images: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, target = tmp_path / "run.segm", tmp_path / "errors.geojson"
    main(["score", *map(str, images), "--labels", "instances", "-o", str(run)])
    capsys.readouterr()
    main(["export", str(run), "--errors", str(target)])
    assert capsys.readouterr() == ("", "")
    features = json.loads(target.read_text())["features"]
    assert Counter(row["properties"]["outcome"] for row in features) == {name: 2 * n for name, n in EXPECTED.items()}
    assert {row["properties"]["classification"]["name"] for row in features} == set(EXPECTED), "as QuPath reads it"
    y, x = (axis.ravel() + 0.5 for axis in np.indices(TRUE.shape))
    for row in features:
        outline = shapely.geometry.shape(row["geometry"])
        inside = shapely.contains_xy(outline, x, y).reshape(TRUE.shape)
        assert inside.tolist() == mask_of(row).tolist() and outline.area == row["properties"]["area"]
    matched = next(row["properties"] for row in features if row["properties"]["outcome"] == "matched")
    assert (matched["iou"], matched["error"]) == (27 / 36, "boundary")


def test_an_outline_has_its_holes(tmp_path: Path) -> None:
    ring = np.ones((5, 5), int)
    ring[2, 2] = 0
    write_errors(sm.evaluate({"a": ring * 0}, {"a": ring}, metrics="pq"), tmp_path / "e.geojson")
    (row,) = json.loads((tmp_path / "e.geojson").read_text())["features"]
    assert len(row["geometry"]["coordinates"]) == 2 and shapely.geometry.shape(row["geometry"]).area == 24


def test_coco_masks_are_read_again(images: tuple[Path, Path], tmp_path: Path) -> None:
    write_errors(sm.evaluate(*images, metrics="pq", read={"labels": "instances"}), tmp_path / "e.json")
    first, second = sm.read(tmp_path / "e.json", format="coco-instances").values()
    data = json.loads((tmp_path / "e.json").read_text())
    names = {row["id"]: row["name"] for row in data["categories"]}
    assert Counter(names[row["category_id"]] for row in data["annotations"] if row["image_id"] == 1) == EXPECTED
    assert sorted(first.sizes.tolist()) == sorted(row["area"] for row in data["annotations"][:5])
    assert first.sizes.tolist() == second.sizes.tolist()


@pytest.mark.parametrize("suffix", [".npy", ".png"])
def test_a_value_for_every_element(suffix: str, tmp_path: Path) -> None:
    run = sm.evaluate({"a": TRUE}, {"a": PRED}, metrics="pq")
    write_errors(run, tmp_path / f"e{suffix}")
    found = np.load(tmp_path / "e.npy") if suffix == ".npy" else np.asarray(Image.open(tmp_path / "e.png"))
    expected = np.zeros(TRUE.shape, int)
    expected[(TRUE > 0) & (PRED == 0)], expected[(TRUE == 0) & (PRED > 0)] = MISSED, SPURIOUS
    expected[(TRUE == 1) & (PRED == 5)], expected[(TRUE == 3) & (PRED == 7)] = SHARED, BOTH
    assert found.tolist() == expected.tolist()


def test_turns_keep_their_times(tmp_path: Path) -> None:
    true = sm.TimeIntervals.from_seconds([(0, 2.5), (3, 4)], classes=["ann", "bob smith"])
    pred = sm.TimeIntervals.from_seconds([(0, 2.5), (5.5, 6)], classes=["ann", "eve"])
    write_errors(sm.evaluate({"a call": true}, {"a call": pred}, metrics="pq"), tmp_path / "e.rttm")
    assert (tmp_path / "e.rttm").read_text().splitlines() == [
        f"SPEAKER a_call 1 {times} <NA> <NA> {name} <NA> <NA>"
        for times, name in (("0 2.5", "matched-ann"), ("3 1", "missed-bob_smith"), ("5.5 0.5", "spurious-eve"))
    ]


def test_a_tier_for_each_outcome(tmp_path: Path) -> None:
    praatio = pytest.importorskip("praatio.textgrid")
    true = sm.TimeIntervals.from_seconds([(0, 2.5), (3, 4), (3.5, 5)], classes=["ann", "bob", 'e"v'])
    pred = sm.TimeIntervals.from_seconds([(0, 2.5), (5.5, 6)], classes=["ann", "eve"])
    write_errors(sm.evaluate({"call": true}, {"call": pred}, metrics="pq"), tmp_path / "e.TextGrid")
    grid = praatio.openTextgrid(tmp_path / "e.TextGrid", includeEmptyIntervals=False)
    spoken = {name: [tuple(one) for one in grid.getTier(name).entries] for name in grid.tierNames}
    assert spoken == {
        "matched 1": [(0, 2.5, "ann")],
        "missed 1": [(3, 4, "bob")],
        "missed 2": [(3.5, 5, 'e"v')],
        "spurious 1": [(5.5, 6, "eve")],
    }
    assert (grid.minTimestamp, grid.maxTimestamp) == (0, 6)


def test_tags_of_both_sides(tmp_path: Path) -> None:
    """Every token with its text, and the outcome of the segment that each side has there."""
    tags = ["B-PER I-PER O B-LOC", "B-PER I-PER B-ORG O"]
    for side, listed in zip("tp", tags, strict=True):
        words = zip(("Ada", "King", "saw", "Rome"), listed.split(), strict=True)
        (tmp_path / f"{side}.conll").write_text("".join(f"{word} {tag}\n" for word, tag in words))
    run = sm.evaluate(tmp_path / "t.conll", tmp_path / "p.conll", protocol="ner", out=tmp_path / "r.segm")
    write_errors(run, tmp_path / "e.conll")
    assert (tmp_path / "e.conll").read_text().splitlines() == [
        "# sent_id = 1",
        "Ada\tB-matched-PER\tB-matched-PER",
        "King\tI-matched-PER\tI-matched-PER",
        "saw\tO\tB-spurious-ORG",
        "Rome\tB-missed-LOC\tO",
        "",
    ]
    assert list(sm.read(tmp_path / "e.conll").classes.values()) == ["matched-PER", "spurious-ORG"]


def test_a_layer_of_a_geopackage(images: tuple[Path, Path], tmp_path: Path) -> None:
    """GDAL reads it as it reads those of QGIS, and so do we."""
    pyogrio = pytest.importorskip("pyogrio")
    write_errors(sm.evaluate(*images, metrics="pq", read={"labels": "instances"}), tmp_path / "e.gpkg")
    facts, _, outlines, columns = pyogrio.raw.read(tmp_path / "e.gpkg")
    assert Counter(columns[list(facts["fields"]).index("outcome")]) == {name: 2 * n for name, n in EXPECTED.items()}
    areas = columns[list(facts["fields"]).index("area")].tolist()
    assert shapely.area(shapely.from_wkb(outlines)).tolist() == areas
    assert sorted(shapely.area(sm.read(tmp_path / "e.gpkg").geometries).tolist()) == sorted(areas)
    box = [shapely.box(4.5, 52, 4.6, 52.1)]
    map_run = sm.evaluate(*({"a": sm.Polygons(box, crs="EPSG:4326")} for _ in "tp"), metrics="pq")
    write_errors(map_run, tmp_path / "m.gpkg")
    assert pyogrio.read_info(tmp_path / "m.gpkg")["crs"] == "EPSG:4326"
    large = np.full((2, 2), 2**64 - 1, dtype=np.uint64)  # more than a column of integers holds
    write_errors(sm.evaluate({"a": large}, {"a": large}, metrics="pq"), tmp_path / "l.gpkg")
    facts, *_, columns = pyogrio.raw.read(tmp_path / "l.gpkg")
    assert columns[list(facts["fields"]).index("area")].tolist() == [4]


def test_volumes_lie_where_the_truth_lies(tmp_path: Path) -> None:
    nibabel = pytest.importorskip("nibabel")
    affine = np.array([[0, -2, 0, 5], [3, 0, 0, 1], [0, 0, 4, 2], [0, 0, 0, 1]])
    for side, labels in (("t", TRUE), ("p", PRED)):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            image = nibabel.Nifti1Image(np.stack([labels, labels]).astype(np.uint8), affine)
            image.header.set_xyzt_units("mm")
            nibabel.save(image, tmp_path / side / f"{name}.nii.gz")
    run = sm.evaluate(tmp_path / "t", tmp_path / "p", metrics="pq", read={"labels": "instances"})
    for ending in ("nii.gz", "nii", "npy"):
        write_errors(run, tmp_path / "errors" / f"{{item}}.{ending}")
    volume, plain = (nibabel.load(tmp_path / "errors" / name) for name in ("b.nii.gz", "b.nii"))
    assert np.array_equal(volume.affine, affine) and volume.header.get_xyzt_units()[0] == "mm"
    values = np.asarray(volume.dataobj)
    assert values.tolist() == np.asarray(plain.dataobj).tolist() == np.load(tmp_path / "errors" / "b.npy").tolist()
    assert set(np.unique(values)) == {0, MISSED, SHARED, SPURIOUS, BOTH}
    with pytest.raises(KindError, match=r"a has 3 axes; expected an image \(volumes: \.nii\.gz\)"):
        write_errors(run, tmp_path / "{item}.png")


def test_an_array_of_zarr_for_each_item(images: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    run = sm.evaluate(*images, metrics="pq", read={"labels": "instances"})
    for ending in ("zarr", "npy"):
        write_errors(run, tmp_path / f"{{item}}-errors.{ending}")
    assert (
        np.asarray(sm.read(tmp_path / "a-errors.zarr").labels).tolist() == np.load(tmp_path / "a-errors.npy").tolist()
    )
    with pytest.raises(OptionError, match=r"a-errors\.zarr exists"):
        write_errors(run, tmp_path / "{item}-errors.zarr")


def test_maps_keep_their_coordinates(tmp_path: Path) -> None:
    boxes = [shapely.box(1000.1, 2000, 1004.1, 2004), shapely.box(1010, 2000, 1014, 2004)]
    true, pred = (sm.Polygons(part, crs="EPSG:28992") for part in (boxes, boxes[:1]))
    write_errors(sm.evaluate({"a": true}, {"a": pred}, metrics="pq"), tmp_path / "e.geojson")
    data = json.loads((tmp_path / "e.geojson").read_text())
    assert data["crs"]["properties"]["name"] == "EPSG:28992"
    assert [row["properties"]["outcome"] for row in data["features"]] == ["matched", "missed"]
    for row, box in zip(data["features"], boxes, strict=True):
        assert row["properties"]["area"] == 16
        assert sorted(map(tuple, row["geometry"]["coordinates"][0])) == sorted(box.exterior.coords)


def test_what_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    both = {"a": TRUE, "b": TRUE}
    run = sm.evaluate(both, both, metrics="pq", read={"labels": "instances"})
    with pytest.raises(OptionError, match=r"expected a file that ends in \.geojson, .*\.rttm, .*\.zarr$"):
        write_errors(run, tmp_path / "e.shp")
    with pytest.raises(OptionError, match=r".npy is of one item, and the run has 2; \{item\} in the name"):
        write_errors(run, tmp_path / "e.npy")
    with pytest.raises(KindError, match="item a: found labels; expected a line of spans"):
        write_errors(run, tmp_path / "e.rttm")
    volume = sm.evaluate({"a": TRUE[None]}, {"a": PRED[None]}, metrics="pq", read={"labels": "instances"})
    with pytest.raises(KindError, match="found labels of 3 axes; expected images"):
        write_errors(volume, tmp_path / "e.geojson")
    assert not list(tmp_path.iterdir()), "nothing half written"


def test_the_example_of_paths_of_items() -> None:
    assert [path.name for path in paths_of_items(["../a b", ".."], Path("{item}.png"))] == [".._a_b.png", "_.png"]
