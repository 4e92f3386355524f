"""``segmetry maps``: arrays and pictures on disk, one folder per item."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from segmetry.cli.main import cli
from segmetry.errors import InputError, UnknownNameError

TRUE = np.array([[1, 1, 1, 2], [1, 1, 1, 2]])
PRED = np.array([[5, 6, 6, 6], [5, 6, 6, 0]])


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["maps", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_one_pair(tmp_path: Path) -> None:
    np.save(tmp_path / "true.npy", TRUE)
    np.save(tmp_path / "pred.npy", PRED)
    output = run(tmp_path / "true.npy", tmp_path / "pred.npy", "-o", tmp_path / "maps")
    assert np.load(tmp_path / "maps" / "recall.npy").tolist() == [[4 / 7, 4 / 7, 4 / 7, 1 / 6]] * 2
    precision = np.load(tmp_path / "maps" / "precision.npy")
    assert precision[0].tolist() == [1 / 3, 4 / 7, 4 / 7, 4 / 7] and np.isnan(precision[1, 3])
    assert output.count("recall.png") == 1 and (tmp_path / "maps" / "recall.png").read_bytes()[1:4] == b"PNG"


def test_several_pairs_get_a_folder_each(tmp_path: Path) -> None:
    np.savez(tmp_path / "true.npz", a=TRUE, b=TRUE)
    np.savez(tmp_path / "pred.npz", a=PRED, b=TRUE)
    run(tmp_path / "true.npz", tmp_path / "pred.npz", "-o", tmp_path / "maps", "--weight", "dice")
    assert np.load(tmp_path / "maps" / "b" / "recall.npy").min() == 1.0
    assert np.load(tmp_path / "maps" / "a" / "recall.npy")[0, 0] == 8 / 11


def test_items_that_would_share_a_folder_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "both.npz", **{"a b": TRUE, "a_b": TRUE})
    with pytest.raises(InputError, match="would share the folder"):
        run(tmp_path / "both.npz", tmp_path / "both.npz", "-o", tmp_path / "maps")
    assert not (tmp_path / "maps").exists()


def test_a_wrong_rule_writes_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "true.npy", TRUE)
    with pytest.raises(UnknownNameError):
        run(tmp_path / "true.npy", tmp_path / "true.npy", "-o", tmp_path / "maps", "--rule", "theta")
    assert not (tmp_path / "maps").exists()
