"""What ``segmetry score`` prints under the protocols of semantic segmentation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli.running import Runner


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


def test_cityscapes_folders_are_paired_by_frame(tmp_path: Path, segmetry: Runner) -> None:
    true = save(tmp_path / "gt" / "ulm", "ulm_000000_000001_gtFine_labelIds.png", [[7, 26, 0, 24]])
    pred = save(tmp_path / "pred", "ulm_000000_000001_leftImg8bit_pred.png", [[7, 28, 26, 24]])
    done = segmetry("score", str(true.parent), str(pred), "--protocol", "cityscapes-semantic", "--by-class")
    assert done.code == 0 and max(map(len, done.lines)) <= 100
    lines = {line.split()[0]: line.split()[1:] for line in done.lines if line.split()}
    assert lines["average"][0] == "0.500" and lines["vehicle"] == ["1.000", "–"][: len(lines["vehicle"])]
    assert lines["car"][0] == "0.000" and lines["person"][0] == "1.000"


@pytest.mark.parametrize("protocol", ["semantic", "torchmetrics-miou"])
def test_the_terminal_shows_the_table_first_in_twenty_lines(
    protocol: str, maps: tuple[Path, Path], segmetry: Runner
) -> None:
    done = segmetry("score", *map(str, maps), "--protocol", protocol)
    assert done.code == 0 and len(done.lines) <= 20 and "PQ" not in done.out and "θ" not in done.out


def test_classes_have_the_names_of_a_file(segmetry: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.array([[1, 1, 2, 2]]))
    np.save(tmp_path / "p.npy", np.array([[1, 1, 1, 2]]))
    (tmp_path / "names.csv").write_text("label,name\n1,liver\n2,lesion\n", encoding="utf-8")
    (tmp_path / "names.json").write_text('{"1": "liver", "2": "lesion"}', encoding="utf-8")
    sides = (tmp_path / "t.npy", tmp_path / "p.npy", "--protocol", "semantic", "--by-class", "--class-names")
    for name in ("names.csv", "names.json"):
        assert "lesion" in segmetry("score", *sides, tmp_path / name).out
    (tmp_path / "names.json").write_text("[]", encoding="utf-8")
    assert "names no classes" in segmetry.refused("score", *sides, tmp_path / "names.json")
