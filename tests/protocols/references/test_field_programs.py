"""Protocols on the files of their fields against numbers that the programs computed from the same files.

``tests/data/recorded`` names each program, its commit and how it was run, over more than fifty made-up data sets: empty
sides, one pixel, ties, classes and labels of one side, frames and scans of one point. None is where a program has no
number or stops, which the protocols state as exceptions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.outputs import parts_table
from tests.protocols.references import field_files
from tests.protocols.references.field_files import Pairs, decoded
from tests.protocols.references.table_values import shown
from tests.protocols.references.test_recorded_programs import recorded

pytestmark = [pytest.mark.generated, pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

Paths = tuple[Path, Path]
Write = Callable[[Path, Pairs], Paths]
EXACT, CONSTANTS = 1e-12, 5e-6
"""Sums of floats in another order; a millionth added to denominators."""


def same(value: float | None, expected: float | None, tolerance: float = EXACT) -> bool:
    if value is None or expected is None:
        return value is None and expected is None
    return math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)


def with_byte_order_marks(paths: Paths, at: int) -> Paths:
    """In every third data set, which some of the programs do not read."""
    for path in paths if at % 3 == 0 else ():
        for file in path.iterdir() if path.is_dir() else [path]:
            file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    return paths


def run_of(paths: Paths, protocol: str, **options: Any) -> sm.Run:
    run = sm.evaluate(*paths, protocol=protocol, engine="serial", **options)
    assert run.modified == ()
    return run


def row_of(run: sm.Run) -> dict[str, float | None]:
    (row,) = shown(run).values()
    return row


def mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


@pytest.mark.parametrize(
    ("protocol", "write", "tolerance"),
    [
        ("hover-net", field_files.matlab, 1e-5),
        ("neurips-cellseg", field_files.tiff, EXACT),
    ],
)
def test_the_mean_over_images(protocol: str, write: Write, tolerance: float, tmp_path: Path) -> None:
    for at, items in recorded(protocol):
        kept = [item for item in items if item["values"] is not None]
        if not kept:
            continue
        options: dict[str, Any] = {"pairing": {"strip": "_label"}} if protocol == "neurips-cellseg" else {}
        row = row_of(run_of(write(tmp_path / str(at), kept), protocol, **options))
        for heading in kept[0]["values"]:
            expected = mean([item["values"][heading] for item in kept])
            assert same(row[heading], expected, tolerance), (at, heading, row, expected, items)


@pytest.mark.parametrize(
    ("protocol", "write", "tolerance"),
    [
        ("conic", field_files.conic, CONSTANTS),
        ("sorted-ap", field_files.png_16, 1e-9),
        ("action", field_files.frame_labels, 1e-9),
        ("davis", field_files.video_frames, 1e-9),
        ("davis-unsupervised", field_files.video_frames, 1e-9),
        ("kitti-step", field_files.step_frames, 1e-6),
        ("semantic-kitti", field_files.kitti_scans, 1e-9),
        ("panoptic-nuscenes", field_files.nuscenes_scans, 1e-6),
    ],
)
def test_the_values_of_a_data_set(protocol: str, write: Write, tolerance: float, tmp_path: Path) -> None:
    for at, data in recorded(protocol):
        paths = write(tmp_path / str(at), data["items"])
        if protocol == "action":
            with_byte_order_marks(paths, at)
        options = {"read": {"scenes": str(paths[0].parent / "scenes.json")}} if "nuscenes" in protocol else {}
        row = row_of(run_of(paths, protocol, **options))
        for heading, expected in data["values"].items():
            if expected is not None:
                assert same(row[heading], expected, tolerance), (at, heading, row, data)


def test_pannuke_by_class_and_by_tissue(tmp_path: Path) -> None:
    for at, data in recorded("pannuke"):
        paths = field_files.pannuke(tmp_path / str(at), data["items"])
        run = run_of(paths, "pannuke")
        types = paths[0] / "types.npy"
        parts = {part["tissue"]: part for part in run.parts(sm.ByItem.read(types, "tissue"))}
        for tissue, values in data["tissues"].items():
            if tissue != "mean":
                for heading, key in (("mPQ", "mpq_by_item"), ("bPQ", "bpq_by_item")):
                    assert same(parts[tissue][key], values[heading], CONSTANTS), (at, tissue, parts, values)
        cells = {key: run.cell(key) for key in ("mpq", "bpq")}
        *_, (_, _, _, _, *means) = parts_table(run.parts(sm.ByItem.read(types, "tissue")), cells, mean=True).rows
        for value, expected in zip(means, data["tissues"]["mean"].values(), strict=True):
            found = None if math.isnan(value.value) else value.value
            assert same(found, expected, CONSTANTS), (at, means, data["tissues"])
        rows = shown(run, classes=True)
        for name, value in data["classes"].items():
            assert same(rows.get(name, {}).get("PQ"), value, CONSTANTS), (at, name, rows, data)


@pytest.mark.parametrize("group", ["All", "Things", "Stuff"])
def test_vpq_by_windows(group: str, tmp_path: Path) -> None:
    for at, data in recorded("vpq"):
        if max(decoded(item["true"]).shape[0] for item in data["items"]) < 4:
            continue  # an exception
        rows = shown(run_of(field_files.step_frames(tmp_path / str(at), data["items"]), "vpq"))
        for k in (1, 2, 3, 4):
            expected = data["values"][f"k = {k}" if group == "All" else f"{group} k = {k}"]
            value = rows.get(group, {}).get(f"k = {k}")
            assert same(value, expected, 1e-9), (at, k, rows, data)


def test_coco_panoptic_by_groups_and_classes(tmp_path: Path) -> None:
    for at, data in recorded("coco-panoptic"):
        run = run_of(field_files.coco_panoptic(tmp_path / str(at), data["items"]), "coco-panoptic")
        rows, classes = shown(run), shown(run, classes=True)
        for group in ("All", "Things", "Stuff"):
            for heading, expected in data["values"][group].items():
                if heading != "N":
                    assert same(rows.get(group, {}).get(heading), expected), (at, group, heading, rows, data)
        for number, values in data["values"]["classes"].items():
            for heading, expected in values.items():
                value = classes.get(f"class {number}", {}).get(heading)
                assert same(value or 0, expected), (at, number, heading, classes, data)


def test_nnunet_with_regions_ignored_and_absent_labels(tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    for at, data in recorded("nnunet"):
        paths = field_files.nifti(tmp_path / str(at), data["items"])
        (paths[0].parent / "dataset.json").write_text(json.dumps(data["dataset"]))
        run = run_of(paths, "nnunet")
        (row,), classes = shown(run).values(), shown(run, classes=True)
        for heading, expected in data["foreground"].items():
            if expected is not None:  # NaN where no case has a label, an exception
                assert same(row[heading], expected), (at, heading, row, data)
        for name, values in data["mean"].items():
            for heading, expected in values.items():
                assert same(classes.get(name, {}).get(heading), expected), (at, name, heading, classes, data)


def test_cremi_on_samples_and_submissions(tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    for at, data in recorded("cremi"):
        row = row_of(run_of(field_files.cremi(tmp_path / str(at), data["items"]), "cremi"))
        for heading, expected in (data["values"] or {}).items():
            if expected is not None:
                assert same(row[heading], expected, 1e-7 if heading == "CREMI" else 1e-12), (at, heading, row, data)


@pytest.mark.parametrize("protocol", ["brats", "brats-men", "brats-met"])
def test_lesions_of_brats(protocol: str, tmp_path: Path) -> None:
    pytest.importorskip("nibabel")
    for at, items in recorded(protocol):
        kept = [item for item in items if item["values"] is not None]
        if not kept:
            continue
        rows = shown(run_of(field_files.nifti(tmp_path / str(at), kept, (2, 1, 1.5)), protocol))
        for region in ("WT", "TC", "ET"):
            values = [item["values"][region] for item in kept]
            for heading in ("Dice", "HD95"):
                expected = mean([value[heading] for value in values])
                assert same(rows[region][heading], expected, 1e-9), (at, region, heading, rows, items)
            for heading in ("TP", "FP", "FN"):
                assert rows[region][heading] == sum(value[heading] for value in values), (
                    at,
                    region,
                    heading,
                    rows,
                    items,
                )


@pytest.mark.parametrize("protocol", ["semantic", "ade20k"])
def test_class_maps(protocol: str, tmp_path: Path) -> None:
    for at, data in recorded(protocol):
        run = run_of(field_files.png_8(tmp_path / str(at), data["items"]), protocol)
        row, classes = row_of(run), shown(run, classes=True)
        for heading, expected in data["values"].items():
            assert same(row[heading], expected), (at, heading, row, data)
        for number, values in enumerate(data["classes"]):
            for heading, expected in zip(("IoU", "Acc"), values, strict=True):
                assert same(classes.get(str(number), {}).get(heading), expected), (at, number, classes, data)


def test_change_points_of_series(tmp_path: Path) -> None:
    for at, items in recorded("change-points"):
        paths = field_files.change_points(tmp_path / str(at), items)
        rows = shown(run_of(with_byte_order_marks(paths, at), "change-points"))
        (row,) = rows.values()
        for heading in ("F1", "covering"):
            values = [item["values"][heading] for item in items]
            if None not in values:
                assert same(row[heading], mean(values)), (at, heading, row, items)


def test_measures_of_metrics_reloaded(tmp_path: Path) -> None:
    """Counts are means over all cases; a PPV or NPV of nothing, which the program writes as 0, is an exception."""
    pytest.importorskip("nibabel")
    for at, items in recorded("metrics-reloaded"):
        rows = shown(
            run_of(field_files.nifti(tmp_path / str(at), items, (2, 0.5, 1)), "metrics-reloaded"), classes=True
        )
        for label in ("1", "2"):
            found = [item["values"][label] for item in items if label in item["values"]]
            for heading, row in rows.items():
                name = "sensitivity" if heading == "sensitivity, ior" else heading
                values = [one[name] for one in found if one[name] is not None]
                if name in ("ppv", "npv") and 0 in values:
                    continue
                n = len(items) if name.startswith("numb_") else len(values)
                expected = math.fsum(values) / n if values else None
                assert same(row.get(label), expected, 1e-5), (at, label, heading, row, values)
