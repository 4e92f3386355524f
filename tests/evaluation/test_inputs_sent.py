"""Items that go to other processes go by the names of their files, whatever the folder those processes run in."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import segmetry as sm
from segmetry.errors import InputError
from segmetry.evaluation.inputs import ItemTask, find_inputs

LABELS = np.arange(2**12, dtype=np.uint16).reshape(16, 256) // 100


def sent(given: Any) -> ItemTask:
    found = find_inputs({"a": given}, {"a": [[1]]}, leaves_process=True).tasks[0]
    return pickle.loads(pickle.dumps(found))  # type: ignore[no-any-return]  # noqa: S301


def same(task: ItemTask) -> bool:
    found = task.load()[0]
    return isinstance(found, sm.LabelArray) and np.array_equal(found.labels, LABELS)


def test_paths_are_seen_from_any_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "a.npy", LABELS)
    monkeypatch.chdir(tmp_path)
    both = find_inputs("a.npy", "a.npy", leaves_process=True)
    tasks = [sent("a.npy"), sent(Path("a.npy")), pickle.loads(pickle.dumps(both.tasks[0]))]  # noqa: S301
    assert both.facts == {"true": "a.npy", "pred": "a.npy"}
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert all(map(same, tasks))


def test_a_memory_map_goes_as_the_name_of_its_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", LABELS)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert same(sent(mapped)) and len(pickle.dumps(sent(mapped))) < LABELS.nbytes / 4


def test_an_array_of_zarr_goes_as_the_name_of_its_folder(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    zarr = pytest.importorskip("zarr")
    monkeypatch.chdir(tmp_path)
    zarr.create_array("a.zarr", data=LABELS, chunks=(8, 64))
    task = sent(zarr.open_array("a.zarr", mode="r"))
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert same(task)


def test_an_hdf5_file_goes_as_its_name_if_others_can_open_it(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["labels"], file["floats"] = LABELS, np.zeros(2**21 + 1, dtype=np.float32)
        for given in (file["labels"], sm.LabelArray(file["floats"], allow_float=True)):
            with pytest.raises(InputError, match=r"item a: the HDF5 file .*a.h5 is open in mode 'r\+'; .* 'r' only"):
                sent(given)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert same(sent(file["labels"]))
    with h5py.File("nowhere.h5", "w", driver="core", backing_store=False) as file:
        file["labels"] = LABELS
        with pytest.raises(InputError, match=r"item a: the HDF5 file nowhere.h5"):
            sent(file["labels"])
