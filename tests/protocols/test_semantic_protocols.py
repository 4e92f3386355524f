"""Protocols of semantic segmentation from files: what is read how, what the user overrides, what is printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import segmetry as sm
from segmetry.errors import InputError


def save(folder: Path, name: str, values: list[list[int]], *, palette: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(np.array(values, dtype=np.uint8))
    if palette:
        image.putpalette([at % 256 for at in range(768)])
    image.save(folder / name)
    return folder


@pytest.fixture
def maps(tmp_path: Path) -> tuple[Path, Path]:
    true, pred = tmp_path / "true", tmp_path / "pred"
    for name, truth, prediction in (
        ("a.png", [[0, 0, 1, 255]], [[0, 1, 1, 2]]),
        ("b.png", [[2, 2, 0, 0]], [[2, 255, 0, 0]]),
    ):
        save(true, name, truth)
        save(pred, name, prediction)
    return true, pred


def row(run: sm.Run, classes: bool = False) -> dict[str, list[float | None]]:
    table = run.protocol_table(classes=classes)
    assert table is not None
    return {str(line[0]): [table[str(line[0]), heading] for heading in table.headings[1:]] for line in table.rows}


def test_semantic_reads_classes_and_ignores_255_of_the_truth(maps: tuple[Path, Path]) -> None:
    run = sm.evaluate(*maps, protocol="semantic")
    assert row(run)["all"] == [5 / 7, (3 / 4 + 1 / 2 + 1 / 2) / 3, (3 / 4 + 1 + 1 / 2) / 3, *row(run)["all"][3:]]
    assert row(run, classes=True)["2"] == [1 / 2, 1 / 2, 2 / 3]
    assert run.modified == () and run.confusion_matrix()["(outside)"] == [0, 0, 1, 0][: len(run.confusion_matrix())]


def test_what_the_user_states_goes_before_the_protocol(maps: tuple[Path, Path]) -> None:
    run = sm.evaluate(*maps, protocol="semantic", read={"void": 255})
    assert run.modified == ("void",)
    assert row(run, classes=True)["2"] == [1.0, 1.0, 1.0]
    run = sm.evaluate(*maps, protocol="semantic", read={"true_void": (0, 255)})
    assert run.modified == ("true_void",)
    assert "0" not in row(run, classes=True)


def test_arrays_are_read_like_files(maps: tuple[Path, Path]) -> None:
    arrays = [{path.stem: np.asarray(Image.open(path)) for path in sorted(side.iterdir())} for side in maps]
    assert row(sm.evaluate(*arrays, protocol="semantic")) == row(sm.evaluate(*maps, protocol="semantic"))


def test_a_run_file_gives_the_same_table_and_other_metrics(maps: tuple[Path, Path], tmp_path: Path) -> None:
    run = sm.evaluate(*maps, protocol="semantic", out=tmp_path / "run.segm", metrics="specificity,cohen_kappa")
    opened = sm.Run.open(tmp_path / "run.segm")
    assert row(opened) == row(run) and opened.modified == ()
    assert opened.summary()["specificity"].over_data_set == run.summary()["specificity"].over_data_set
    assert opened.intervals(rng=1, resamples=100)["mean_iou"]["by_class"].best is not None


def test_voc_reads_palettes_and_names_classes(tmp_path: Path) -> None:
    true = save(tmp_path / "true", "a.png", [[0, 15, 255]], palette=True)
    pred = save(tmp_path / "pred", "a.png", [[0, 15, 0]], palette=True)
    assert list(row(sm.evaluate(true, pred, protocol="voc"), classes=True)) == ["background", "person"]
    save(pred, "a.png", [[0, 15, 21]], palette=True)
    with pytest.raises(InputError, match=r"labels contain 21 \(1 element\); expected classes 0 to 20"):
        sm.evaluate(true, pred, protocol="voc")


def test_ade20k_shifts_the_truth_only(tmp_path: Path) -> None:
    true, pred = save(tmp_path / "true", "a.png", [[0, 1, 150]]), save(tmp_path / "pred", "a.png", [[0, 0, 149]])
    run = sm.evaluate(true, pred, protocol="ade20k")
    assert row(run)["all"][:2] == [1.0, 1.0] and list(row(run, classes=True)) == ["0", "149"]
    save(pred, "a.png", [[0, 1, 150]])
    with pytest.raises(InputError, match=r"labels contain 150 .*expected classes 0 to 149"):
        sm.evaluate(true, pred, protocol="ade20k")


def test_two_systems_are_compared_over_the_data_set(maps: tuple[Path, Path], tmp_path: Path) -> None:
    runs = [
        sm.evaluate(maps[0], side, protocol="semantic", out=tmp_path / f"{at}.segm")
        for at, side in enumerate((maps[1], maps[0]))
    ]
    comparison = sm.compare(*runs, rng=3, resamples=100)
    differences = {key: comparison.difference(key) for key in {entry.key for entry in comparison.differences}}
    assert set(differences) == set(runs[0].settings.metrics or ())
    assert {entry.average for entry in differences.values()} == {"by_class", "pooled"}
    assert all(entry.second_value == 1 and entry.interval.value > 0 for entry in differences.values())


def test_aliases_of_metrics_with_a_protocol(maps: tuple[Path, Path]) -> None:
    run = sm.evaluate(*maps, protocol="semantic", metrics="mcc,class_f2")
    assert run.settings.options["class_f_beta"] == {"beta": 2}
    assert {"matthews_correlation", "class_f_beta"} <= set(run.summary().scores)


def test_painted_classes_are_read_by_their_colours(tmp_path: Path) -> None:
    painted = np.array([[[0x80, 0x40, 0x80], [0xF4, 0x23, 0xE8]]], dtype=np.uint8)
    for side in ("true", "pred"):
        (tmp_path / side).mkdir()
        Image.fromarray(painted).save(tmp_path / side / "a.png")
    read = {"colours": "rgb", "map": "#804080:0,#F423E8:1"}
    run = sm.evaluate(tmp_path / "true", tmp_path / "pred", protocol="semantic", read=read)
    assert row(run, classes=True) == {"0": [1.0, 1.0, 1.0], "1": [1.0, 1.0, 1.0]}
