"""``segmetry maps``: arrays and pictures on disk, one folder per item."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from segmetry.cli.main import cli
from segmetry.errors import InputError, OptionError, UnknownNameError

TRUE = np.array([[1, 1, 1, 2], [1, 1, 1, 2]])
PRED = np.array([[5, 6, 6, 6], [5, 6, 6, 0]])


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["maps", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def size_of(path: Path) -> tuple[int, int]:
    with Image.open(path) as picture:
        return picture.size


def test_one_pair(tmp_path: Path) -> None:
    np.save(tmp_path / "true.npy", TRUE)
    np.save(tmp_path / "pred.npy", PRED)
    output = run(tmp_path / "true.npy", tmp_path / "pred.npy", "-o", tmp_path / "maps")
    assert np.load(tmp_path / "maps" / "recall.npy").tolist() == [[4 / 7, 4 / 7, 4 / 7, 1 / 6]] * 2
    precision = np.load(tmp_path / "maps" / "precision.npy")
    assert precision[0].tolist() == [1 / 3, 4 / 7, 4 / 7, 4 / 7] and np.isnan(precision[1, 3])
    assert "F1 over" in (tmp_path / "maps" / "curves.svg").read_text() and "curves.svg" in output
    assert output.count("recall.png") == 1 and (tmp_path / "maps" / "recall.png").read_bytes()[1:4] == b"PNG"


def test_several_pairs_get_a_folder_each(tmp_path: Path) -> None:
    np.savez(tmp_path / "true.npz", a=TRUE, b=TRUE)
    np.savez(tmp_path / "pred.npz", a=PRED, b=TRUE)
    run(tmp_path / "true.npz", tmp_path / "pred.npz", "-o", tmp_path / "maps", "--weight", "dice")
    assert np.load(tmp_path / "maps" / "b" / "recall.npy").min() == 1.0
    assert np.load(tmp_path / "maps" / "a" / "recall.npy")[0, 0] == 8 / 11


def test_curves_need_pairs_that_are_one_to_one(tmp_path: Path) -> None:
    np.save(tmp_path / "true.npy", np.ones((1, 1, 4), np.uint8))
    np.save(tmp_path / "pred.npy", np.array([[[1, 1, 1, 0]], [[0, 1, 1, 1]]], np.uint8))
    run(tmp_path / "true.npy", tmp_path / "pred.npy", "-o", tmp_path / "maps", "--labels", "masks")
    assert sorted(file.name for file in (tmp_path / "maps").iterdir()) == [
        "precision.npy", "precision.png", "recall.npy", "recall.png", "segments.csv"
    ]  # fmt: skip


def test_items_that_would_share_a_folder_are_rejected(tmp_path: Path) -> None:
    np.savez(tmp_path / "both.npz", **{"a b": TRUE, "a_b": TRUE})
    with pytest.raises(InputError, match="would share"):
        run(tmp_path / "both.npz", tmp_path / "both.npz", "-o", tmp_path / "maps")
    assert not (tmp_path / "maps").exists()


def test_a_wrong_rule_writes_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "true.npy", TRUE)
    with pytest.raises(UnknownNameError):
        run(tmp_path / "true.npy", tmp_path / "true.npy", "-o", tmp_path / "maps", "--rule", "theta")
    assert not (tmp_path / "maps").exists()


def test_a_volume_is_cut_across_its_shortest_axis(tmp_path: Path) -> None:
    volume = np.zeros((40, 5, 60), dtype=np.uint8)
    volume[5:30, 1:3, 10:50] = 1
    np.save(tmp_path / "volume.npy", volume)
    run(tmp_path / "volume.npy", tmp_path / "volume.npy", "-o", tmp_path / "maps")
    # Two of the five slices have a segment: one above the other, five times enlarged, and the legend below.
    assert size_of(tmp_path / "maps" / "recall.png") == (320, 5 * (2 * 40 + 1) + 64)
    run(tmp_path / "volume.npy", tmp_path / "volume.npy", "-o", tmp_path / "other", "--axis", 0, "--slices", 3)
    assert size_of(tmp_path / "other" / "recall.png") == (320, 5 * (3 * 5 + 2) + 64)


def test_an_image_has_no_axis_to_cut_across(tmp_path: Path) -> None:
    np.save(tmp_path / "true.npy", TRUE)
    with pytest.raises(OptionError, match="the map has 2 axes"):
        run(tmp_path / "true.npy", tmp_path / "true.npy", "-o", tmp_path / "maps", "--axis", 0)
