"""Every file a reader opens is among the fingerprints of its run, so that a change of any of them is noticed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import segmetry as sm
from segmetry.errors import InputError
from segmetry.evaluation.fingerprint import file_fingerprints
from segmetry.evaluation.inputs import find_inputs
from segmetry.readers.reader import READERS, ReadOptions
from segmetry.readers.source import read_items
from tests.readers.data_sets import DATA_SETS
from tests.readers.samples import SAMPLES

_opened: list[list[str]] = []


def _listen(event: str, details: tuple[Any, ...]) -> None:
    if _opened and event in ("open", "sqlite3.connect") and isinstance(details[0], str | bytes):
        _opened[-1].append(str(details[0]).removeprefix("file:").partition("?")[0])


sys.addaudithook(_listen)


@contextmanager
def opened() -> Iterator[list[str]]:
    """The files that Python opens meanwhile; h5py opens its own by itself, and is given no other name."""
    _opened.append([])
    try:
        yield _opened[-1]
    finally:
        _opened.pop()


def written(name: str, folder: Path) -> Path:
    if name in DATA_SETS:
        if DATA_SETS[name].needs:
            pytest.importorskip(str(DATA_SETS[name].needs))
        return DATA_SETS[name].write(folder)
    path = folder / f"a{SAMPLES[name].suffix}"
    path.write_bytes(SAMPLES[name].content)
    return path


@pytest.mark.parametrize("name", [*SAMPLES, *DATA_SETS])
def test_what_is_opened_has_a_fingerprint(name: str, tmp_path: Path) -> None:
    if name == "textgrid":
        pytest.importorskip("praatio", reason="TextGrid files need the extra textgrid")
    path = written(name, tmp_path)
    options = ReadOptions(**{**SAMPLES, **DATA_SETS}[name].options)
    with opened() as files:
        [item.load() for item in read_items(path, name, options)]
    beside = READERS[name].beside
    known = file_fingerprints(path, beside(path, options) if beside is not None else ())
    inside = {Path(file).resolve() for file in files if Path(file).resolve().is_relative_to(tmp_path.resolve())}
    assert inside or name == "hdf5", "the test must see the files"
    assert {file.relative_to(path.parent.resolve()).as_posix() for file in inside if file.is_file()} <= known.keys()


def test_paths_by_name_are_read_as_truth_and_prediction(tmp_path: Path) -> None:
    """The void of a truth is no segment of a prediction, however the files are named."""
    true, pred = (written("cityscapes", tmp_path / side) for side in ("true", "pred"))
    task = find_inputs({"one": true}, {"one": pred}).tasks[0]
    found = task.load()
    assert isinstance(found[0], sm.LabelArray) and isinstance(found[1], sm.LabelArray)
    assert (found[0].void, found[0].outside, found[1].void, found[1].outside) == ((4,), (), (), (4,))


COMPANIONS = [
    (name, file) for name, sample in DATA_SETS.items() for file in sample.files if len(sample.files) > 1 or "/" in file
]


@pytest.mark.parametrize(("name", "file"), COMPANIONS)
def test_a_changed_companion_is_rejected(name: str, file: str, tmp_path: Path) -> None:
    true, pred = (written(name, tmp_path / side) for side in ("true", "pred"))
    run = tmp_path / "run.segm"
    read = ReadOptions(**DATA_SETS[name].options)
    sm.evaluate(true, pred, metrics="pq", out=run, format=name, read=read).close()
    by_name = tmp_path / "by_name.segm"
    sides = {"one": true}, {"one": pred}
    if len(list(read_items(true, name, read))) == 1:
        sm.evaluate(*sides, metrics="pq", out=by_name, format=name, read=read).close()
    changed = tmp_path / "pred" / file
    changed.write_bytes(changed.read_bytes() + b"\n")
    with pytest.raises(InputError, match=r"the input .* of pred has changed since the run started"):
        sm.evaluate(true, pred, metrics="pq", out=run, format=name, read=read, resume=True)
    if by_name.exists():
        with pytest.raises(InputError, match=r"the input one of pred has changed since the run started"):
            sm.evaluate(*sides, metrics="pq", out=by_name, format=name, read=read, resume=True)
