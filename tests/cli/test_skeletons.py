"""The command that follows skeletons in a volume."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import Runner


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "axon.swc").write_text("1 0 0 0 0 1 -1\n2 0 10 0 0 1 1\n3 0 20 0 0 1 2\n")
    np.save(tmp_path / "volume.npy", np.array([[[1, 1, 2]]]))
    return str(tmp_path / "axon.swc"), str(tmp_path / "volume.npy")


def test_it_prints_run_lengths_and_the_worst_skeletons(segmetry: Runner, files: tuple[str, str]) -> None:
    result = segmetry("skeletons", *files, "--spacing", "1,1,10")
    assert result.code == 0
    assert result.lines[0].startswith("1 skeletons: ERL 5, NERL 0.25; 0 segments merge skeletons")
    assert result.lines[3].split() == ["axon", "20.0000", "10.0000", "10.0000", "0.0000", "0.0000"]


def test_it_writes_csv_and_json(segmetry: Runner, files: tuple[str, str]) -> None:
    table = segmetry("skeletons", *files, "--spacing", "1,1,10", "--csv", "-")
    assert table.lines[1].startswith("axon,20.0,10.0,10.0,0.0,0.0,1,5.0")
    data = json.loads(segmetry("skeletons", *files, "--spacing", "1,1,10", "--json", "-").out)
    assert (data["erl"]["value"], data["nerl"]["value"], data["merging"]) == (5, 0.25, {})


def test_wrong_input_is_one_error(segmetry: Runner, files: tuple[str, str]) -> None:
    for arguments, words in (
        ([*files], "outside the volume of shape (1, 1, 3)"),
        ([*files, "--offset", "a"], "offset is 'a'; expected numbers"),
        ([files[1], files[1]], "not a file of skeletons"),
        ([*files, "--csv", "-", "--json", "-"], "both want standard output"),
    ):
        result = segmetry("skeletons", *arguments)
        assert result.code == 2 and words in result.err and "Traceback" not in result.err


def test_traces_are_no_segmentation(segmetry: Runner, files: tuple[str, str]) -> None:
    """Alone and in a folder: their rows of numbers look like labelled intervals."""
    for path in (files[0], str(Path(files[0]).parent)):
        Path(files[1]).unlink(missing_ok=True)
        result = segmetry("score", path, path)
        assert (result.code, "axon.swc: traced neurons, which 'segmetry skeletons' follows" in result.err) == (2, True)
