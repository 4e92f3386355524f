"""A path is recognised once, and the source that says so travels."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import FormatError
from segmetry.readers import source
from segmetry.readers.reader import READERS, ReadOptions, readers_of
from segmetry.readers.source import Source, input_path
from tests.cli.running import Runner

Sniff = Callable[[Path, bytes], bool]


@pytest.fixture
def sniffed(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often every reader was asked about every file."""
    counts: Counter[tuple[str, str]] = Counter()

    def counted(name: str, sniff: Sniff) -> Sniff:
        def count(path: Path, head: bytes) -> bool:
            counts[name, path.name] += 1
            return sniff(path, head)

        return count

    readers = {name: replace(reader, sniff=counted(name, reader.sniff)) for name, reader in READERS.items()}
    monkeypatch.setattr(source, "READERS", readers)
    monkeypatch.setattr(source, "readers_of", lambda head: {name: readers[name] for name in readers_of(head)})
    return counts


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    np.save(tmp_path / "true.npy", np.array([[1, 1, 2, 2]]))
    np.save(tmp_path / "pred.npy", np.array([[1, 2, 2, 2]]))
    return tmp_path / "true.npy", tmp_path / "pred.npy"


def once() -> dict[tuple[str, str], int]:
    """Readers of files that begin as ours do are asked, and no others."""
    return {(name, file): 1 for name in readers_of(b"\x93NUMPY") for file in ("true.npy", "pred.npy")}


def test_evaluating_two_files_sniffs_each_once(
    files: tuple[Path, Path], sniffed: Counter[tuple[str, str]], tmp_path: Path
) -> None:
    sm.evaluate(*files, metrics="pq", out=tmp_path / "run.segm")
    assert sniffed == once()


def test_evaluating_two_mappings_of_paths_sniffs_each_once(
    files: tuple[Path, Path], sniffed: Counter[tuple[str, str]], tmp_path: Path
) -> None:
    sm.evaluate({"a": files[0]}, {"a": files[1]}, metrics="pq", out=tmp_path / "run.segm")
    assert sniffed == once()


@pytest.mark.parametrize("command", [["score", "--out", "run.segm"], ["maps", "-o", "maps"], ["sensitivity"]])
def test_a_command_sniffs_each_file_once(
    command: list[str],
    files: tuple[Path, Path],
    sniffed: Counter[tuple[str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    segmetry: Runner,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = segmetry(command[0], *files, *command[1:])
    assert outcome.code == 0, outcome.err
    assert sniffed == once()


def test_a_source_travels_with_its_format(files: tuple[Path, Path], sniffed: Counter[tuple[str, str]]) -> None:
    here = Source(files[0])
    assert here.reader.name == "npy"
    there = pickle.loads(pickle.dumps(here))  # noqa: S301 - our own bytes
    assert there.reader.name == "npy" and [item.name for item in there.items()] == ["true"]
    assert set(sniffed.values()) == {1}


def test_a_source_of_one_item(tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", a=np.ones((2, 2), int), b=np.ones((2, 2), int))
    np.savez(tmp_path / "one.npz", a=np.ones((2, 2), int))
    assert Source(tmp_path / "one.npz").only_item("x").name == "x"
    with pytest.raises(FormatError, match=r"two.npz: contains 2 items; expected one"):
        Source(tmp_path / "two.npz").only_item("x")


def test_the_example_of_input_path() -> None:
    assert input_path("truth.zarr", ReadOptions()).name == "truth.zarr"
