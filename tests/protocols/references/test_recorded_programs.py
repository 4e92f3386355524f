"""Protocols on files against numbers recorded from the programs of their fields, over fifty data sets each.

`tests/data/recorded` names program, version and how it was run; its images are made up. What the programs do with a
file was run on the same files: PNG, CSV, GeoJSON and lists of events, with empty sides, one pixel, ties, classes and
labels of one side, and Windows newlines.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import segmetry as sm
from tests.profiles import count
from tests.protocols.references.field_files import decoded as image
from tests.protocols.references.table_values import same, shown

pytestmark = [pytest.mark.generated, pytest.mark.filterwarnings("ignore")]

RECORDED = Path(__file__).parents[2] / "data" / "recorded"
BOM = b"\xef\xbb\xbf"
Values = dict[str, float | None]


def recorded(name: str) -> list[tuple[int, Any]]:
    """The data sets of a program, numbered: each of them in make test-all, some of them in the light suite."""
    data_sets = list(enumerate(json.loads((RECORDED / f"{name}.json").read_text())["data_sets"]))
    assert len(data_sets) > 50
    return data_sets[:: max(1, len(data_sets) // count(1))]


def folders(at: Path, images: list[Any], name: str, write: Callable[[Path, NDArray[np.int64]], None]) -> list[Path]:
    """Write both sides of the images into folders."""
    for side in ("true", "pred"):
        (at / side).mkdir(parents=True)
        for number, both in enumerate(images):
            write(at / side / name.format(number), image(both[side]))
    return [at / "true", at / "pred"]


def save_16_bits(path: Path, labels: NDArray[np.int64]) -> None:
    Image.fromarray((labels * 257).astype(np.uint16)).save(path)


def save_palette(path: Path, labels: NDArray[np.int64]) -> None:
    made = Image.fromarray(labels.astype(np.uint8), mode="P")
    made.putpalette([value for index in range(256) for value in (index, 255 - index, index // 2)])
    made.save(path)


def save_csv(path: Path, labels: NDArray[np.int64]) -> None:
    end = "\r\n" if labels.size % 2 else "\n"
    path.write_bytes(BOM * (labels.size % 3 == 0) + end.join(",".join(map(str, row)) for row in labels).encode())


def row_of(paths: list[Path], protocol: str) -> Values:
    run = sm.evaluate(*paths, protocol=protocol, engine="serial")
    assert run.modified == ()
    (row,) = shown(run).values()
    return row


def mean_of(values: list[dict[str, float]], heading: str) -> float:
    return math.fsum(one[heading] for one in values) / len(values) if values else math.nan


def has_objects(both: Mapping[str, Any]) -> bool:
    return any(image(both[side]).any() for side in ("true", "pred"))


def test_dsb2018_on_16_bit_images(tmp_path: Path) -> None:
    """The program adds 1e-9 to denominators, and gives 0 to an image without objects, which is an exception."""
    for at, images in recorded("dsb2018"):
        row = row_of(folders(tmp_path / str(at), images, "{}.png", save_16_bits), "dsb2018")
        values = [both["values"] for both in images if has_objects(both)]
        assert row.pop("images") == len(values)
        for heading, value in row.items():
            expected = mean_of(values, heading)
            assert value == (None if math.isnan(expected) else pytest.approx(expected, abs=1e-8)), (at, heading)


def test_cvppp_on_plants(tmp_path: Path) -> None:
    for at, images in recorded("cvppp"):
        row = row_of(folders(tmp_path / str(at), images, "plant{:03}_label.png", save_palette), "cvppp")
        assert row.pop("images") == len(images)
        for heading, value in row.items():
            assert same(value, mean_of([both["values"] for both in images], heading)), (at, heading, images)


def test_superpixels_on_csv_files(tmp_path: Path) -> None:
    for at, images in recorded("superpixels"):
        row = row_of(folders(tmp_path / str(at), images, "{}.csv", save_csv), "superpixels")
        for heading in images[0]["values"]:
            expected = mean_of([both["values"] for both in images], heading)
            assert row[heading] == pytest.approx(expected, rel=1e-6, abs=1e-7), (at, heading, images)


def test_voc_on_palette_images(tmp_path: Path) -> None:
    """The mean is NaN where a class does not occur, which is an exception."""
    for at, data in recorded("voc"):
        paths = folders(tmp_path / str(at), data["images"], "2008_{:06}.png", save_palette)
        run = sm.evaluate(*paths, protocol="voc", engine="serial")
        assert run.modified == ()
        rows = shown(run, classes=True)
        names = [run.class_names[number] for number in range(21)]
        for name, value in zip(names, data["values"], strict=True):
            assert same(rows.get(name, {}).get("IoU"), math.nan if value is None else value), (at, name)
        (row,) = shown(run).values()
        defined = [one for one in data["values"] if one is not None]
        assert same(row["average accuracy (IoU)"], sum(defined) / len(defined) if defined else math.nan), at


def save_boxes(path: Path, boxes: list[list[int]]) -> None:
    """Footprints in the plane of a UTM zone, as SpaceNet's tiles after reprojection; ids beyond 2⁵³."""
    features = []
    for number, (left, bottom, right, top) in enumerate(boxes):
        ring = [[left, bottom], [right, bottom], [right, top], [left, top], [left, bottom]]
        outline = {"type": "Polygon", "coordinates": [[[5e5 + x, 4e6 + y] for x, y in ring]]}
        named = {"BuildingId": 2**60 + number}
        features.append({"type": "Feature", "id": 2**60 + number, "properties": named, "geometry": outline})
    system = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}
    collection = {"type": "FeatureCollection", "crs": system, "features": features}
    path.write_text(json.dumps(collection, indent=1).replace("\n", "\r\n"), newline="")


def test_spacenet_on_tiles_of_footprints(tmp_path: Path) -> None:
    pytest.importorskip("shapely")
    for at, tiles in recorded("spacenet"):
        paths = [tmp_path / str(at) / side for side in ("true", "pred")]
        for path in paths:
            path.mkdir(parents=True)
            for number, tile in enumerate(tiles):
                save_boxes(path / f"tile{number}.geojson", tile[path.name])
        tp, fp, fn = (sum(tile[name] for tile in tiles) for name in ("TP", "FP", "FN"))
        expected = (
            {"F1": 2 * tp / (2 * tp + fp + fn), "precision": tp / (tp + fp), "recall": tp / (tp + fn)} if tp else {}
        )
        for heading, value in row_of(paths, "spacenet").items():
            assert same(value, expected.get(heading, 0.0)), (at, heading, tiles)


def test_sound_events_on_lists_of_three_four_and_five_columns(tmp_path: Path) -> None:
    """Rates beyond 10⁹ are quotients by 2.2e-16, and F1 is not a number without output; both are exceptions."""
    for at, data in recorded("sound-events"):
        paths = [tmp_path / f"{at}-true.txt", tmp_path / f"{at}-pred.txt"]
        for path, rows in zip(paths, (data["true"], data["pred"]), strict=True):
            text = "".join(row + ("\r\n" if at % 2 else "\n") for row in rows)
            path.write_bytes(BOM * (at % 3 == 0 and bool(rows)) + text.encode())
        options = {key: {"collar": 0.25} for key in ("event_based_f1", "event_based_error_rate")}
        table = shown(sm.evaluate(*paths, protocol="sound-events", options=options, engine="serial"))
        for name, values in data["values"].items():
            for heading, value in values.items():
                if value is not None and value < 1e9:
                    assert same(table[name][heading], value), (at, name, heading, data)
