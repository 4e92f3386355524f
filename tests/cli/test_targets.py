"""What a command writes never takes the place of what it reads, and no target is named twice or in vain."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from tests.cli.running import Runner


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two label arrays, the same in folders, annotations and a run."""
    monkeypatch.chdir(tmp_path)
    true, pred = np.array([[1, 1, 2, 2]]), np.array([[1, 1, 1, 2]])
    for name, labels in (("true", true), ("pred", pred)):
        np.save(f"{name}.npy", labels)
        Path(name).mkdir()
        np.save(f"{name}/a.npy", labels)
    Path("coders.json").write_text('{"items": {"a": {"x": [2, 2], "y": [1, 3]}}, "segmentation_type": "linear"}')
    sm.evaluate("true.npy", "pred.npy", metrics="pq", out="run.segm").close()
    sm.evaluate("true.npy", "true.npy", metrics="pq", out="other.segm").close()
    Path("link.csv").symlink_to("pred.npy")
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    "call",
    [
        "score true.npy pred.npy --csv true.npy",
        "score true.npy pred.npy --json ./pred.npy",
        "score true.npy pred.npy --parquet true/../true.npy",
        "score true.npy pred.npy --csv link.csv",
        "score true.npy pred.npy --report pred.npy",
        "score true.npy pred.npy --out true.npy --resume",
        "export run.segm --csv run.segm",
        "export run.segm --json run.segm",
        "report run.segm -o run.segm",
        "report run.segm --sensitivity coders.json -o coders.json",
        "compare run.segm other.segm --csv other.segm",
        "diagnose run.segm --json run.segm",
        "sensitivity true.npy pred.npy --svg pred.npy",
        "agreement coders.json --json coders.json",
    ],
)
def test_no_input_is_replaced(call: str, home: Path, segmetry: Runner) -> None:
    before = content(home)
    assert "is an input and would be overwritten" in segmetry.refused(*call.split())
    assert content(home) == before


@pytest.mark.parametrize("target", ["--csv pred/scores.csv", "--json true/a.json", "--out pred/run.segm"])
def test_no_folder_of_inputs_is_written_into(target: str, home: Path, segmetry: Runner) -> None:
    before = content(home)
    assert "would change it" in segmetry.refused("score", "true", "pred", *target.split())
    assert content(home) == before


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("score true.npy pred.npy --csv a --json a", "--json and --csv both name a"),
        ("score true.npy pred.npy --csv a --out ./a", "--csv and --out both name a"),
        ("diagnose run.segm --csv a --json a", "--json and --csv both name a"),
        (
            "score true.npy pred.npy --table segments",
            "--table selects what --csv, --parquet, --markdown and --latex write",
        ),
        (
            "export run.segm --table segments --json a",
            "--table selects what --csv, --parquet, --markdown and --latex write",
        ),
        ("score true pred --shard 1/2 -o part.segm --report a.html", "--report needs the whole"),
        ("score true pred --shard 1/2 -o part.segm --interval", "--interval needs the whole"),
    ],
)
def test_no_target_is_named_twice_or_in_vain(call: str, words: str, home: Path, segmetry: Runner) -> None:
    before = content(home)
    assert words in segmetry.refused(*call.split())
    assert content(home) == before


def test_devices_take_everything(home: Path, segmetry: Runner) -> None:
    call = f"score true.npy pred.npy --metrics pq --csv {os.devnull} --json {os.devnull}"
    assert segmetry(*call.split()).code == 0
    assert segmetry("export", "run.segm", "--table", "segments").out.startswith("item,rule,outcome")
